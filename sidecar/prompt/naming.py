"""How a candidate reads to the model: its name as words, its description, what it needs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sidecar.core.candidates import Candidate, CandidateSet
from sidecar.errors import InvalidRequest

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s_\-/:]+")


def clean(text: str, field: str) -> str:
    """NFC with white space folded, so that how a text was typed cannot change a decision.

    Raises InvalidRequest for a lone surrogate, which no encoding can carry.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest.of(field, f"has a lone surrogate at character {error.start}") from None
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(name: str) -> str:
    """A name as lower-case words: ``getWeather`` and ``get_weather`` both read "get weather"."""
    return " ".join(_SEPARATORS.sub(" ", _CAMEL.sub(" ", name)).split()).lower()


def shared_namespace(names: Sequence[str]) -> int:
    """How many leading dotted parts all names share; they tell the model nothing."""
    paths = [name.split(".")[:-1] for name in names]
    depth = 0
    while all(len(p) > depth for p in paths) and len({p[depth] for p in paths}) == 1:
        depth += 1
    return depth


def spoken_name(name: str, shared: int) -> str:
    """The verb first, what is left of the namespace behind it: "share order (taxi)"."""
    *namespace, last = (part for part in name.split(".")[shared:] if part.strip())
    if not namespace:
        return words(last)
    return f"{words(last)} ({words(' '.join(namespace))})"


def branch_text(spoken: str, description: str, required: Sequence[str]) -> str:
    """The one template that all candidates share."""
    text = f"{spoken}: {description}" if description else spoken
    return f"{text} (needs {', '.join(words(r) for r in required)})" if required else text


def branch_texts(candidate_set: CandidateSet, language: str) -> list[str]:
    """The text of every candidate's branch, in the order of the set."""
    shared = shared_namespace([c.name for c in candidate_set.candidates]) if len(candidate_set.candidates) > 1 else 0
    return [
        _branch_text(candidate, shared, language, f"candidates[{index}]")
        for index, candidate in enumerate(candidate_set.candidates)
    ]


def _branch_text(candidate: Candidate, shared: int, language: str, field: str) -> str:
    name = clean(candidate.name, f"{field}.name")
    description = clean(candidate.description(language), f"{field}.description")
    required = [slot.name for slot in candidate.slots if slot.required]
    spoken = spoken_name(name, shared) if name.strip(".") else name
    return branch_text(spoken, description, required)
