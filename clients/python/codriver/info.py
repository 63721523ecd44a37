"""What a sidecar says of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may hold; whatever is over a limit is refused, never cut."""

    max_candidates: int
    max_messages: int
    max_batch_requests: int
    max_context_tokens: int
    max_candidate_tokens: int
    max_message_bytes: int


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A loaded model."""

    name: str
    version: str
    hash: str
    scoring_method: str
    ready: bool


@dataclass(frozen=True, slots=True)
class CandidateSetInfo:
    """A candidate set of the sidecar's catalog."""

    name: str
    version: str
    hash: str
    candidate_count: int
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Info:
    """What a sidecar is, what it has loaded and what it takes."""

    server_version: str
    scorer: str
    limits: Limits
    models: tuple[ModelInfo, ...]
    candidate_sets: tuple[CandidateSetInfo, ...]

    @property
    def ready(self) -> bool:
        """Whether every model can answer now."""
        return all(model.ready for model in self.models)
