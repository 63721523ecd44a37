"""Command line of the exporter: ``python -m export train|build|verify``."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

DATA = Path("../shared/data")
TRAIN_CONTEXT_TOKENS = 320


def main() -> None:
    """Parses the arguments and runs one command."""
    parser = argparse.ArgumentParser(prog="codriver export", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("train", "train an adapter on the train splits"),
        ("build", "base + adapter -> model artifact (ONNX, int8)"),
        ("verify", "compare an artifact with the torch module"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument(
            "--base",
            type=Path,
            help="GGUF file or Hugging Face directory (default: SmolLM2-135M-Instruct)",
        )
        command.add_argument("--data", type=Path, default=DATA, help="folder of the decision data")
        command.add_argument("--adapter", type=Path, required=name != "build", help="folder of the adapter")
        if name == "train":
            _recipe_options(command)
        else:
            command.add_argument("--out", type=Path, required=True, help="folder of the model artifact")
        if name == "build":
            command.add_argument("--fp32", action="store_true", help="leave the graph unquantised")
        if name == "verify":
            command.add_argument("--cases", type=int, default=500, help="dev cases to compare")
    options = parser.parse_args()
    globals()[f"_{options.command}"](options)


def _recipe_options(command: argparse.ArgumentParser) -> None:
    from export.train import Recipe

    for field in fields(Recipe):
        command.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)


def _train(options: argparse.Namespace) -> None:
    from export.prepare import open_base, planner_for
    from export.train import Recipe, train

    if not options.data.is_dir():
        raise SystemExit(f"no decision data at {options.data}: name its folder with --data")
    recipe = Recipe(**{f.name: getattr(options, f.name) for f in fields(Recipe)})
    scorer, tokenizer, template, base = open_base(options.base, options.adapter)
    planner = planner_for(tokenizer, template, TRAIN_CONTEXT_TOKENS)
    train(scorer, planner, options.data, options.adapter, recipe, base)
    tokenizer.unlink()


def _build(options: argparse.Namespace) -> None:
    from export.build import build

    build(options.base, options.adapter, options.out, quantised=not options.fp32)


def _verify(options: argparse.Namespace) -> None:
    from export.verify import verify

    verify(options.base, options.adapter, options.out, options.data, options.cases)


if __name__ == "__main__":
    main()
