"""The Python client's conversion, both ways, and its errors; no sidecar."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

import codriver
from codriver import channel, convert, errors, info, types
from codriver.v1 import decision_pb2, decision_service_pb2, error_pb2, info_service_pb2
from sidecar import errors as sidecar_errors
from sidecar.config import DEFAULT_LISTEN
from sidecar.server import convert as server_convert
from sidecar.server import errors as server_errors

texts = st.text(st.characters(codec="utf-8"), max_size=8)
share = st.floats(0, 1)
KINDS = st.sampled_from([k for k in types.Kind if k is not types.Kind.UNKNOWN])
SLOTS = st.builds(
    types.Slot,
    texts,
    st.sampled_from(types.SlotType),
    st.booleans(),
    texts,
    st.lists(st.builds(types.EnumValue, texts, st.lists(texts, max_size=2)), max_size=2),
    texts,
)
CANDIDATES = st.builds(types.Candidate, texts, texts, KINDS, st.sampled_from(types.Effect), st.lists(SLOTS, max_size=2))
POLICIES = st.builds(
    types.Policy, share, share, share, share, st.sampled_from([types.Outcome.CLARIFY, types.Outcome.HAND_OFF])
)
SETS = st.builds(types.CandidateSet, st.lists(CANDIDATES, max_size=3), texts, texts, texts, POLICIES)
MESSAGES = st.builds(
    types.Message,
    st.sampled_from(types.Role),
    texts,
    st.lists(st.builds(types.ToolCall, texts, texts, texts), max_size=2),
    st.lists(st.builds(types.ToolResult, texts, texts, texts, st.booleans()), max_size=2),
)
REQUESTS = st.builds(types.Request, SETS, st.lists(MESSAGES, max_size=3), texts, texts, st.booleans(), st.booleans())


def plain(value: Any) -> Any:
    """Nested dataclasses as dicts and lists, so that those of the client and of the core compare."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


@given(REQUESTS)
def test_the_sidecar_reads_every_field_that_the_client_sends(request: types.Request) -> None:
    got = server_convert.to_request(convert.to_decide_request(request))
    assert (got.request_id, got.language) == (request.request_id, request.language)
    assert (got.validate_only, got.drop_oldest) == (request.validate_only, request.drop_oldest_messages)
    assert plain(got.messages) == plain(request.messages)
    sent, arrived = request.candidates, got.candidate_set
    assert isinstance(sent, types.CandidateSet) and not isinstance(arrived, str)
    assert (arrived.name, arrived.version) == (sent.name or "inline", sent.version)
    assert arrived.instruction("en") == sent.instruction
    assert plain(arrived.policy) == {**plain(sent.policy), "when_unsure": sent.policy.when_unsure.lower()}
    for one, other in zip(sent.candidates, arrived.candidates, strict=True):
        assert other.description("en") == one.description
        for name in ("name", "kind", "effect", "slots"):
            assert plain(getattr(other, name)) == plain(getattr(one, name))


@given(REQUESTS)
def test_a_score_request_is_the_decide_request_without_validation(request: types.Request) -> None:
    decide = json_format.MessageToDict(convert.to_decide_request(request))
    decide.pop("validateOnly", None)
    assert json_format.MessageToDict(convert.to_score_request(request)) == decide


@pytest.mark.parametrize(
    "candidates, messages, expected",
    [
        ("trip@1", "hi", {"candidateSet": "trip@1", "messages": [{"role": "ROLE_USER", "content": "hi"}]}),
        ("trip", (), {"candidateSet": "trip"}),
        ([types.Candidate("a")], (), {"inlineSet": {"candidates": [{"name": "a", "kind": "CANDIDATE_KIND_TOOL",
          "effect": "EFFECT_REVERSIBLE"}], "policy": {"whenUnsure": "OUTCOME_CLARIFY"}}}),
    ],
)  # fmt: skip
def test_the_short_forms(candidates: types.Candidates, messages: types.Messages, expected: dict[str, Any]) -> None:
    assert json_format.MessageToDict(convert.to_decide_request(types.Request(candidates, messages))) == expected


RANKING: dict[str, Any] = {
    "scores": [{"name": "a", "score": 1.5, "probability": 0.6}, {"name": "b", "score": -1.0, "probability": 0.3}],
    "none_probability": 0.1,
    "none_score": -2.0,
    "provenance": {
        "candidate_set_name": "s", "candidate_set_version": "1", "candidate_set_hash": "h1", "model_name": "m",
        "model_version": "2", "model_hash": "h2", "scoring_method": "head", "calibration_id": "identity",
    },
    "timings": {"queue_us": 1, "tokenize_us": 2, "score_us": 3, "total_us": 6},
    "stats": {"computed_tokens": 7, "cached_tokens": 8, "batch_requests": 9},
    "dropped_messages": 3,
}  # fmt: skip
SLOT = {"name": "x", "value": "y", "message_index": 2, "start": 3, "end": 4}


