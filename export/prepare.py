"""What training and export share: base model, tokenizer file, template, planner."""

from __future__ import annotations

from pathlib import Path

from transformers import PreTrainedTokenizerFast

from export.base import default_base
from export.model import CandidateScorer, load_base
from sidecar.prompt.planner import Planner
from sidecar.prompt.template import TEMPLATES, Template

LAYERS = 16
MAX_CONTEXT_TOKENS = 2048
MAX_CANDIDATE_TOKENS = 64
INSTRUCTION = "Choose the next action."


def open_base(base: Path | None, work: Path, layers: int = LAYERS) -> tuple[CandidateScorer, Path, Template, str]:
    """Loads the base and writes its tokenizer to ``work``; returns model, tokenizer file, template, base name."""
    source = base or default_base()
    scorer, tokenizer = load_base(source, layers)
    work.mkdir(parents=True, exist_ok=True)
    path = work / "tokenizer.json"
    tokenizer.backend_tokenizer.save(str(path))
    return scorer, path, template_of(tokenizer), source.stem


def template_of(tokenizer: PreTrainedTokenizerFast) -> Template:
    """The template of the model's family, told by its control tokens."""
    control = {str(token) for token in tokenizer.added_tokens_decoder.values()}
    for token, template in TEMPLATES.items():
        if token in control:
            return template
    raise SystemExit(
        f"no prompt template for this tokenizer: none of {', '.join(TEMPLATES)} is among its control tokens"
    )


def planner_for(tokenizer: Path, template: Template, max_context: int = MAX_CONTEXT_TOKENS) -> Planner:
    """The planner that the sidecar would use."""
    return Planner(
        tokenizer,
        template,
        instruction=INSTRUCTION,
        max_context_tokens=max_context,
        max_candidate_tokens=MAX_CANDIDATE_TOKENS,
    )
