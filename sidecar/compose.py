"""Puts a sidecar together from its settings: the only place that knows every scorer."""

from __future__ import annotations

from sidecar.catalog.catalog import Catalog
from sidecar.config import Settings
from sidecar.core import slots
from sidecar.core.calibration import Calibration
from sidecar.decider import Decider, Limits
from sidecar.engine.artifact import Artifact
from sidecar.prompt.planner import Planner
from sidecar.scoring.port import Scorer


def make_decider(settings: Settings) -> Decider:
    """The decider, its scorer not yet started; raises ArtifactError and CatalogError."""
    catalog = Catalog.load(settings.candidate_sets)
    artifact = Artifact.open(settings.model)
    return Decider(
        catalog,
        make_planner(artifact),
        make_scorer(settings, artifact),
        Calibration(),
        make_limits(settings, artifact),
        fill_slots=slots.fill,
    )


def make_planner(artifact: Artifact) -> Planner:
    """The planner for a model."""
    manifest = artifact.manifest
    return Planner(
        artifact.tokenizer,
        manifest.template,
        instruction=manifest.instruction,
        max_context_tokens=manifest.max_context_tokens,
        max_candidate_tokens=manifest.max_candidate_tokens,
    )


def make_limits(settings: Settings, artifact: Artifact) -> Limits:
    """What a request may hold."""
    return Limits(
        max_context_tokens=artifact.manifest.max_context_tokens,
        max_candidate_tokens=artifact.manifest.max_candidate_tokens,
        max_message_bytes=settings.max_message_bytes,
    )


def make_scorer(settings: Settings, artifact: Artifact) -> Scorer:
    """The scorer that the settings name. Imports are late: each brings a large library."""
    if settings.scorer == "static":
        from sidecar.scoring.static import StaticScorer

        return StaticScorer()
    from sidecar.scoring.embedded import EmbeddedScorer

    return EmbeddedScorer(artifact, threads=settings.threads, token_budget=settings.token_budget)