def ranking_proto() -> dict[str, Any]:
    return {**RANKING, "provenance": {**RANKING["provenance"], "tier": "TIER_SCORER"}}


def ranking_expected() -> dict[str, Any]:
    return {**RANKING, "provenance": {**RANKING["provenance"], "tier": "SCORER"}}


def test_every_field_of_a_decision_arrives() -> None:
    chosen = {"name": "a", "probability": 0.6, "missing_slots": ["z"], "slots": [SLOT]}
    facts = {"decision_id": "d", "margin": 0.3, "confidence": 0.2, "degraded": True}
    proto = decision_pb2.Decision(
        **facts,
        **ranking_proto(),
        outcome="OUTCOME_ACT",
        reasons=[{"code": "REASON_CODE_CONFIDENT", "detail": "sure"}],
        chosen=[{**chosen, "kind": "CANDIDATE_KIND_FINISH", "effect": "EFFECT_READ_ONLY"}],
    )
    assert {f.name for f, _ in proto.ListFields()} == set(decision_pb2.Decision.DESCRIPTOR.fields_by_name)
    assert plain(convert.from_decision(proto)) == {
        **facts,
        "ranking": ranking_expected(),
        "outcome": "ACT",
        "reasons": [{"code": "CONFIDENT", "detail": "sure"}],
        "chosen": [{**chosen, "kind": "finish", "effect": "read_only"}],
    }


def test_every_field_of_scores_arrives() -> None:
    proto = decision_service_pb2.ScoreResponse(**ranking_proto())
    assert {f.name for f, _ in proto.ListFields()} == set(proto.DESCRIPTOR.fields_by_name)
    assert plain(convert.from_scores(proto)) == ranking_expected()


def test_every_field_of_info_arrives() -> None:
    limits = {f.name: i for i, f in enumerate(dataclasses.fields(info.Limits), 1)}
    expected = {
        "server_version": "0.1",
        "scorer": "static",
        "limits": limits,
        "models": [{"name": "m", "version": "1", "hash": "h", "scoring_method": "head", "ready": True}],
        "candidate_sets": [{"name": "s", "version": "1", "hash": "h", "candidate_count": 2, "languages": ["en"]}],
    }
    proto = info_service_pb2.GetInfoResponse(**expected)
    assert {f.name for f, _ in proto.ListFields()} == set(proto.DESCRIPTOR.fields_by_name)
    assert plain(convert.from_info(proto)) == expected
    assert convert.from_info(proto).ready


@pytest.mark.parametrize("ready, all_ready", [([True], True), ([True, False], False), ([False], False)])
def test_ready_means_every_model(ready: list[bool], all_ready: bool) -> None:
    models = [info_service_pb2.ModelInfo(ready=r) for r in ready]
    assert convert.from_info(info_service_pb2.GetInfoResponse(models=models)).ready is all_ready


def test_what_a_newer_sidecar_says_is_read_cautiously() -> None:
    proto = decision_pb2.Decision(
        outcome=99, reasons=[{"code": 99}], chosen=[{"kind": 99, "effect": 99}], provenance={"tier": 99}
    )
    decision = convert.from_decision(proto)
    assert decision.outcome is types.Outcome.CLARIFY
    assert decision.choice and (decision.choice.kind, decision.choice.effect) == ("unknown", "irreversible")
    assert (decision.reasons[0].code, decision.ranking.provenance.tier) == ("UNKNOWN_99", "UNKNOWN_99")


@pytest.mark.parametrize("count, has_choice", [(0, False), (1, True), (2, False)])
def test_choice_is_the_only_one(count: int, has_choice: bool) -> None:
    decision = convert.from_decision(decision_pb2.Decision(chosen=[{"name": "a"}] * count))
    assert decision.outcome is None and (decision.choice is not None) is has_choice


HALF = "half \ud83d"
SET = types.CandidateSet([types.Candidate("a"), types.Candidate("b", slots=[types.Slot("s", description=HALF)])])


