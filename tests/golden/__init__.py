"""Golden decisions: conversations and what the built model makes of them, one JSON file a candidate set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from codriver import Client
from sidecar.cli_input import CONVERSATION, read_set
from tests.sidecars import ROOT

FILES = sorted(Path(__file__).parent.glob("*.json"))
LINE = 110


def answer(client: Client, set_file: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What a sidecar decides, as it is written into a golden file."""
    decision = client.decide(read_set(str(ROOT / set_file), ""), CONVERSATION.validate_python(messages), timeout=60)
    return {
        "outcome": str(decision.outcome),
        "chosen": [c.name for c in decision.chosen],
        "reasons": [r.code for r in decision.reasons],
        "ranking": {s.name: round(s.probability, 4) for s in decision.ranking.scores},
        "none": round(decision.ranking.none_probability, 4),
    }


def rewritten(client: Client, golden: dict[str, Any]) -> dict[str, Any]:
    """A golden file with what a sidecar decides now."""
    cases = [{**case, "expected": answer(client, golden["set"], case["messages"])} for case in golden["cases"]]
    return {**golden, "cases": cases}


def written(value: Any, indent: int = 0) -> str:
    """JSON with each value on one line where it fits, for reviews."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) + indent <= LINE:
        return flat
    inner = " " * (indent + 2)
    rows = value.items() if isinstance(value, dict) else [(None, item) for item in value]
    lines = [(f"{json.dumps(k)}: " if k is not None else "") + written(v, indent + 2) for k, v in rows]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(lines) + f"\n{' ' * indent}{closing}"
