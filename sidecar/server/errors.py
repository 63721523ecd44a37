"""From failures to google.rpc.Status and ItemError. The text of unexpected ones never leaves."""

from __future__ import annotations

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from codriver.v1 import error_pb2
from sidecar.errors import DOMAIN, CodriverError, DeadlineExceeded, InternalError

MAX_VIOLATIONS = 16
"""Violations that are sent: details travel in trailers, which clients limit to 8 KiB."""
MAX_MESSAGE_CHARS = 1000
INTERNAL_TEXT = "internal error; the log has it under the request id"
Trailers = tuple[tuple[str, str | bytes], ...]


def as_codriver(error: Exception) -> CodriverError:
    """The error itself, DeadlineExceeded for a timeout, InternalError for anything else."""
    if isinstance(error, CodriverError):
        return error
    if isinstance(error, TimeoutError):
        return DeadlineExceeded("the deadline passed before there was an answer")
    return InternalError(type(error).__name__)


def message_of(error: CodriverError) -> str:
    """The sentence that a caller may read."""
    return INTERNAL_TEXT if isinstance(error, InternalError) else error.message[:MAX_MESSAGE_CHARS]


def grpc_code(error: CodriverError) -> grpc.StatusCode:
    """The status code in gRPC's words."""
    return grpc.StatusCode[error.code.value]


def number_of(error: CodriverError) -> int:
    """The number of the status code."""
    return int(grpc_code(error).value[0])


def to_status(error: CodriverError, request_id: str) -> status_pb2.Status:
    """ErrorInfo always, BadRequest and RetryInfo where they apply."""
    info = error_details_pb2.ErrorInfo(
        reason=error.reason, domain=DOMAIN, metadata={**error.metadata, "request_id": request_id}
    )
    details: list[Message] = [info]
    if error.violations:
        details.append(
            error_details_pb2.BadRequest(
                field_violations=[
                    error_details_pb2.BadRequest.FieldViolation(field=v.field, description=v.description)
                    for v in error.violations[:MAX_VIOLATIONS]
                ]
            )
        )
    if error.retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(_milliseconds(error))
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    return status_pb2.Status(code=number_of(error), message=message_of(error), details=[_any(d) for d in details])


def trailers(error: CodriverError, request_id: str) -> Trailers:
    """The trailing metadata of a failed call."""
    status = to_status(error, request_id).SerializeToString()
    pushback: Trailers = ()
    if error.retry_after is not None:
        pushback = (("grpc-retry-pushback-ms", str(_milliseconds(error))),)
    return (("grpc-status-details-bin", status), *pushback)


def to_item_error(error: CodriverError) -> error_pb2.ItemError:
    """The same facts for one item of a batch."""
    return error_pb2.ItemError(
        code=number_of(error),
        reason=f"ERROR_REASON_{error.reason}",
        message=message_of(error),
        violations=[error_pb2.FieldViolation(field=v.field, description=v.description) for v in error.violations],
        retry_after_ms=_milliseconds(error),
    )


def _milliseconds(error: CodriverError) -> int:
    return round((error.retry_after or 0.0) * 1000)


def _any(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
