"""The shape of a candidate-set file; ``python -m sidecar.catalog.schema`` prints it as JSON."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sidecar.core.candidates import MAX_CANDIDATES, MAX_NAME_CHARS, Effect, Kind, SlotType
from sidecar.core.policy import WhenUnsure

Label = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]
Language = Annotated[str, Field(min_length=2, max_length=16)]
Probability = Annotated[float, Field(strict=True, ge=0.0, le=1.0, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Text = str | dict[str, str]
"""One text, in the set's first language, or one for each language."""
Texts = list[str] | dict[str, list[str]]
"""A list of texts, in the set's first language, or one list for each language."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EnumValueFile(_Model):
    """One allowed value of an enum slot and the further words that stand for it."""

    value: str
    synonyms: list[str] = []


class SlotFile(_Model):
    """One parameter of a candidate: an enum needs ``values``, a regex needs ``pattern``."""

    name: str
    type: SlotType = SlotType.NONE
    required: Flag = False
    description: str = ""
    values: list[EnumValueFile] = []
    pattern: str = ""


class CandidateFile(_Model):
    """One action that an agent may take next."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
    description: Text = ""
    kind: Kind = Kind.TOOL
    effect: Effect = Effect.REVERSIBLE
    examples: Texts = []
    slots: list[SlotFile] = []
    when: dict[str, str] = {}


class PolicyFile(_Model):
    """Thresholds on calibrated probabilities; those left out keep their defaults."""

    min_probability: Probability = 0.5
    near_tie_margin: Probability = 0.1
    finish_min_probability: Probability = 0.6
    irreversible_min_probability: Probability = 0.8
    when_unsure: WhenUnsure = WhenUnsure.CLARIFY


class TemplatesFile(_Model):
    """What the agent may say to the user, in one language."""

    clarify: str | None = None
    near_tie: str | None = None


class CandidateSetFile(_Model):
    """A named, versioned list of candidates with its policy: one YAML file."""

    name: Label
    version: Label
    languages: Annotated[list[Language], Field(min_length=1)] = ["en"]
    instruction: Text = ""
    policy: PolicyFile = PolicyFile()
    templates: dict[str, TemplatesFile] = {}
    candidates: Annotated[list[CandidateFile], Field(min_length=1, max_length=MAX_CANDIDATES)]


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a candidate-set file."""
    schema = CandidateSetFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def json_schema_text() -> str:
    """``json_schema`` as the text that is published under docs/."""
    return json.dumps(json_schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(json_schema_text(), end="")
