"""From a candidate set and a conversation to a token plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidecar.core.candidates import CandidateSet
from sidecar.core.messages import Message, Role, ToolCall, ToolResult
from sidecar.errors import InvalidRequest, TooManyTokens, Violation
from sidecar.prompt.naming import branch_texts, clean, words
from sidecar.prompt.plan import TokenIds, TokenPlan
from sidecar.prompt.template import Template
from sidecar.prompt.tokenizer import SafeTokenizer

CACHED_SETS = 256
"""Candidate sets whose branch tokens are kept."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A token plan, and how many of the oldest messages were left out to make it fit."""

    plan: TokenPlan
    dropped: int = 0


class Planner:
    """Turns requests into token plans for one model. Branch tokens are made once per candidate set and language."""

    def __init__(
        self,
        tokenizer: Path,
        template: Template,
        *,
        instruction: str,
        max_context_tokens: int,
        max_candidate_tokens: int,
    ) -> None:
        self.max_context_tokens = max_context_tokens
        self.max_candidate_tokens = max_candidate_tokens
        self._tokenizer = SafeTokenizer(tokenizer)
        self._instruction = instruction
        scaffold = self._tokenizer.scaffold
        self._begin = scaffold(template.begin)
        self._turn_start = {role: scaffold(template.turn_start[role.value]) for role in Role}
        self._turn_end = scaffold(template.turn_end)
        self._answer = scaffold(template.answer)
        self._terminator = scaffold(template.terminator)
        self._branches: OrderedDict[tuple[str, str], tuple[TokenIds, ...]] = OrderedDict()

    def plan(
        self,
        candidate_set: CandidateSet,
        messages: Sequence[Message],
        *,
        language: str = "",
        drop_oldest: bool = False,
    ) -> Planned:
        """The token plan; branches come in the order of the set's candidates.

        Raises TooManyTokens where the conversation or a candidate is over its limit, InvalidRequest where two candidates
        read the same to the model or a text cannot be encoded.
        """
        language = language or candidate_set.languages[0]
        branches = self.branches(candidate_set, language)
        head = self._head(candidate_set.instruction(language))
        turns = [self._turn(m, f"messages[{i}]") for i, m in enumerate(messages)]
        dropped = self._dropped(len(head) + len(self._answer), turns) if drop_oldest else 0
        context = np.concatenate([head, *turns[dropped:], self._answer])
        if len(context) > self.max_context_tokens:
            raise TooManyTokens(
                "messages",
                tokens=len(context),
                limit=self.max_context_tokens,
                what="the instruction with the conversation",
            )
        return Planned(TokenPlan(context, branches), dropped)

    def branches(self, candidate_set: CandidateSet, language: str) -> tuple[TokenIds, ...]:
        """The branch tokens of every candidate, from the cache where the set was seen before."""
        key = (candidate_set.content_hash, language)
        if key not in self._branches:
            self._branches[key] = self._make_branches(candidate_set, language)
            if len(self._branches) > CACHED_SETS:
                self._branches.popitem(last=False)
        self._branches.move_to_end(key)
        return self._ordered(candidate_set, self._branches[key])

    @staticmethod
    def _ordered(candidate_set: CandidateSet, by_name: tuple[TokenIds, ...]) -> tuple[TokenIds, ...]:
        # The content hash ignores order, so the cache holds branches by name.
        names = sorted(c.name for c in candidate_set.candidates)
        place = {name: index for index, name in enumerate(names)}
        return tuple(by_name[place[c.name]] for c in candidate_set.candidates)

    def _make_branches(self, candidate_set: CandidateSet, language: str) -> tuple[TokenIds, ...]:
        texts = branch_texts(candidate_set, language)
        made = [np.concatenate([tokens, self._terminator]) for tokens in self._tokenizer.contents(texts)]
        seen: dict[bytes, int] = {}
        violations = []
        for index, tokens in enumerate(made):
            if len(tokens) > self.max_candidate_tokens:
                raise TooManyTokens(
                    f"candidates[{index}]",
                    tokens=len(tokens),
                    limit=self.max_candidate_tokens,
                    what="the name with the description",
                )
            first = seen.setdefault(tokens.tobytes(), index)
            if first != index:
                text = f"reads the same to the model as candidates[{first}]: {texts[index]!r}"
                violations.append(Violation(f"candidates[{index}]", text))
        if violations:
            raise InvalidRequest(violations)
        order = sorted(range(len(made)), key=lambda i: candidate_set.candidates[i].name)
        return tuple(made[i] for i in order)

    def _head(self, instruction: str) -> TokenIds:
        text = clean(instruction, "instruction") or self._instruction
        return np.concatenate(
            [
                self._begin,
                self._turn_start[Role.SYSTEM],
                self._tokenizer.content(text),
                self._turn_end,
            ]
        )

    def _turn(self, message: Message, field: str) -> TokenIds:
        text = clean(message_text(message), field)
        return np.concatenate([self._turn_start[message.role], self._tokenizer.content(text), self._turn_end])

    def _dropped(self, fixed: int, turns: Sequence[TokenIds]) -> int:
        total = fixed + sum(len(turn) for turn in turns)
        dropped = 0
        while total > self.max_context_tokens and dropped < len(turns) - 1:
            total -= len(turns[dropped])
            dropped += 1
        return dropped


def message_text(message: Message) -> str:
    """What the model reads of a message: its text, then its calls and results."""
    parts = [message.content]
    parts += [_call_text(call) for call in message.tool_calls]
    parts += [_result_text(result) for result in message.tool_results]
    return "\n".join(part for part in parts if part)


def _call_text(call: ToolCall) -> str:
    return f"called {words(call.name)} {call.arguments_json}".rstrip()


def _result_text(result: ToolResult) -> str:
    source = f"{words(result.name)} " if result.name else ""
    return f"{source}{'failed' if result.failed else 'returned'}: {result.content}"
