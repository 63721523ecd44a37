"""Between the proto and the core. Field paths in errors are those of the request."""

from __future__ import annotations

from collections.abc import Sequence

from codriver.v1 import (
    candidate_pb2,
    conversation_pb2,
    decision_pb2,
    decision_service_pb2,
)
from sidecar.core.candidates import (
    DEFAULT_LANGUAGE,
    Candidate,
    CandidateSet,
    Effect,
    EnumValue,
    Kind,
    Slot,
    SlotType,
)
from sidecar.core.messages import Message, Role, ToolCall, ToolResult
from sidecar.core.policy import Policy, WhenUnsure
from sidecar.core.verdict import Ranked
from sidecar.decider import Chosen, Decision, DecisionRequest, ScoredRequest
from sidecar.errors import InvalidRequest, Violation

AnyRequest = decision_service_pb2.DecideRequest | decision_service_pb2.ScoreRequest

ROLES = dict(enumerate(Role, start=conversation_pb2.ROLE_SYSTEM))
KINDS = dict(enumerate(Kind, start=candidate_pb2.CANDIDATE_KIND_TOOL))
EFFECTS = dict(enumerate(Effect, start=candidate_pb2.EFFECT_READ_ONLY))
SLOT_TYPES = dict(enumerate(SlotType))
WHEN_UNSURE = {
    candidate_pb2.OUTCOME_UNSPECIFIED: WhenUnsure.CLARIFY,
    candidate_pb2.OUTCOME_CLARIFY: WhenUnsure.CLARIFY,
    candidate_pb2.OUTCOME_HAND_OFF: WhenUnsure.HAND_OFF,
}
THRESHOLDS = (
    "min_probability",
    "near_tie_margin",
    "finish_min_probability",
    "irreversible_min_probability",
)


def to_request(proto: AnyRequest) -> DecisionRequest:
    """The request in core's words; InvalidRequest names every enum at fault."""
    source = proto.WhichOneof("candidate_source")
    if source is None or (source == "candidate_set" and not proto.candidate_set):
        raise InvalidRequest.of("candidate_source", "give candidate_set or inline_set")
    return DecisionRequest(
        candidate_set=(proto.candidate_set if source == "candidate_set" else to_set(proto.inline_set)),
        messages=to_messages(proto.messages),
        request_id=proto.request_id,
        language=proto.language,
        validate_only=(isinstance(proto, decision_service_pb2.DecideRequest) and proto.validate_only),
        drop_oldest=proto.drop_oldest_messages,
    )


def to_messages(protos: Sequence[conversation_pb2.Message]) -> tuple[Message, ...]:
    """The conversation; InvalidRequest names every message whose role is unknown."""
    bad = [
        Violation(f"messages[{i}].role", "is not given or unknown; ROLE_SYSTEM to ROLE_TOOL")
        for i, m in enumerate(protos)
        if m.role not in ROLES
    ]
    if bad:
        raise InvalidRequest(bad)
    return tuple(_message(m) for m in protos)


def _message(proto: conversation_pb2.Message) -> Message:
    return Message(
        ROLES[proto.role],
        proto.content,
        tuple(ToolCall(c.name, c.arguments_json, c.id) for c in proto.tool_calls),
        tuple(ToolResult(r.content, r.name, r.call_id, r.failed) for r in proto.tool_results),
    )


def to_set(proto: candidate_pb2.CandidateSet) -> CandidateSet:
    """An inline set, not yet checked by core."""
    return CandidateSet(
        candidates=tuple(_candidate(c, f"inline_set.candidates[{i}]") for i, c in enumerate(proto.candidates)),
        name=proto.name or "inline",
        version=proto.version,
        instructions={DEFAULT_LANGUAGE: proto.instruction} if proto.instruction else {},
        policy=_policy(proto.policy),
    )


def _candidate(proto: candidate_pb2.Candidate, path: str) -> Candidate:
    if proto.kind and proto.kind not in KINDS:
        raise InvalidRequest.of(f"{path}.kind", f"{proto.kind} is unknown")
    if proto.effect and proto.effect not in EFFECTS:
        raise InvalidRequest.of(f"{path}.effect", f"{proto.effect} is unknown")
    return Candidate(
        proto.name,
        {DEFAULT_LANGUAGE: proto.description} if proto.description else {},
        KINDS.get(proto.kind, Kind.TOOL),
        EFFECTS.get(proto.effect, Effect.REVERSIBLE),
        tuple(_slot(s, f"{path}.slots[{i}]") for i, s in enumerate(proto.slots)),
    )


