"""A scorer without a model, for tests of everything around it."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable

import numpy as np

from sidecar.engine.scored import ModelIdentity, Scored, ScoreStats
from sidecar.prompt.plan import TokenPlan


def by_checksum(plan: TokenPlan) -> Scored:
    """Scores in [0, 8) that depend on nothing but the tokens of each branch and of the context."""
    context = zlib.crc32(plan.context.tobytes())
    scores = [zlib.crc32(b.tobytes(), context) % 8000 / 1000 for b in plan.branches]
    return Scored(np.array(scores, np.float32), 0.0, ScoreStats(computed_tokens=plan.tokens))


class StaticScorer:
    """Answers with what ``rule`` says, after ``delay`` seconds; ``is_ready`` may be set to False."""

    name = "static"
    model = ModelIdentity("static", "1", "0" * 64, "static")

    def __init__(self, rule: Callable[[TokenPlan], Scored] = by_checksum, *, delay: float = 0.0) -> None:
        self.rule = rule
        self.delay = delay
        self.is_ready = True

    async def start(self) -> None:
        """Nothing to load."""

    async def score(self, plan: TokenPlan, *, timeout: float | None = None) -> Scored:
        """The rule's answer; TimeoutError never happens here, the delay is cut to ``timeout``."""
        if self.delay:
            await asyncio.sleep(self.delay if timeout is None else min(self.delay, timeout))
        return self.rule(plan)

    async def ready(self) -> bool:
        """What ``is_ready`` says."""
        return self.is_ready

    async def close(self) -> None:
        """Nothing to free."""
