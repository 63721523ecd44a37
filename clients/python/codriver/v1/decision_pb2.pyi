from codriver.v1 import candidate_pb2 as _candidate_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Tier(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIER_UNSPECIFIED: _ClassVar[Tier]
    TIER_RULES: _ClassVar[Tier]
    TIER_SCORER: _ClassVar[Tier]

class ReasonCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REASON_CODE_UNSPECIFIED: _ClassVar[ReasonCode]
    REASON_CODE_CONFIDENT: _ClassVar[ReasonCode]
    REASON_CODE_NONE_FITS: _ClassVar[ReasonCode]
    REASON_CODE_LOW_PROBABILITY: _ClassVar[ReasonCode]
    REASON_CODE_NEAR_TIE: _ClassVar[ReasonCode]
    REASON_CODE_FINISH_TOO_UNCERTAIN: _ClassVar[ReasonCode]
    REASON_CODE_IRREVERSIBLE_TOO_UNCERTAIN: _ClassVar[ReasonCode]
    REASON_CODE_SINGLE_CANDIDATE: _ClassVar[ReasonCode]
    REASON_CODE_MESSAGES_DROPPED: _ClassVar[ReasonCode]
TIER_UNSPECIFIED: Tier
TIER_RULES: Tier
TIER_SCORER: Tier
REASON_CODE_UNSPECIFIED: ReasonCode
REASON_CODE_CONFIDENT: ReasonCode
REASON_CODE_NONE_FITS: ReasonCode
REASON_CODE_LOW_PROBABILITY: ReasonCode
REASON_CODE_NEAR_TIE: ReasonCode
REASON_CODE_FINISH_TOO_UNCERTAIN: ReasonCode
REASON_CODE_IRREVERSIBLE_TOO_UNCERTAIN: ReasonCode
REASON_CODE_SINGLE_CANDIDATE: ReasonCode
REASON_CODE_MESSAGES_DROPPED: ReasonCode

class Decision(_message.Message):
    __slots__ = ("decision_id", "outcome", "reasons", "chosen", "scores", "none_probability", "none_score", "margin", "confidence", "provenance", "timings", "stats", "degraded", "dropped_messages")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    NONE_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    NONE_SCORE_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    decision_id: str
    outcome: _candidate_pb2.Outcome
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    chosen: _containers.RepeatedCompositeFieldContainer[ChosenCandidate]
    scores: _containers.RepeatedCompositeFieldContainer[CandidateScore]
    none_probability: float
    none_score: float
    margin: float
    confidence: float
    provenance: Provenance
    timings: Timings
    stats: ComputeStats
    degraded: bool
    dropped_messages: int
    def __init__(self, decision_id: _Optional[str] = ..., outcome: _Optional[_Union[_candidate_pb2.Outcome, str]] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., chosen: _Optional[_Iterable[_Union[ChosenCandidate, _Mapping]]] = ..., scores: _Optional[_Iterable[_Union[CandidateScore, _Mapping]]] = ..., none_probability: _Optional[float] = ..., none_score: _Optional[float] = ..., margin: _Optional[float] = ..., confidence: _Optional[float] = ..., provenance: _Optional[_Union[Provenance, _Mapping]] = ..., timings: _Optional[_Union[Timings, _Mapping]] = ..., stats: _Optional[_Union[ComputeStats, _Mapping]] = ..., degraded: _Optional[bool] = ..., dropped_messages: _Optional[int] = ...) -> None: ...

class ChosenCandidate(_message.Message):
    __slots__ = ("name", "kind", "effect", "probability", "slots", "missing_slots")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    MISSING_SLOTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: _candidate_pb2.CandidateKind
    effect: _candidate_pb2.Effect
    probability: float
    slots: _containers.RepeatedCompositeFieldContainer[SlotValue]
    missing_slots: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[_candidate_pb2.CandidateKind, str]] = ..., effect: _Optional[_Union[_candidate_pb2.Effect, str]] = ..., probability: _Optional[float] = ..., slots: _Optional[_Iterable[_Union[SlotValue, _Mapping]]] = ..., missing_slots: _Optional[_Iterable[str]] = ...) -> None: ...

class SlotValue(_message.Message):
    __slots__ = ("name", "value", "message_index", "start", "end")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_INDEX_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    message_index: int
    start: int
    end: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., message_index: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class CandidateScore(_message.Message):
    __slots__ = ("name", "score", "probability")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    name: str
    score: float
    probability: float
    def __init__(self, name: _Optional[str] = ..., score: _Optional[float] = ..., probability: _Optional[float] = ...) -> None: ...

class Reason(_message.Message):
    __slots__ = ("code", "detail")
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    code: ReasonCode
    detail: str
    def __init__(self, code: _Optional[_Union[ReasonCode, str]] = ..., detail: _Optional[str] = ...) -> None: ...

class Provenance(_message.Message):
    __slots__ = ("candidate_set_name", "candidate_set_version", "candidate_set_hash", "model_name", "model_version", "model_hash", "scoring_method", "calibration_id", "tier")
    CANDIDATE_SET_NAME_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SET_VERSION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SET_HASH_FIELD_NUMBER: _ClassVar[int]
    MODEL_NAME_FIELD_NUMBER: _ClassVar[int]
    MODEL_VERSION_FIELD_NUMBER: _ClassVar[int]
    MODEL_HASH_FIELD_NUMBER: _ClassVar[int]
    SCORING_METHOD_FIELD_NUMBER: _ClassVar[int]
    CALIBRATION_ID_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    candidate_set_name: str
    candidate_set_version: str
    candidate_set_hash: str
    model_name: str
    model_version: str
    model_hash: str
    scoring_method: str
    calibration_id: str
    tier: Tier
    def __init__(self, candidate_set_name: _Optional[str] = ..., candidate_set_version: _Optional[str] = ..., candidate_set_hash: _Optional[str] = ..., model_name: _Optional[str] = ..., model_version: _Optional[str] = ..., model_hash: _Optional[str] = ..., scoring_method: _Optional[str] = ..., calibration_id: _Optional[str] = ..., tier: _Optional[_Union[Tier, str]] = ...) -> None: ...

class Timings(_message.Message):
    __slots__ = ("queue_us", "tokenize_us", "score_us", "total_us")
    QUEUE_US_FIELD_NUMBER: _ClassVar[int]
    TOKENIZE_US_FIELD_NUMBER: _ClassVar[int]
    SCORE_US_FIELD_NUMBER: _ClassVar[int]
    TOTAL_US_FIELD_NUMBER: _ClassVar[int]
    queue_us: int
    tokenize_us: int
    score_us: int
    total_us: int
    def __init__(self, queue_us: _Optional[int] = ..., tokenize_us: _Optional[int] = ..., score_us: _Optional[int] = ..., total_us: _Optional[int] = ...) -> None: ...

class ComputeStats(_message.Message):
    __slots__ = ("computed_tokens", "cached_tokens", "batch_requests")
    COMPUTED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    BATCH_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    computed_tokens: int
    cached_tokens: int
    batch_requests: int
    def __init__(self, computed_tokens: _Optional[int] = ..., cached_tokens: _Optional[int] = ..., batch_requests: _Optional[int] = ...) -> None: ...
