"""The command that runs a sidecar."""

from __future__ import annotations

import asyncio
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


def _announce(address: str) -> None:
    print(f"codriver listens on {address}", file=sys.stderr, flush=True)
