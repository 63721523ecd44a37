"""From one YAML file to a checked candidate set."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sidecar.catalog.schema import (
    CandidateFile,
    CandidateSetFile,
    PolicyFile,
    SlotFile,
    Text,
    Texts,
)
from sidecar.core.candidates import Candidate, CandidateSet, EnumValue, Slot, check_set
from sidecar.core.policy import Policy
from sidecar.errors import InvalidRequest, Violation

_UNION_BRANCHES = frozenset({"str", "dict[str,str]", "list[str]", "dict[str,list[str]]"})
"""What pydantic puts into an error's location for the branch of a union that it tried."""


class CatalogError(Exception):
    """A candidate-set file that cannot be used.

    ``violations`` name each field at fault by its path in the YAML ("" for the whole file).
    """

    def __init__(self, file: Path, violations: Sequence[Violation]) -> None:
        causes = (f"{v.field}: {v.description}" if v.field else v.description for v in violations)
        super().__init__(f"{file}: {'; '.join(causes)}")
        self.file = file
        self.violations = tuple(violations)

    @classmethod
    def of(cls, file: Path, field: str, description: str) -> CatalogError:
        """The common case of one cause."""
        return cls(file, [Violation(field, description)])


def load_set(path: Path) -> CandidateSet:
    """The candidate set in the UTF-8 YAML file ``path``; CatalogError where it has a fault."""
    content = _read(path)
    if not isinstance(content, dict):
        raise CatalogError.of(path, "", "is not a mapping; a set has a name, a version, candidates")
    try:
        file = CandidateSetFile.model_validate(content)
    except ValidationError as error:
        raise CatalogError(path, _violations(error)) from None
    if unknown := _unknown_languages(file):
        raise CatalogError(path, unknown)
    candidate_set = _to_set(file)
    try:
        check_set(candidate_set, "")
    except InvalidRequest as error:
        violations = [Violation(v.field.removeprefix("."), v.description) for v in error.violations]
        raise CatalogError(path, violations) from None
    return candidate_set


class _UniqueKeyLoader(yaml.SafeLoader):
    """SafeLoader keeps the last of two equal keys without a word; here they are an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value!r} is there twice", key.start_mark
                    )
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep)


def _read(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=_UniqueKeyLoader)
    except OSError as error:
        raise CatalogError.of(path, "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CatalogError.of(path, "", f"is not UTF-8 at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise CatalogError.of(path, "", f"is not valid YAML: {line}{error.problem}") from error
    except yaml.YAMLError as error:
        raise CatalogError.of(path, "", f"is not valid YAML: {error}") from error


def _violations(error: ValidationError) -> list[Violation]:
    by_path: dict[str, list[str]] = {}
    for item in error.errors():
        cause = item["msg"]
        if item["type"] == "string_type" and isinstance(item["input"], bool | int | float):
            cause = f"{cause}; put {item['input']!r} into quotes"
        causes = by_path.setdefault(_yaml_path(item["loc"]), [])
        if cause not in causes:
            causes.append(cause)
    return [Violation(path, ", or ".join(causes)) for path, causes in by_path.items()]


def _yaml_path(location: Iterable[int | str]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in _UNION_BRANCHES:
            path += f".{part}"
    return path.removeprefix(".")


def _unknown_languages(file: CandidateSetFile) -> list[Violation]:
    by_language: list[tuple[str, object]] = [
        ("instruction", file.instruction),
        ("templates", file.templates),
    ]
    for index, candidate in enumerate(file.candidates):
        by_language.append((f"candidates[{index}].description", candidate.description))
        by_language.append((f"candidates[{index}].examples", candidate.examples))
    return [
        Violation(f"{path}.{language}", f"is not one of the set's languages {file.languages}")
        for path, texts in by_language
        if isinstance(texts, dict)
        for language in texts
        if language not in file.languages
    ]


def _to_set(file: CandidateSetFile) -> CandidateSet:
    language = file.languages[0]
    return CandidateSet(
        candidates=tuple(_to_candidate(c, language) for c in file.candidates),
        name=file.name,
        version=file.version,
        instructions=_text(file.instruction, language),
        templates={k: t.model_dump(exclude_none=True) for k, t in file.templates.items()},
        languages=tuple(file.languages),
        policy=_to_policy(file.policy),
    )


def _to_policy(file: PolicyFile) -> Policy:
    return Policy(**file.model_dump())


def _to_candidate(file: CandidateFile, language: str) -> Candidate:
    return Candidate(
        name=file.name,
        descriptions=_text(file.description, language),
        kind=file.kind,
        effect=file.effect,
        slots=tuple(_to_slot(s) for s in file.slots),
        examples=_texts(file.examples, language),
        when=dict(file.when),
    )


def _to_slot(file: SlotFile) -> Slot:
    return Slot(
        name=file.name,
        type=file.type,
        required=file.required,
        description=file.description,
        values=tuple(EnumValue(v.value, tuple(v.synonyms)) for v in file.values),
        pattern=file.pattern,
    )


def _text(text: Text, language: str) -> dict[str, str]:
    if isinstance(text, dict):
        return dict(text)
    return {language: text} if text else {}


def _texts(texts: Texts, language: str) -> dict[str, tuple[str, ...]]:
    if isinstance(texts, dict):
        return {k: tuple(v) for k, v in texts.items()}
    return {language: tuple(texts)} if texts else {}
