"""Rewrites what the golden files expect with what the built model decides: python -m tests.golden.update"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from codriver import Client
from tests.conftest import MODEL
from tests.golden import FILES, rewritten, written
from tests.sidecars import live


def main() -> None:
    """Asks a sidecar of its own; the review is ``git diff tests/golden``."""
    with tempfile.TemporaryDirectory() as folder, live(MODEL, Path(folder)) as address, Client(address) as client:
        for file in FILES:
            before = file.read_text(encoding="utf-8")
            after = written(rewritten(client, json.loads(before))) + "\n"
            file.write_text(after, encoding="utf-8")
            print(f"{file.name}: {'unchanged' if after == before else 'rewritten'}")


if __name__ == "__main__":
    main()
