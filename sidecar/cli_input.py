"""What the asking commands read: candidate sets and conversations from files and flags."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

import codriver
from codriver import (
    Candidate,
    CandidateSet,
    Effect,
    EnumValue,
    Kind,
    Message,
    Outcome,
    Slot,
    SlotType,
)
from codriver import Policy as ClientPolicy
from sidecar.catalog.loader import load_set
from sidecar.cli_exit import DATA, USAGE, Failure
from sidecar.core import candidates as core

YAML_SUFFIXES = (".yaml", ".yml")
CONVERSATION = TypeAdapter(list[Message], config=ConfigDict(extra="forbid"))


def read_set(reference: str, language: str) -> codriver.CandidateSet | str:
    """A YAML file becomes an inline set; anything else names a set of the sidecar's catalog."""
    # os.path.isfile, other than Path.is_file, says no to a name that no file can have.
    if not reference.endswith(YAML_SUFFIXES) and not os.path.isfile(reference):
        return reference
    return inline(load_set(Path(reference)), language)


def inline(loaded: core.CandidateSet, language: str) -> CandidateSet:
    """A loaded set in one language, as a request carries it."""
    language = language or loaded.languages[0]
    policy = loaded.policy
    return CandidateSet(
        [_candidate(c, language) for c in loaded.candidates],
        loaded.name,
        loaded.version,
        loaded.instruction(language),
        ClientPolicy(
            policy.min_probability,
            policy.near_tie_margin,
            policy.finish_min_probability,
            policy.irreversible_min_probability,
            Outcome(policy.when_unsure.value.upper()),
        ),
    )


def _candidate(candidate: core.Candidate, language: str) -> Candidate:
    return Candidate(
        candidate.name,
        candidate.description(language),
        Kind(candidate.kind.value),
        Effect(candidate.effect.value),
        [_slot(s) for s in candidate.slots],
    )


def _slot(slot: core.Slot) -> Slot:
    return Slot(
        slot.name,
        SlotType(slot.type.value),
        slot.required,
        slot.description,
        [EnumValue(v.value, v.synonyms) for v in slot.values],
        slot.pattern,
    )


def read_messages(texts: Sequence[str], file: Path | None) -> list[Message]:
    """The conversation of ``file``, then the texts as messages of the user."""
    if file is None and not texts:
        raise Failure(USAGE, "give --message TEXT or --messages FILE.json")
    return [*(_from_file(file) if file else ()), *(Message.user(t) for t in texts)]


def _from_file(file: Path) -> list[Message]:
    try:
        return CONVERSATION.validate_json(file.read_bytes())
    except OSError as error:
        raise Failure(DATA, f"{file} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"])
        raise Failure(DATA, f"{file} is not a JSON list of messages: {place} {first['msg']}") from error
