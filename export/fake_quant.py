"""Lets training see the rounding that int8 will do, so that the adapter learns to live with it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from export.quantise import ACTIVATION_MAX, SMALLEST, WEIGHT_MAX


def rounded(x: Tensor, levels: float) -> Tensor:
    """``x`` on the symmetric grid of its last axis."""
    scale = (x.abs().amax(-1, keepdim=True) / levels).clamp_min(SMALLEST)
    return (x / scale).round() * scale


class FakeQuant:
    """Rounds the inputs of the LoRA layers (straight-through), and their merged weights at every ``refresh``."""

    def __init__(self, backbone: nn.Module) -> None:
        self._layers: list[Any] = [m for m in backbone.modules() if hasattr(m, "lora_A")]
        self._exact = [layer.base_layer.weight.detach().clone() for layer in self._layers]
        for layer in self._layers:
            layer.register_forward_pre_hook(_round_input)
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Sets the frozen weights so that they and LoRA's share add up to what int8 would hold."""
        for layer, exact in zip(self._layers, self._exact, strict=True):
            share = layer.get_delta_weight("default")
            layer.base_layer.weight.copy_(rounded(exact + share, WEIGHT_MAX) - share)


def _round_input(_: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    x = inputs[0].float()
    return (x + (rounded(x.detach(), ACTIVATION_MAX) - x.detach()), *inputs[1:])
