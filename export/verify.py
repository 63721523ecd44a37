"""Compares the ONNX graph with the torch module in fp32, and its int8 twin with both."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch

from export.build import export_graph, prepared
from export.data import Cases, dev_examples
from export.model import CandidateScorer
from export.prepare import planner_for
from sidecar.engine.artifact import Artifact
from sidecar.engine.packing import pack, shape_of
from sidecar.engine.runtime import Engine
from sidecar.prompt.plan import TokenPlan

MAX_FP32_DIFFERENCE = 1e-4
MAX_INT8_MEAN_DIFFERENCE = 0.02
MIN_INT8_AGREEMENT = 0.99


def softmax(scores: npt.NDArray[np.float32], none: float) -> npt.NDArray[np.float64]:
    """Probabilities of K candidates and none, [K+1]."""
    logits = np.append(scores.astype(np.float64), none)
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


def torch_probabilities(scorer: CandidateScorer, plans: list[TokenPlan]) -> list[npt.NDArray[np.float64]]:
    """What the torch module says, all plans in one packed row."""
    feeds = pack(plans, [shape_of(p) for p in plans]).feeds()
    with torch.no_grad():
        scores, none = scorer(**{n: torch.from_numpy(v) for n, v in feeds.items()})
    return [softmax(scores[i, : len(p.branches)].numpy(), float(none[i])) for i, p in enumerate(plans)]


def engine_probabilities(engine: Engine, plans: list[TokenPlan]) -> list[npt.NDArray[np.float64]]:
    """What an engine says, batched as it likes."""
    return [softmax(s.scores, s.none_score) for s in engine.run(plans)]


def fp32_engine(scorer: CandidateScorer, artifact: Artifact, folder: Path) -> Engine:
    """An engine over the unquantised graph."""
    for path in (artifact.tokenizer, artifact.folder / "scorer.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    onnx.save(export_graph(scorer), folder / "model.onnx")
    return Engine(Artifact.open(folder), threads=2)


def verify(base: Path | None, adapter: Path, out: Path, data: Path, cases: int) -> None:
    """Prints the differences; exits with 1 where one is over its bound."""
    artifact = Artifact.open(out)
    with tempfile.TemporaryDirectory() as folder:
        scorer, template, _, _ = prepared(base, adapter, Path(folder))
        planner = planner_for(artifact.tokenizer, template)
        plans = [e.plan for e in dev_examples(planner, Cases(data, "dev"), cases, seed=3)]
        exact = fp32_engine(scorer.eval(), artifact, Path(folder))
    chunks = [plans[i : i + 8] for i in range(0, 64, 8)]
    worst = max(
        float(np.abs(a - b).max())
        for chunk in chunks
        for a, b in zip(torch_probabilities(scorer, chunk), engine_probabilities(exact, chunk), strict=True)
    )
    reference = engine_probabilities(exact, plans)
    served = engine_probabilities(Engine(artifact, threads=2), plans)
    mean = float(np.mean([np.abs(a - b).max() for a, b in zip(reference, served, strict=True)]))
    same = float(np.mean([a.argmax() == b.argmax() for a, b in zip(reference, served, strict=True)]))
    print(f"fp32 graph against torch, {sum(map(len, chunks))} cases: max |dp| {worst:.1e}")
    print(f"int8 graph against fp32, {len(plans)} cases: mean |dp| {mean:.4f}, same choice {same:.3f}")
    if worst > MAX_FP32_DIFFERENCE or mean > MAX_INT8_MEAN_DIFFERENCE or same < MIN_INT8_AGREEMENT:
        raise SystemExit("the artifact is over its bounds")
