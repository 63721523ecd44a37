"""Conversations: what the agent knows when it asks for a decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who speaks in a turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the agent called; ``arguments_json`` is passed on as text, unparsed."""

    name: str
    arguments_json: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned."""

    content: str
    name: str = ""
    call_id: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
