"""Text snapshots: what the screen showed when somebody last looked at it and found it right."""

import os

from .paths import ROOT

FOLDER = ROOT / "tests" / "snapshots"
REWRITE = "FATHOM_REWRITE_SNAPSHOTS"


def assert_snapshot(name: str, text: str) -> None:
    """Compare with `snapshots/<name>.txt`, blanks at line ends aside; with the variable set, write it instead."""
    shown = "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"
    file = FOLDER / f"{name}.txt"
    if os.environ.get(REWRITE):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8"), f"{name} changed: look at it, then set {REWRITE}=1"
