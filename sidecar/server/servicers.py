"""The services: convert, ask the decider, convert back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import grpc.aio

from codriver.v1 import (
    decision_service_pb2,
    decision_service_pb2_grpc,
    info_service_pb2,
    info_service_pb2_grpc,
)
from sidecar import __version__
from sidecar.core.candidates import CandidateSet
from sidecar.decider import Decider
from sidecar.errors import InvalidRequest
from sidecar.server.convert import from_decision, from_scored, to_request
from sidecar.server.errors import as_codriver, to_item_error
from sidecar.server.interceptors import remaining

Context = grpc.aio.ServicerContext[Any, Any]


class DecisionService(decision_service_pb2_grpc.DecisionServiceServicer):
    """Decides over gRPC. Errors are raised; the outermost interceptor maps them."""

    def __init__(self, decider: Decider) -> None:
        self._decider = decider

    async def Decide(
        self, request: decision_service_pb2.DecideRequest, context: Context
    ) -> decision_service_pb2.DecideResponse:
        """One decision."""
        decision = await self._decider.decide(to_request(request), remaining())
        return decision_service_pb2.DecideResponse(decision=from_decision(decision))

    async def Score(
        self, request: decision_service_pb2.ScoreRequest, context: Context
    ) -> decision_service_pb2.ScoreResponse:
        """One ranking."""
        return from_scored(await self._decider.score(to_request(request), remaining()))

    async def BatchDecide(
        self, request: decision_service_pb2.BatchDecideRequest, context: Context
    ) -> decision_service_pb2.BatchDecideResponse:
        """Many decisions at once, answered in order."""
        count = len(request.requests)
        limit = self._decider.limits.max_batch_requests
        if not 1 <= count <= limit:
            raise InvalidRequest.of("requests", f"has {count} requests; 1 to {limit} are allowed")
        results = await asyncio.gather(*(self._item(item) for item in request.requests))
        return decision_service_pb2.BatchDecideResponse(results=results)

    async def _item(self, request: decision_service_pb2.DecideRequest) -> decision_service_pb2.BatchDecideResult:
        try:
            decision = await self._decider.decide(to_request(request), remaining())
        except Exception as error:
            failure = to_item_error(as_codriver(error))
            return decision_service_pb2.BatchDecideResult(error=failure)
        return decision_service_pb2.BatchDecideResult(decision=from_decision(decision))


class InfoService(info_service_pb2_grpc.InfoServiceServicer):
    """Tells what this sidecar is."""

    def __init__(self, decider: Decider) -> None:
        self._decider = decider

    async def GetInfo(
        self, request: info_service_pb2.GetInfoRequest, context: Context
    ) -> info_service_pb2.GetInfoResponse:
        """Versions, limits, models and sets."""
        scorer = self._decider.scorer
        model = scorer.model
        limits = self._decider.limits
        sets = self._decider.catalog.sets
        return info_service_pb2.GetInfoResponse(
            server_version=__version__,
            scorer=scorer.name,
            limits=info_service_pb2.Limits(
                max_candidates=limits.max_candidates,
                max_messages=limits.max_messages,
                max_batch_requests=limits.max_batch_requests,
                max_context_tokens=limits.max_context_tokens,
                max_candidate_tokens=limits.max_candidate_tokens,
                max_message_bytes=limits.max_message_bytes,
            ),
            models=[
                info_service_pb2.ModelInfo(
                    name=model.name,
                    version=model.version,
                    hash=model.hash,
                    scoring_method=model.method,
                    ready=await scorer.ready(),
                )
            ],
            candidate_sets=[_set_info(s) for s in (sets.values() if isinstance(sets, Mapping) else sets)],
        )


def _set_info(candidate_set: CandidateSet) -> info_service_pb2.CandidateSetInfo:
    return info_service_pb2.CandidateSetInfo(
        name=candidate_set.name,
        version=candidate_set.version,
        hash=candidate_set.content_hash,
        candidate_count=len(candidate_set.candidates),
        languages=candidate_set.languages,
    )
