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
from export.embedder import Embedder, minilm_archive
from export.fake_quant import FakeQuant
from export.model import CandidateScorer
from export.smooth import fold, measure
from sidecar.engine.packing import pack, shape_of
from sidecar.prompt.planner import Planner

HEAD_FILE = "head.safetensors"
LORA_FOLDER = "lora"
CARD = "card.json"
SMOOTH_FILE = "smooth.safetensors"
WINDOW = 128
STRIDE = 131
REFRESH_EVERY = 20
SMOOTHING_BATCHES = 24
DEV_CASES = 300
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on, beside the data."""

    steps: int = 2000
    batch_tokens: int = 1200
    rank: int = 16
    lora_rate: float = 4e-4
    head_rate: float = 1e-3
    warmup: int = 50
    decay: float = 0.3
    """Last share of the steps, in which the rates fall to zero; a run may so be cut short by a smaller ``steps``."""
    rounding: float = 0.2
    """Last share of the steps, which sees int8 rounding."""
    seed: int = 1
    save_every: int = 50
    measure_every: int = 250


def add_lora(scorer: CandidateScorer, rank: int) -> None:
    """Puts LoRA on every linear layer of the decoder and freezes the rest of it, the embeddings included."""
    config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS, lora_dropout=0.0)
    scorer.backbone = get_peft_model(scorer.backbone, config)


def logits(scorer: CandidateScorer, batch: Sequence[Example]) -> Tensor:
    """[R, K+1] logits, "nothing fits" last, -1e9 where a request has fewer branches."""
    plans = [e.plan for e in batch]
    feeds = pack(plans, [shape_of(p) for p in plans]).feeds()
    with torch.autocast("cpu", torch.bfloat16):
        scores, none = scorer(**{name: torch.from_numpy(value) for name, value in feeds.items()})
    scores, none = scores.float(), none.float()
    real = torch.arange(scores.shape[1])[None] < torch.from_numpy(feeds["branch_count"])[:, None]
    return torch.cat([scores.masked_fill(~real, -1e9), none[:, None]], 1)


def targets(batch: Sequence[Example], width: int) -> Tensor:
    """The right column for each request; "nothing fits" is the last one."""
    return torch.tensor([e.target if e.target < len(e.plan.branches) else width - 1 for e in batch])


def batches(stream: Iterator[Example], tokens: int) -> Iterator[list[Example]]:
    """Batches of examples of like length and about ``tokens`` tokens, taken from windows of 128 examples."""
    while True:
        window = sorted(itertools.islice(stream, WINDOW), key=lambda e: e.plan.tokens)
        groups: list[list[Example]] = [[]]
        for example in window:
            if groups[-1] and sum(e.plan.tokens for e in groups[-1]) + example.plan.tokens > tokens:
                groups.append([])
            groups[-1].append(example)
        # A stride prime to any count below it mixes short and long batches, deterministically.
        yield from (groups[(STRIDE * i) % len(groups)] for i in range(len(groups)))


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
    cases = Cases(data, "train", embedder=Embedder(minilm_archive()))
    dev = dev_examples(planner, Cases(data, "dev"), DEV_CASES, recipe.seed)
    checkpoint = out / "checkpoint.pt"
    if not checkpoint.exists():
        scales = measure(scorer.backbone, lambda: _run(scorer, planner, cases, recipe))
        save_file(scales, out / SMOOTH_FILE)
    fold(scorer.backbone, load_file(out / SMOOTH_FILE))
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
    first = _resume(checkpoint, scorer, optimizer, schedule)
    stream = itertools.islice(batches(examples(planner, cases, recipe.seed), recipe.batch_tokens), first, recipe.steps)
    started, running = time.monotonic(), math.nan
    fake_quant: FakeQuant | None = None
    scorer.train()
    bar = tqdm(stream, total=recipe.steps, initial=first, desc="training", mininterval=10)
    for step, batch in enumerate(bar, first + 1):
        if fake_quant is None and step > (1 - recipe.rounding) * recipe.steps:
            fake_quant = FakeQuant(scorer.backbone)
        out_logits = logits(scorer, batch)
        loss = nn.functional.cross_entropy(out_logits, targets(batch, out_logits.shape[1]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*lora, *scorer.head.parameters()], 1.0)
        optimizer.step()
        schedule.step()
        if fake_quant is not None and step % REFRESH_EVERY == 0:
            fake_quant.refresh()
        running = loss.item() if math.isnan(running) else 0.98 * running + 0.02 * loss.item()
        bar.set_postfix(loss=f"{running:.3f}", refresh=False)
        if step % recipe.save_every == 0 and step < recipe.steps:
            _save_checkpoint(checkpoint, scorer, optimizer, schedule, step)
        if step % recipe.measure_every == 0 and step < recipe.steps:
            bar.write(json.dumps({"step": step, "loss": round(running, 4), **accuracy(scorer, dev)}))
    metrics = accuracy(scorer, dev)
    save_adapter(scorer, out, _card(recipe, base, cases, metrics, time.monotonic() - started))
    checkpoint.unlink(missing_ok=True)
    print(json.dumps(metrics))


def _run(scorer: CandidateScorer, planner: Planner, cases: Cases, recipe: Recipe) -> None:
    """One pass over the first examples, for the activations' ranges."""
    stream = batches(examples(planner, cases, recipe.seed), recipe.batch_tokens)
    with torch.no_grad():
        for batch in itertools.islice(stream, SMOOTHING_BATCHES):
            logits(scorer, batch)


def _resume(path: Path, scorer: CandidateScorer, optimizer: Any, schedule: Any) -> int:
    """Loads a checkpoint where there is one; returns how many steps are done."""
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    scorer.load_state_dict(state["model"], strict=False)
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    return int(state["step"])


def _rate(step: int, recipe: Recipe) -> float:
    warm = min(1.0, (step + 1) / recipe.warmup)
    left = (recipe.steps - step) / (recipe.decay * recipe.steps)
    return max(0.0, min(warm, left))


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

    if (folder / SMOOTH_FILE).exists():
        fold(scorer.backbone, load_file(folder / SMOOTH_FILE))
    merged = PeftModel.from_pretrained(scorer.backbone, folder / LORA_FOLDER).merge_and_unload()
    scorer.backbone = merged
    scorer.head.load_state_dict({n: p.float() for n, p in load_file(folder / HEAD_FILE).items()})
    return dict(json.loads((folder / CARD).read_text(encoding="utf-8")))
