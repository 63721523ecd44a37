"""The command line without a sidecar: how it fails, and what it prints by itself."""

from __future__ import annotations

import dataclasses
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from codriver import CodriverError
from codriver.convert import to_set as to_proto
from sidecar import __version__, cli_exit, cli_input, errors
from sidecar.catalog.loader import load_set
from sidecar.cli import app
from sidecar.cli_exit import CONFIG, DATA, INTERNAL, PIPE_CLOSED, UNAVAILABLE, USAGE
from sidecar.server.convert import to_set as from_proto
from tests.sidecars import COMMAND, ROOT

TRIP = str(ROOT / "examples/trip_planner.en.yaml")
FILES = {
    "bad.yaml": "name: a\nname: b\n",
    "one.yaml": "name: a\nversion: '1'\ncandidates: []\n",
    "unknown_key.yml": "lisen: 127.0.0.1:0\n",
    "bad_value.yml": "threads: 0\ngrace_s: -1\n",
    "not.json": "[",
    "dict.json": '{"role": "user"}',
    "role.json": '[{"role": "user"}, {"role": "bot"}]',
    "field.json": '[{"role": "user", "contents": "hi"}]',
    "call.json": '[{"role": "assistant", "tool_calls": [{"name": "a", "arguments_json": {}}]}]',
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith("CODRIVER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


ASK = ("decide", "--set", TRIP)
SAY = ("--message", "hi")


@pytest.mark.parametrize(
    "arguments, code, text",
    [
        ([], USAGE, "give a command"),
        (["bogus"], USAGE, "No such command 'bogus'"),
        (["decide", *SAY], USAGE, "Missing option '--set'"),
        ([*ASK], USAGE, "give --message TEXT or --messages FILE.json"),
        ([*ASK, *SAY, "--timeout", "0"], USAGE, "'--timeout'"),
        (["decide", "--set", "no.yaml", *SAY], DATA, "no.yaml: cannot be read: No such file"),
        (["decide", "--set", ".", *SAY, "--address", "127.0.0.1:1"], UNAVAILABLE, "UNAVAILABLE"),
        (["decide", "--set", "bad.yaml", *SAY], DATA, "the key 'name' is there twice"),
        (["score", "--set", "one.yaml", *SAY], DATA, "one.yaml: candidates"),
        ([*ASK, "--messages", "no.json"], DATA, "no.json cannot be read: No such file"),
        ([*ASK, "--messages", "not.json"], DATA, "Invalid JSON"),
        ([*ASK, "--messages", "dict.json"], DATA, "should be a valid array"),
        ([*ASK, "--messages", "role.json"], DATA, "[1].role Input should be 'system'"),
        ([*ASK, "--messages", "field.json"], DATA, "[0].contents"),
        ([*ASK, "--messages", "call.json"], DATA, "[0].tool_calls[0].arguments_json"),
        ([*ASK, "--message", "half \ud83d"], DATA, "messages[0].content: holds half of a surrogate pair"),
        (["serve", "--model", "no", "--candidate-sets", TRIP], CONFIG, "no"),
        (["serve", "--candidate-sets", "bad.yaml"], DATA, "bad.yaml"),
        (["serve", "--model", "no", "--listen", "0.0.0.0:1"], CONFIG, "allow_remote"),
        (["config", "print", "--config", "no.yml"], CONFIG, "no.yml does not exist"),
        (["config", "print", "--config", "unknown_key.yml"], CONFIG, "lisen"),
        (["config", "print", "--config", "bad_value.yml"], CONFIG, "; grace_s"),
        (["config", "print", "--config", "not.json"], CONFIG, "not.json"),
        ([*ASK, *SAY, "--address", "127.0.0.1:1", "--timeout", "1"], UNAVAILABLE, "127.0.0.1:1"),
        (["info", "--address", "unix:///no/such.sock"], UNAVAILABLE, "UNAVAILABLE"),
        (["export", "build"], UNAVAILABLE, "make setup"),
    ],
)
def test_a_failure_is_one_line_and_a_code(arguments: list[str], code: int, text: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1), result.stderr
    assert result.stderr.startswith("codriver: ") and text in result.stderr
    assert not result.stdout or not arguments  # without a command the help is printed


@pytest.mark.parametrize("debug", [False, True])
def test_what_nobody_expected_shows_its_traceback_on_request(monkeypatch: pytest.MonkeyPatch, debug: bool) -> None:
    def boom(*_: object) -> None:
        raise RuntimeError("boom\nbang")

    monkeypatch.setattr(cli_input, "read_messages", boom)
    if debug:
        monkeypatch.setenv("CODRIVER_DEBUG", "1")
    result = run(*ASK, *SAY)
    if debug:
        assert isinstance(result.exception, RuntimeError)
    else:
        assert result.exit_code == INTERNAL
        text = "internal error: RuntimeError: boom; bang (set CODRIVER_DEBUG=1 for the traceback)"
        assert result.stderr == f"codriver: {text}\n"


@pytest.mark.parametrize(
    "error, code",
    [
        (errors.TritonUnreachable("no Triton"), UNAVAILABLE),
        (errors.Overloaded("full"), UNAVAILABLE),
        (errors.CandidateSetNotFound("no set"), DATA),
        (errors.ModelContract("no scores"), INTERNAL),
        (CodriverError(cli_exit.grpc.StatusCode.INTERNAL, "INTERNAL", "a fault"), INTERNAL),
        (CodriverError(cli_exit.grpc.StatusCode.DEADLINE_EXCEEDED, "", "late"), UNAVAILABLE),
        (TimeoutError("not ready"), UNAVAILABLE),
        (TimeoutError(), UNAVAILABLE),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_of_the_sidecar_have_codes(error: Exception, code: int) -> None:
    assert cli_exit.report(error)[0] == code
    assert cli_exit.report(error)[1]


@pytest.mark.parametrize("command", ["schema", "--version"])
def test_a_reader_that_goes_away_is_no_failure(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([COMMAND, command], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (PIPE_CLOSED, "")


def test_version() -> None:
    assert run("--version").stdout == f"{__version__}\n"


def test_schema_is_the_published_one() -> None:
    assert run("schema").stdout == (ROOT / "docs/candidate-set.schema.json").read_text(encoding="utf-8")


def test_config_print_reads_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODRIVER_THREADS", "3")
    monkeypatch.setenv("CODRIVER_LOG__LEVEL", "debug")
    printed = run("config", "print").stdout
    assert "threads: 3\n" in printed and "level: debug\n" in printed
    monkeypatch.delenv("CODRIVER_THREADS")
    monkeypatch.delenv("CODRIVER_LOG__LEVEL")
    (tmp_path / "settings.yml").write_text(printed, encoding="utf-8")
    assert run("config", "print", "--config", "settings.yml").stdout == printed


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda file: file.stem)
def test_a_set_file_arrives_as_it_is_written(file: Path) -> None:
    loaded = load_set(file)
    arrived = from_proto(to_proto(cli_input.inline(loaded, "")))
    language = loaded.languages[0]
    assert (arrived.name, arrived.version, arrived.policy) == (loaded.name, loaded.version, loaded.policy)
    assert arrived.instruction("en") == loaded.instruction(language)
    for sent, got in zip(loaded.candidates, arrived.candidates, strict=True):
        expected = dataclasses.replace(sent, descriptions={"en": sent.description(language)}, examples={}, when={})
        assert got == expected
