"""The client for asyncio; the methods are those of ``Client``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import grpc
import grpc.aio

from codriver import channel, convert
from codriver.client import results, still_missing
from codriver.errors import CodriverError, from_rpc
from codriver.info import Info
from codriver.types import Candidates, Decision, Messages, Request, Scores
from codriver.v1 import decision_service_pb2_grpc, info_service_pb2, info_service_pb2_grpc


class AsyncClient:
    """Asks one sidecar from asyncio. Create it inside the running loop; use it in an ``async with`` block."""

    def __init__(self, address: str | None = None, *, timeout: float = channel.DEFAULT_TIMEOUT_S) -> None:
        self.address = channel.target(address)
        self.timeout = timeout
        self._channel = grpc.aio.insecure_channel(self.address, options=channel.OPTIONS)
        self._decisions = decision_service_pb2_grpc.DecisionServiceStub(self._channel)
        self._info = info_service_pb2_grpc.InfoServiceStub(self._channel)

    async def decide(
        self,
        candidates: Candidates,
        messages: Messages = (),
        *,
        request_id: str = "",
        language: str = "",
        validate_only: bool = False,
        drop_oldest_messages: bool = False,
        timeout: float | None = None,
    ) -> Decision:
        """Decides which candidate comes next."""
        request = Request(candidates, messages, request_id, language, validate_only, drop_oldest_messages)
        proto = convert.to_decide_request(request)
        response = await self._call(self._decisions.Decide, proto, timeout)
        return convert.from_decision(response.decision)

    async def batch_decide(
        self,
        requests: Sequence[Request],
        *,
        timeout: float | None = None,
    ) -> list[Decision | CodriverError]:
        """Decides many requests in one call; a failed item is an error in its place, not raised."""
        proto, refused = convert.to_batch_request(requests)
        if refused and not proto.requests:
            return list(refused.values())
        return results(await self._call(self._decisions.BatchDecide, proto, timeout), refused)

    async def score(
        self,
        candidates: Candidates,
        messages: Messages = (),
        *,
        request_id: str = "",
        language: str = "",
        drop_oldest_messages: bool = False,
        timeout: float | None = None,
    ) -> Scores:
        """Scores the candidates without applying the policy."""
        request = Request(candidates, messages, request_id, language, drop_oldest_messages=drop_oldest_messages)
        proto = convert.to_score_request(request)
        return convert.from_scores(await self._call(self._decisions.Score, proto, timeout))

    async def info(self, *, timeout: float | None = None) -> Info:
        """What the sidecar is, what it has loaded and what it takes."""
        request = info_service_pb2.GetInfoRequest()
        return convert.from_info(await self._call(self._info.GetInfo, request, timeout))

    async def wait_until_ready(self, timeout: float = 30.0) -> None:
        """Returns when the sidecar can decide; TimeoutError says what was missing after ``timeout`` seconds."""
        end = time.monotonic() + timeout
        problem = "no answer"
        while (left := end - time.monotonic()) > 0:
            try:
                if (await self.info(timeout=min(left, channel.READY_CALL_S))).ready:
                    return
                problem = "its model is not ready"
            except CodriverError as error:
                problem = still_missing(error, problem)
            await asyncio.sleep(channel.READY_POLL_S)
        raise TimeoutError(f"{self.address} was not ready within {timeout:g} s: {problem}")

    async def close(self) -> None:
        """Ends the connection and every running call."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _call(self, method: Any, request: Any, limit: float | None) -> Any:
        try:
            return await method(request, timeout=self.timeout if limit is None else limit)
        except grpc.RpcError as error:
            raise from_rpc(error) from error
