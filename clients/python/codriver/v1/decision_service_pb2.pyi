from codriver.v1 import candidate_pb2 as _candidate_pb2
from codriver.v1 import conversation_pb2 as _conversation_pb2
from codriver.v1 import decision_pb2 as _decision_pb2
from codriver.v1 import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DecideRequest(_message.Message):
    __slots__ = ("request_id", "candidate_set", "inline_set", "messages", "language", "validate_only", "drop_oldest_messages")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SET_FIELD_NUMBER: _ClassVar[int]
    INLINE_SET_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    DROP_OLDEST_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    candidate_set: str
    inline_set: _candidate_pb2.CandidateSet
    messages: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Message]
    language: str
    validate_only: bool
    drop_oldest_messages: bool
    def __init__(self, request_id: _Optional[str] = ..., candidate_set: _Optional[str] = ..., inline_set: _Optional[_Union[_candidate_pb2.CandidateSet, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_conversation_pb2.Message, _Mapping]]] = ..., language: _Optional[str] = ..., validate_only: _Optional[bool] = ..., drop_oldest_messages: _Optional[bool] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ...) -> None: ...

class BatchDecideRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[DecideRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[DecideRequest, _Mapping]]] = ...) -> None: ...

class BatchDecideResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[BatchDecideResult]
    def __init__(self, results: _Optional[_Iterable[_Union[BatchDecideResult, _Mapping]]] = ...) -> None: ...

class BatchDecideResult(_message.Message):
    __slots__ = ("decision", "error")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    error: _error_pb2.ItemError
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class ScoreRequest(_message.Message):
    __slots__ = ("request_id", "candidate_set", "inline_set", "messages", "language", "drop_oldest_messages")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SET_FIELD_NUMBER: _ClassVar[int]
    INLINE_SET_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    DROP_OLDEST_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    candidate_set: str
    inline_set: _candidate_pb2.CandidateSet
    messages: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Message]
    language: str
    drop_oldest_messages: bool
    def __init__(self, request_id: _Optional[str] = ..., candidate_set: _Optional[str] = ..., inline_set: _Optional[_Union[_candidate_pb2.CandidateSet, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_conversation_pb2.Message, _Mapping]]] = ..., language: _Optional[str] = ..., drop_oldest_messages: _Optional[bool] = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("scores", "none_probability", "none_score", "provenance", "timings", "stats", "dropped_messages")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    NONE_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    NONE_SCORE_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedCompositeFieldContainer[_decision_pb2.CandidateScore]
    none_probability: float
    none_score: float
    provenance: _decision_pb2.Provenance
    timings: _decision_pb2.Timings
    stats: _decision_pb2.ComputeStats
    dropped_messages: int
    def __init__(self, scores: _Optional[_Iterable[_Union[_decision_pb2.CandidateScore, _Mapping]]] = ..., none_probability: _Optional[float] = ..., none_score: _Optional[float] = ..., provenance: _Optional[_Union[_decision_pb2.Provenance, _Mapping]] = ..., timings: _Optional[_Union[_decision_pb2.Timings, _Mapping]] = ..., stats: _Optional[_Union[_decision_pb2.ComputeStats, _Mapping]] = ..., dropped_messages: _Optional[int] = ...) -> None: ...
