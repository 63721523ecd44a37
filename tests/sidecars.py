"""Sidecars to ask: in this process without a model, and as users run them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import numpy as np
import structlog

from codriver import Client
from sidecar.catalog.loader import load_set
from sidecar.config import Settings
from sidecar.core import slots
from sidecar.core.calibration import Calibration
from sidecar.core.candidates import CandidateSet
from sidecar.core.messages import Message
from sidecar.decider import Decider, Limits
from sidecar.errors import CandidateSetNotFound
from sidecar.prompt.plan import TokenPlan
from sidecar.scoring.static import StaticScorer
from sidecar.server.lifecycle import build

ROOT = Path(__file__).parent.parent
COMMAND = str(Path(sys.executable).parent / "codriver")
LIMITS = Limits(max_context_tokens=100, max_candidate_tokens=64, max_message_bytes=4 * 1024 * 1024)


@dataclass(frozen=True)
class Sets:
    """A catalog of the sets that it is given."""

    sets: Mapping[str, CandidateSet]

    def get(self, reference: str) -> CandidateSet:
        if reference not in self.sets:
            raise CandidateSetNotFound(f"no candidate set {reference!r}")
        return self.sets[reference]


@dataclass(frozen=True)
class Planned:
    plan: TokenPlan
    dropped: int = 0


@dataclass(frozen=True)
class BytePlanner:
    """One token a byte of the texts; ``asked`` keeps what it was given."""

    asked: list[tuple[CandidateSet, Sequence[Message], str, bool]] = field(default_factory=list)

    def plan(
        self, candidate_set: CandidateSet, messages: Sequence[Message], *, language: str, drop_oldest: bool
    ) -> Planned:
        self.asked.append((candidate_set, messages, language, drop_oldest))
        branches = tuple(_tokens(c.name) for c in candidate_set.candidates)
        return Planned(TokenPlan(_tokens("".join(m.content for m in messages)), branches), int(drop_oldest))


def _tokens(text: str) -> np.ndarray:
    return np.frombuffer(text.encode() or b"\0", np.uint8).astype(np.int32)


def static_decider(scorer: StaticScorer | None = None, planner: BytePlanner | None = None) -> Decider:
    """A decider over the shipped sets whose scores come from ``scorer``."""
    shipped = [load_set(path) for path in sorted((ROOT / "examples").glob("*.yaml"))]
    return Decider(
        Sets({s.name: s for s in shipped}),
        planner or BytePlanner(),
        scorer or StaticScorer(),
        Calibration(),
        LIMITS,
        fill_slots=slots.fill,
    )


@contextmanager
def in_thread(decider: Decider, listen: str = "127.0.0.1:0", max_inflight: int = 64) -> Iterator[str]:
    """Serves in a thread of its own, so that a blocking client can ask; gives the address."""
    quiet, before = structlog.ReturnLoggerFactory(), structlog.get_config()
    started: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        server, _, address = await build(Settings(listen=listen, max_inflight=max_inflight), decider)
        await server.start()
        end = asyncio.Event()
        started.set_result((address, asyncio.get_running_loop(), end))
        await end.wait()
        await server.stop(0)

    structlog.configure(logger_factory=quiet)  # the access log must not mix with what a command prints
    thread = Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    address, loop, end = started.result(10)
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(10)
        structlog.configure(**before)


@contextmanager
def live(model: Path, folder: Path, *sets: Path) -> Iterator[str]:
    """The real command with the real model on a Unix socket in ``folder``; gives the address."""
    address = f"unix://{folder}/codriver.sock"
    arguments = [COMMAND, "serve", "--model", str(model), "--listen", address]
    for path in sets or (ROOT / "examples",):
        arguments += ["--candidate-sets", str(path)]
    with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:
        try:
            with Client(address) as client:
                client.wait_until_ready(60)
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
