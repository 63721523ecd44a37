"""The blocking client."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import grpc

from codriver import channel, convert
from codriver.errors import CodriverError, from_item, from_rpc
from codriver.info import Info
from codriver.types import Candidates, Decision, Messages, Request, Scores
from codriver.v1 import (
    decision_service_pb2,
    decision_service_pb2_grpc,
    info_service_pb2,
    info_service_pb2_grpc,
)


class Client:
    """Asks one sidecar. Safe to share between threads; close it, or use it in a ``with`` block.

    ``address`` is "host:port" or "unix:///path"; by default CODRIVER_ADDRESS, else 127.0.0.1:50151. ``timeout`` is the
    limit of each call in seconds. Every method raises CodriverError.
    """

    def __init__(self, address: str | None = None, *, timeout: float = channel.DEFAULT_TIMEOUT_S) -> None:
        self.address = channel.target(address)
        self.timeout = timeout
        self._channel = grpc.insecure_channel(self.address, options=channel.OPTIONS)
        self._decisions = decision_service_pb2_grpc.DecisionServiceStub(self._channel)
        self._info = info_service_pb2_grpc.InfoServiceStub(self._channel)

    def decide(
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
        return convert.from_decision(self._call(self._decisions.Decide, proto, timeout).decision)

    def batch_decide(
        self, requests: Sequence[Request], *, timeout: float | None = None
    ) -> list[Decision | CodriverError]:
        """Decides many requests in one call; a failed item is an error in its place, not raised."""
        proto, refused = convert.to_batch_request(requests)
        if refused and not proto.requests:
            return list(refused.values())
        return results(self._call(self._decisions.BatchDecide, proto, timeout), refused)

    def score(
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
        return convert.from_scores(self._call(self._decisions.Score, proto, timeout))

    def info(self, *, timeout: float | None = None) -> Info:
        """What the sidecar is, what it has loaded and what it takes."""
        request = info_service_pb2.GetInfoRequest()
        return convert.from_info(self._call(self._info.GetInfo, request, timeout))

    def wait_until_ready(self, timeout: float = 30.0) -> None:
        """Returns when the sidecar can decide; TimeoutError says what was missing after ``timeout`` seconds."""
        end = time.monotonic() + timeout
        problem = "no answer"
        while (left := end - time.monotonic()) > 0:
            try:
                if self.info(timeout=min(left, channel.READY_CALL_S)).ready:
                    return
                problem = "its model is not ready"
            except CodriverError as error:
                problem = still_missing(error, problem)
            time.sleep(channel.READY_POLL_S)
        raise TimeoutError(f"{self.address} was not ready within {timeout:g} s: {problem}")

    def close(self) -> None:
        """Ends the connection and every running call."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, method: Any, request: Any, timeout: float | None) -> Any:
        try:
            return method(request, timeout=self.timeout if timeout is None else timeout)
        except grpc.RpcError as error:
            raise from_rpc(error) from error


def results(
    proto: decision_service_pb2.BatchDecideResponse, refused: Mapping[int, CodriverError]
) -> list[Decision | CodriverError]:
    """The items of a batch, in order, those that were not sent among them."""
    items = [from_item(r.error) if r.HasField("error") else convert.from_decision(r.decision) for r in proto.results]
    for index, error in sorted(refused.items()):
        items.insert(index, error)
    return items


def still_missing(error: CodriverError, before: str) -> str:
    """What a sidecar lacks that is starting; every other error is raised again."""
    if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return before  # the last try is a short one, and what was seen earlier says more
    if error.code is grpc.StatusCode.UNAVAILABLE:
        return str(error)
    raise error
