"""The command that runs a sidecar."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import structlog
import uvloop

from sidecar.compose import make_decider
from sidecar.config import Log, Settings, load_settings
from sidecar.server.lifecycle import serve


def settings_from(config: Path | None, **flags: Any) -> Settings:
    """The settings with the flags on top; empty lists count as not given."""
    sets = flags.pop("candidate_sets", None)
    return load_settings(config, {**flags, "candidate_sets": tuple(sets) if sets else None})


def run(settings: Settings) -> int:
    """Serves until a signal comes; returns the exit code."""
    _log_to_stderr(settings.log)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(serve(settings, make_decider(settings), _announce))


def _log_to_stderr(log: Log) -> None:
    """Standard output stays free for what a command prints."""
    renderer = structlog.processors.JSONRenderer() if log.format == "json" else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="ts"),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(log.level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _announce(address: str) -> None:
    print(f"codriver listens on {address}", file=sys.stderr, flush=True)
