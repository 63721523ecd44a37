"""Candidate sets: identity, look-up and checks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sidecar.core.candidates import (
    MAX_CANDIDATES,
    Candidate,
    CandidateSet,
    Effect,
    Slot,
    SlotType,
    check_set,
    identity,
)
from sidecar.core.policy import Policy
from sidecar.errors import InvalidRequest

A = Candidate("a", {"en": "Do a.", "zh": "做。"})
B = Candidate("b", {"en": "Do b."})
SET = CandidateSet((A, B), name="s", version="1", instructions={"en": "Help."})


def fields_at_fault(candidate_set: CandidateSet) -> list[str]:
    try:
        check_set(candidate_set, "set")
    except InvalidRequest as error:
        return [v.field for v in error.violations]
    return []


def names(*values: str) -> CandidateSet:
    return CandidateSet(tuple(Candidate(v) for v in values))


@pytest.mark.parametrize(
    ("candidate_set", "fields"),
    [
        (SET, []),
        (names(), ["set.candidates"]),
        (names(*map(str, range(MAX_CANDIDATES))), []),
        (names(*map(str, range(MAX_CANDIDATES + 1))), ["set.candidates"]),
        (names("a", ""), ["set.candidates[1].name"]),
        (names("\u200b"), ["set.candidates[0].name"]),
        (names("x" * 128), []),
        (names("x" * 129), ["set.candidates[0].name"]),
        (names("a", "b", "a"), ["set.candidates[2].name"]),
        (names("caf\u00e9", "cafe\u0301"), ["set.candidates[1].name"]),
        (names("a", "a\u200d"), ["set.candidates[1].name"]),
        (replace(SET, policy=Policy(min_probability=1.5)), ["set.policy.min_probability"]),
        (
            replace(SET, policy=Policy(near_tie_margin=float("nan"))),
            ["set.policy.near_tie_margin"],
        ),
        (
            CandidateSet((A, Candidate("b", slots=(Slot("n", SlotType.REGEX, pattern="("),)))),
            ["set.candidates[1].slots[0].pattern"],
        ),
    ],
)
def test_check_set(candidate_set: CandidateSet, fields: list[str]) -> None:
    assert fields_at_fault(candidate_set) == fields


def test_hash_ignores_name_version_and_order() -> None:
    other = replace(SET, name="t", version="2", candidates=(B, A))
    assert other.content_hash == SET.content_hash
    assert len(SET.content_hash) == 64


@pytest.mark.parametrize(
    "other",
    [
        replace(SET, candidates=(A,)),
        replace(SET, candidates=(A, replace(B, effect=Effect.READ_ONLY))),
        replace(SET, candidates=(A, replace(B, descriptions={"en": "Do c."}))),
        replace(SET, policy=Policy(min_probability=0.4)),
        replace(SET, instructions={}),
    ],
)
def test_hash_sees_everything_else(other: CandidateSet) -> None:
    assert other.content_hash != SET.content_hash


def test_language_falls_back_to_the_first() -> None:
    assert A.description("zh") == "做。"
    assert B.description("zh") == "Do b."
    assert Candidate("c").description("en") == ""
    assert SET.instruction("zh") == "Help."


def test_candidate_by_name() -> None:
    assert SET.candidate("b") is B
    with pytest.raises(KeyError):
        SET.candidate("c")


def test_identity_folds_what_looks_the_same() -> None:
    assert identity(" ａ\u200b  b ") == "a b"
