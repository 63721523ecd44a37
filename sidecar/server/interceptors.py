"""What happens around every unary call, outermost first: see ``chain``."""

from __future__ import annotations

import asyncio
import time
import traceback
import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import grpc
import grpc.aio
import structlog

from sidecar.decider import MAX_REQUEST_ID_CHARS
from sidecar.errors import CodriverError, DeadlineExceeded, Overloaded
from sidecar.server.errors import as_codriver, grpc_code, message_of, trailers

OURS = "/codriver.v1."
ADMITTED = "/codriver.v1.DecisionService/"
REQUEST_ID_KEY = "x-request-id"
DEADLINE_RESERVE_S = 0.005
"""Kept back from the caller's time, so that our answer arrives before its deadline."""

Context = grpc.aio.ServicerContext[Any, Any]
Handler = Callable[[Any, Context], Awaitable[Any]]

request_id: ContextVar[str] = ContextVar("request_id", default="")
deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
log: Any = structlog.get_logger("codriver.access")


def remaining() -> float | None:
    """Seconds left to the current call; None where there is no limit."""
    end = deadline.get()
    return None if end is None else max(0.0, end - time.monotonic())


class Around(grpc.aio.ServerInterceptor):
    """Wraps the unary methods whose full name starts with ``prefix``; others pass untouched."""

    prefix = OURS

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """Runs ``call`` with whatever belongs before and after it."""
        raise NotImplementedError

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Called by gRPC once a call."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or handler.unary_unary is None or not method.startswith(self.prefix):
            return handler
        call: Handler = handler.unary_unary

        async def wrapped(request: Any, context: Context) -> Any:
            return await self.around(method, call, request, context)

        return grpc.unary_unary_rpc_method_handler(
            wrapped,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )


class Recovery(Around):
    """Turns every exception into a status; the only place that aborts a call."""

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """Aborts with what was raised."""
        try:
            return await call(request, context)
        except Exception as error:
            failure = as_codriver(error)
        await context.abort(grpc_code(failure), message_of(failure), trailers(failure, request_id.get()))


class RequestId(Around):
    """Gives every call an id: the request's, else the metadata's, else a new one."""

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """Sets the id for everything inside."""
        metadata = dict(context.invocation_metadata() or ())
        given = getattr(request, "request_id", "") or str(metadata.get(REQUEST_ID_KEY, ""))
        request_id.set(given[:MAX_REQUEST_ID_CHARS] or str(uuid.uuid4()))
        return await call(request, context)


class AccessLog(Around):
    """One line a call, without any text of the request."""

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """Logs code, reason and duration."""
        began = time.monotonic()
        try:
            answer = await call(request, context)
        except asyncio.CancelledError:
            self._log(method, began, "CANCELLED", reason="CANCELLED")
            raise
        except Exception as error:
            failure = as_codriver(error)
            facts = {"reason": failure.reason, **_fault(error)}
            self._log(method, began, failure.code.value, **facts)
            raise
        self._log(method, began, "OK")
        return answer

    @staticmethod
    def _log(method: str, began: float, code: str, **facts: str) -> None:
        write = log.error if code == "INTERNAL" else log.info
        took = round((time.monotonic() - began) * 1000, 3)
        write("call", method=method, code=code, dur_ms=took, request_id=request_id.get(), **facts)


class Deadline(Around):
    """Bounds a call by its own deadline and the default one, whichever comes first."""

    def __init__(self, default_s: float) -> None:
        self._default_s = default_s

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """DeadlineExceeded where the time is used up."""
        given: float | None = context.time_remaining()
        budget = self._default_s
        if given is not None:
            budget = min(budget, given - DEADLINE_RESERVE_S)
        if budget <= 0:
            raise DeadlineExceeded("no time was left when the call arrived")
        deadline.set(time.monotonic() + budget)
        return await asyncio.wait_for(call(request, context), budget)


class Admission(Around):
    """Refuses decision calls over ``limit`` at once instead of letting them queue."""

    prefix = ADMITTED

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._inflight = 0

    async def around(self, method: str, call: Handler, request: Any, context: Context) -> Any:
        """Overloaded where the limit is reached."""
        if self._inflight >= self._limit:
            raise Overloaded(f"{self._limit} requests are in flight", metadata={"limit": str(self._limit)})
        self._inflight += 1
        try:
            return await call(request, context)
        finally:
            self._inflight -= 1


def chain(default_deadline_s: float, max_inflight: int) -> list[grpc.aio.ServerInterceptor]:
    """Every interceptor, outermost first."""
    return [
        Recovery(),
        RequestId(),
        AccessLog(),
        Deadline(default_deadline_s),
        Admission(max_inflight),
    ]


def _fault(error: Exception) -> dict[str, str]:
    # The text of an unexpected exception may quote the prompt; its type and place cannot.
    if isinstance(error, (CodriverError, TimeoutError)):
        return {}
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " > ".join(f"{f.filename}:{f.lineno}" for f in frames)
    return {"error_type": type(error).__name__, "error_at": places}
