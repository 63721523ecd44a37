"""Training: LoRA on the decoder, a fresh head; resumable, deterministic by seed."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from export.data import Cases, Example, dev_examples, examples
from export.model import CandidateScorer
from sidecar.engine.packing import pack, shape_of
from sidecar.prompt.planner import Planner

HEAD_FILE = "head.safetensors"
LORA_FOLDER = "lora"
CARD = "card.json"
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on, beside the data."""

    steps: int = 400
    batch: int = 8
    rank: int = 16
    lora_rate: float = 4e-4
    head_rate: float = 1e-3
    warmup: int = 30
    seed: int = 1
    save_every: int = 50


def add_lora(scorer: CandidateScorer, rank: int) -> None:
    """Puts LoRA on every linear layer of the decoder and freezes the rest of it, the embeddings included."""
    config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS, lora_dropout=0.0)
    scorer.backbone = get_peft_model(scorer.backbone, config)


def logits(scorer: CandidateScorer, batch: Sequence[Example]) -> Tensor:
    """[R, K+1] logits, "nothing fits" last, -1e9 where a request has fewer branches."""
    plans = [e.plan for e in batch]
    feeds = pack(plans, [shape_of(p) for p in plans]).feeds()
    scores, none = scorer(**{name: torch.from_numpy(value) for name, value in feeds.items()})
    real = torch.arange(scores.shape[1])[None] < torch.from_numpy(feeds["branch_count"])[:, None]
    return torch.cat([scores.masked_fill(~real, -1e9), none[:, None]], 1)


def targets(batch: Sequence[Example], width: int) -> Tensor:
    """The right column for each request; "nothing fits" is the last one."""
    return torch.tensor([e.target if e.target < len(e.plan.branches) else width - 1 for e in batch])


def batches(stream: Iterator[Example], size: int) -> Iterator[list[Example]]:
    """Batches of examples of like length, taken from windows of 16 batches."""
    while True:
        window = sorted(itertools.islice(stream, 16 * size), key=lambda e: e.plan.tokens)
        groups = [window[i : i + size] for i in range(0, len(window), size)]
        # A fixed stride mixes short and long batches, deterministically.
        yield from (groups[(7 * i) % len(groups)] for i in range(len(groups)))


def accuracy(scorer: CandidateScorer, dev: Sequence[Example], size: int = 8) -> dict[str, float]:
    """Dev accuracy in all, on cases with a right candidate, and on those without one; and mean log loss."""
    scorer.eval()
    right: list[bool] = []
    loss = 0.0
    ordered = sorted(dev, key=lambda e: e.plan.tokens)
    with torch.no_grad():
        for i in range(0, len(ordered), size):
            batch = ordered[i : i + size]
            out = logits(scorer, batch)
            want = targets(batch, out.shape[1])
            right += (out.argmax(1) == want).tolist()
            loss += float(nn.functional.cross_entropy(out, want, reduction="sum"))
    scorer.train()
    fits = [e.target < len(e.plan.branches) for e in ordered]
    some = [r for r, f in zip(right, fits, strict=True) if f]
    none = [r for r, f in zip(right, fits, strict=True) if not f]
    return {
        "accuracy": sum(right) / len(right),
        "accuracy_fits": sum(some) / max(1, len(some)),
        "accuracy_none": sum(none) / max(1, len(none)),
        "log_loss": loss / len(right),
    }


def train(scorer: CandidateScorer, planner: Planner, data: Path, out: Path, recipe: Recipe, base: str) -> None:
    """Trains and leaves the adapter with its card in ``out``; goes on from ``out``'s checkpoint where there is one."""
    torch.manual_seed(recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    add_lora(scorer, recipe.rank)
    lora = [p for p in scorer.backbone.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": lora, "lr": recipe.lora_rate},
            {"params": scorer.head.parameters(), "lr": recipe.head_rate},
        ],
        weight_decay=0.01,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, recipe))
    first, checkpoint = 0, out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        scorer.load_state_dict(state["model"], strict=False)
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        first = state["step"]
    cases = Cases(data, "train")
    dev = dev_examples(planner, Cases(data, "dev"), 300, recipe.seed)
    stream = itertools.islice(batches(examples(planner, cases, recipe.seed), recipe.batch), first, recipe.steps)
    started, running = time.monotonic(), math.nan
    scorer.train()
    bar = tqdm(stream, total=recipe.steps, initial=first, desc="training", mininterval=10)
    for step, batch in enumerate(bar, first + 1):
        out_logits = logits(scorer, batch)
        loss = nn.functional.cross_entropy(out_logits, targets(batch, out_logits.shape[1]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*lora, *scorer.head.parameters()], 1.0)
        optimizer.step()
        schedule.step()
        running = loss.item() if math.isnan(running) else 0.95 * running + 0.05 * loss.item()
        bar.set_postfix(loss=f"{running:.3f}", refresh=False)
        if step % recipe.save_every == 0 and step < recipe.steps:
            _save_checkpoint(checkpoint, scorer, optimizer, schedule, step)
    metrics = accuracy(scorer, dev)
    save_adapter(scorer, out, _card(recipe, base, cases, metrics, time.monotonic() - started))
    checkpoint.unlink(missing_ok=True)
    print(json.dumps(metrics))


def _rate(step: int, recipe: Recipe) -> float:
    warm = min(1.0, (step + 1) / recipe.warmup)
    return warm * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(1.0, step / recipe.steps))))


def _save_checkpoint(path: Path, scorer: CandidateScorer, optimizer: Any, schedule: Any, step: int) -> None:
    trained = {n: p for n, p in scorer.state_dict().items() if "lora_" in n or n.startswith("head.")}
    state = {
        "model": trained,
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
        "step": step,
    }
    temporary = path.with_suffix(".tmp")
    torch.save(state, temporary)
    temporary.replace(path)


def _card(recipe: Recipe, base: str, cases: Cases, metrics: dict[str, float], seconds: float) -> dict[str, Any]:
    return {
        "base": base,
        "recipe": asdict(recipe),
        "sources": {source: len(found) for source, found in cases.by_source.items()},
        "dev": {name: round(value, 4) for name, value in metrics.items()},
        "training_seconds": round(seconds),
    }


def save_adapter(scorer: CandidateScorer, out: Path, card: dict[str, Any]) -> None:
    """Writes LoRA (peft's format) and head in half precision, and the card."""
    scorer.backbone.save_pretrained(out / LORA_FOLDER)
    path = out / LORA_FOLDER / "adapter_model.safetensors"
    save_file({n: p.half() for n, p in load_file(path).items()}, path)
    save_file({n: p.half() for n, p in scorer.head.state_dict().items()}, out / HEAD_FILE)
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def load_adapter(scorer: CandidateScorer, folder: Path) -> dict[str, Any]:
    """Merges an adapter into the decoder and loads its head; returns its card."""
    from peft import PeftModel

    merged = PeftModel.from_pretrained(scorer.backbone, folder / LORA_FOLDER).merge_and_unload()
    scorer.backbone = merged
    scorer.head.load_state_dict({n: p.float() for n, p in load_file(folder / HEAD_FILE).items()})
    return dict(json.loads((folder / CARD).read_text(encoding="utf-8")))
