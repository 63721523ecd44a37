"""Between the plain values and the protos. Values that a newer sidecar added become the cautious ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from codriver import info, types
from codriver.errors import CodriverError
from codriver.surrogates import sendable
from codriver.v1 import (
    candidate_pb2,
    conversation_pb2,
    decision_pb2,
    decision_service_pb2,
    info_service_pb2,
)

T = TypeVar("T")
E = TypeVar("E")

ROLES: dict[types.Role, Any] = dict(zip(types.Role, conversation_pb2.Role.values()[1:], strict=True))
KINDS: dict[types.Kind, Any] = dict(zip(list(types.Kind)[:5], candidate_pb2.CandidateKind.values()[1:6], strict=True))
EFFECTS: dict[types.Effect, Any] = dict(zip(types.Effect, candidate_pb2.Effect.values()[1:4], strict=True))
SLOT_TYPES: dict[types.SlotType, Any] = dict(zip(types.SlotType, candidate_pb2.SlotType.values()[:3], strict=True))
OUTCOMES: dict[types.Outcome, Any] = dict(zip(types.Outcome, candidate_pb2.Outcome.values()[1:7], strict=True))


def to_decide_request(request: types.Request) -> decision_service_pb2.DecideRequest:
    """The proto of one decision request; CodriverError where it cannot be sent."""
    with sendable(request):
        return decision_service_pb2.DecideRequest(validate_only=request.validate_only, **_common(request))


def to_batch_request(
    requests: Sequence[types.Request],
) -> tuple[decision_service_pb2.BatchDecideRequest, dict[int, CodriverError]]:
    """The proto of the requests that can be sent, and why each of the others cannot, by its place."""
    batch, refused = decision_service_pb2.BatchDecideRequest(), dict[int, CodriverError]()
    for index, request in enumerate(requests):
        try:
            batch.requests.append(to_decide_request(request))
        except CodriverError as error:
            refused[index] = error
    return batch, refused


def to_score_request(request: types.Request) -> decision_service_pb2.ScoreRequest:
    """The proto of one score request; CodriverError where it cannot be sent."""
    with sendable(request):
        return decision_service_pb2.ScoreRequest(**_common(request))


def _common(request: types.Request) -> dict[str, Any]:
    return {
        "request_id": request.request_id,
        "messages": to_messages(request.messages),
        "language": request.language,
        "drop_oldest_messages": request.drop_oldest_messages,
        **_source(request.candidates),
    }


def _source(candidates: types.Candidates) -> dict[str, Any]:
    if isinstance(candidates, str):
        return {"candidate_set": candidates}
    if not isinstance(candidates, types.CandidateSet):
        candidates = types.CandidateSet(candidates)
    return {"inline_set": to_set(candidates)}


def to_set(candidate_set: types.CandidateSet) -> candidate_pb2.CandidateSet:
    """The proto of an inline candidate set."""
    return candidate_pb2.CandidateSet(
        name=candidate_set.name,
        version=candidate_set.version,
        instruction=candidate_set.instruction,
        candidates=[_candidate(c) for c in candidate_set.candidates],
        policy=_policy(candidate_set.policy),
    )


def _policy(policy: types.Policy) -> candidate_pb2.Policy:
    return candidate_pb2.Policy(
        min_probability=policy.min_probability,
        near_tie_margin=policy.near_tie_margin,
        finish_min_probability=policy.finish_min_probability,
        irreversible_min_probability=policy.irreversible_min_probability,
        when_unsure=OUTCOMES[policy.when_unsure],
    )


def _candidate(candidate: types.Candidate) -> candidate_pb2.Candidate:
    return candidate_pb2.Candidate(
        name=candidate.name,
        description=candidate.description,
        kind=KINDS[candidate.kind],
        effect=EFFECTS[candidate.effect],
        slots=[_slot(s) for s in candidate.slots],
    )


def _slot(slot: types.Slot) -> candidate_pb2.Slot:
    return candidate_pb2.Slot(
        name=slot.name,
        description=slot.description,
        type=SLOT_TYPES[slot.type],
        required=slot.required,
        values=[candidate_pb2.EnumValue(value=v.value, synonyms=v.synonyms) for v in slot.values],
        pattern=slot.pattern,
    )


def to_messages(messages: types.Messages) -> list[conversation_pb2.Message]:
    """The protos of a conversation; a string is one message of the user."""
    if isinstance(messages, str):
        messages = (types.Message.user(messages),)
    return [
        conversation_pb2.Message(
            role=ROLES[m.role],
            content=m.content,
            tool_calls=[conversation_pb2.ToolCall(**dataclasses.asdict(c)) for c in m.tool_calls],
            tool_results=[conversation_pb2.ToolResult(**dataclasses.asdict(r)) for r in m.tool_results],
        )
        for m in messages
    ]


def from_decision(proto: decision_pb2.Decision) -> types.Decision:
    """A decision."""
    outcome = None
    if proto.outcome != candidate_pb2.OUTCOME_UNSPECIFIED:
        outcome = _named(OUTCOMES, proto.outcome, types.Outcome.CLARIFY)
    return types.Decision(
        decision_id=proto.decision_id,
        outcome=outcome,
        reasons=tuple(types.Reason(_name(decision_pb2.ReasonCode, r.code), r.detail) for r in proto.reasons),
        chosen=tuple(_choice(c) for c in proto.chosen),
        ranking=from_scores(proto),
        margin=proto.margin,
        confidence=proto.confidence,
        degraded=proto.degraded,
    )


def from_scores(proto: decision_pb2.Decision | decision_service_pb2.ScoreResponse) -> types.Scores:
    """The ranking of a decision or of a score response."""
    return types.Scores(
        scores=tuple(_same(types.ScoredCandidate, s) for s in proto.scores),
        none_probability=proto.none_probability,
        none_score=proto.none_score,
        provenance=_provenance(proto.provenance),
        timings=_same(types.Timings, proto.timings),
        stats=_same(types.ComputeStats, proto.stats),
        dropped_messages=proto.dropped_messages,
    )


def _provenance(proto: decision_pb2.Provenance) -> types.Provenance:
    return dataclasses.replace(_same(types.Provenance, proto), tier=_name(decision_pb2.Tier, proto.tier))


def _choice(proto: decision_pb2.ChosenCandidate) -> types.Choice:
    return types.Choice(
        name=proto.name,
        kind=_named(KINDS, proto.kind, types.Kind.UNKNOWN),
        effect=_named(EFFECTS, proto.effect, types.Effect.IRREVERSIBLE),
        probability=proto.probability,
        slots=tuple(_same(types.SlotValue, s) for s in proto.slots),
        missing_slots=tuple(proto.missing_slots),
    )


def from_info(proto: info_service_pb2.GetInfoResponse) -> info.Info:
    """What a sidecar says of itself."""
    return info.Info(
        server_version=proto.server_version,
        scorer=proto.scorer,
        limits=_same(info.Limits, proto.limits),
        models=tuple(_same(info.ModelInfo, m) for m in proto.models),
        candidate_sets=tuple(
            info.CandidateSetInfo(s.name, s.version, s.hash, s.candidate_count, tuple(s.languages))
            for s in proto.candidate_sets
        ),
    )


def _same(cls: type[T], proto: Any) -> T:
    """A dataclass whose fields are called like those of the proto."""
    names = [f.name for f in dataclasses.fields(cast(Any, cls))]
    return cls(**{name: getattr(proto, name) for name in names})


def _named(table: Mapping[E, int], number: int, unknown: E) -> E:
    return next((name for name, value in table.items() if value == number), unknown)


def _name(enum: Any, number: int) -> str:
    """The name of a value without the prefix that is its first value's: REASON_CODE_, TIER_."""
    known = number in enum.values()
    name = str(enum.Name(number)) if known else f"UNKNOWN_{number}"
    return name.removeprefix(enum.Name(0).removesuffix("UNSPECIFIED"))
