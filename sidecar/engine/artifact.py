"""The model artifact: a folder with the graph, the tokenizer and a manifest, known by one hash.

scorer.json      the manifest, as in ``Manifest``
model.onnx       the graph
tokenizer.json   Hugging Face tokenizers format
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sidecar.prompt.template import Template

MANIFEST = "scorer.json"
GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"


class ArtifactError(Exception):
    """The folder is not a usable model artifact; the message says what is missing and how to get it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model artifact says of itself. Token limits include the scaffold."""

    name: str
    version: str
    method: str
    base: str
    template: Template
    max_context_tokens: int
    max_candidate_tokens: int
    instruction: str
    build: dict[str, Any]

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Reads a manifest; ArtifactError where fields are missing or unknown."""
        try:
            fields = json.loads(text)
            return cls(**{**fields, "template": Template(**fields["template"])})
        except (ValueError, KeyError, TypeError) as error:
            raise ArtifactError(f"{MANIFEST} is not a valid manifest: {error}") from error


@dataclass(frozen=True)
class Artifact:
    """A model artifact on disk."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> Artifact:
        """Opens a folder; ArtifactError names the first file that is missing."""
        for name in (MANIFEST, GRAPH, TOKENIZER):
            if not (folder / name).is_file():
                raise ArtifactError(
                    f"no model at {folder}: {name} is missing; build one with 'codriver export' or 'make model'"
                )
        return cls(folder, Manifest.from_json((folder / MANIFEST).read_text(encoding="utf-8")))

    @property
    def graph(self) -> Path:
        """The ONNX file."""
        return self.folder / GRAPH

    @property
    def tokenizer(self) -> Path:
        """The tokenizer file."""
        return self.folder / TOKENIZER

    @cached_property
    def hash(self) -> str:
        """SHA-256 (hex) over the names and bytes of the three files."""
        digest = hashlib.sha256()
        for name in (MANIFEST, GRAPH, TOKENIZER):
            content = (self.folder / name).read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()
