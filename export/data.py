"""Training and dev examples from public decision data (the JSONL format of ``../shared/data``)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.distractors import Distractors
from export.embedder import Embedder
from sidecar.core.candidates import Candidate, CandidateSet, Slot
from sidecar.core.messages import Message, Role, ToolCall
from sidecar.errors import InvalidRequest
from sidecar.prompt.plan import TokenPlan
from sidecar.prompt.planner import Planner

SOURCES = {
    "sgd_route": 0.8, "sgd_steps": 1.2, "sealtools_more": 1.2, "acebench_more": 1.5, "acebench": 0.6,
    "lobe_agents": 0.7, "callnavi": 0.6, "gorilla_apibench": 0.4, "thingpedia": 1.0, "botframework_va": 0.6,
    "dstc11_intents": 0.6, "multidogo": 0.5, "ha_intents": 0.5, "clinc150": 1.0, "hwu64": 0.6, "banking77": 0.5,
    "metatool": 0.8, "snips": 0.2, "mtubench": 0.4, "toolalpaca": 0.4, "nestful": 0.3, "star": 0.1,
    "glaive_toolcall": 0.3,
}  # fmt: skip
"""English training sources and how often their cases are drawn, relative to their number."""

RESERVED = {"ask_user", "finish", "respond_to_user"}
NONE_SHARE = 0.12
"""Share of examples from which the right candidates are taken away, so that "nothing fits" is learned."""

BARE_SHARE = 0.12
"""Share of examples whose candidates are bare names."""

HARD_SHARE = 0.5
"""Share of examples whose distractors are the right candidate's neighbours."""

COUNTS = (2, 3, 4, 5, 6, 7, 8, 8, 8, 9, 10, 12, 14, 16)
"""How many candidates an example has; one is drawn."""

MAX_TOKENS = 400
"""Longer examples are left out: a step costs what its tokens cost."""


@dataclass(frozen=True, slots=True)
class Example:
    """A token plan and the index of its right branch; K (the number of branches) stands for "nothing fits"."""

    plan: TokenPlan
    target: int
    source: str


