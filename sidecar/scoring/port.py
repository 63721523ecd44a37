"""The seam between decisions and models: a scorer turns a token plan into one score per candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sidecar.prompt.plan import TokenPlan


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model scored: ``hash`` is the SHA-256 (hex) of the model artifact."""

    name: str
    version: str
    hash: str
    method: str


@dataclass(frozen=True, slots=True)
class ScoreStats:
    """What a score cost: tokens, requests that shared the run, and microseconds of waiting and running."""

    computed_tokens: int = 0
    cached_tokens: int = 0
    batch_requests: int = 1
    queue_us: int = 0
    run_us: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """One logit per branch (shape [K], float32, the plan's order) and the logit of "nothing fits"."""

    scores: npt.NDArray[np.float32]
    none_score: float
    stats: ScoreStats = field(default_factory=ScoreStats)


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
