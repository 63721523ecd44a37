"""From raw scores to probabilities that can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

BANDS = (2, 5, 10)
"""Upper ends of the candidate-count bands 1-2, 3-5, 6-10; the last band has no upper end."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One temperature per candidate-count band; dividing by it never changes the order (Guo et al., 2017)."""

    id: str = "identity"
    temperatures: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)

    def temperature(self, count: int) -> float:
        """The temperature for a set of ``count`` candidates."""
        return self.temperatures[sum(count > upper for upper in BANDS)]


def probabilities(scores: Sequence[float], none_score: float, calibration: Calibration) -> tuple[list[float], float]:
    """Softmax over the candidates' scores and the none score.

    Takes K finite logits and one for "nothing fits"; returns K probabilities and the one of none, which sum to 1.
    """
    temperature = calibration.temperature(len(scores))
    logits = [s / temperature for s in (*scores, none_score)]
    top = max(logits)
    weights = [math.exp(x - top) for x in logits]
    total = math.fsum(weights)
    shares = [w / total for w in weights]
    return shares[:-1], shares[-1]


def confidence(p1: float, count: int) -> float:
    """The best probability corrected for chance: (K*p1 - 1) / (K - 1), at least 0; p1 where K = 1."""
    return p1 if count == 1 else max(0.0, (count * p1 - 1.0) / (count - 1.0))