class Cases:
    """The cases of one split with their label sets and a pool of tools for distractors."""

    def __init__(
        self, folder: Path, split: str, sources: Sequence[str] = tuple(SOURCES), embedder: Embedder | None = None
    ) -> None:
        self._folder = folder
        self._embedder = embedder
        self._labels: dict[str, list[dict[str, Any]]] = {}
        self._own: dict[str, Distractors] = {}
        self.pool = Distractors(_read(folder / "pool" / "tools_en.jsonl"), embedder)
        self.by_source = {
            source: [c for c in _read(folder / f"{source}.jsonl") if c["split"] == split and c["lang"] == "en"]
            for source in sources
        }

    def candidates(self, case: dict[str, Any]) -> list[dict[str, Any]]:
        """A case's own candidates, or its label set."""
        if "candidates" in case:
            return list(case["candidates"])
        name = case["meta"]["labels"]
        if name not in self._labels:
            labels = json.loads((self._folder / f"{name}.labels.json").read_text(encoding="utf-8"))
            self._labels[name] = labels if isinstance(labels, list) else labels["labels"]
        return list(self._labels[name])

    def label_distractors(self, case: dict[str, Any]) -> Distractors:
        """The label set of a case as a pool of its own."""
        name = case["meta"]["labels"]
        if name not in self._own:
            self._own[name] = Distractors(self.candidates(case), self._embedder)
        return self._own[name]

    def draw(self, rng: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
        """Cases without end, sources weighted as in ``SOURCES``."""
        names = [s for s, cases in self.by_source.items() if cases]
        weights = [SOURCES[s] * len(self.by_source[s]) for s in names]
        while True:
            source = rng.choices(names, weights)[0]
            yield source, rng.choice(self.by_source[source])


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def to_messages(case: dict[str, Any]) -> tuple[Message, ...]:
    """The conversation of a case."""
    return tuple(
        Message(
            Role(m["role"]),
            m.get("content") or "",
            tuple(
                ToolCall(call["name"], json.dumps(call.get("arguments", {}), ensure_ascii=False))
                for call in m.get("tool_calls", ())
            ),
        )
        for m in case["messages"]
    )


def to_candidate(raw: dict[str, Any], *, bare: bool = False) -> Candidate:
    """A candidate of a case; ``bare`` leaves its description and parameters out."""
    parameters = raw.get("parameters") or {}
    required = parameters.get("required") or [] if isinstance(parameters, dict) else []
    return Candidate(
        raw["name"],
        {} if bare else {"en": raw.get("description") or ""},
        slots=() if bare else tuple(Slot(str(name), required=True) for name in required[:6]),
    )


def sample(
    cases: Cases, source: str, case: dict[str, Any], rng: random.Random
) -> tuple[list[dict[str, Any]], int] | None:
    """Draws a candidate list of 2 to 16 with the index of the right one (or its length for "nothing fits")."""
    gold = set(case["gold"])
    if len(gold) > 1 and case["meta"].get("gold_semantics") == "all":
        return None
    own = [c for c in cases.candidates(case) if c["name"] not in gold]
    right = [c for c in cases.candidates(case) if c["name"] in gold]
    reserved = [c for c in own if c["name"] in RESERVED]
    count = rng.choice(COUNTS) - len(reserved) - 1
    hard = right[0] if right and right[0]["name"] not in RESERVED and rng.random() < HARD_SHARE else None
    others = [c for c in own if c["name"] not in RESERVED]
    if "candidates" not in case and hard is not None:
        others = [c for c in cases.label_distractors(case).hard(rng, hard, count) if c["name"] not in gold]
    picked = rng.sample(others, min(len(others), max(0, count)))
    if "candidates" in case or rng.random() < 0.1:
        extra = max(rng.randint(0, 2), count - len(picked))
        picked += cases.pool.random(rng, extra) if hard is None else cases.pool.hard(rng, hard, extra)
    chosen = reserved + picked
    if right and rng.random() >= NONE_SHARE:
        chosen.append(rng.choice(right))
        target_name = chosen[-1]["name"]
    else:
        target_name = None
    seen: dict[str, dict[str, Any]] = {}
    for candidate in chosen:
        if candidate["name"] == target_name or candidate["name"] not in gold:
            seen.setdefault(candidate["name"], candidate)
    final = list(seen.values())
    if not final:
        return None
    names = [c["name"] for c in final]
    return final, names.index(target_name) if target_name is not None else len(final)


def make_example(
    planner: Planner, cases: Cases, source: str, case: dict[str, Any], rng: random.Random
) -> Example | None:
    """An example as the sidecar would serve it; None where it is ambiguous or too long to train on."""
    drawn = sample(cases, source, case, rng)
    if drawn is None:
        return None
    raw, target = drawn
    bare = rng.random() < BARE_SHARE
    candidate_set = CandidateSet(tuple(to_candidate(c, bare=bare) for c in raw))
    try:
        plan = planner.plan(candidate_set, to_messages(case), drop_oldest=True).plan
    except InvalidRequest:
        return None
    return Example(plan, target, source) if plan.tokens <= MAX_TOKENS else None


def examples(planner: Planner, cases: Cases, seed: int) -> Iterator[Example]:
    """Training examples without end, the same ones for the same seed."""
    rng = random.Random(seed)
    for source, case in cases.draw(rng):
        example = make_example(planner, cases, source, case, rng)
        if example is not None:
            yield example


def dev_examples(planner: Planner, cases: Cases, count: int, seed: int) -> list[Example]:
    """``count`` dev examples, spread over the sources."""
    rng = random.Random(seed)
    flat = [(s, c) for s, cs in cases.by_source.items() for c in cs]
    rng.shuffle(flat)
    made = (make_example(planner, cases, s, c, rng) for s, c in flat)
    found = [e for e in made if e is not None]
    return found[:count]
