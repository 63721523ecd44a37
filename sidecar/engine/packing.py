"""Packing: many token plans into one row without padding, and the attention tiles over it. Pure numpy.

Matrix products run over the packed row, so no padding is computed there. Attention runs over tiles: a tile is the context of
one request followed by some of its branches. A token may stand in several tiles (contexts do), but is computed once, so the
cost of attention grows with the number of branches and not with its square.

Every tile starts with its own request and is a multiple of ``TILE`` long, and branches are packed in the order of their
tokens. That makes the arithmetic of a request, down to the last bit, independent of its neighbours and of the order of its
candidates: int8 rounding would otherwise turn a difference in the last bit into one in the fourth digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidecar.prompt.plan import TokenPlan

Ints = npt.NDArray[np.int64]

TILE = 64
"""Tile lengths are multiples of this, so that vector kernels group a request's sums alike in any batch."""

PADDING = -1
"""Segment of a tile position that holds no token."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How one plan is cut into tiles: ``length`` positions each, ``groups`` of branch indices, sorted by their tokens."""

    length: int
    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PackedRow:
    """The inputs of the graph. T tokens, B tiles of S positions, R requests, at most K branches each.

    ids, positions       [T]    token ids; position ids (every branch starts at its context's length)
    tile_index           [B, S] which token stands at a tile position (0 where none does)
    tile_segments        [B, S] 0 context, i >= 1 a branch, PADDING nothing
    unpack               [T]    where in the flattened tiles a token's attention is read
    context_index        [R]    each request's last context token
    branch_index         [R, K] each branch's terminator (0 where there is none)
    branch_count         [R]    branches of each request
    """

    ids: Ints
    positions: Ints
    tile_index: Ints
    tile_segments: Ints
    unpack: Ints
    context_index: Ints
    branch_index: Ints
    branch_count: Ints

    def feeds(self) -> dict[str, Ints]:
        """The inputs by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def canonical_order(plan: TokenPlan) -> list[int]:
    """The branches' indices in the order of their tokens."""
    return sorted(range(len(plan.branches)), key=lambda i: plan.branches[i].tolist())


def shape_of(plan: TokenPlan) -> Shape:
    """The tile length that costs least attention: tiles times length squared."""
    order = canonical_order(plan)
    context = len(plan.context)
    lengths = [len(plan.branches[i]) for i in order]
    smallest = _round_up(context + max(lengths))
    largest = _round_up(context + sum(lengths))
    best: Shape | None = None
    for length in range(smallest, largest + TILE, TILE):
        shape = Shape(length, _fill(order, lengths, length - context))
        if best is None or _cost(shape) < _cost(best):
            best = shape
        if len(shape.groups) == 1:
            break
    assert best is not None
    return best


def _round_up(tokens: int) -> int:
    return -(-tokens // TILE) * TILE


def _cost(shape: Shape) -> int:
    return len(shape.groups) * shape.length**2


def _fill(order: Sequence[int], lengths: Sequence[int], room: int) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = [[]]
    left = room
    for index, length in zip(order, lengths, strict=True):
        if length > left:
            groups.append([])
            left = room
        groups[-1].append(index)
        left -= length
    return tuple(tuple(group) for group in groups)


def pack(plans: Sequence[TokenPlan], shapes: Sequence[Shape]) -> PackedRow:
    """Packs at least one plan into one row."""
    width = max(shape.length for shape in shapes)
    tiles = sum(len(shape.groups) for shape in shapes)
    total = sum(plan.tokens for plan in plans)
    most = max(len(plan.branches) for plan in plans)
    row = PackedRow(
        ids=np.zeros(total, np.int64),
        positions=np.zeros(total, np.int64),
        tile_index=np.zeros((tiles, width), np.int64),
        tile_segments=np.full((tiles, width), PADDING, np.int64),
        unpack=np.zeros(total, np.int64),
        context_index=np.zeros(len(plans), np.int64),
        branch_index=np.zeros((len(plans), most), np.int64),
        branch_count=np.array([len(plan.branches) for plan in plans], np.int64),
    )
    token = tile = 0
    for request, (plan, shape) in enumerate(zip(plans, shapes, strict=True)):
        token, tile = _place(row, request, plan, shape, token, tile)
    return row


def _place(row: PackedRow, request: int, plan: TokenPlan, shape: Shape, token: int, tile: int) -> tuple[int, int]:
    """Writes one plan into the row from ``token`` and ``tile`` on; returns where the next one starts."""
    width = row.tile_index.shape[1]
    context = len(plan.context)
    first, token = token, token + context
    row.ids[first:token] = plan.context
    row.positions[first:token] = np.arange(context)
    row.unpack[first:token] = tile * width + np.arange(context)
    row.context_index[request] = token - 1
    for group in shape.groups:
        row.tile_index[tile, :context] = np.arange(first, first + context)
        row.tile_segments[tile, :context] = 0
        at = context
        for branch in group:
            tokens = plan.branches[branch]
            span, end = slice(token, token + len(tokens)), at + len(tokens)
            row.ids[span] = tokens
            row.positions[span] = context + np.arange(len(tokens))
            row.unpack[span] = tile * width + np.arange(at, end)
            row.tile_index[tile, at:end] = np.arange(span.start, span.stop)
            row.tile_segments[tile, at:end] = branch + 1
            row.branch_index[request, branch] = span.stop - 1
            token, at = span.stop, end
        tile += 1
    return token, tile


def split(plans: Sequence[TokenPlan], token_budget: int) -> list[list[int]]:
    """Groups plans into runs of at most ``token_budget`` tokens, alike in tile length; a larger plan runs alone."""
    shapes = [shape_of(plan) for plan in plans]
    runs: list[list[int]] = []
    room = 0
    for index in sorted(range(len(plans)), key=lambda i: (shapes[i].length, i)):
        alike = runs and shapes[runs[-1][-1]].length == shapes[index].length
        if not alike or plans[index].tokens > room:
            runs.append([])
            room = token_budget
        runs[-1].append(index)
        room -= plans[index].tokens
    return runs
