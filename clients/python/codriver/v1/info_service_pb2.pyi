from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetInfoResponse(_message.Message):
    __slots__ = ("server_version", "scorer", "limits", "models", "candidate_sets")
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    SCORER_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_SETS_FIELD_NUMBER: _ClassVar[int]
    server_version: str
    scorer: str
    limits: Limits
    models: _containers.RepeatedCompositeFieldContainer[ModelInfo]
    candidate_sets: _containers.RepeatedCompositeFieldContainer[CandidateSetInfo]
    def __init__(self, server_version: _Optional[str] = ..., scorer: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., models: _Optional[_Iterable[_Union[ModelInfo, _Mapping]]] = ..., candidate_sets: _Optional[_Iterable[_Union[CandidateSetInfo, _Mapping]]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_candidates", "max_messages", "max_batch_requests", "max_context_tokens", "max_candidate_tokens", "max_message_bytes")
    MAX_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_CANDIDATE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    max_candidates: int
    max_messages: int
    max_batch_requests: int
    max_context_tokens: int
    max_candidate_tokens: int
    max_message_bytes: int
    def __init__(self, max_candidates: _Optional[int] = ..., max_messages: _Optional[int] = ..., max_batch_requests: _Optional[int] = ..., max_context_tokens: _Optional[int] = ..., max_candidate_tokens: _Optional[int] = ..., max_message_bytes: _Optional[int] = ...) -> None: ...

class ModelInfo(_message.Message):
    __slots__ = ("name", "version", "hash", "scoring_method", "ready")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    SCORING_METHOD_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    hash: str
    scoring_method: str
    ready: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., hash: _Optional[str] = ..., scoring_method: _Optional[str] = ..., ready: _Optional[bool] = ...) -> None: ...

class CandidateSetInfo(_message.Message):
    __slots__ = ("name", "version", "hash", "candidate_count", "languages")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_COUNT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    hash: str
    candidate_count: int
    languages: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., hash: _Optional[str] = ..., candidate_count: _Optional[int] = ..., languages: _Optional[_Iterable[str]] = ...) -> None: ...
