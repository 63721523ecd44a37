"""Candidates and candidate sets: the closed list of actions that a decision chooses from."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property

from sidecar.core.policy import Policy
from sidecar.errors import InvalidRequest, Violation

MAX_CANDIDATES = 255
MAX_NAME_CHARS = 128
MAX_SLOT_NAME_CHARS = 64
MAX_PATTERN_CHARS = 256
DEFAULT_LANGUAGE = "en"


class Kind(StrEnum):
    """What sort of step a candidate is."""

    TOOL = "tool"
    RESPOND = "respond"
    CLARIFY = "clarify"
    FINISH = "finish"
    HAND_OFF = "hand_off"


class Effect(StrEnum):
    """What executing a candidate does to the world."""

    READ_ONLY = "read_only"
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"


class SlotType(StrEnum):
    """How a slot's value is found."""

    NONE = "none"
    ENUM = "enum"
    REGEX = "regex"


@dataclass(frozen=True, slots=True)
class EnumValue:
    """One allowed value of an enum slot and the further words that stand for it."""

    value: str
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of a candidate, filled by deterministic extraction."""

    name: str
    type: SlotType = SlotType.NONE
    required: bool = False
    description: str = ""
    values: tuple[EnumValue, ...] = ()
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One action. ``descriptions`` maps a language to the text that the model reads."""

    name: str
    descriptions: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.TOOL
    effect: Effect = Effect.REVERSIBLE
    slots: tuple[Slot, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    when: Mapping[str, str] = field(default_factory=dict)

    def description(self, language: str) -> str:
        """The description in ``language``, or in the first language that there is, or nothing."""
        fallback = next(iter(self.descriptions.values()), "")
        return self.descriptions.get(language, fallback)


@dataclass(frozen=True)
class CandidateSet:
    """A named, versioned list of candidates with its policy; its identity is ``content_hash``."""

    candidates: tuple[Candidate, ...]
    name: str = "inline"
    version: str = ""
    instructions: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    languages: tuple[str, ...] = (DEFAULT_LANGUAGE,)
    policy: Policy = Policy()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 (hex) of everything but name and version, whatever the order of the candidates."""
        content = asdict(self)
        del content["name"], content["version"]
        content["candidates"] = sorted(content["candidates"], key=lambda c: str(c["name"]))
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def instruction(self, language: str) -> str:
        """The instruction in ``language``, or in the first language that there is, or nothing."""
        fallback = next(iter(self.instructions.values()), "")
        return self.instructions.get(language, fallback)

    def candidate(self, name: str) -> Candidate:
        """The candidate called ``name``; KeyError where there is none."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Candidate]:
        return {c.name: c for c in self.candidates}


def identity(name: str) -> str:
    """What makes two names the same to a reader: NFKC, without format characters, white space folded."""
    visible = "".join(ch for ch in unicodedata.normalize("NFKC", name) if unicodedata.category(ch) != "Cf")
    return " ".join(visible.split())


def check_set(candidate_set: CandidateSet, path: str) -> None:
    """Raises InvalidRequest naming every field at fault; ``path`` is the set's path in the request."""
    count = len(candidate_set.candidates)
    if not 1 <= count <= MAX_CANDIDATES:
        raise InvalidRequest.of(f"{path}.candidates", f"has {count} candidates; 1 to {MAX_CANDIDATES} are allowed")
    violations = [
        *_name_violations(candidate_set, path),
        *_all_slot_violations(candidate_set, path),
        *candidate_set.policy.violations(f"{path}.policy"),
    ]
    if violations:
        raise InvalidRequest(violations)


def _name_violations(candidate_set: CandidateSet, path: str) -> list[Violation]:
    first_index: dict[str, int] = {}
    violations = []
    for index, candidate in enumerate(candidate_set.candidates):
        at = f"{path}.candidates[{index}].name"
        key = identity(candidate.name)
        if not key:
            violations.append(Violation(at, "is empty"))
        elif len(candidate.name) > MAX_NAME_CHARS:
            violations.append(Violation(at, f"has {len(candidate.name)} characters; the limit is {MAX_NAME_CHARS}"))
        elif key in first_index:
            violations.append(Violation(at, f"is the same as candidates[{first_index[key]}].name; names are unique"))
        else:
            first_index[key] = index
    return violations


def _all_slot_violations(candidate_set: CandidateSet, path: str) -> list[Violation]:
    return [
        violation
        for index, candidate in enumerate(candidate_set.candidates)
        for violation in slot_violations(candidate.slots, f"{path}.candidates[{index}]")
    ]


def slot_violations(slots: Sequence[Slot], path: str) -> list[Violation]:
    """Every fault of a candidate's slots; ``path`` is the candidate's path in the request."""
    first_index: dict[str, int] = {}
    violations = []
    for index, slot in enumerate(slots):
        at = f"{path}.slots[{index}]"
        first = first_index.setdefault(slot.name, index)
        if not slot.name.strip():
            violations.append(Violation(f"{at}.name", "is empty"))
        elif len(slot.name) > MAX_SLOT_NAME_CHARS:
            violations.append(
                Violation(
                    f"{at}.name",
                    f"has {len(slot.name)} characters; the limit is {MAX_SLOT_NAME_CHARS}",
                )
            )
        elif first != index:
            violations.append(Violation(f"{at}.name", f"is the same as slots[{first}].name; names are unique"))
        if slot.type is SlotType.ENUM:
            violations += _enum_violations(slot, at)
        elif slot.type is SlotType.REGEX:
            violations += _pattern_violations(slot.pattern, f"{at}.pattern")
    return violations


def _enum_violations(slot: Slot, at: str) -> list[Violation]:
    if not slot.values:
        return [Violation(f"{at}.values", "is empty; an enum slot needs at least one value")]
    meaning: dict[str, str] = {}
    violations = []
    for index, value in enumerate(slot.values):
        if not value.value.strip():
            violations.append(Violation(f"{at}.values[{index}].value", "is empty"))
        for word in (value.value, *value.synonyms):
            other = meaning.setdefault(identity(word).casefold(), value.value)
            if other != value.value:
                violations.append(Violation(f"{at}.values[{index}]", f"{word!r} already stands for {other!r}"))
    return violations


def _pattern_violations(pattern: str, at: str) -> list[Violation]:
    if not pattern:
        return [Violation(at, "is empty; a regex slot needs a pattern")]
    if len(pattern) > MAX_PATTERN_CHARS:
        return [Violation(at, f"has {len(pattern)} characters; the limit is {MAX_PATTERN_CHARS}")]
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return [Violation(at, f"is not a regular expression: {error}")]
    return []
