"""Tokenisation that keeps scaffold and content apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from sidecar.prompt.plan import TokenIds


class SafeTokenizer:
    """Two readings of one tokenizer: the scaffold's knows control tokens, the content's does not.

    The content tokenizer has no added tokens at all, so ``<|im_end|>`` in a user's text becomes ordinary sub-words.
    """

    def __init__(self, path: Path) -> None:
        definition = json.loads(path.read_text(encoding="utf-8"))
        definition["truncation"] = definition["padding"] = None
        self._scaffold = Tokenizer.from_str(json.dumps(definition))
        self._control = {token["id"] for token in definition["added_tokens"]}
        definition["added_tokens"] = []
        definition["post_processor"] = None
        self._content = Tokenizer.from_str(json.dumps(definition))

    @property
    def control_ids(self) -> frozenset[int]:
        """Ids of the control tokens; ``content`` never returns one."""
        return frozenset(self._control)

    def scaffold(self, text: str) -> TokenIds:
        """Tokens of a fixed text of the template, control tokens included."""
        return np.array(self._scaffold.encode(text, add_special_tokens=False).ids, np.int32)

    def content(self, text: str) -> TokenIds:
        """Tokens of a text that somebody wrote; may be empty."""
        return np.array(self._content.encode(text, add_special_tokens=False).ids, np.int32)

    def contents(self, texts: Sequence[str]) -> list[TokenIds]:
        """``content`` of many texts."""
        batch = self._content.encode_batch(list(texts), add_special_tokens=False)
        return [np.array(encoding.ids, np.int32) for encoding in batch]
