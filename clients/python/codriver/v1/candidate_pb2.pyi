from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CandidateKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CANDIDATE_KIND_UNSPECIFIED: _ClassVar[CandidateKind]
    CANDIDATE_KIND_TOOL: _ClassVar[CandidateKind]
    CANDIDATE_KIND_RESPOND: _ClassVar[CandidateKind]
    CANDIDATE_KIND_CLARIFY: _ClassVar[CandidateKind]
    CANDIDATE_KIND_FINISH: _ClassVar[CandidateKind]
    CANDIDATE_KIND_HAND_OFF: _ClassVar[CandidateKind]

class Effect(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EFFECT_UNSPECIFIED: _ClassVar[Effect]
    EFFECT_READ_ONLY: _ClassVar[Effect]
    EFFECT_REVERSIBLE: _ClassVar[Effect]
    EFFECT_IRREVERSIBLE: _ClassVar[Effect]

class SlotType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SLOT_TYPE_UNSPECIFIED: _ClassVar[SlotType]
    SLOT_TYPE_ENUM: _ClassVar[SlotType]
    SLOT_TYPE_REGEX: _ClassVar[SlotType]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_ACT: _ClassVar[Outcome]
    OUTCOME_ACT_ON_BOTH: _ClassVar[Outcome]
    OUTCOME_CLARIFY: _ClassVar[Outcome]
    OUTCOME_RESPOND: _ClassVar[Outcome]
    OUTCOME_FINISH: _ClassVar[Outcome]
    OUTCOME_HAND_OFF: _ClassVar[Outcome]
CANDIDATE_KIND_UNSPECIFIED: CandidateKind
CANDIDATE_KIND_TOOL: CandidateKind
CANDIDATE_KIND_RESPOND: CandidateKind
CANDIDATE_KIND_CLARIFY: CandidateKind
CANDIDATE_KIND_FINISH: CandidateKind
CANDIDATE_KIND_HAND_OFF: CandidateKind
EFFECT_UNSPECIFIED: Effect
EFFECT_READ_ONLY: Effect
EFFECT_REVERSIBLE: Effect
EFFECT_IRREVERSIBLE: Effect
SLOT_TYPE_UNSPECIFIED: SlotType
SLOT_TYPE_ENUM: SlotType
SLOT_TYPE_REGEX: SlotType
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_ACT: Outcome
OUTCOME_ACT_ON_BOTH: Outcome
OUTCOME_CLARIFY: Outcome
OUTCOME_RESPOND: Outcome
OUTCOME_FINISH: Outcome
OUTCOME_HAND_OFF: Outcome

class Candidate(_message.Message):
    __slots__ = ("name", "description", "kind", "effect", "slots")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    kind: CandidateKind
    effect: Effect
    slots: _containers.RepeatedCompositeFieldContainer[Slot]
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., kind: _Optional[_Union[CandidateKind, str]] = ..., effect: _Optional[_Union[Effect, str]] = ..., slots: _Optional[_Iterable[_Union[Slot, _Mapping]]] = ...) -> None: ...

class Slot(_message.Message):
    __slots__ = ("name", "description", "type", "required", "values", "pattern")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    type: SlotType
    required: bool
    values: _containers.RepeatedCompositeFieldContainer[EnumValue]
    pattern: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., type: _Optional[_Union[SlotType, str]] = ..., required: _Optional[bool] = ..., values: _Optional[_Iterable[_Union[EnumValue, _Mapping]]] = ..., pattern: _Optional[str] = ...) -> None: ...

class EnumValue(_message.Message):
    __slots__ = ("value", "synonyms")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    value: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, value: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ...) -> None: ...

class CandidateSet(_message.Message):
    __slots__ = ("name", "version", "candidates", "instruction", "policy")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    candidates: _containers.RepeatedCompositeFieldContainer[Candidate]
    instruction: str
    policy: Policy
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., candidates: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ..., instruction: _Optional[str] = ..., policy: _Optional[_Union[Policy, _Mapping]] = ...) -> None: ...

class Policy(_message.Message):
    __slots__ = ("min_probability", "near_tie_margin", "finish_min_probability", "irreversible_min_probability", "when_unsure")
    MIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    NEAR_TIE_MARGIN_FIELD_NUMBER: _ClassVar[int]
    FINISH_MIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    IRREVERSIBLE_MIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    WHEN_UNSURE_FIELD_NUMBER: _ClassVar[int]
    min_probability: float
    near_tie_margin: float
    finish_min_probability: float
    irreversible_min_probability: float
    when_unsure: Outcome
    def __init__(self, min_probability: _Optional[float] = ..., near_tie_margin: _Optional[float] = ..., finish_min_probability: _Optional[float] = ..., irreversible_min_probability: _Optional[float] = ..., when_unsure: _Optional[_Union[Outcome, str]] = ...) -> None: ...
