"""A real grpc.aio server with the static scorer and a fake planner."""

from collections.abc import AsyncIterator

import grpc
import grpc.aio
import numpy as np
import pytest
from google.rpc import error_details_pb2

from codriver.v1 import decision_service_pb2 as pb
from codriver.v1 import decision_service_pb2_grpc
from sidecar.config import Settings
from sidecar.core.calibration import Calibration
from sidecar.decider import Decider, Limits
from sidecar.errors import CandidateSetNotFound
from sidecar.prompt.plan import TokenPlan
from sidecar.scoring.static import StaticScorer
from sidecar.server.lifecycle import build


class Catalog:
    sets = ()

    def get(self, reference):
        raise CandidateSetNotFound(f"no set {reference}")


class Planned:
    dropped = 0

    def __init__(self, plan):
        self.plan = plan


class Planner:
    def plan(self, candidate_set, messages, *, language, drop_oldest):
        rows = [np.frombuffer(c.name.encode(), np.uint8).astype(np.int32) for c in candidate_set.candidates]
        return Planned(TokenPlan(np.array([1], np.int32), tuple(rows)))


@pytest.fixture
async def stub() -> AsyncIterator[decision_service_pb2_grpc.DecisionServiceStub]:
    decider = Decider(
        Catalog(),
        Planner(),
        StaticScorer(),
        Calibration(),
        Limits(100, 64, 4096),
        fill_slots=lambda c, m: ((), ()),
    )
    server, _, address = await build(Settings(listen="127.0.0.1:0"), decider)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield decision_service_pb2_grpc.DecisionServiceStub(channel)
    await server.stop(0)


def request(count: int) -> pb.DecideRequest:
    return pb.DecideRequest(
        request_id="r",
        inline_set={"candidates": [{"name": f"do {i}"} for i in range(count)]},
        messages=[{"role": 2, "content": "hi \0 🙂"}],
    )


async def test_decides(stub) -> None:
    decision = (await stub.Decide(request(3))).decision
    assert decision.decision_id == "r" and len(decision.scores) == 3 and decision.reasons


@pytest.mark.parametrize("count", [0, 256])
async def test_refuses_a_set_over_its_limits(stub, count: int) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Decide(request(count))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "255" in (caught.value.details() or "")
    assert (
        error_details_pb2.ErrorInfo.DESCRIPTOR.full_name.encode()
        in dict(caught.value.trailing_metadata())["grpc-status-details-bin"]
    )


async def test_batch_keeps_good_items(stub) -> None:
    bad = pb.DecideRequest(candidate_set="nope")
    results = (await stub.BatchDecide(pb.BatchDecideRequest(requests=[request(2), bad]))).results
    assert [r.WhichOneof("result") for r in results] == ["decision", "error"]
    assert results[1].error.code == 5
