"""The command line: ``codriver``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from codriver import Client
from sidecar import __version__, cli_input, cli_show
from sidecar.catalog.schema import json_schema_text
from sidecar.cli_exit import UNAVAILABLE, Failure, Group
from sidecar.config import DEFAULT_DEADLINE_MS, load_settings, render

EXPORT_PYTHON = Path(".venvs/export/bin/python")

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A decision sidecar for agents: it says which action comes next.",
)
config_app = typer.Typer(no_args_is_help=True, help="The configuration.")
app.add_typer(config_app, name="config")

Config = Annotated[Path | None, typer.Option(help="YAML file with settings.")]
Listen = Annotated[str | None, typer.Option(help="host:port or unix:///path.")]
Model = Annotated[Path | None, typer.Option(help="Folder of the model artifact.")]
Sets = Annotated[list[Path] | None, typer.Option("--candidate-sets", help="YAML file or folder; repeatable.")]
Scorer = Annotated[str | None, typer.Option(help="embedded or static.")]
SetName = Annotated[str, typer.Option("--set", help="YAML file, or name[@version] in the sidecar's catalog.")]
Text = Annotated[list[str] | None, typer.Option("--message", help="A message of the user; repeatable.")]
File = Annotated[Path | None, typer.Option("--messages", help="JSON list of messages.")]
Language = Annotated[str, typer.Option(help="Language of the descriptions.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Address = Annotated[str | None, typer.Option(help="The sidecar; default CODRIVER_ADDRESS, else 127.0.0.1:50151.")]
Timeout = Annotated[float, typer.Option(min=0.001, help="Seconds to wait for the answer.")]
DEFAULT_TIMEOUT = DEFAULT_DEADLINE_MS / 1000


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


@app.command()
def serve(
    scorer: Scorer = None,
    model: Model = None,
    listen: Listen = None,
    config: Config = None,
    candidate_sets: Sets = None,
) -> None:
    """Serve decisions over gRPC, with the model in this process."""
    from sidecar.cli_serve import run, settings_from

    settings = settings_from(config, scorer=scorer, model=model, listen=listen, candidate_sets=candidate_sets)
    raise typer.Exit(run(settings))


@app.command()
def decide(
    set_: SetName,
    message: Text = None,
    messages: File = None,
    language: Language = "",
    as_json: AsJson = False,
    address: Address = None,
    timeout: Timeout = DEFAULT_TIMEOUT,
) -> None:
    """Ask a running sidecar which candidate comes next."""
    conversation = cli_input.read_messages(message or (), messages)
    candidates = cli_input.read_set(set_, language)
    with _client(address, timeout) as client:
        decision = client.decide(candidates, conversation, language=language)
    (cli_show.show_json if as_json else cli_show.show_decision)(decision)


@app.command()
def score(
    set_: SetName,
    message: Text = None,
    messages: File = None,
    language: Language = "",
    as_json: AsJson = False,
    address: Address = None,
    timeout: Timeout = DEFAULT_TIMEOUT,
) -> None:
    """Ask a running sidecar for the candidates' scores, without the policy."""
    conversation = cli_input.read_messages(message or (), messages)
    candidates = cli_input.read_set(set_, language)
    with _client(address, timeout) as client:
        scores = client.score(candidates, conversation, language=language)
    (cli_show.show_json if as_json else cli_show.show_scores)(scores)


@app.command()
def info(as_json: AsJson = False, address: Address = None, timeout: Timeout = DEFAULT_TIMEOUT) -> None:
    """Say what a running sidecar is, what it has loaded and what it takes."""
    with _client(address, timeout) as client:
        answer = client.info()
    (cli_show.show_json if as_json else cli_show.show_info)(answer)


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)
def export(context: typer.Context) -> None:
    """Build or train a model artifact: export train|build|verify ... (in its own environment)."""
    if not EXPORT_PYTHON.is_file():
        raise Failure(UNAVAILABLE, f"{EXPORT_PYTHON} is missing: run 'make setup' in the repository")
    raise typer.Exit(subprocess.call([EXPORT_PYTHON, "-m", "export", *context.args]))


@config_app.command("print")
def config_print(config: Config = None) -> None:
    """Print the effective settings as YAML."""
    print(render(load_settings(config)), end="")


@app.command()
def schema() -> None:
    """Print the JSON Schema of candidate-set files."""
    print(json_schema_text(), end="")


@contextmanager
def _client(address: str | None, timeout: float) -> Iterator[Client]:
    with Client(address, timeout=timeout) as client:
        yield client


def main() -> None:
    """The console script."""
    app(prog_name="codriver")
