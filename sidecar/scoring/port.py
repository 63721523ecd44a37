"""The seam between decisions and models: a scorer turns a token plan into one score per candidate."""

from __future__ import annotations

from typing import Protocol

from sidecar.engine.scored import ModelIdentity, Scored
from sidecar.prompt.plan import TokenPlan


class Scorer(Protocol):
    """Scores token plans. Errors are those of ``sidecar.errors``: ScorerUnavailable, DeadlineExceeded, InternalError."""

    @property
    def name(self) -> str:
        """How the scorer is called in configuration and answers: "embedded", "triton" or "static"."""

    @property
    def model(self) -> ModelIdentity:
        """The model that scores; valid after ``start``."""

    async def start(self) -> None:
        """Loads or connects; returns when the first score can be asked for, or starts trying in the background."""

    async def score(self, plan: TokenPlan, *, timeout: float | None = None) -> Scored:
        """Scores one plan within ``timeout`` seconds (None: no limit)."""

    async def ready(self) -> bool:
        """Whether a score asked for now would be answered."""

    async def close(self) -> None:
        """Lets running scores finish and frees everything; the scorer cannot be used again."""
