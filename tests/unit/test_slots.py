"""Slot extraction and the checks of slots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.candidates import Candidate, EnumValue, Slot, SlotType, slot_violations
from sidecar.core.messages import Message, Role
from sidecar.core.slots import MAX_MATCHED_CHARS, SlotFound, extract, fill

SPEED = Slot(
    "speed",
    SlotType.ENUM,
    required=True,
    values=(
        EnumValue("express", ("next day", "加急")),
        EnumValue("express plus"),
        EnumValue("standard", ("普通",)),
    ),
)
ORDER = Slot("order", SlotType.REGEX, required=True, pattern=r"#(\d+)")


def user(*texts: str) -> list[Message]:
    return [Message(Role.USER, text) for text in texts]


@pytest.mark.parametrize(
    ("text", "value", "matched"),
    [
        ("send it Express please", "express", "Express"),
        ("next  day, if you can", "express", "next  day"),
        ("express plus!", "express plus", "express plus"),
        ("我要加急寄送", "express", "加急"),
        ("用express寄", "express", "express"),
        ("standard or again standard", "standard", "standard"),
    ],
)
def test_enum_found(text: str, value: str, matched: str) -> None:
    found = extract(SPEED, user(text))
    assert found is not None
    assert found.value == value
    assert text[found.start : found.end] == matched


@pytest.mark.parametrize("text", ["", "expressly", "nonstandard", "standard or express", "普通还是加急", "express_1"])
def test_enum_not_found(text: str) -> None:
    assert extract(SPEED, user(text)) is None


def test_latest_user_message_wins() -> None:
    messages = [*user("express", "no, standard"), Message(Role.ASSISTANT, "express?"), *user("ok")]
    assert extract(SPEED, messages) == SlotFound("speed", "standard", 1, 4, 12)


def test_ambiguity_is_not_resolved_by_an_earlier_message() -> None:
    assert extract(SPEED, user("express", "express or standard")) is None


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.ASSISTANT, Role.TOOL])
def test_only_user_messages_are_searched(role: Role) -> None:
    assert extract(SPEED, [Message(role, "express")]) is None


def test_regex_group_and_whole_match() -> None:
    assert extract(ORDER, user("see #123 now")) == SlotFound("order", "123", 0, 5, 8)
    whole = Slot("order", SlotType.REGEX, pattern=r"\d+")
    assert extract(whole, user("😀 42")) == SlotFound("order", "42", 0, 2, 4)
    optional = Slot("order", SlotType.REGEX, pattern=r"(a)?b")
    assert extract(optional, user("b")) == SlotFound("order", "b", 0, 0, 1)


@pytest.mark.parametrize("pattern", ["", "(", "x" * 257, "a*"])
def test_regex_that_finds_nothing(pattern: str) -> None:
    assert extract(Slot("order", SlotType.REGEX, pattern=pattern), user("xxx" * 200)) is None


def test_text_is_capped() -> None:
    assert extract(ORDER, user("x" * MAX_MATCHED_CHARS + "#1")) is None
    assert extract(ORDER, user("x" * (MAX_MATCHED_CHARS - 2) + "#1")) is not None


def test_fill() -> None:
    candidate = Candidate("send", slots=(SPEED, ORDER, Slot("note"), Slot("gift", SlotType.NONE, required=True)))
    found, missing = fill(candidate, user("express"))
    assert [f.name for f in found] == ["speed"]
    assert missing == ("order",)


@pytest.mark.parametrize(
    ("slots", "fields"),
    [
        ((SPEED, ORDER, Slot("note")), []),
        ((Slot("a"), Slot("a")), ["c.slots[1].name"]),
        ((Slot(" "),), ["c.slots[0].name"]),
        ((Slot("a" * 65),), ["c.slots[0].name"]),
        ((Slot("a", SlotType.ENUM),), ["c.slots[0].values"]),
        (
            (Slot("a", SlotType.ENUM, values=(EnumValue(" "),)),),
            ["c.slots[0].values[0].value"],
        ),
        (
            (Slot("a", SlotType.ENUM, values=(EnumValue("x", ("z",)), EnumValue("y", ("Z",)))),),
            ["c.slots[0].values[1]"],
        ),
        ((Slot("a", SlotType.REGEX),), ["c.slots[0].pattern"]),
        ((Slot("a", SlotType.REGEX, pattern="("),), ["c.slots[0].pattern"]),
        ((Slot("a", SlotType.REGEX, pattern="x" * 257),), ["c.slots[0].pattern"]),
    ],
)
def test_slot_violations(slots: tuple[Slot, ...], fields: list[str]) -> None:
    assert [v.field for v in slot_violations(slots, "c")] == fields


@given(st.lists(st.text(max_size=30), max_size=4))
def test_spans_are_inside_the_message(texts: list[str]) -> None:
    messages = user(*texts, "a 加急 #7 b")
    for slot in (SPEED, ORDER, Slot("any", SlotType.REGEX, pattern=r"\w(\w)?")):
        found = extract(slot, messages)
        if found is not None:
            content = messages[found.message_index].content
            assert 0 <= found.start < found.end <= len(content)
