"""The use case behind every transport: from a request to a decision. Knows neither gRPC nor ONNX."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sidecar.core.calibration import Calibration, confidence, probabilities
from sidecar.core.candidates import MAX_CANDIDATES, Candidate, CandidateSet, check_set
from sidecar.core.messages import Message
from sidecar.core.verdict import Outcome, Ranked, Reason, ReasonCode, judge, margin, rank
from sidecar.engine.scored import ModelIdentity, Scored, ScoreStats
from sidecar.errors import DeadlineExceeded, InvalidRequest, ModelContract
from sidecar.prompt.plan import TokenPlan
from sidecar.scoring.port import Scorer

MAX_MESSAGES = 256
MAX_REQUEST_ID_CHARS = 128
MAX_BATCH_REQUESTS = 256
THREAD_THRESHOLD_CHARS = 20_000
"""Texts over this many characters are tokenised in a thread, to keep the event loop free."""


class CatalogPort(Protocol):
    """Where named sets come from."""

    @property
    def sets(self) -> Mapping[str, CandidateSet] | Sequence[CandidateSet]:
        """Every set, checked."""

    def get(self, reference: str) -> CandidateSet:
        """The set called "name" or "name@version"; CandidateSetNotFound where there is none."""


class PlannedPort(Protocol):
    """A token plan and how many of the oldest messages were left out."""

    @property
    def plan(self) -> TokenPlan:
        """The plan; branches in the order of the set's candidates."""

    @property
    def dropped(self) -> int:
        """Messages left out."""


class PlannerPort(Protocol):
    """Turns text into tokens."""

    def plan(
        self,
        candidate_set: CandidateSet,
        messages: Sequence[Message],
        *,
        language: str,
        drop_oldest: bool,
    ) -> PlannedPort:
        """The plan; InvalidRequest or TooManyTokens where the text does not fit."""


