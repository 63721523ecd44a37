"""What every test may need: the built model and a planner for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.compose import make_planner
from sidecar.engine.artifact import Artifact
from sidecar.engine.runtime import Engine
from sidecar.prompt.planner import Planner

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "models" / "smollm2-135m"


@pytest.fixture(scope="session")
def artifact() -> Artifact:
    """The default model; tests that need it are skipped where 'make model' has not run ('make test' runs it)."""
    if not (MODEL / "scorer.json").exists():
        pytest.skip("no model at models/smollm2-135m: run 'make model'")
    return Artifact.open(MODEL)


@pytest.fixture(scope="session")
def planner(artifact: Artifact) -> Planner:
    """The default model's planner."""
    return make_planner(artifact)


@pytest.fixture(scope="session")
def engine(artifact: Artifact) -> Engine:
    """The default model, loaded."""
    return Engine(artifact, threads=2)
