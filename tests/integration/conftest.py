"""Sidecars for whole modules and for the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sidecar.engine.artifact import Artifact
from tests.sidecars import in_thread, live, static_decider


@pytest.fixture(scope="session")
def live_address(artifact: Artifact, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A sidecar process with the built model and the shipped sets."""
    with live(artifact.folder, tmp_path_factory.mktemp("live")) as address:
        yield address


@pytest.fixture(scope="module")
def static_address() -> Iterator[str]:
    """A sidecar without a model and with the shipped sets."""
    with in_thread(static_decider()) as address:
        yield address
