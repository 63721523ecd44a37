"""What is sent and what comes back, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


class Role(StrEnum):
    """Who speaks in a turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Kind(StrEnum):
    """What sort of step a candidate is. UNKNOWN: a newer sidecar's; do not execute it unseen."""

    TOOL = "tool"
    RESPOND = "respond"
    CLARIFY = "clarify"
    FINISH = "finish"
    HAND_OFF = "hand_off"
    UNKNOWN = "unknown"


class Effect(StrEnum):
    """What executing a candidate does to the world."""

    READ_ONLY = "read_only"
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"


class SlotType(StrEnum):
    """How a slot's value is found."""

    NONE = "none"
    ENUM = "enum"
    REGEX = "regex"


class Outcome(StrEnum):
    """What the agent should do."""

    ACT = "ACT"
    ACT_ON_BOTH = "ACT_ON_BOTH"
    CLARIFY = "CLARIFY"
    RESPOND = "RESPOND"
    FINISH = "FINISH"
    HAND_OFF = "HAND_OFF"


@dataclass(frozen=True, slots=True)
class EnumValue:
    """One allowed value of an enum slot and further words that stand for it."""

    value: str
    synonyms: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of a candidate."""

    name: str
    type: SlotType = SlotType.NONE
    required: bool = False
    description: str = ""
    values: Sequence[EnumValue] = ()
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One action that the agent may take next; the model reads its name and description."""

    name: str
    description: str = ""
    kind: Kind = Kind.TOOL
    effect: Effect = Effect.REVERSIBLE
    slots: Sequence[Slot] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Thresholds; what is None keeps the sidecar's default."""

    min_probability: float | None = None
    near_tie_margin: float | None = None
    finish_min_probability: float | None = None
    irreversible_min_probability: float | None = None
    when_unsure: Outcome = Outcome.CLARIFY


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """A closed list of actions with its policy, carried by the request itself."""

    candidates: Sequence[Candidate]
    name: str = ""
    version: str = ""
    instruction: str = ""
    policy: Policy = Policy()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the agent called."""

    name: str
    arguments_json: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned."""

    content: str
    name: str = ""
    call_id: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation."""

    role: Role
    content: str = ""
    tool_calls: Sequence[ToolCall] = ()
    tool_results: Sequence[ToolResult] = ()

    @classmethod
    def user(cls, content: str) -> Message:
        """A turn of the person that the agent serves."""
        return cls(Role.USER, content)


Candidates: TypeAlias = str | CandidateSet | Sequence[Candidate]
"""The name of a set in the sidecar's catalog ("name" or "name@version"), or the candidates themselves."""

Messages: TypeAlias = str | Sequence[Message]
"""The conversation, oldest message first; a string is one message of the user."""


@dataclass(frozen=True, slots=True)
class Request:
    """One item of a batch; the fields are the arguments of ``decide``."""

    candidates: Candidates
    messages: Messages = ()
    request_id: str = ""
    language: str = ""
    validate_only: bool = False
    drop_oldest_messages: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an outcome was chosen: ``code`` is for programs, ``detail`` for people."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A slot value and where it was found."""

    name: str
    value: str
    message_index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate to act on or to ask about."""

    name: str
    kind: Kind
    effect: Effect
    probability: float
    slots: tuple[SlotValue, ...] = ()
    missing_slots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate's raw score (a logit) and calibrated probability."""

    name: str
    score: float
    probability: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made an answer."""

    candidate_set_name: str = ""
    candidate_set_version: str = ""
    candidate_set_hash: str = ""
    model_name: str = ""
    model_version: str = ""
    model_hash: str = ""
    scoring_method: str = ""
    calibration_id: str = ""
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Timings:
    """Where the time went inside the sidecar, in microseconds."""

    queue_us: int = 0
    tokenize_us: int = 0
    score_us: int = 0
    total_us: int = 0


@dataclass(frozen=True, slots=True)
class ComputeStats:
    """How much the model computed."""

    computed_tokens: int = 0
    cached_tokens: int = 0
    batch_requests: int = 0


@dataclass(frozen=True, slots=True)
class Scores:
    """Every candidate's score, most probable first; with ``none_probability`` they sum to 1."""

    scores: tuple[ScoredCandidate, ...]
    none_probability: float
    none_score: float
    provenance: Provenance = field(default_factory=Provenance)
    timings: Timings = field(default_factory=Timings)
    stats: ComputeStats = field(default_factory=ComputeStats)
    dropped_messages: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do next. ``outcome`` is None where the request was only validated."""

    decision_id: str
    outcome: Outcome | None
    reasons: tuple[Reason, ...]
    chosen: tuple[Choice, ...]
    ranking: Scores
    margin: float
    confidence: float
    degraded: bool = False

    @property
    def choice(self) -> Choice | None:
        """The one chosen candidate; None where there is none or more than one."""
        return self.chosen[0] if len(self.chosen) == 1 else None
