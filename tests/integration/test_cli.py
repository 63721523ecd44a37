"""The asking commands against a sidecar without a model."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from codriver import Client
from sidecar import __version__
from sidecar.cli import app
from sidecar.cli_exit import DATA, INTERRUPTED, UNAVAILABLE
from sidecar.core.messages import Message, Role, ToolCall, ToolResult
from sidecar.engine.artifact import Artifact
from sidecar.engine.scored import Scored
from sidecar.prompt.plan import TokenPlan
from sidecar.scoring.static import StaticScorer
from tests.sidecars import COMMAND, ROOT, BytePlanner, in_thread, static_decider

TRIP = str(ROOT / "examples/trip_planner.en.yaml")
TEXT = "Fly me to Oslo"
ODD = "[bold]shout[/bold] :warning: [/red]"
CONVERSATION = """[
  {"role": "system", "content": "Be brief."},
  {"role": "user", "content": "Fly me to Oslo"},
  {"role": "assistant", "tool_calls": [{"name": "search_flights", "arguments_json": "{}", "id": "1"}]},
  {"role": "tool", "tool_results": [{"content": "down", "name": "search_flights", "call_id": "1", "failed": true}]}
]"""


def run(address: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--address", address])


def stable(answer: Any) -> Any:
    """An answer without what differs between two calls."""
    if not isinstance(answer, dict):
        return answer
    return {k: stable(v) for k, v in answer.items() if k not in ("timings", "decision_id")}


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(stable(dataclasses.asdict(value))))


@pytest.mark.parametrize("candidates", [TRIP, "trip_planner"])
def test_json_is_what_the_client_returns(static_address: str, candidates: str) -> None:
    with Client(static_address) as client:
        expected = {
            "decide": client.decide("trip_planner", TEXT),
            "score": client.score("trip_planner", TEXT),
            "info": client.info(),
        }
    for command, answer in expected.items():
        question = () if command == "info" else ("--set", candidates, "--message", TEXT)
        result = run(static_address, command, *question, "--json")
        assert result.exit_code == 0, result.stderr
        assert without_set_hash(stable(json.loads(result.stdout))) == without_set_hash(as_json(answer))


def without_set_hash(answer: Any) -> Any:
    """A file's set loses its examples on the way, and with them its hash."""
    text = json.dumps({**answer, "candidate_sets": None})
    return json.loads(text, object_hook=lambda o: {k: v for k, v in o.items() if k != "candidate_set_hash"})


def test_the_tables_have_every_candidate_and_the_origin(static_address: str) -> None:
    with Client(static_address) as client:
        decision = client.decide("trip_planner", TEXT)
    question = ("--set", "trip_planner", "--message", TEXT)
    decided, scored = (run(static_address, command, *question).stdout for command in ("decide", "score"))
    first = " ".join([str(decision.outcome), ", ".join(c.name for c in decision.chosen)]).rstrip()
    assert decided.splitlines()[0] == first
    assert decided.splitlines()[1] == f"  {decision.reasons[0].code}: {decision.reasons[0].detail}"
    assert f"margin {decision.margin:.4f}, confidence {decision.confidence:.4f}" in decided
    for output in (decided, scored):
        rows = [line.split() for line in output.splitlines()]
        for row in decision.ranking.scores:
            assert [row.name, f"{row.probability:.4f}", f"{row.score:.3f}"] in rows
        assert ["(none)", f"{decision.ranking.none_probability:.4f}", "0.000"] in rows
        assert "set trip_planner@1, model static 1, method static" in output


def test_info_names_versions_sets_and_limits(static_address: str) -> None:
    lines = run(static_address, "info").stdout.splitlines()
    assert lines[:2] == [f"codriver {__version__}, scorer static", "model static 1: ready, static"]
    assert "set order_support_zh@1: 6 candidates (zh)" in lines
    assert "max_candidates 255" in lines