class FoundSlot(Protocol):
    """A slot value and where it was found."""

    @property
    def name(self) -> str:
        """Name of the slot."""

    @property
    def value(self) -> str:
        """Its value."""

    @property
    def message_index(self) -> int:
        """Index of the message that holds it."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """One past the last character."""


FillSlots = Callable[[Candidate, Sequence[Message]], tuple[Sequence[FoundSlot], Sequence[str]]]
"""``sidecar.core.slots.fill``: the values found, and the names of required slots without one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may hold; whatever is over a limit is refused, never cut."""

    max_context_tokens: int
    max_candidate_tokens: int
    max_message_bytes: int
    max_candidates: int = MAX_CANDIDATES
    max_messages: int = MAX_MESSAGES
    max_batch_requests: int = MAX_BATCH_REQUESTS


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """What is asked; ``candidate_set`` is a reference into the catalog or a set of the request."""

    candidate_set: str | CandidateSet
    messages: tuple[Message, ...] = ()
    request_id: str = ""
    language: str = ""
    validate_only: bool = False
    drop_oldest: bool = False


@dataclass(frozen=True, slots=True)
class Timings:
    """Where the time went, in microseconds."""

    queue_us: int = 0
    tokenize_us: int = 0
    score_us: int = 0
    total_us: int = 0


@dataclass(frozen=True, slots=True)
class ScoredRequest:
    """The ranking of a request (empty where it was only validated) and what made it."""

    candidate_set: CandidateSet
    model: ModelIdentity
    calibration_id: str
    ranked: tuple[Ranked, ...] = ()
    none_probability: float = 0.0
    none_score: float = 0.0
    timings: Timings = Timings()
    stats: ScoreStats = ScoreStats()
    dropped_messages: int = 0


@dataclass(frozen=True, slots=True)
class Chosen:
    """A candidate to act on, with its slots."""

    ranked: Ranked
    slots: tuple[FoundSlot, ...] = ()
    missing_slots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer; ``outcome`` is None where the request was only validated."""

    decision_id: str
    scored: ScoredRequest
    outcome: Outcome | None = None
    reasons: tuple[Reason, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    margin: float = 0.0
    confidence: float = 0.0
    degraded: bool = False


class Decider:
    """Decides requests. Raises only errors of ``sidecar.errors``, and what a port raises by fault."""

    def __init__(
        self,
        catalog: CatalogPort,
        planner: PlannerPort,
        scorer: Scorer,
        calibration: Calibration,
        limits: Limits,
        *,
        fill_slots: FillSlots,
    ) -> None:
        self.catalog = catalog
        self.scorer = scorer
        self.limits = limits
        self._planner = planner
        self._calibration = calibration
        self._fill_slots = fill_slots

    async def decide(self, request: DecisionRequest, timeout: float | None = None) -> Decision:
        """Decides within ``timeout`` seconds (None: no limit); DeadlineExceeded beyond it."""
        scored = await self.score(request, timeout)
        decision_id = request.request_id or str(uuid.uuid4())
        if not scored.ranked:
            return Decision(decision_id, scored)
        verdict = judge(scored.ranked, scored.none_probability, scored.candidate_set.policy)
        return Decision(
            decision_id,
            scored,
            verdict.outcome,
            (*verdict.reasons, *_dropped_note(scored.dropped_messages)),
            tuple(self._chosen(r, request.messages) for r in verdict.chosen),
            margin(scored.ranked),
            confidence(scored.ranked[0].probability, len(scored.ranked)),
        )

    async def score(self, request: DecisionRequest, timeout: float | None = None) -> ScoredRequest:
        """Scores within ``timeout`` seconds without applying the policy."""
        began = time.monotonic()
        candidate_set = self._resolve(request)
        planned = await self._plan(candidate_set, request)
        tokenized = time.monotonic()
        if request.validate_only:
            scored = None
            stats = ScoreStats(computed_tokens=planned.plan.tokens)
        else:
            left = _left(timeout, tokenized - began)
            scored = await self.scorer.score(planned.plan, timeout=left)
            stats = scored.stats
        answered = time.monotonic()
        ranked, none = self._ranked(candidate_set, scored) if scored else ((), 0.0)
        return ScoredRequest(
            candidate_set,
            self.scorer.model,
            self._calibration.id,
            ranked,
            none,
            scored.none_score if scored else 0.0,
            Timings(
                stats.queue_us,
                _us(tokenized - began),
                _us(answered - tokenized),
                _us(time.monotonic() - began),
            ),
            stats,
            planned.dropped,
        )

    def _resolve(self, request: DecisionRequest) -> CandidateSet:
        if len(request.request_id) > MAX_REQUEST_ID_CHARS:
            raise InvalidRequest.of(
                "request_id",
                f"has {len(request.request_id)} characters; the limit is {MAX_REQUEST_ID_CHARS}",
            )
        if len(request.messages) > self.limits.max_messages:
            raise InvalidRequest.of(
                "messages",
                f"has {len(request.messages)} messages; the limit is {self.limits.max_messages}",
            )
        if isinstance(request.candidate_set, str):
            return self.catalog.get(request.candidate_set)
        check_set(request.candidate_set, "inline_set")
        return request.candidate_set

    async def _plan(self, candidate_set: CandidateSet, request: DecisionRequest) -> PlannedPort:
        def plan() -> PlannedPort:
            return self._planner.plan(
                candidate_set,
                request.messages,
                language=request.language,
                drop_oldest=request.drop_oldest,
            )

        if _chars(candidate_set, request.messages) > THREAD_THRESHOLD_CHARS:
            return await asyncio.to_thread(plan)
        return plan()

    def _ranked(self, candidate_set: CandidateSet, scored: Scored) -> tuple[tuple[Ranked, ...], float]:
        scores = checked_scores(scored, len(candidate_set.candidates))
        shares, none = probabilities(scores, scored.none_score, self._calibration)
        rows = zip(candidate_set.candidates, scores, shares, strict=True)
        return tuple(rank([Ranked(*row) for row in rows])), none

    def _chosen(self, ranked: Ranked, messages: Sequence[Message]) -> Chosen:
        found, missing = self._fill_slots(ranked.candidate, messages)
        return Chosen(ranked, tuple(found), tuple(missing))


def checked_scores(scored: Scored, count: int) -> list[float]:
    """The model's scores as floats; ModelContract unless they are ``count`` finite numbers."""
    if scored.scores.shape != (count,):
        raise ModelContract(f"scores have shape {scored.scores.shape}, expected ({count},)")
    scores = [float(s) for s in scored.scores]
    if not all(math.isfinite(s) for s in (*scores, scored.none_score)):
        raise ModelContract("a score is not finite")
    return scores


def _dropped_note(dropped: int) -> tuple[Reason, ...]:
    if not dropped:
        return ()
    return (Reason(ReasonCode.MESSAGES_DROPPED, f"the oldest {dropped} messages were left out"),)


def _left(timeout: float | None, spent: float) -> float | None:
    if timeout is None:
        return None
    if spent >= timeout:
        raise DeadlineExceeded("no time was left to run the model")
    return timeout - spent


def _chars(candidate_set: CandidateSet, messages: Sequence[Message]) -> int:
    described = sum(len(d) for c in candidate_set.candidates for d in c.descriptions.values())
    said = sum(
        len(m.content) + sum(len(c.arguments_json) for c in m.tool_calls) + sum(len(r.content) for r in m.tool_results)
        for m in messages
    )
    return described + said


def _us(seconds: float) -> int:
    return round(seconds * 1_000_000)
