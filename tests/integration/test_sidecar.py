"""The sidecar as a user runs it: a real process, the real model, the client and the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codriver import Client, CodriverError
from sidecar.engine.artifact import Artifact
from tests.conftest import MODEL, ROOT

pytestmark = pytest.mark.model
COMMAND = str(Path(sys.executable).parent / "codriver")


@pytest.fixture(scope="module")
def address(artifact: Artifact, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    where = f"unix://{tmp_path_factory.mktemp('sidecar')}/codriver.sock"
    arguments = ["serve", "--model", str(MODEL), "--listen", where, "--candidate-sets", str(ROOT / "examples")]
    with subprocess.Popen([COMMAND, *arguments], stderr=subprocess.DEVNULL) as process:
        try:
            with Client(where) as client:
                client.wait_until_ready(60)
            yield where
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def test_the_command_line_decides_through_grpc(address: str) -> None:
    arguments = ["decide", "--address", address, "--set", str(ROOT / "examples/trip_planner.en.yaml"), "--json"]
    arguments += ["--message", "Will it rain in Paris tomorrow?", "--timeout", "30"]
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True)
    decision = json.loads(done.stdout)
    assert decision["ranking"]["scores"][0]["name"] == "get_weather"


def test_a_set_of_the_catalog_and_its_file_decide_alike(address: str) -> None:
    with Client(address) as client:
        decision = client.decide("trip_planner", "Find me a flight from Berlin to Oslo on Friday", timeout=30)
        again = client.decide("trip_planner@1", "Find me a flight from Berlin to Oslo on Friday", timeout=30)
    ranking = decision.ranking
    assert ranking.scores == again.ranking.scores
    assert sum(s.probability for s in ranking.scores) + ranking.none_probability == pytest.approx(1, abs=1e-9)
    assert ranking.scores[0].name == "search_flights"


def test_a_hundred_kilobytes_are_refused_with_their_length(address: str) -> None:
    with Client(address) as client, pytest.raises(CodriverError) as refused:
        client.decide("trip_planner", "weather " * 13_000, timeout=30)
    assert refused.value.reason == "TOO_MANY_TOKENS"


def test_an_unknown_set_is_not_found(address: str) -> None:
    with Client(address) as client, pytest.raises(CodriverError) as refused:
        client.decide("no_such_set", "hello", timeout=30)
    assert refused.value.reason == "CANDIDATE_SET_NOT_FOUND"
