"""Text snapshots: what the screen showed when somebody last looked at it and found it right."""

import os
from pathlib import Path

from .paths import ROOT

FOLDER = ROOT / "tests" / "snapshots"
REWRITE = "FATHOM_REWRITE_SNAPSHOTS"
REWRITES = bool(os.environ.get(REWRITE))
"""As it was at the start: tests of the command line take settings away."""


def assert_snapshot(name: str, text: str, folder: Path = FOLDER) -> None:
    """Compare with `<folder>/<name>.txt`, blanks at line ends aside; with the variable set, write
    it instead."""
    shown = "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"
    file = folder / f"{name}.txt"
    if REWRITES:
        folder.mkdir(exist_ok=True, parents=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8"), (
        f"{name} changed: look at it, then set {REWRITE}=1"
    )
