"""Every failure that a caller can see, in one place and free of any transport.

CodriverError
├── InvalidRequest            a field is missing, malformed or over its limit
│   └── TooManyTokens         the text has more tokens than the model takes
├── CandidateSetNotFound      the catalog has no such set or version
├── Overloaded                too many requests are waiting
├── DeadlineExceeded          the caller's time is used up
├── Cancelled                 the caller went away
├── ScorerUnavailable         the scorer cannot answer now; a retry may help
│   ├── TritonUnreachable
│   ├── ModelNotReady
│   ├── Draining
│   └── QueueTimeout
└── InternalError             a fault of ours; its text never reaches the caller
    ├── ModelContract         the model broke its tensor contract
    └── ModelBroken           the model process died
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

DOMAIN = "codriver.dev"
"""The domain of google.rpc.ErrorInfo (AIP-193)."""


class Code(StrEnum):
    """The canonical status codes that Codriver uses, by their gRPC names."""

    CANCELLED = "CANCELLED"
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    NOT_FOUND = "NOT_FOUND"
    RESOURCE_EXHAUSTED = "RESOURCE_EXHAUSTED"
    INTERNAL = "INTERNAL"
    UNAVAILABLE = "UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class Violation:
    """One field at fault: its path in the request and what is wrong with it."""

    field: str
    description: str


class CodriverError(Exception):
    """A failure with a status code, a machine-readable reason and facts for the caller.

    ``reason`` is a value of the proto's ErrorReason without its prefix. ``retry_after`` is in seconds; ``None`` where a
    retry does not help. ``metadata`` repeats every dynamic part of the message (AIP-193).
    """

    code: ClassVar[Code]
    reason: ClassVar[str]
    retry_after: ClassVar[float | None] = None

    def __init__(self, message: str, *, metadata: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.metadata = dict(metadata or {})
        self.violations: tuple[Violation, ...] = ()


class InvalidRequest(CodriverError):
    """A field is missing, malformed or over its limit."""

    code = Code.INVALID_ARGUMENT
    reason = "INVALID_REQUEST"

    def __init__(self, violations: Sequence[Violation], *, metadata: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(f"{v.field}: {v.description}" for v in violations), metadata=metadata)
        self.violations = tuple(violations)

    @classmethod
    def of(cls, field: str, description: str) -> InvalidRequest:
        """The common case of one field at fault."""
        return cls([Violation(field, description)])


class TooManyTokens(InvalidRequest):
    """The text has more tokens than the model takes; ``tokens`` is the true count."""

    reason = "TOO_MANY_TOKENS"

    def __init__(self, field: str, *, tokens: int, limit: int, what: str) -> None:
        super().__init__(
            [Violation(field, f"{what} has {tokens} tokens; the limit is {limit}")],
            metadata={"tokens": str(tokens), "limit": str(limit)},
        )
        self.tokens = tokens
        self.limit = limit


class CandidateSetNotFound(CodriverError):
    """The catalog has no such candidate set or version."""

    code = Code.NOT_FOUND
    reason = "CANDIDATE_SET_NOT_FOUND"


class Overloaded(CodriverError):
    """Too many requests are waiting."""

    code = Code.RESOURCE_EXHAUSTED
    reason = "OVERLOADED"
    retry_after = 0.1


class DeadlineExceeded(CodriverError):
    """The caller's deadline passed, or too little of it was left."""

    code = Code.DEADLINE_EXCEEDED
    reason = "DEADLINE_EXCEEDED"


class Cancelled(CodriverError):
    """The caller went away."""

    code = Code.CANCELLED
    reason = "CANCELLED"


class ScorerUnavailable(CodriverError):
    """The scorer cannot answer now; a retry may help."""

    code = Code.UNAVAILABLE
    retry_after = 0.5


class TritonUnreachable(ScorerUnavailable):
    """No Triton server answers at the configured address."""

    reason = "TRITON_UNREACHABLE"
    retry_after = 1.0


class ModelNotReady(ScorerUnavailable):
    """The model is being loaded or reloaded."""

    reason = "MODEL_NOT_READY"


class Draining(ScorerUnavailable):
    """Triton or the sidecar is shutting down."""

    reason = "DRAINING"


class QueueTimeout(ScorerUnavailable):
    """The request waited in the queue for longer than allowed."""

    reason = "QUEUE_TIMEOUT"
    retry_after = 0.1


class InternalError(CodriverError):
    """A fault of the sidecar; the message is for the log and never reaches the caller."""

    code = Code.INTERNAL
    reason = "INTERNAL"


class ModelContract(InternalError):
    """The model answered with something that breaks its tensor contract."""

    reason = "MODEL_CONTRACT"


class ModelBroken(InternalError):
    """The model process died."""

    reason = "MODEL_BROKEN"
