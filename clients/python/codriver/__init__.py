"""Client of Codriver, the decision sidecar for agents.

from codriver import Candidate, Client

with Client() as client:
    decision = client.decide([Candidate("search_flights", "..."), ...], "Get me to Oslo")
"""

from codriver.aio import AsyncClient
from codriver.client import Client
from codriver.errors import CodriverError, Violation
from codriver.info import CandidateSetInfo, Info, Limits, ModelInfo
from codriver.types import (
    Candidate,
    CandidateSet,
    Choice,
    ComputeStats,
    Decision,
    Effect,
    EnumValue,
    Kind,
    Message,
    Outcome,
    Policy,
    Provenance,
    Reason,
    Request,
    Role,
    ScoredCandidate,
    Scores,
    Slot,
    SlotType,
    SlotValue,
    Timings,
    ToolCall,
    ToolResult,
)

__all__ = [
    "AsyncClient",
    "Candidate",
    "CandidateSet",
    "CandidateSetInfo",
    "Choice",
    "Client",
    "CodriverError",
    "ComputeStats",
    "Decision",
    "Effect",
    "EnumValue",
    "Info",
    "Kind",
    "Limits",
    "Message",
    "ModelInfo",
    "Outcome",
    "Policy",
    "Provenance",
    "Reason",
    "Request",
    "Role",
    "ScoredCandidate",
    "Scores",
    "Slot",
    "SlotType",
    "SlotValue",
    "Timings",
    "ToolCall",
    "ToolResult",
    "Violation",
]
