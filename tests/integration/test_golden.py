"""The built model decides as the golden files say; ``python -m tests.golden.update`` rewrites them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from codriver import Client
from tests.golden import FILES, answer, written
from tests.sidecars import ROOT

TOLERANCE = 1e-3
"""Processors round the float parts of the graph in their own ways; the int8 sums are the same everywhere."""
GOLDEN = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FILES}
CASES = [
    pytest.param(golden["set"], case, id=f"{name}: {case['about']}")
    for name, golden in GOLDEN.items()
    for case in golden["cases"]
]


@pytest.mark.model
@pytest.mark.parametrize("set_file, case", CASES)
def test_decides_as_before(live_address: str, set_file: str, case: dict[str, Any]) -> None:
    with Client(live_address) as client:
        got = answer(client, set_file, case["messages"])
    expected = case["expected"]
    for part in ("outcome", "chosen", "reasons"):
        assert got[part] == expected[part], part
    assert list(got["ranking"]) == list(expected["ranking"])
    assert got["ranking"] == pytest.approx(expected["ranking"], abs=TOLERANCE)
    assert got["none"] == pytest.approx(expected["none"], abs=TOLERANCE)


def test_every_shipped_set_has_golden_decisions() -> None:
    shipped = {str(path.relative_to(ROOT)) for path in (ROOT / "examples").glob("*.yaml")}
    assert {golden["set"] for golden in GOLDEN.values()} == shipped
    assert min(Counter(golden["set"] for golden in GOLDEN.values() for _ in golden["cases"]).values()) >= 5


def test_files_are_written_as_the_update_writes_them() -> None:
    for file in FILES:
        assert file.read_text(encoding="utf-8") == written(GOLDEN[file.stem]) + "\n"
