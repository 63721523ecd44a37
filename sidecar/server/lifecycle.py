"""The life of the server: start, readiness, drain, stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from codriver.v1 import decision_service_pb2_grpc, info_service_pb2_grpc
from sidecar.config import Settings
from sidecar.decider import Decider
from sidecar.scoring.port import Scorer
from sidecar.server.interceptors import chain
from sidecar.server.servicers import DecisionService, InfoService

DECISION_SERVICE = "codriver.v1.DecisionService"
INFO_SERVICE = "codriver.v1.InfoService"
READINESS_NAMES = ("", "readiness", DECISION_SERVICE)
LIVENESS_NAME = "liveness"
READY_POLL_S = 0.5
READY_TIMEOUT_S = 2.0
MIN_PING_INTERVAL_MS = 10_000
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class ListenError(Exception):
    """The address cannot be listened on."""


async def serve(settings: Settings, decider: Decider, ready: Callable[[str], None] | None = None) -> int:
    """Serves until SIGTERM or SIGINT and closes the scorer; returns the exit code.

    ``ready`` is called once with the bound address when the port is open. 0: drained; 1: a second
    signal ended it at once. Raises ListenError, and what ``scorer.start`` raises.
    """
    stopping, killed = _signals()
    server, health, address = await build(settings, decider)
    await server.start()
    poll: asyncio.Task[None] | None = None
    try:
        if ready is not None:
            ready(address)
        starting = asyncio.create_task(decider.scorer.start())
        await _first(starting, stopping)
        if starting.done():
            starting.result()
        else:
            starting.cancel()
        poll = asyncio.create_task(watch_readiness(decider.scorer, health))
        await stopping.wait()
        await health.enter_graceful_shutdown()
        drain = asyncio.create_task(_drain(server, settings))
        await _first(drain, killed)
        drain.cancel()
        return 1 if killed.is_set() else 0
    finally:
        if poll is not None:
            poll.cancel()
        await server.stop(0)
        await decider.scorer.close()


async def build(settings: Settings, decider: Decider) -> tuple[grpc.aio.Server, HealthServicer, str]:
    """The server, not yet started, its health service (NOT_SERVING) and its bound address."""
    server = grpc.aio.server(
        interceptors=chain(settings.default_deadline_ms / 1000, settings.max_inflight),
        options=[
            # With it a second server on the same port would silently take half of the calls.
            ("grpc.so_reuseport", 0),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", MIN_PING_INTERVAL_MS),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.max_receive_message_length", settings.max_message_bytes),
            ("grpc.max_send_message_length", settings.max_message_bytes),
        ],
    )
    health = HealthServicer()
    for name in READINESS_NAMES:
        await health.set(name, NOT_SERVING)
    await health.set(LIVENESS_NAME, SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    _add_services(server, decider)
    if settings.reflection:
        names = (DECISION_SERVICE, INFO_SERVICE, "grpc.health.v1.Health", reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    return server, health, _bind(server, settings.listen)


async def watch_readiness(scorer: Scorer, health: HealthServicer, interval_s: float = READY_POLL_S) -> None:
    """Mirrors the scorer's readiness into the health service until it is cancelled."""
    while True:
        status = SERVING if await _is_ready(scorer) else NOT_SERVING
        for name in READINESS_NAMES:
            await health.set(name, status)
        await asyncio.sleep(interval_s)


async def _is_ready(scorer: Scorer) -> bool:
    # Whatever goes wrong here means "not ready"; the poll itself has to live on.
    try:
        return await asyncio.wait_for(scorer.ready(), READY_TIMEOUT_S)
    except Exception:
        return False


def _add_services(server: grpc.aio.Server, decider: Decider) -> None:
    decision_service_pb2_grpc.add_DecisionServiceServicer_to_server(DecisionService(decider), server)
    info_service_pb2_grpc.add_InfoServiceServicer_to_server(InfoService(decider), server)


def _bind(server: grpc.aio.Server, listen: str) -> str:
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError as error:
        raise ListenError(f"cannot listen on {listen}: is it in use?") from error
    if port == 0:
        raise ListenError(f"cannot listen on {listen}: is it in use?")
    return listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"


async def _drain(server: grpc.aio.Server, settings: Settings) -> None:
    # Callers first have to see NOT_SERVING: stop() refuses new calls at once.
    await asyncio.sleep(settings.drain_delay_s)
    await server.stop(settings.grace_s)


async def _first(task: asyncio.Task[None], event: asyncio.Event) -> None:
    waiting = asyncio.create_task(event.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


def _signals() -> tuple[asyncio.Event, asyncio.Event]:
    stopping, killed = asyncio.Event(), asyncio.Event()

    def on_signal() -> None:
        (killed if stopping.is_set() else stopping).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return stopping, killed
