"""How commands fail: one readable line on stderr and an exit code of sysexits.h, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from codriver import CodriverError
from sidecar.catalog.loader import CatalogError
from sidecar.config import ConfigError
from sidecar.engine.artifact import ArtifactError
from sidecar.errors import CodriverError as SidecarError
from sidecar.server.lifecycle import ListenError

USAGE = 64
DATA = 65
UNAVAILABLE = 69
INTERNAL = 70
CONFIG = 78
INTERRUPTED = 130
PIPE_CLOSED = 1
"""As typer has it."""
DEBUG_VARIABLE = "CODRIVER_DEBUG"
"""Where it is set, unexpected errors show their traceback."""

CALL_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT: DATA,
    grpc.StatusCode.NOT_FOUND: DATA,
    grpc.StatusCode.UNAVAILABLE: UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED: UNAVAILABLE,
    grpc.StatusCode.UNIMPLEMENTED: UNAVAILABLE,
}


class Failure(Exception):
    """A command cannot go on; ``code`` is its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Group(TyperGroup):
    """A command group whose failures end in ``report``."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits."""
        with reported():
            code = super().main(args, prog_name or "codriver", complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
            sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def reported() -> Iterator[None]:
    """Turns every failure inside into a line on stderr and an exit code."""
    try:
        yield
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader has gone ("| head"); without this Python would complain when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        code, text = report(error)
        print(f"codriver: {text}", file=sys.stderr)
        sys.exit(code)


def report(error: Exception) -> tuple[int, str]:
    """The exit code and the line for a failure."""
    text = "; ".join(str(error).split("\n")) or type(error).__name__
    match error:
        case Failure():
            return error.code, text
        case TyperException():
            text = error.format_message().rstrip(".") or "give a command"
            return USAGE, f"{text} (see 'codriver --help')"
        case ConfigError() | ArtifactError():
            return CONFIG, text
        case CatalogError():
            return DATA, text
        case CodriverError():
            return CALL_CODES.get(error.code, INTERNAL), text
        case SidecarError():
            return CALL_CODES.get(grpc.StatusCode[error.code.value], INTERNAL), text
        case ListenError() | TimeoutError():
            return UNAVAILABLE, text
    hint = f"set {DEBUG_VARIABLE}=1 for the traceback"
    return INTERNAL, f"internal error: {type(error).__name__}: {text} ({hint})"
