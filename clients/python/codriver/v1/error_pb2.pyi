from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_REQUEST: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_TOKENS: _ClassVar[ErrorReason]
    ERROR_REASON_CANDIDATE_SET_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_TRITON_UNREACHABLE: _ClassVar[ErrorReason]
    ERROR_REASON_MODEL_NOT_READY: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
    ERROR_REASON_QUEUE_TIMEOUT: _ClassVar[ErrorReason]
    ERROR_REASON_MODEL_CONTRACT: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
    ERROR_REASON_CANCELLED: _ClassVar[ErrorReason]
    ERROR_REASON_MODEL_BROKEN: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_REQUEST: ErrorReason
ERROR_REASON_TOO_MANY_TOKENS: ErrorReason
ERROR_REASON_CANDIDATE_SET_NOT_FOUND: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_DEADLINE_EXCEEDED: ErrorReason
ERROR_REASON_TRITON_UNREACHABLE: ErrorReason
ERROR_REASON_MODEL_NOT_READY: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
ERROR_REASON_QUEUE_TIMEOUT: ErrorReason
ERROR_REASON_MODEL_CONTRACT: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
ERROR_REASON_CANCELLED: ErrorReason
ERROR_REASON_MODEL_BROKEN: ErrorReason

class ItemError(_message.Message):
    __slots__ = ("code", "reason", "message", "violations", "retry_after_ms")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: ErrorReason
    message: str
    violations: _containers.RepeatedCompositeFieldContainer[FieldViolation]
    retry_after_ms: int
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[_Union[ErrorReason, str]] = ..., message: _Optional[str] = ..., violations: _Optional[_Iterable[_Union[FieldViolation, _Mapping]]] = ..., retry_after_ms: _Optional[int] = ...) -> None: ...

class FieldViolation(_message.Message):
    __slots__ = ("field", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    description: str
    def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...
