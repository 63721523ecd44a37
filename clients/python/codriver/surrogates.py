"""Texts that cannot be sent: protobuf carries UTF-8, and a Python str may hold what has none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from codriver.errors import Violation, refusal


@contextmanager
def sendable(request: Any) -> Iterator[None]:
    """Turns protobuf's refusal of a text into a CodriverError that names every field at fault."""
    try:
        yield
    except UnicodeEncodeError as error:
        problem = "holds half of a surrogate pair, which UTF-8 cannot carry"
        raise refusal([Violation(path, problem) for path in _lone_surrogates(request)]) from error


def _lone_surrogates(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            yield path
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _lone_surrogates(getattr(value, field.name), f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, Sequence):
        for index, item in enumerate(value):
            yield from _lone_surrogates(item, f"{path}[{index}]")
