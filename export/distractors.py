"""Distractors for training: at random, or hard to tell from the right candidate by an embedder's measure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch

from export.embedder import Embedder
from sidecar.prompt.naming import words

NEAREST = 40
TOO_SIMILAR = 0.72
"""Cosine above which two descriptions may well mean the same tool, so that neither could be called wrong."""

Raw = dict[str, Any]


def spoken(candidate: Raw) -> str:
    """What the embedder reads of a candidate."""
    return f"{words(candidate['name'])}: {candidate.get('description') or ''}"


class Distractors:
    """A pool of candidates with their vectors."""

    def __init__(self, pool: Sequence[Raw], embedder: Embedder | None) -> None:
        self._pool = list(pool)
        self._embedder = embedder
        self._vectors = embedder.encode([spoken(c) for c in pool]) if embedder else None
        self._known: dict[str, list[int]] = {}

    def random(self, rng: random.Random, count: int) -> list[Raw]:
        """``count`` candidates of the pool."""
        return rng.sample(self._pool, min(count, len(self._pool)))

    def hard(self, rng: random.Random, right: Raw, count: int) -> list[Raw]:
        """``count`` of the nearest neighbours of ``right``; random ones where there is no embedder."""
        if self._vectors is None:
            return self.random(rng, count)
        near = self._near(right)
        return [self._pool[i] for i in rng.sample(near, min(count, len(near)))]

    def _near(self, right: Raw) -> list[int]:
        text = spoken(right)
        if text not in self._known:
            assert self._embedder is not None and self._vectors is not None
            cosine = self._vectors @ self._embedder.encode([text])[0]
            cosine[cosine > TOO_SIMILAR] = -1
            self._known[text] = torch.topk(cosine, min(NEAREST, len(cosine))).indices.tolist()
        return self._known[text]
