"""The fixed texts around content."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Template:
    """Only these texts may hold control tokens. ``turn_start`` has one text for each role."""

    begin: str
    turn_start: dict[str, str]
    turn_end: str
    answer: str
    terminator: str


CHATML = Template(
    begin="",
    turn_start={role: f"<|im_start|>{role}\n" for role in ("system", "user", "assistant", "tool")},
    turn_end="<|im_end|>\n",
    answer="<|im_start|>assistant\n",
    terminator="<|im_end|>",
)
"""SmolLM2 and Qwen."""

GEMMA = Template(
    begin="<bos>",
    turn_start={
        "system": "<start_of_turn>user\n",
        "user": "<start_of_turn>user\n",
        "assistant": "<start_of_turn>model\n",
        "tool": "<start_of_turn>user\ntool: ",
    },
    turn_end="<end_of_turn>\n",
    answer="<start_of_turn>model\n",
    terminator="<end_of_turn>",
)
"""Gemma 2 and 3, which have no system or tool role."""

LLAMA3 = Template(
    begin="<|begin_of_text|>",
    turn_start={
        "system": "<|start_header_id|>system<|end_header_id|>\n\n",
        "user": "<|start_header_id|>user<|end_header_id|>\n\n",
        "assistant": "<|start_header_id|>assistant<|end_header_id|>\n\n",
        "tool": "<|start_header_id|>ipython<|end_header_id|>\n\n",
    },
    turn_end="<|eot_id|>",
    answer="<|start_header_id|>assistant<|end_header_id|>\n\n",
    terminator="<|eot_id|>",
)
"""Llama 3."""

TEMPLATES = {"<|im_end|>": CHATML, "<end_of_turn>": GEMMA, "<|eot_id|>": LLAMA3}
"""Templates by the control token that gives the family away."""
