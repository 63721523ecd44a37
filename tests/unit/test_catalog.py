"""Candidate-set files, the catalog and the published examples."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from sidecar.catalog.catalog import Catalog
from sidecar.catalog.loader import CatalogError, load_set
from sidecar.catalog.schema import json_schema, json_schema_text
from sidecar.core.candidates import Candidate, Effect, EnumValue, Kind, Slot, SlotType
from sidecar.core.messages import Message, Role
from sidecar.core.policy import WhenUnsure
from sidecar.core.slots import extract
from sidecar.errors import CandidateSetNotFound

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))

FULL = """
name: shop
version: "2"
languages: [en, zh]
instruction: {en: Help., zh: 帮忙。}
policy: {min_probability: 0.4, when_unsure: hand_off}
templates: {en: {clarify: Say more.}}
candidates:
  - name: send
    description: {en: Send it., zh: 寄。}
    kind: tool
    effect: irreversible
    examples: {zh: [寄吧]}
    when: {state: paid}
    slots:
      - {name: speed, type: enum, required: true, values: [{value: fast, synonyms: [快]}]}
      - {name: order, type: regex, pattern: '\\d+'}
  - {name: ask, description: Ask., kind: clarify, examples: [hm]}
"""


def write(folder: Path, text: str, name: str = "a.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def small(name: str = "s", version: str = "1", candidate: str = "a") -> str:
    return f'name: {name}\nversion: "{version}"\ncandidates: [{{name: {candidate}}}]\n'


def test_every_field_is_mapped(tmp_path: Path) -> None:
    loaded = load_set(write(tmp_path, FULL))
    assert (loaded.name, loaded.version, loaded.languages) == ("shop", "2", ("en", "zh"))
    assert loaded.instructions == {"en": "Help.", "zh": "帮忙。"}
    assert loaded.templates == {"en": {"clarify": "Say more."}}
    assert loaded.policy.min_probability == 0.4
    assert loaded.policy.near_tie_margin == 0.1
    assert loaded.policy.when_unsure is WhenUnsure.HAND_OFF
    assert loaded.candidates == (
        Candidate(
            "send",
            {"en": "Send it.", "zh": "寄。"},
            Kind.TOOL,
            Effect.IRREVERSIBLE,
            (
                Slot("speed", SlotType.ENUM, True, values=(EnumValue("fast", ("快",)),)),
                Slot("order", SlotType.REGEX, pattern=r"\d+"),
            ),
            {"zh": ("寄吧",)},
            {"state": "paid"},
        ),
        Candidate("ask", {"en": "Ask."}, Kind.CLARIFY, examples={"en": ("hm",)}),
    )
    assert len(loaded.content_hash) == 64


@pytest.mark.parametrize(
    ("text", "field", "cause"),
    [
        ("[", "", "not valid YAML: line"),
        ("- a", "", "not a mapping"),
        ("", "", "not a mapping"),
        ("name: a\nname: b", "", "'name' is there twice"),
        ("name: !!python/none x", "", "not valid YAML"),
        (small().replace('"1"', "1"), "version", "put 1 into quotes"),
        (small("a@b"), "name", "pattern"),
        (small() + "extra: 1", "extra", "not permitted"),
        (small() + "policy: {min_probability: 2}", "policy.min_probability", "less than or equal"),
        (small() + "policy: {min_probability: .nan}", "policy.min_probability", "finite"),
        (small() + "instruction: {zh: x}", "instruction.zh", "not one of the set's languages"),
        (small(candidate="a, kind: x"), "candidates[0].kind", "'clarify'"),
        (small(candidate="a, description: 3"), "candidates[0].description", "put 3 into quotes"),
        (small(candidate="a}, {name: a"), "candidates[1].name", "same as candidates[0]"),
        (
            small(candidate="a, slots: [{name: n, type: regex, pattern: '('}]"),
            "candidates[0].slots[0].pattern",
            "not a regular expression",
        ),
        ('name: s\nversion: "1"\ncandidates: []', "candidates", "at least 1"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, field: str, cause: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CatalogError) as caught:
        load_set(path)
    assert caught.value.file == path
    assert [v.field for v in caught.value.violations] == [field]
    assert cause in caught.value.violations[0].description
    assert str(path) in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_set(tmp_path / "missing.yaml")
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"name: \xff")
    with pytest.raises(CatalogError, match="not UTF-8 at byte 6"):
        load_set(path)


def test_versions(tmp_path: Path) -> None:
    write(tmp_path, small(version="1", candidate="old"), "s-1.yaml")
    write(tmp_path, small(version="2", candidate="new"), "s-2.yaml")
    write(tmp_path, "not a set", "notes.txt")
    catalog = Catalog.load([tmp_path])
    assert catalog.get("s").version == "2"
    assert catalog.get("s@1").candidates[0].name == "old"
    assert [s.version for s in catalog.sets] == ["1", "2"]


def test_file_names_decide_the_current_version_not_the_arguments(tmp_path: Path) -> None:
    first = write(tmp_path, small(version="1"), "a.yaml")
    last = write(tmp_path, small(version="2"), "b.yaml")
    assert Catalog.load([last, first]).get("s").version == "2"


def test_one_version_cannot_have_two_contents(tmp_path: Path) -> None:
    first = write(tmp_path, small(candidate="a"), "a.yaml")
    second = write(tmp_path, small(candidate="b"), "b.yaml")
    with pytest.raises(CatalogError, match="other content") as caught:
        Catalog.load([tmp_path])
    assert caught.value.file == second
    assert len(Catalog.load([first, first]).sets) == 1


@pytest.mark.parametrize("reference", ["", "t", "s@2", "s@", "@1", "s@1@1"])
def test_not_found(tmp_path: Path, reference: str) -> None:
    catalog = Catalog.load([write(tmp_path, small())])
    with pytest.raises(CandidateSetNotFound) as caught:
        catalog.get(reference)
    assert caught.value.metadata["candidate_set"] == reference


def test_published_schema_is_fresh() -> None:
    published = (ROOT / "docs" / "candidate-set.schema.json").read_text(encoding="utf-8")
    assert published == json_schema_text(), "run: python -m sidecar.catalog.schema > docs/candidate-set.schema.json"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path: Path) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), json_schema())
    loaded = load_set(path)
    language = loaded.languages[0]
    for candidate in loaded.candidates:
        description = candidate.description(language)
        assert description and len(description.split()) <= 20
        assert 2 <= len(candidate.examples[language]) <= 3
    assert any(c.kind is Kind.CLARIFY for c in loaded.candidates)


def test_all_examples_load_together() -> None:
    assert [s.name for s in Catalog.load([ROOT / "examples"]).sets] == [
        "home_assistant",
        "order_support",
        "order_support_zh",
        "trip_planner",
        "trip_planner_zh",
    ]


@pytest.mark.parametrize(
    ("reference", "candidate", "text", "values"),
    [
        ("order_support", "look_up_order", "Has AB-100245 been shipped?", ["AB-100245"]),
        ("order_support_zh", "look_up_order", "订单48210377到哪里了？", ["48210377"]),
        ("order_support_zh", "tell_shipping_cost", "加急多少钱？", ["express"]),
        ("trip_planner", "search_flights", "from Berlin to New York", ["Berlin", "New York"]),
        ("trip_planner_zh", "search_trains", "从苏州去杭州，5月1日", ["苏州", "杭州", "5月1日"]),
        ("home_assistant", "set_timer", "a 10-minute timer", ["10"]),
        ("home_assistant", "set_thermostat", "heating to 21.5 degrees", ["21.5"]),
        ("home_assistant", "turn_on_lights", "lights in the Living Room", ["living_room"]),
    ],
)
def test_example_slots(reference: str, candidate: str, text: str, values: list[str]) -> None:
    slots = Catalog.load([ROOT / "examples"]).get(reference).candidate(candidate).slots
    found = [extract(slot, [Message(Role.USER, text)]) for slot in slots]
    assert [f.value for f in found if f is not None] == values
