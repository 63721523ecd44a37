"""What a model run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


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
