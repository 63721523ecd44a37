"""The thresholds of a candidate set. What they do is in ``verdict``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from sidecar.errors import Violation


class WhenUnsure(StrEnum):
    """What to do when nothing fits or nothing is probable enough."""

    CLARIFY = "clarify"
    HAND_OFF = "hand_off"


@dataclass(frozen=True, slots=True)
class Policy:
    """Thresholds on calibrated probabilities, each in [0, 1]."""

    min_probability: float = 0.5
    near_tie_margin: float = 0.1
    finish_min_probability: float = 0.6
    irreversible_min_probability: float = 0.8
    when_unsure: WhenUnsure = WhenUnsure.CLARIFY

    def violations(self, path: str) -> list[Violation]:
        """Every threshold outside [0, 1] (NaN included), with its path."""
        return [
            Violation(f"{path}.{f.name}", f"is {value}; it must be between 0 and 1")
            for f in fields(self)
            if isinstance(value := getattr(self, f.name), float) and not 0.0 <= value <= 1.0
        ]
