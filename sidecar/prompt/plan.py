"""The token plan: what one decision asks of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TokenIds = npt.NDArray[np.int32]
"""A one-dimensional array of token ids."""


@dataclass(frozen=True, slots=True)
class TokenPlan:
    """The tokens of one request.

    ``context`` (shape [n], n >= 1) is seen by every branch; ``branches`` holds one array (shape [l_i], l_i >= 1, ending in
    the terminator) per candidate, in the order in which scores come back.
    """

    context: TokenIds
    branches: tuple[TokenIds, ...]

    @property
    def tokens(self) -> int:
        """How many tokens the model computes for this plan when nothing is cached."""
        return len(self.context) + sum(len(b) for b in self.branches)
