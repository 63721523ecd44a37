"""What the asking commands read: candidate sets and conversations from files and flags."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import codriver
from codriver import (
    Candidate,
    CandidateSet,
    Effect,
    EnumValue,
    Kind,
    Message,
    Outcome,
    Role,
    Slot,
    SlotType,
    ToolCall,
    ToolResult,
)
from codriver import Policy as ClientPolicy
from sidecar.catalog.loader import load_set
from sidecar.cli_exit import DATA, USAGE, Failure
from sidecar.core import candidates as core

YAML_SUFFIXES = (".yaml", ".yml")


def read_set(reference: str, language: str) -> codriver.CandidateSet | str:
    """A YAML file becomes an inline set; anything else names a set of the sidecar's catalog."""
    path = Path(reference)
    if path.suffix not in YAML_SUFFIXES and not path.is_file():
        return reference
    return inline(load_set(path), language)


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
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [_message(row) for row in rows]
    except OSError as error:
        raise Failure(DATA, f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        shape = 'a JSON list of {"role": ..., "content": ...}'
        raise Failure(DATA, f"{file} is not {shape}: {error}") from error


def _message(row: dict[str, Any]) -> Message:
    fields = dict(row)
    role = Role(fields.pop("role"))
    calls = [ToolCall(**c) for c in fields.pop("tool_calls", ())]
    results = [ToolResult(**r) for r in fields.pop("tool_results", ())]
    return Message(role, fields.pop("content", ""), calls, results, **fields)