def test_found_and_missing_slots_are_printed() -> None:
    def flights_first(plan: TokenPlan) -> Scored:
        scored = StaticScorer().rule(plan)
        scored.scores[:] = [0, 9, *[0] * (len(scored.scores) - 2)]
        return scored

    with in_thread(static_decider(StaticScorer(flights_first))) as address:
        found = run(address, "decide", "--set", TRIP, "--message", "Flights from Berlin to Oslo").stdout
        missing = run(address, "decide", "--set", TRIP, "--message", "Flights from Berlin").stdout
    assert "  search_flights.destination = Oslo\n" in found and "misses" not in found
    assert "  search_flights misses destination\n" in missing


def test_markup_in_names_is_printed_as_it_is(static_address: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    rows = [{"name": ODD}, {"name": "x" * 128}, {"name": "查询 订单"}]
    file.write_text(json.dumps({"name": "odd", "version": "1", "candidates": rows}), encoding="utf-8")
    for command in ("decide", "score"):
        lines = run(static_address, command, "--set", str(file), "--message", TEXT).stdout.splitlines()
        names = {line.rsplit(maxsplit=2)[0].rstrip() for line in lines}
        assert {row["name"] for row in rows} < names


def test_a_messages_file_brings_calls_and_results(tmp_path: Path) -> None:
    file = tmp_path / "messages.json"
    file.write_text(CONVERSATION, encoding="utf-8")
    planner = BytePlanner()
    with in_thread(static_decider(planner=planner)) as address:
        result = run(address, "decide", "--set", TRIP, "--messages", str(file), "--message", "And?", "--language", "de")
    assert result.exit_code == 0
    _, messages, language, _ = planner.asked[0]
    assert language == "de"
    assert list(messages) == [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.USER, "Fly me to Oslo"),
        Message(Role.ASSISTANT, tool_calls=(ToolCall("search_flights", "{}", "1"),)),
        Message(Role.TOOL, tool_results=(ToolResult("down", "search_flights", "1", True),)),
        Message(Role.USER, "And?"),
    ]


@pytest.mark.parametrize("reference", ["nothing", "trip_planner@99", "x" * 300, "bad\0name"])
def test_an_unknown_set_is_one_line(static_address: str, reference: str) -> None:
    result = run(static_address, "decide", "--set", reference, "--message", TEXT)
    assert result.exit_code == DATA
    assert result.stderr.startswith("codriver: CANDIDATE_SET_NOT_FOUND: ") and result.stderr.count("\n") == 1


class Stuck(StaticScorer):
    """Never answers; ``asked`` says when it should."""

    asked = Event()

    async def score(self, plan: TokenPlan, *, timeout: float | None = None) -> Scored:
        self.asked.set()
        await asyncio.sleep(60)
        raise AssertionError


@pytest.fixture(scope="module")
def stuck_address() -> Iterator[str]:
    with in_thread(static_decider(Stuck())) as address:
        yield address


def test_the_time_limit_is_a_failure_of_the_service(stuck_address: str) -> None:
    result = run(stuck_address, "decide", "--set", TRIP, "--message", TEXT, "--timeout", "0.3")
    assert (result.exit_code, result.stderr.count("\n")) == (UNAVAILABLE, 1)
    assert "DEADLINE_EXCEEDED" in result.stderr


def test_an_interrupt_ends_a_waiting_command(stuck_address: str) -> None:
    arguments = [COMMAND, "decide", "--address", stuck_address, "--set", TRIP, "--message", TEXT, "--timeout", "60"]
    Stuck.asked.clear()
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        assert Stuck.asked.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == ""
    assert process.returncode == INTERRUPTED


@pytest.mark.model
def test_an_address_in_use_is_one_line(static_address: str, artifact: Artifact) -> None:
    arguments = [COMMAND, "serve", "--scorer", "static", "--model", str(artifact.folder), "--listen", static_address]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == UNAVAILABLE
    assert done.stderr.splitlines()[-1] == f"codriver: cannot listen on {static_address}: is it in use?"
