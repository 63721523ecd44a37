"""Runs the graph on packed rows."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import onnxruntime as ort

from sidecar.engine.artifact import Artifact
from sidecar.engine.packing import pack, shape_of, split
from sidecar.engine.scored import ModelIdentity, Scored, ScoreStats
from sidecar.prompt.plan import TokenPlan

DEFAULT_TOKEN_BUDGET = 2048


class Engine:
    """One ONNX Runtime session. ``run`` blocks and may be called from one thread at a time."""

    def __init__(self, artifact: Artifact, *, threads: int = 1, token_budget: int = DEFAULT_TOKEN_BUDGET) -> None:
        self.token_budget = token_budget
        manifest = artifact.manifest
        self.model = ModelIdentity(manifest.name, manifest.version, artifact.hash, manifest.method)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # The session shares its cores with the server's event loop: waiting threads must not spin.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = ort.InferenceSession(str(artifact.graph), options, providers=["CPUExecutionProvider"])

    def run(self, plans: Sequence[TokenPlan]) -> list[Scored]:
        """Scores plans in their order, in runs of at most ``token_budget`` tokens (a larger plan runs alone)."""
        results: dict[int, Scored] = {}
        for indices in split(plans, self.token_budget):
            scored = self._run_once([plans[i] for i in indices])
            results.update(zip(indices, scored, strict=True))
        return [results[i] for i in range(len(plans))]

    def _run_once(self, plans: Sequence[TokenPlan]) -> list[Scored]:
        started = time.perf_counter_ns()
        row = pack(plans, [shape_of(plan) for plan in plans])
        scores, none = self._session.run(["scores", "none"], row.feeds())
        run_us = (time.perf_counter_ns() - started) // 1000
        return [
            Scored(
                np.array(scores[i, : len(plan.branches)], np.float32),
                float(none[i]),
                ScoreStats(plan.tokens, 0, len(plans), 0, run_us),
            )
            for i, plan in enumerate(plans)
        ]
