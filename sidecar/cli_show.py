"""Answers as people read them. Names and reasons are printed as they are: brackets and colons in them mean nothing."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from codriver import Decision, Info, Scores

PIPE_WIDTH = 1000


def show_json(value: Any) -> None:
    """Prints a dataclass as JSON."""
    print(json.dumps(dataclasses.asdict(value), indent=2, ensure_ascii=False))


def show_decision(decision: Decision) -> None:
    """Prints outcome, reasons, the ranking and the timings."""
    console = _console()
    names = ", ".join(c.name for c in decision.chosen)
    console.print(f"{decision.outcome or 'VALIDATED'} {names}".rstrip(), style="bold")
    for reason in decision.reasons:
        console.print(f"  {reason.code}: {reason.detail}")
    for choice in decision.chosen:
        for slot in choice.slots:
            console.print(f"  {choice.name}.{slot.name} = {slot.value}")
        if choice.missing_slots:
            console.print(f"  {choice.name} misses {', '.join(choice.missing_slots)}")
    _ranking(console, decision.ranking, {c.name for c in decision.chosen})
    console.print(f"margin {decision.margin:.4f}, confidence {decision.confidence:.4f}")
    _origin(console, decision.ranking)


def show_scores(scores: Scores) -> None:
    """Prints the ranking and the timings."""
    console = _console()
    _ranking(console, scores, set())
    _origin(console, scores)


def _console() -> Console:
    # Lines are never broken, and a table is as wide as it needs where no terminal limits it.
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=True, width=width)


def _ranking(console: Console, scores: Scores, chosen: set[str]) -> None:
    if not scores.scores:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("candidate", overflow="fold")
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    for row in scores.scores:
        style = "bold" if row.name in chosen else None
        table.add_row(row.name, f"{row.probability:.4f}", f"{row.score:.3f}", style=style)
    table.add_row("(none)", f"{scores.none_probability:.4f}", f"{scores.none_score:.3f}", style="dim")
    console.print(table)


def _origin(console: Console, scores: Scores) -> None:
    times, made_by = scores.timings, scores.provenance
    console.print(
        f"{times.total_us / 1000:.1f} ms: queue {times.queue_us / 1000:.1f}, "
        f"tokenise {times.tokenize_us / 1000:.1f}, score {times.score_us / 1000:.1f}; "
        f"{scores.stats.computed_tokens} tokens"
    )
    version = f"@{made_by.candidate_set_version}" if made_by.candidate_set_version else ""
    console.print(
        f"set {made_by.candidate_set_name}{version}, model {made_by.model_name} "
        f"{made_by.model_version}, method {made_by.scoring_method}"
    )
    if scores.dropped_messages:
        console.print(f"{scores.dropped_messages} oldest messages were left out")


def show_info(info: Info) -> None:
    """Prints what a sidecar says of itself."""
    console = _console()
    console.print(f"codriver {info.server_version}, scorer {info.scorer}")
    for model in info.models:
        state = "ready" if model.ready else "not ready"
        console.print(f"model {model.name} {model.version}: {state}, {model.scoring_method}")
    for one in info.candidate_sets:
        languages = ", ".join(one.languages)
        console.print(f"set {one.name}@{one.version}: {one.candidate_count} candidates ({languages})")
    for name, value in dataclasses.asdict(info.limits).items():
        console.print(f"{name} {value}")
