"""The policy: from probabilities to an outcome with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sidecar.core.candidates import Candidate, Effect, Kind
from sidecar.core.policy import Policy, WhenUnsure


class Outcome(StrEnum):
    """What the agent should do."""

    ACT = "ACT"
    ACT_ON_BOTH = "ACT_ON_BOTH"
    CLARIFY = "CLARIFY"
    RESPOND = "RESPOND"
    FINISH = "FINISH"
    HAND_OFF = "HAND_OFF"


class ReasonCode(StrEnum):
    """Why an outcome was chosen; the names are those of the proto's ReasonCode."""

    CONFIDENT = "CONFIDENT"
    NONE_FITS = "NONE_FITS"
    LOW_PROBABILITY = "LOW_PROBABILITY"
    NEAR_TIE = "NEAR_TIE"
    FINISH_TOO_UNCERTAIN = "FINISH_TOO_UNCERTAIN"
    IRREVERSIBLE_TOO_UNCERTAIN = "IRREVERSIBLE_TOO_UNCERTAIN"
    SINGLE_CANDIDATE = "SINGLE_CANDIDATE"
    MESSAGES_DROPPED = "MESSAGES_DROPPED"


@dataclass(frozen=True, slots=True)
class Reason:
    """A machine-readable reason with the numbers that were compared."""

    code: ReasonCode
    detail: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its raw score and calibrated probability."""

    candidate: Candidate
    score: float
    probability: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, why, and the candidates it names."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    chosen: tuple[Ranked, ...] = ()


OUTCOME_OF_KIND = {
    Kind.TOOL: Outcome.ACT,
    Kind.RESPOND: Outcome.RESPOND,
    Kind.CLARIFY: Outcome.CLARIFY,
    Kind.FINISH: Outcome.FINISH,
    Kind.HAND_OFF: Outcome.HAND_OFF,
}


def rank(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Most probable first; ties by name, so that the order of the candidates never decides."""
    return sorted(ranked, key=lambda r: (-r.probability, r.candidate.name))


def margin(ranked: Sequence[Ranked]) -> float:
    """p1 - p2 of a ranking; p1 where there is one candidate."""
    return ranked[0].probability - (ranked[1].probability if len(ranked) > 1 else 0.0)


def judge(ranked: Sequence[Ranked], none_probability: float, policy: Policy) -> Verdict:
    """Applies the policy to a ranking (most probable first, at least one candidate).

    A FINISH below its threshold is not admitted: the question is then which candidate fits *given* that the task is not
    done, so the others are judged by their probabilities conditional on that.
    """
    notes = _single_note(ranked)
    if none_probability >= ranked[0].probability:
        detail = f"none {none_probability:.3f} >= {_show(ranked[0])}"
        return _unsure(policy, (Reason(ReasonCode.NONE_FITS, detail), *notes))
    admitted = [r for r in ranked if _admits(r, policy)]
    if ranked[0] not in admitted:
        detail = f"{_show(ranked[0])} < finish_min_probability {policy.finish_min_probability}"
        notes = (Reason(ReasonCode.FINISH_TOO_UNCERTAIN, detail), *notes)
    if not admitted or none_probability >= admitted[0].probability:
        return _unsure(policy, notes)
    mass = none_probability + sum(r.probability for r in admitted)
    return _choose(admitted, mass, policy, notes)


def _admits(ranked: Ranked, policy: Policy) -> bool:
    return ranked.candidate.kind is not Kind.FINISH or ranked.probability >= policy.finish_min_probability


def _choose(admitted: list[Ranked], mass: float, policy: Policy, notes: tuple[Reason, ...]) -> Verdict:
    best = admitted[0]
    p1 = best.probability / mass
    if len(admitted) > 1:
        pair = (best, admitted[1])
        p2 = admitted[1].probability / mass
        if p1 - p2 < policy.near_tie_margin and p1 + p2 >= policy.min_probability:
            return _near_tie(pair, p1 - p2, policy, notes)
    if p1 < policy.min_probability:
        detail = f"{_show(best)} < min_probability {policy.min_probability}"
        return _unsure(policy, (Reason(ReasonCode.LOW_PROBABILITY, detail), *notes))
    if best.candidate.effect is Effect.IRREVERSIBLE and best.probability < policy.irreversible_min_probability:
        detail = f"{_show(best)} < irreversible_min_probability {policy.irreversible_min_probability}"
        reason = Reason(ReasonCode.IRREVERSIBLE_TOO_UNCERTAIN, detail)
        return Verdict(Outcome.CLARIFY, (reason, *notes), (best,))
    confident = Reason(ReasonCode.CONFIDENT, f"{_show(best)}, margin {margin(admitted):.3f}")
    return Verdict(OUTCOME_OF_KIND[best.candidate.kind], (confident, *notes), (best,))


def _near_tie(pair: tuple[Ranked, Ranked], gap: float, policy: Policy, notes: tuple[Reason, ...]) -> Verdict:
    both_safe = all(r.candidate.kind is Kind.TOOL and r.candidate.effect is Effect.READ_ONLY for r in pair)
    detail = f"{_show(pair[0])} and {_show(pair[1])}: margin {gap:.3f} < near_tie_margin {policy.near_tie_margin}"
    outcome = Outcome.ACT_ON_BOTH if both_safe else Outcome.CLARIFY
    return Verdict(outcome, (Reason(ReasonCode.NEAR_TIE, detail), *notes), pair)


def _unsure(policy: Policy, reasons: tuple[Reason, ...]) -> Verdict:
    hand_off = policy.when_unsure is WhenUnsure.HAND_OFF
    return Verdict(Outcome.HAND_OFF if hand_off else Outcome.CLARIFY, reasons)


def _single_note(ranked: Sequence[Ranked]) -> tuple[Reason, ...]:
    if len(ranked) > 1:
        return ()
    return (Reason(ReasonCode.SINGLE_CANDIDATE, "the set has one candidate"),)


def _show(ranked: Ranked) -> str:
    return f"{ranked.candidate.name} {ranked.probability:.3f}"