@pytest.mark.parametrize(
    "request_, fields",
    [
        (types.Request("s", HALF), ["messages"]),
        (types.Request("s", [types.Message.user("fine"), types.Message.user(HALF)]), ["messages[1].content"]),
        (types.Request("s", [types.Message(types.Role.TOOL, tool_results=[types.ToolResult(HALF)])]),
         ["messages[0].tool_results[0].content"]),
        (types.Request(SET, "hi"), ["candidates.candidates[1].slots[0].description"]),
        (types.Request([types.Candidate(HALF)], HALF, HALF), ["candidates[0].name", "messages", "request_id"]),
        (types.Request(HALF), ["candidates"]),
    ],
)  # fmt: skip
def test_a_lone_surrogate_is_refused_by_its_field(request_: types.Request, fields: list[str]) -> None:
    for convert_ in (convert.to_decide_request, convert.to_score_request):
        with pytest.raises(errors.CodriverError) as refused:
            convert_(request_)
        assert (refused.value.code, refused.value.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
        assert [v.field for v in refused.value.violations] == fields
        assert "half" not in str(refused.value).replace("holds half of", "")  # no text of the request in errors


def test_a_whole_pair_is_no_lone_surrogate() -> None:
    assert convert.to_decide_request(types.Request("s", "🙂")).messages[0].content == "🙂"


FAILURES = [
    sidecar_errors.InvalidRequest.of("messages", "has 300 messages; the limit is 256"),
    sidecar_errors.TooManyTokens("messages", tokens=3000, limit=2048, what="the context"),
    sidecar_errors.CandidateSetNotFound("no set"),
    sidecar_errors.Overloaded("full", metadata={"limit": "64"}),
    sidecar_errors.ModelNotReady("loading"),
    sidecar_errors.DeadlineExceeded("late"),
]


class Failed(grpc.RpcError):
    """A failed call as grpc raises it."""

    def __init__(self, code: grpc.StatusCode, details: str, trailers: Any) -> None:
        self.code, self.details, self.trailing_metadata = lambda: code, lambda: details, lambda: trailers


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: type(f).__name__)
def test_an_error_arrives_whole_from_a_call_and_from_a_batch(failure: sidecar_errors.CodriverError) -> None:
    code = server_errors.grpc_code(failure)
    trailers = (("other", "x"), *server_errors.trailers(failure, "id"))
    by_call = errors.from_rpc(Failed(code, failure.message, trailers))
    by_item = errors.from_item(server_errors.to_item_error(failure))
    for error in (by_call, by_item):
        assert (error.code, error.reason, error.message) == (code, failure.reason, failure.message)
        assert [(v.field, v.description) for v in error.violations] == [
            (v.field, v.description) for v in failure.violations
        ]
        assert error.retry_after == failure.retry_after
        assert str(error) == f"{failure.reason}: {failure.message}"
    assert by_call.metadata == {**failure.metadata, "request_id": "id"}


@pytest.mark.parametrize("trailers", [None, (), (("grpc-status-details-bin", b"\xff"),)])
def test_an_error_without_details_keeps_its_code(trailers: Any) -> None:
    error = errors.from_rpc(Failed(grpc.StatusCode.UNAVAILABLE, "nobody is there", trailers))
    assert (error.reason, error.violations, error.retry_after) == ("", (), None)
    assert str(error) == "UNAVAILABLE: nobody is there"


def test_an_item_error_of_a_newer_sidecar_is_read() -> None:
    error = errors.from_item(error_pb2.ItemError(code=99, reason=99, message="new"))
    assert (error.code, error.reason, str(error)) == (grpc.StatusCode.UNKNOWN, "", "UNKNOWN: new")


def test_an_error_survives_pickling() -> None:
    violations = [errors.Violation("messages", "too long")]
    error = errors.CodriverError(grpc.StatusCode.UNAVAILABLE, "DRAINING", "bye", violations, 0.5, {"a": "b"})
    copy = pickle.loads(pickle.dumps(error))
    assert vars(copy) == vars(error) and str(copy) == str(error) == "DRAINING: bye"


@pytest.mark.parametrize(
    "argument, variable, expected",
    [
        (None, None, DEFAULT_LISTEN),
        (None, "unix:///run/a.sock", "unix:///run/a.sock"),
        ("h:1", "unix:///run/a.sock", "h:1"),
        (None, "", DEFAULT_LISTEN),
    ],
)
def test_the_address(
    monkeypatch: pytest.MonkeyPatch, argument: str | None, variable: str | None, expected: str
) -> None:
    monkeypatch.delenv("CODRIVER_ADDRESS", raising=False)
    if variable is not None:
        monkeypatch.setenv("CODRIVER_ADDRESS", variable)
    assert channel.target(argument) == expected


def test_both_clients_offer_the_same_methods() -> None:
    def surface(client: type) -> dict[str, str]:
        methods = {n: inspect.signature(m) for n, m in vars(client).items() if callable(m) and n[0] != "_"}
        return {n: str(s.replace(return_annotation=None)) for n, s in methods.items()}

    assert surface(codriver.Client) == surface(codriver.AsyncClient)
    assert set(codriver.__all__) == {n for n in vars(codriver) if n[0].isupper()}
