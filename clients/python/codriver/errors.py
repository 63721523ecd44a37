"""Failed calls as exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from codriver.v1 import error_pb2

CODES = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(frozen=True, slots=True)
class Violation:
    """One field at fault: its path in the request and what is wrong with it."""

    field: str
    description: str


class CodriverError(Exception):
    """A call, or one item of a batch, failed.

    ``reason`` is the machine-readable reason ("OVERLOADED"), empty where the sidecar gave none, for example because
    it was never reached. ``retry_after`` is in seconds; None where a retry does not help.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        violations: Sequence[Violation] = (),
        retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code, reason, message, violations, retry_after, metadata)  # what pickle builds it from
        self.code = code
        self.reason = reason
        self.message = message
        self.violations = tuple(violations)
        self.retry_after = retry_after
        self.metadata = dict(metadata or {})

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


def refusal(violations: Sequence[Violation]) -> CodriverError:
    """The exception of a request that is not sent, like the one that the sidecar would answer with."""
    text = "; ".join(f"{v.field}: {v.description}" for v in violations)
    return CodriverError(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST", text, violations)


def from_rpc(error: grpc.RpcError) -> CodriverError:
    """The exception of a failed call, from the google.rpc.Status in its trailers if there is one."""
    code, text = error.code(), error.details() or ""
    status = _status(error)
    if status is None:
        return CodriverError(code, "", text)
    return from_status(code, status)


def from_status(code: grpc.StatusCode, status: status_pb2.Status) -> CodriverError:
    """The exception that a google.rpc.Status describes."""
    info, bad, retry = (
        error_details_pb2.ErrorInfo(),
        error_details_pb2.BadRequest(),
        error_details_pb2.RetryInfo(),
    )
    for detail in status.details:
        for message in (info, bad, retry):
            detail.Unpack(message)
    after = retry.retry_delay.ToMilliseconds() / 1000
    return CodriverError(
        code,
        info.reason,
        status.message,
        [Violation(v.field, v.description) for v in bad.field_violations],
        after or None,
        info.metadata,
    )


def from_item(item: error_pb2.ItemError) -> CodriverError:
    """The exception of one item of a batch."""
    known = item.reason in error_pb2.ErrorReason.values()
    reason = error_pb2.ErrorReason.Name(item.reason) if known else ""
    return CodriverError(
        CODES.get(item.code, grpc.StatusCode.UNKNOWN),
        reason.removeprefix("ERROR_REASON_"),
        item.message,
        [Violation(v.field, v.description) for v in item.violations],
        item.retry_after_ms / 1000 or None,
    )


def _status(error: grpc.RpcError) -> status_pb2.Status | None:
    trailers: Any = error.trailing_metadata() or ()
    for key, value in trailers:
        if key == "grpc-status-details-bin":
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                return None
    return None
