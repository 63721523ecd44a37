"""Packing is pure: every token once, every branch beside its context, runs within their budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.engine.packing import PADDING, TILE, pack, shape_of, split
from sidecar.prompt.plan import TokenPlan

plans = st.builds(
    lambda context, branches: TokenPlan(
        np.arange(context, dtype=np.int32), tuple(np.full(n, 100 + i, np.int32) for i, n in enumerate(branches))
    ),
    st.integers(1, 150),
    st.lists(st.integers(1, 20), min_size=1, max_size=40),
)


@given(st.lists(plans, min_size=1, max_size=4))
def test_every_token_is_computed_once_and_read_where_it_stands(batch: list[TokenPlan]) -> None:
    row = pack(batch, [shape_of(p) for p in batch])
    assert len(row.ids) == sum(p.tokens for p in batch)
    np.testing.assert_array_equal(row.tile_index.ravel()[row.unpack], np.arange(len(row.ids)))
    assert (row.tile_segments.ravel()[row.unpack] != PADDING).all()


@given(plans)
def test_branches_start_at_the_same_position_and_end_at_their_index(plan: TokenPlan) -> None:
    row = pack([plan], [shape_of(plan)])
    for index, branch in enumerate(plan.branches):
        last = row.branch_index[0, index]
        assert row.ids[last] == branch[-1]
        assert row.positions[last] == len(plan.context) + len(branch) - 1


@given(plans)
def test_tiles_are_whole_and_the_order_of_branches_is_canonical(plan: TokenPlan) -> None:
    shape = shape_of(plan)
    assert shape.length % TILE == 0
    flat = [i for group in shape.groups for i in group]
    assert [plan.branches[i].tolist() for i in flat] == sorted(b.tolist() for b in plan.branches)


@given(st.lists(plans, min_size=1, max_size=12), st.integers(1, 600))
def test_runs_hold_every_plan_once_within_the_budget(batch: list[TokenPlan], budget: int) -> None:
    runs = split(batch, budget)
    assert sorted(i for run in runs for i in run) == list(range(len(batch)))
    for run in runs:
        assert len(run) == 1 or sum(batch[i].tokens for i in run) <= budget


@pytest.mark.parametrize(("branches", "tiles"), [(1, 1), (40, 14)])
def test_many_branches_go_into_many_small_tiles(branches: int, tiles: int) -> None:
    plan = TokenPlan(np.zeros(20, np.int32), tuple(np.full(12, i, np.int32) for i in range(branches)))
    assert len(shape_of(plan).groups) == tiles
