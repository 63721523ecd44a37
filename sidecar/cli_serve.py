"""The commands that run a sidecar: alone, or with a Triton server beside it."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

from sidecar.compose import make_decider
from sidecar.config import Settings, load_settings
from sidecar.server.lifecycle import serve


def settings_from(config: Path | None, **flags: Any) -> Settings:
    """The settings with the flags on top; empty lists count as not given."""
    sets = flags.pop("candidate_sets", None)
    return load_settings(config, {**flags, "candidate_sets": tuple(sets) if sets else None})


def run(settings: Settings) -> int:
    """Serves until a signal comes; returns the exit code."""
    return asyncio.run(serve(settings, make_decider(settings), _announce))


def run_with_triton(settings: Settings) -> int:
    """Starts Triton, serves, and stops both; a signal while Triton starts stops it too."""
    from sidecar.triton_process import TritonProcess, stage

    def interrupted(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    # serve() puts its own handlers over this one.
    signal.signal(signal.SIGTERM, interrupted)
    repository = stage(settings)
    with TritonProcess(repository) as triton:
        changed = settings.triton.model_copy(update={"url": triton.url})
        return run(settings.model_copy(update={"scorer": "triton", "triton": changed}))


def _announce(address: str) -> None:
    print(f"codriver listens on {address}", file=sys.stderr, flush=True)