def _slot(proto: candidate_pb2.Slot, path: str) -> Slot:
    if proto.type not in SLOT_TYPES:
        raise InvalidRequest.of(f"{path}.type", f"{proto.type} is unknown")
    return Slot(
        proto.name,
        SLOT_TYPES[proto.type],
        proto.required,
        proto.description,
        tuple(EnumValue(v.value, tuple(v.synonyms)) for v in proto.values),
        proto.pattern,
    )


def _policy(proto: candidate_pb2.Policy) -> Policy:
    if proto.when_unsure not in WHEN_UNSURE:
        raise InvalidRequest.of("inline_set.policy.when_unsure", "must be CLARIFY or HAND_OFF")
    given = {name: float(getattr(proto, name)) for name in THRESHOLDS if proto.HasField(name)}
    return Policy(**given, when_unsure=WHEN_UNSURE[proto.when_unsure])


def from_decision(decision: Decision) -> decision_pb2.Decision:
    """The decision as it goes out."""
    scored = decision.scored
    outcome = f"OUTCOME_{decision.outcome or 'UNSPECIFIED'}"
    return decision_pb2.Decision(
        decision_id=decision.decision_id,
        outcome=outcome,
        reasons=[decision_pb2.Reason(code=f"REASON_CODE_{r.code}", detail=r.detail) for r in decision.reasons],
        chosen=[_chosen(c) for c in decision.chosen],
        scores=[_score(r) for r in scored.ranked],
        none_probability=scored.none_probability,
        none_score=scored.none_score,
        margin=decision.margin,
        confidence=decision.confidence,
        provenance=_provenance(scored),
        timings=_timings(scored),
        stats=_stats(scored),
        degraded=decision.degraded,
        dropped_messages=scored.dropped_messages,
    )


def from_scored(scored: ScoredRequest) -> decision_service_pb2.ScoreResponse:
    """The scores as they go out."""
    return decision_service_pb2.ScoreResponse(
        scores=[_score(r) for r in scored.ranked],
        none_probability=scored.none_probability,
        none_score=scored.none_score,
        provenance=_provenance(scored),
        timings=_timings(scored),
        stats=_stats(scored),
        dropped_messages=scored.dropped_messages,
    )


def _score(ranked: Ranked) -> decision_pb2.CandidateScore:
    return decision_pb2.CandidateScore(name=ranked.candidate.name, score=ranked.score, probability=ranked.probability)


def _chosen(chosen: Chosen) -> decision_pb2.ChosenCandidate:
    candidate = chosen.ranked.candidate
    return decision_pb2.ChosenCandidate(
        name=candidate.name,
        kind=f"CANDIDATE_KIND_{candidate.kind.name}",
        effect=f"EFFECT_{candidate.effect.name}",
        probability=chosen.ranked.probability,
        slots=[
            decision_pb2.SlotValue(
                name=s.name,
                value=s.value,
                message_index=s.message_index,
                start=s.start,
                end=s.end,
            )
            for s in chosen.slots
        ],
        missing_slots=chosen.missing_slots,
    )


def _provenance(scored: ScoredRequest) -> decision_pb2.Provenance:
    return decision_pb2.Provenance(
        candidate_set_name=scored.candidate_set.name,
        candidate_set_version=scored.candidate_set.version,
        candidate_set_hash=scored.candidate_set.content_hash,
        model_name=scored.model.name,
        model_version=scored.model.version,
        model_hash=scored.model.hash,
        scoring_method=scored.model.method,
        calibration_id=scored.calibration_id,
        tier=decision_pb2.TIER_SCORER,
    )


def _timings(scored: ScoredRequest) -> decision_pb2.Timings:
    timings = scored.timings
    return decision_pb2.Timings(
        queue_us=timings.queue_us,
        tokenize_us=timings.tokenize_us,
        score_us=timings.score_us,
        total_us=timings.total_us,
    )


def _stats(scored: ScoredRequest) -> decision_pb2.ComputeStats:
    return decision_pb2.ComputeStats(
        computed_tokens=scored.stats.computed_tokens,
        cached_tokens=scored.stats.cached_tokens,
        batch_requests=scored.stats.batch_requests,
    )
