"""Base + adapter -> model artifact: export by optimum, lowering to standard ONNX ops, row-wise int8."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import onnx
import torch
from optimum.exporters.onnx.config import OnnxConfig
from optimum.exporters.onnx.convert import export_pytorch
from optimum.utils import DummyInputGenerator, NormalizedConfig

from export.lower import lower
from export.model import CandidateScorer
from export.prepare import INSTRUCTION, MAX_CANDIDATE_TOKENS, MAX_CONTEXT_TOKENS, open_base
from export.quantise import quantise
from export.train import load_adapter
from sidecar.engine.artifact import GRAPH, MANIFEST, Manifest
from sidecar.engine.packing import PackedRow, pack, shape_of
from sidecar.prompt.plan import TokenPlan

TRACE_OPSET = 18
"""The opset that is traced; ``lower`` moves the graph to the one that has Attention."""

AXES = {
    "ids": {0: "tokens"},
    "positions": {0: "tokens"},
    "tile_index": {0: "tiles", 1: "tile_length"},
    "tile_segments": {0: "tiles", 1: "tile_length"},
    "unpack": {0: "tokens"},
    "context_index": {0: "requests"},
    "branch_index": {0: "requests", 1: "branches"},
    "branch_count": {0: "requests"},
}


def sample_row() -> PackedRow:
    """Two small requests of unequal shape, to trace with."""

    def plan(context: int, *branches: int) -> TokenPlan:
        ids = torch.arange(20, 20 + context + sum(branches), dtype=torch.int32)
        parts = ids.split([context, *branches])
        return TokenPlan(parts[0].numpy(), tuple(p.numpy() for p in parts[1:]))

    plans = [plan(9, 4, 5, 3), plan(5, 3, 2)]
    return pack(plans, [shape_of(p) for p in plans])


class _RowGenerator(DummyInputGenerator):
    """Gives optimum the sample row."""

    SUPPORTED_INPUT_NAMES = tuple(AXES)

    def __init__(self, *_: Any, **__: Any) -> None:
        self._feeds = sample_row().feeds()

    def generate(self, input_name: str, **_: Any) -> torch.Tensor:
        return torch.from_numpy(self._feeds[input_name])


class ScorerOnnxConfig(OnnxConfig):
    """Tells optimum's exporter the inputs and outputs of ``CandidateScorer``."""

    NORMALIZED_CONFIG_CLASS = NormalizedConfig
    DUMMY_INPUT_GENERATOR_CLASSES = (_RowGenerator,)
    DEFAULT_ONNX_OPSET = TRACE_OPSET

    @property
    def inputs(self) -> dict[str, dict[int, str]]:
        """The packed row."""
        return AXES

    @property
    def outputs(self) -> dict[str, dict[int, str]]:
        """Scores and none."""
        return {"scores": {0: "requests", 1: "branches"}, "none": {0: "requests"}}


def export_graph(scorer: CandidateScorer) -> onnx.ModelProto:
    """The fp32 graph of the scorer in standard ONNX ops."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / GRAPH
        export_pytorch(scorer.eval(), ScorerOnnxConfig(scorer.config), TRACE_OPSET, path)
        return lower(onnx.load(path))


def prepared(base: Path | None, adapter: Path | None, work: Path) -> tuple[CandidateScorer, Any, str, dict[str, Any]]:
    """Base with its adapter merged; returns model, template, base name and the adapter's card."""
    torch.manual_seed(0)
    scorer, _, template, name = open_base(base, work)
    card = load_adapter(scorer, adapter) if adapter else {}
    return scorer, template, name, card


def build(base: Path | None, adapter: Path | None, out: Path, *, quantised: bool) -> None:
    """Writes a model artifact to ``out``."""
    scorer, template, name, card = prepared(base, adapter, out)
    graph = export_graph(scorer)
    if quantised:
        graph = quantise(graph)
    onnx.save(graph, out / GRAPH)
    manifest = Manifest(
        name=out.name,
        version="1",
        method="head" if adapter else "untrained",
        base=name,
        template=template,
        max_context_tokens=MAX_CONTEXT_TOKENS,
        max_candidate_tokens=MAX_CANDIDATE_TOKENS,
        instruction=INSTRUCTION,
        build={"quantisation": "row-wise int8" if quantised else "none", "adapter": card},
    )
    text = json.dumps(dataclasses.asdict(manifest), indent=2, ensure_ascii=False)
    (out / MANIFEST).write_text(text + "\n", encoding="utf-8")
    print(f"{out}: {(out / GRAPH).stat().st_size / 1e6:.0f} MB")
