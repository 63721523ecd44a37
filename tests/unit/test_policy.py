"""Calibration and policy: tables and properties."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.calibration import Calibration, confidence, probabilities
from sidecar.core.candidates import Candidate, Effect, Kind
from sidecar.core.policy import Policy, WhenUnsure
from sidecar.core.verdict import Outcome, Ranked, ReasonCode, Verdict, judge, margin, rank

SCORE = st.floats(-1e3, 1e3)
UNIT = st.floats(0, 1)
POLICIES = st.builds(Policy, UNIT, UNIT, UNIT, UNIT, st.sampled_from(WhenUnsure))


def ranked(name: str, p: float, kind: Kind = Kind.TOOL, effect: Effect = Effect.REVERSIBLE) -> Ranked:
    return Ranked(Candidate(name, kind=kind, effect=effect), 0.0, p)


def read(name: str, p: float) -> Ranked:
    return ranked(name, p, effect=Effect.READ_ONLY)


def finish(p: float) -> Ranked:
    return ranked("finish", p, Kind.FINISH, Effect.READ_ONLY)


def final(p: float) -> Ranked:
    return ranked("pay", p, effect=Effect.IRREVERSIBLE)


def decide(*items: Ranked, policy: Policy | None = None) -> Verdict:
    none = 1.0 - math.fsum(r.probability for r in items)
    return judge(rank(items), none, policy or Policy())


@pytest.mark.parametrize(
    ("items", "outcome", "reason", "chosen"),
    [
        ((ranked("a", 0.9), ranked("b", 0.05)), "ACT", "CONFIDENT", ["a"]),
        ((ranked("a", 0.9, Kind.RESPOND),), "RESPOND", "CONFIDENT", ["a"]),
        ((ranked("a", 0.9, Kind.CLARIFY),), "CLARIFY", "CONFIDENT", ["a"]),
        ((ranked("a", 0.9, Kind.HAND_OFF),), "HAND_OFF", "CONFIDENT", ["a"]),
        ((ranked("a", 0.3), ranked("b", 0.2)), "CLARIFY", "NONE_FITS", []),
        ((ranked("a", 0.4), ranked("b", 0.25)), "CLARIFY", "LOW_PROBABILITY", []),
        ((ranked("a", 0.45), ranked("b", 0.4)), "CLARIFY", "NEAR_TIE", ["a", "b"]),
        ((read("a", 0.45), read("b", 0.4)), "ACT_ON_BOTH", "NEAR_TIE", ["a", "b"]),
        ((read("b", 0.45), read("a", 0.45)), "ACT_ON_BOTH", "NEAR_TIE", ["a", "b"]),
        ((read("a", 0.45), final(0.4)), "CLARIFY", "NEAR_TIE", ["a", "pay"]),
        ((finish(0.7), read("a", 0.2)), "FINISH", "CONFIDENT", ["finish"]),
        ((finish(0.55), read("a", 0.4)), "ACT", "CONFIDENT", ["a"]),
        ((finish(0.55), read("a", 0.2)), "CLARIFY", "FINISH_TOO_UNCERTAIN", []),
        ((finish(0.55),), "CLARIFY", "FINISH_TOO_UNCERTAIN", []),
        ((final(0.85), read("a", 0.1)), "ACT", "CONFIDENT", ["pay"]),
        ((final(0.7), read("a", 0.1)), "CLARIFY", "IRREVERSIBLE_TOO_UNCERTAIN", ["pay"]),
    ],
)
def test_judge(items: tuple[Ranked, ...], outcome: str, reason: str, chosen: list[str]) -> None:
    verdict = decide(*items)
    assert verdict.outcome == Outcome(outcome)
    assert verdict.reasons[0].code == ReasonCode(reason)
    assert [r.candidate.name for r in verdict.chosen] == chosen


def test_when_unsure_hands_off() -> None:
    verdict = decide(ranked("a", 0.3), policy=Policy(when_unsure=WhenUnsure.HAND_OFF))
    assert verdict.outcome is Outcome.HAND_OFF


def test_notes() -> None:
    codes = [r.code for r in decide(ranked("a", 0.9)).reasons]
    assert codes == [ReasonCode.CONFIDENT, ReasonCode.SINGLE_CANDIDATE]
    codes = [r.code for r in decide(finish(0.55), read("a", 0.4)).reasons]
    assert codes == [ReasonCode.CONFIDENT, ReasonCode.FINISH_TOO_UNCERTAIN]


def test_margin_and_confidence() -> None:
    assert margin([ranked("a", 0.75), ranked("b", 0.25)]) == 0.5
    assert margin([ranked("a", 0.75)]) == 0.75
    assert confidence(0.25, 4) == 0.0
    assert confidence(0.1, 4) == 0.0
    assert confidence(1.0, 4) == 1.0
    assert confidence(0.3, 1) == 0.3


@pytest.mark.parametrize(("count", "band"), [(1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (10, 2), (11, 3), (255, 3)])
def test_temperature_of_a_band(count: int, band: int) -> None:
    assert Calibration("t", (1.0, 2.0, 3.0, 4.0)).temperature(count) == band + 1.0


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[Ranked], float]:
    scores = draw(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
    shares, none = probabilities(scores, draw(st.floats(-5, 5)), Calibration())
    items = [
        ranked(f"c{i}", p, draw(st.sampled_from(Kind)), draw(st.sampled_from(Effect))) for i, p in enumerate(shares)
    ]
    return items, none


@given(st.lists(SCORE, min_size=1, max_size=40), SCORE, st.floats(0.05, 20))
def test_probabilities_sum_to_one_and_keep_the_order(
    scores: list[float], none_score: float, temperature: float
) -> None:
    calibration = Calibration("t", (temperature,) * 4)
    shares, none = probabilities(scores, none_score, calibration)
    assert math.fsum((*shares, none)) == pytest.approx(1.0, abs=1e-9)
    assert all(0.0 <= p <= 1.0 for p in shares)
    by_score = sorted(zip(scores, shares, strict=True))
    assert [p for _, p in by_score] == sorted(shares)


@given(rankings(), POLICIES, st.randoms(use_true_random=False))
def test_order_of_candidates_never_decides(
    case: tuple[list[Ranked], float], policy: Policy, shuffler: random.Random
) -> None:
    items, none = case
    shuffled = list(items)
    shuffler.shuffle(shuffled)
    assert judge(rank(items), none, policy) == judge(rank(shuffled), none, policy)


@given(rankings(), POLICIES)
def test_chosen_is_the_argmax_among_admitted(case: tuple[list[Ranked], float], policy: Policy) -> None:
    items, none = case
    verdict = judge(rank(items), none, policy)
    admitted = [
        r for r in rank(items) if r.candidate.kind is not Kind.FINISH or r.probability >= policy.finish_min_probability
    ]
    assert list(verdict.chosen) == admitted[: len(verdict.chosen)]
    assert verdict.reasons


@given(rankings(), POLICIES)
def test_what_is_executed_is_safe(case: tuple[list[Ranked], float], policy: Policy) -> None:
    items, none = case
    verdict = judge(rank(items), none, policy)
    if verdict.outcome is Outcome.ACT_ON_BOTH:
        assert len(verdict.chosen) == 2
        assert all(r.candidate.effect is Effect.READ_ONLY for r in verdict.chosen)
        assert all(r.candidate.kind is Kind.TOOL for r in verdict.chosen)
    if verdict.outcome is Outcome.ACT:
        (best,) = verdict.chosen
        assert best.candidate.kind is Kind.TOOL
        assert best.probability > none
        if best.candidate.effect is Effect.IRREVERSIBLE:
            assert best.probability >= policy.irreversible_min_probability
    if verdict.outcome is Outcome.FINISH:
        assert verdict.chosen[0].probability >= policy.finish_min_probability
