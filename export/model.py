"""The one torch module of the scorer: trained with it, exported from it.

A Hugging Face decoder, cut to its first layers, reads the packed row of ``sidecar.engine.packing``; its attention
is replaced by attention over tiles. A head turns the states at the branches' terminators into scores.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.onnx import symbolic_helper
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

ATTENTION = "codriver_tiles"
HEAD_WIDTH = 256
HEAD_HEADS = 4


@torch.library.custom_op("codriver::attention", mutates_args=())
def _exported_attention(q: Tensor, k: Tensor, v: Tensor, allow: Tensor, heads: int, kv: int, scale: float) -> Tensor:
    """Stands for ONNX Attention in the traced graph; ``export.lower`` gives it its domain and opset."""
    return _attend(q, k, v, allow, heads, kv, scale).clone()


@symbolic_helper.parse_args("v", "v", "v", "v", "i", "i", "f")
def _attention_symbolic(g: Any, q: Any, k: Any, v: Any, allow: Any, heads: int, kv: int, scale: float) -> Any:
    out = g.op("codriver::Attention", q, k, v, allow, q_num_heads_i=heads, kv_num_heads_i=kv, scale_f=scale)
    out.setType(q.type())
    return out


torch.onnx.register_custom_op_symbolic("codriver::attention", _attention_symbolic, 18)


def _attend(q: Tensor, k: Tensor, v: Tensor, allow: Tensor, heads: int, kv: int, scale: float) -> Tensor:
    """Attention over tiles: q [B, S, heads*D], k and v [B, S, kv*D], allow [B, 1, S, S] -> [B, S, heads*D]."""

    def split(x: Tensor, n: int) -> Tensor:
        return x.unflatten(-1, (n, -1)).transpose(1, 2)

    group = heads // kv
    keys, values = (split(x, kv).repeat_interleave(group, 1) for x in (k, v))
    out = nn.functional.scaled_dot_product_attention(split(q, heads), keys, values, attn_mask=allow, scale=scale)
    return out.transpose(1, 2).flatten(2)


def tile_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    tiles: dict[str, Tensor] | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """The attention function given to transformers: query [1, heads, T, D], key and value [1, kv, T, D]."""
    assert tiles is not None
    index, allow, unpack = tiles["index"], tiles["allow"], tiles["unpack"]

    def to_tiles(x: Tensor) -> Tensor:
        return x[0].transpose(0, 1).flatten(1)[index]

    heads, kv = query.shape[1], key.shape[1]
    arguments = (to_tiles(query), to_tiles(key), to_tiles(value), allow, heads, kv, scaling)
    out = _exported_attention(*arguments) if torch.onnx.is_in_onnx_export() else _attend(*arguments)
    rows = out.flatten(0, 1)[unpack]
    return rows.unflatten(-1, (heads, -1))[None], None


ALL_ATTENTION_FUNCTIONS.register(ATTENTION, tile_attention)


def allow_mask(segments: Tensor) -> Tensor:
    """Who sees whom in a tile, [B, 1, S, S] bool: the context and the own branch up to oneself; padding sees itself."""
    i, j = segments[:, :, None], segments[:, None, :]
    place = torch.arange(segments.shape[1], device=segments.device)
    earlier = place[None, :] <= place[:, None]
    same = place[None, :] == place[:, None]
    return (((j == 0) | (j == i)) & (j >= 0) & earlier | same)[:, None]


class Head(nn.Module):
    """Branch and context states to scores: a pointer product, and one attention layer over the set (no positions)."""

    def __init__(self, hidden: int, width: int = HEAD_WIDTH) -> None:
        super().__init__()
        self.width = width
        self.branch = nn.Linear(hidden, width)
        self.context = nn.Linear(hidden, width)
        self.none = nn.Linear(hidden, width)
        self.pointer_query = nn.Linear(hidden, width)
        self.pointer_key = nn.Linear(hidden, width)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.score = nn.Linear(width, 1)
        self.none_score = nn.Linear(width, 1)

    def forward(self, context: Tensor, branches: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """context [R, H], branches [R, K, H], count [R] -> scores [R, K] (those beyond ``count`` mean nothing), none [R]."""
        x = torch.cat([self.none(context)[:, None], self.branch(branches) + self.context(context)[:, None]], 1)
        real = torch.arange(x.shape[1], device=x.device)[None] <= count[:, None]
        x = x + self.out(self._attend(self.norm1(x), real))
        x = x + self.down(nn.functional.gelu(self.up(self.norm2(x))))
        x = self.norm3(x)
        pointer = (self.pointer_key(branches) * self.pointer_query(context)[:, None]).sum(-1) / math.sqrt(self.width)
        return self.score(x[:, 1:])[..., 0] + pointer, self.none_score(x[:, 0])[..., 0]

    def _attend(self, x: Tensor, real: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (HEAD_HEADS, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        weights = q @ k.transpose(-1, -2) / math.sqrt(self.width // HEAD_HEADS)
        weights = weights.masked_fill(~real[:, None, None], -1e9).softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(2)


class CandidateScorer(nn.Module):
    """Packed row in, scores out. ``backbone`` is a transformers decoder without its vocabulary projection."""

    def __init__(self, backbone: nn.Module, hidden: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = Head(hidden)

    @property
    def config(self) -> Any:
        """The decoder's configuration, which optimum's exporter asks for."""
        return self.backbone.config

    def forward(
        self,
        ids: Tensor,
        positions: Tensor,
        tile_index: Tensor,
        tile_segments: Tensor,
        unpack: Tensor,
        context_index: Tensor,
        branch_index: Tensor,
        branch_count: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Shapes as in ``PackedRow``; returns scores [R, K] and none [R]."""
        tiles = {"index": tile_index, "allow": allow_mask(tile_segments), "unpack": unpack}
        states = self.backbone(
            input_ids=ids[None], position_ids=positions[None], use_cache=False, tiles=tiles
        ).last_hidden_state[0]
        return self.head(states[context_index], states[branch_index], branch_count)


def load_base(source: Path, layers: int) -> tuple[CandidateScorer, PreTrainedTokenizerFast]:
    """The scorer over the first ``layers`` layers of a GGUF file or a Hugging Face directory, with a fresh head."""
    where = {"gguf_file": source.name} if source.suffix == ".gguf" else {}
    folder = str(source.parent if where else source)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **where)
    model = AutoModelForCausalLM.from_pretrained(
        folder, local_files_only=True, dtype=torch.float32, attn_implementation="eager", **where
    )
    backbone = model.model
    backbone.layers = backbone.layers[:layers]
    backbone.config.num_hidden_layers = layers
    backbone.config._attn_implementation = ATTENTION
    return CandidateScorer(backbone, backbone.config.hidden_size), tokenizer
