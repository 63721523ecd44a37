"""The blocking and the asyncio client against a real server without a model."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Self

import grpc
import pytest

from codriver import (
    AsyncClient,
    Candidate,
    CandidateSet,
    Client,
    CodriverError,
    Decision,
    Message,
    Outcome,
    Policy,
    Request,
    Violation,
)
from sidecar.engine.scored import Scored
from sidecar.prompt.plan import TokenPlan
from sidecar.scoring.static import StaticScorer
from tests.sidecars import LIMITS, ROOT, in_thread, static_decider

CANDIDATES = [Candidate("search_flights", "Find flights"), Candidate("book_hotel", "Book a room")]
NOBODY = "127.0.0.1:1"


class Blocking:
    """The asyncio client with the blocking client's face, so that one test serves both."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._runner = asyncio.Runner()
        self._client = self._runner.run(self._create(*arguments, **named))

    @staticmethod
    async def _create(*arguments: Any, **named: Any) -> AsyncClient:
        return AsyncClient(*arguments, **named)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Coroutine[Any, Any, Any]] = getattr(self._client, name)
        return lambda *arguments, **named: self._runner.run(method(*arguments, **named))

    def __enter__(self) -> Self:
        self._runner.run(self._client.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        self._runner.run(self._client.__aexit__(*error))
        self._runner.close()


Make = type[Client] | type[Blocking]
both = pytest.mark.parametrize("make", [Client, Blocking], ids=["sync", "asyncio"])


class Held(StaticScorer):
    """Answers when ``release`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.release = threading.Event(), threading.Event()

    async def score(self, plan: TokenPlan, *, timeout: float | None = None) -> Scored:
        self.asked.set()
        await asyncio.to_thread(self.release.wait, 10)
        return self.rule(plan)


@pytest.fixture
def held() -> Iterator[tuple[str, Held]]:
    """A sidecar that takes one request at a time and answers when it is told to."""
    scorer = Held()
    with in_thread(static_decider(scorer), max_inflight=1) as address:
        yield address, scorer
        scorer.release.set()


@both
def test_decides_over_a_set_of_the_request(static_address: str, make: Make) -> None:
    with make(static_address) as client:
        decision = client.decide(CANDIDATES, "A room in Oslo", request_id="mine")
    assert decision.decision_id == "mine" and decision.outcome and decision.reasons
    assert {s.name for s in decision.ranking.scores} == {"search_flights", "book_hotel"}
    assert decision.ranking.provenance.candidate_set_name == "inline"
    assert decision.ranking.provenance.tier == "SCORER"
    total = sum(s.probability for s in decision.ranking.scores) + decision.ranking.none_probability
    assert total == pytest.approx(1, abs=1e-9)


@both
def test_decides_over_a_set_of_the_catalog(static_address: str, make: Make) -> None:
    with make(static_address) as client:
        decision = client.decide("trip_planner", [Message.user("A room in Oslo")])
        scores = client.score("trip_planner", "A room in Oslo")
    assert decision.ranking.provenance.candidate_set_name == "trip_planner" and len(decision.ranking.scores) == 8
    assert scores.scores == decision.ranking.scores


@both
def test_the_policy_of_a_set_counts(static_address: str, make: Make) -> None:
    strict = Policy(min_probability=1.0, near_tie_margin=0.0, when_unsure=Outcome.HAND_OFF)
    with make(static_address) as client:
        decision = client.decide(CandidateSet(CANDIDATES, policy=strict), "A room in Oslo")
    assert decision.outcome in (Outcome.HAND_OFF, Outcome.CLARIFY)
    assert decision.reasons[0].code in ("LOW_PROBABILITY", "NONE_FITS")


@both
def test_validates_without_a_model_run(static_address: str, make: Make) -> None:
    with make(static_address) as client:
        decision = client.decide("trip_planner", "hi", validate_only=True)
    assert decision.outcome is None and not decision.ranking.scores and decision.ranking.stats.computed_tokens > 2


@both
def test_dropped_messages_are_told(static_address: str, make: Make) -> None:
    with make(static_address) as client:  # the planner of these tests drops one where it may
        assert client.decide("trip_planner", "hi").ranking.dropped_messages == 0
        decision = client.decide("trip_planner", "hi", drop_oldest_messages=True)
        assert client.score("trip_planner", "hi", drop_oldest_messages=True).dropped_messages == 1
    assert decision.ranking.dropped_messages == 1 and "MESSAGES_DROPPED" in {r.code for r in decision.reasons}


@both
def test_info(static_address: str, make: Make) -> None:
    with make(static_address) as client:
        info = client.info()
    assert info.ready and info.scorer == "static" and len(info.candidate_sets) == 5
    assert info.limits.max_context_tokens == LIMITS.max_context_tokens


@both
def test_a_batch_keeps_its_order_and_its_good_items(static_address: str, make: Make) -> None:
    requests = [
        Request("trip_planner", "hi", "first"),
        Request("trip_planner", "half \ud83d", "not sent"),
        Request("nothing", "hi", "refused"),
        Request(CANDIDATES, "hi", "last"),
    ]
    with make(static_address) as client:
        first, not_sent, refused, last = client.batch_decide(requests)
        alone = client.batch_decide(requests[1:2])
    assert isinstance(first, Decision) and first.decision_id == "first"
    assert isinstance(last, Decision) and last.decision_id == "last"
    for error in (not_sent, *alone):
        assert isinstance(error, CodriverError) and [v.field for v in error.violations] == ["messages"]
    assert isinstance(refused, CodriverError) and refused.reason == "CANDIDATE_SET_NOT_FOUND"


@both
@pytest.mark.parametrize("count", [0, 257])
def test_a_batch_over_its_limits_is_refused(static_address: str, make: Make, count: int) -> None:
    with make(static_address) as client, pytest.raises(CodriverError) as refused:
        client.batch_decide([Request("trip_planner")] * count)
    assert refused.value.violations == (Violation("requests", f"has {count} requests; 1 to 256 are allowed"),)


@both
@pytest.mark.parametrize(
    "candidates, messages, reason, field",
    [
        ("nothing", "hi", "CANDIDATE_SET_NOT_FOUND", None),
        ("", "hi", "INVALID_REQUEST", "candidate_source"),
        ([], "hi", "INVALID_REQUEST", "inline_set.candidates"),
        (CANDIDATES * 2, "hi", "INVALID_REQUEST", "inline_set.candidates[2].name"),
        ("trip_planner", [Message.user("hi")] * 257, "INVALID_REQUEST", "messages"),
        ("trip_planner", "half \ud83d", "INVALID_REQUEST", "messages"),
    ],
)
def test_refusals_name_the_field(
    static_address: str, make: Make, candidates: Any, messages: Any, reason: str, field: str | None
) -> None:
    with make(static_address) as client:
        for method in (client.decide, client.score):
            with pytest.raises(CodriverError) as refused:
                method(candidates, messages)
            assert refused.value.reason == reason and refused.value.retry_after is None
            assert field is None or field in {v.field for v in refused.value.violations}


@both
def test_a_deadline_ends_a_call(held: tuple[str, Held], make: Make) -> None:
    began = time.monotonic()
    with make(held[0], timeout=0.3) as client:
        for limit in ({}, {"timeout": 0.2}):
            with pytest.raises(CodriverError) as late:
                client.decide("trip_planner", "hi", **limit)
            assert late.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - began < 5


@both
def test_an_overloaded_sidecar_says_when_to_come_back(held: tuple[str, Held], make: Make) -> None:
    address, scorer = held
    with Client(address) as other:
        waiting = threading.Thread(target=other.decide, args=("trip_planner", "hi"))
        waiting.start()
        assert scorer.asked.wait(5)
        with make(address) as client, pytest.raises(CodriverError) as refused:
            client.decide("trip_planner", "hi")
        scorer.release.set()
        waiting.join(5)
    assert (refused.value.reason, refused.value.retry_after) == ("OVERLOADED", 0.1)
    assert refused.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED and refused.value.metadata["limit"] == "1"


@both
def test_nobody_there(make: Make) -> None:
    with make(NOBODY, timeout=2) as client, pytest.raises(CodriverError) as failed:
        client.decide("trip_planner", "hi")
    assert (failed.value.code, failed.value.reason) == (grpc.StatusCode.UNAVAILABLE, "")


@both
def test_waits_until_the_model_is_ready(make: Make) -> None:
    scorer = StaticScorer()
    scorer.is_ready = False
    with in_thread(static_decider(scorer)) as address, make(address) as client:
        with pytest.raises(TimeoutError, match=r"was not ready within 0\.3 s: its model is not ready"):
            client.wait_until_ready(0.3)
        timer = threading.Timer(0.3, setattr, (scorer, "is_ready", True))
        timer.start()
        client.wait_until_ready(10)
        timer.join()


@both
def test_waits_until_the_sidecar_listens(make: Make, tmp_path: Path) -> None:
    address = f"unix://{tmp_path}/s.sock"
    with make(address) as client:
        with pytest.raises(TimeoutError, match="UNAVAILABLE"):
            client.wait_until_ready(1.5)
        with in_thread(static_decider(), address):
            client.wait_until_ready(20)
            assert client.decide("trip_planner", "hi").outcome


@both
def test_waiting_does_not_hide_other_errors(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with in_thread(static_decider()) as address, make(address) as client:
        monkeypatch.setattr(StaticScorer, "model", property(lambda _: 1 / 0), raising=True)
        with pytest.raises(CodriverError, match="INTERNAL"):
            client.wait_until_ready(5)


@both
def test_the_address_may_come_from_the_environment(
    static_address: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODRIVER_ADDRESS", static_address)
    with make() as client:
        assert client.info().ready


@both
def test_closing_twice_is_fine(static_address: str, make: Make) -> None:
    with make(static_address) as client:
        client.info()
        client.close()
        client.close()


async def test_asyncio_calls_run_side_by_side_and_can_be_cancelled(held: tuple[str, Held]) -> None:
    address, scorer = held
    async with AsyncClient(address) as client:
        call = asyncio.create_task(client.decide("trip_planner", "hi"))
        assert await asyncio.to_thread(scorer.asked.wait, 5)
        assert (await client.info()).ready  # while the first call still waits
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


def test_threads_may_share_a_client(static_address: str) -> None:
    answers: list[Decision] = []
    with Client(static_address) as client:
        ask = lambda: answers.append(client.decide("trip_planner", "hi"))  # noqa: E731
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(answers) == 8 and len({a.ranking.scores for a in answers}) == 1


@pytest.mark.model
@pytest.mark.parametrize("text", ["Buy the cheapest flight to Oslo", ""])
def test_the_example_runs(live_address: str, text: str) -> None:
    done = example(live_address, text)
    *ranking, verdict = done.stdout.splitlines()
    assert done.returncode == 0 and len(ranking) == 4 and all("%  " in line for line in ranking)
    assert verdict.startswith("call ") or verdict.split(": ")[0] in list(Outcome)


def test_the_example_says_what_failed() -> None:
    done = example(NOBODY, "hi")
    assert done.returncode == 1 and done.stderr.startswith("UNAVAILABLE: ") and done.stderr.count("\n") == 1


def example(address: str, text: str) -> subprocess.CompletedProcess[str]:
    program = ROOT / "clients/python/examples/choose_tool.py"
    environment = {**os.environ, "CODRIVER_ADDRESS": address}
    return subprocess.run([sys.executable, program, text], env=environment, capture_output=True, text=True, timeout=60)
