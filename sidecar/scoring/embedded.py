"""The scorer in process: one engine, one worker thread, requests that wait together run together."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from sidecar.engine.artifact import Artifact
from sidecar.engine.runtime import DEFAULT_TOKEN_BUDGET, Engine
from sidecar.engine.scored import ModelIdentity, Scored
from sidecar.errors import DeadlineExceeded, Draining, InternalError
from sidecar.prompt.plan import TokenPlan


@dataclass(slots=True)
class _Waiting:
    plan: TokenPlan
    answer: asyncio.Future[Scored]
    since: float


class EmbeddedScorer:
    """Micro-batching without a timer: whatever arrived while the last run computed makes the next one."""

    name = "embedded"

    def __init__(self, artifact: Artifact, *, threads: int = 1, token_budget: int = DEFAULT_TOKEN_BUDGET) -> None:
        self._artifact = artifact
        self._threads = threads
        self._token_budget = token_budget
        self._engine: Engine | None = None
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "engine")
        manifest = artifact.manifest
        self.model = ModelIdentity(manifest.name, manifest.version, artifact.hash, manifest.method)

    async def start(self) -> None:
        """Loads the model; returns when the first score can be asked for."""
        loop = asyncio.get_running_loop()
        self._engine = await loop.run_in_executor(self._thread, self._load)
        self._worker = loop.create_task(self._work(self._engine))

    def _load(self) -> Engine:
        return Engine(self._artifact, threads=self._threads, token_budget=self._token_budget)

    async def score(self, plan: TokenPlan, *, timeout: float | None = None) -> Scored:
        """Scores one plan; DeadlineExceeded after ``timeout`` seconds, Draining when the scorer is closed."""
        if self._worker is None or self._worker.done():
            raise Draining("the embedded scorer is not running")
        answer = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Waiting(plan, answer, time.monotonic()))
        try:
            return await asyncio.wait_for(answer, timeout)
        except TimeoutError:
            raise DeadlineExceeded("the scorer did not answer within the deadline") from None

    async def ready(self) -> bool:
        """Whether the model is loaded and the worker runs."""
        return self._worker is not None and not self._worker.done()

    async def close(self) -> None:
        """Refuses what still waits and lets the current run finish."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        while not self._queue.empty():
            _fail([self._queue.get_nowait()], Draining("the sidecar is shutting down"))
        await asyncio.to_thread(self._thread.shutdown)

    async def _work(self, engine: Engine) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = await self._next_batch()
            started = time.monotonic()
            run = loop.run_in_executor(self._thread, engine.run, [w.plan for w in batch])
            try:
                # A cancelled worker still answers those whose run has begun.
                results = await asyncio.shield(run)
            except asyncio.CancelledError:
                _answer(batch, await run, started)
                raise
            except Exception as error:
                _fail(batch, InternalError(f"the engine failed: {error!r}"))
            else:
                _answer(batch, results, started)

    async def _next_batch(self) -> list[_Waiting]:
        """Waits for a request, then takes whatever else waits, up to the token budget; skips those nobody waits for."""
        batch: list[_Waiting] = []
        room = self._token_budget
        while not batch or (room > 0 and not self._queue.empty()):
            waiting = await self._queue.get()
            if not waiting.answer.done():
                batch.append(waiting)
                room -= waiting.plan.tokens
        return batch


def _answer(batch: list[_Waiting], results: list[Scored], started: float) -> None:
    for waiting, scored in zip(batch, results, strict=True):
        if not waiting.answer.done():
            queue_us = int((started - waiting.since) * 1e6)
            waiting.answer.set_result(replace(scored, stats=replace(scored.stats, queue_us=queue_us)))


def _fail(batch: list[_Waiting], error: Exception) -> None:
    for waiting in batch:
        if not waiting.answer.done():
            waiting.answer.set_exception(error)
