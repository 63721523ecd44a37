"""Slot values, read out of what the user said; never generated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sidecar.core.candidates import MAX_PATTERN_CHARS, Candidate, Slot, SlotType
from sidecar.core.messages import Message, Role

MAX_MATCHED_CHARS = 4096
"""Only this much of a message is searched, which bounds the time of a search."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Kana and Han: written without spaces, so a word has no edges that could be required."""
_IS_CJK = re.compile(f"[{_CJK}]")
_WORD_CHAR = rf"[^\W{_CJK}]"


@dataclass(frozen=True, slots=True)
class SlotFound:
    """A slot's value and where it was found.

    ``start`` to ``end`` (exclusive) are code points of the message's content;
    ``message_index`` counts in the messages that were searched.
    """

    name: str
    value: str
    message_index: int
    start: int
    end: int


def extract(slot: Slot, messages: Sequence[Message]) -> SlotFound | None:
    """The slot's value in the latest user message that has one.

    None where no message has one, where the latest that does has two different ones, and for a
    slot of type NONE or with a pattern that ``check_set`` refuses.
    """
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role is not Role.USER:
            continue
        found = _matches(slot, messages[index].content[:MAX_MATCHED_CHARS])
        if found:
            value, start, end = found[0]
            ambiguous = any(other != value for other, _, _ in found)
            return None if ambiguous else SlotFound(slot.name, value, index, start, end)
    return None


def fill(candidate: Candidate, messages: Sequence[Message]) -> tuple[tuple[SlotFound, ...], tuple[str, ...]]:
    """The candidate's slots that were found, and the names of its required ones without a value.

    A slot of type NONE is never extracted, so it is not missing either: the agent fills it.
    """
    results = [(slot, extract(slot, messages)) for slot in candidate.slots]
    found = tuple(result for _, result in results if result is not None)
    missing = tuple(
        slot.name for slot, result in results if result is None and slot.required and slot.type is not SlotType.NONE
    )
    return found, missing


def _matches(slot: Slot, text: str) -> list[tuple[str, int, int]]:
    """Values with their spans; for a regex the first match only."""
    if slot.type is SlotType.ENUM:
        return _enum_matches(slot, text)
    if slot.type is SlotType.REGEX:
        return _regex_match(slot.pattern, text)
    return []


def _enum_matches(slot: Slot, text: str) -> list[tuple[str, int, int]]:
    # Longest first: "express plus" must not also count as "express".
    words = sorted(
        ((word, v.value) for v in slot.values for word in (v.value, *v.synonyms) if word.strip()),
        key=lambda pair: -len(pair[0]),
    )
    if not words:
        return []
    pattern = _alternatives(tuple(word for word, _ in words))
    return [
        (words[match.lastindex - 1][1], match.start(), match.end())
        for match in pattern.finditer(text)
        if match.lastindex is not None
    ]


@lru_cache(maxsize=1024)
def _alternatives(words: tuple[str, ...]) -> re.Pattern[str]:
    """One group for each word, so that ``lastindex`` says which of them matched."""
    return re.compile("|".join(f"({_whole(word)})" for word in words), re.IGNORECASE)


def _whole(word: str) -> str:
    word = word.strip()
    before = "" if _IS_CJK.match(word[0]) else f"(?<!{_WORD_CHAR})"
    after = "" if _IS_CJK.match(word[-1]) else f"(?!{_WORD_CHAR})"
    return before + r"\s+".join(re.escape(part) for part in word.split()) + after


def _regex_match(pattern: str, text: str) -> list[tuple[str, int, int]]:
    if not pattern or len(pattern) > MAX_PATTERN_CHARS:
        return []
    try:
        match = re.search(pattern, text)
    except (re.error, OverflowError, RecursionError):
        return []
    if match is None:
        return []
    group = 1 if match.re.groups and match.group(1) is not None else 0
    value = match.group(group)
    return [(value, match.start(group), match.end(group))] if value else []
