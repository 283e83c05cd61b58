"""One style of figures wherever somebody reads them: in the README and on every screen that is kept as a snapshot."""

import re
from pathlib import Path

import pytest

from .support.paths import ROOT

READ = [ROOT / "README.md", *sorted((ROOT / "tests" / "snapshots").glob("*.txt"))]
BLANK_BEFORE_PERCENT = re.compile(r"\d %(?!\d)")
HYPHEN_FOR_MINUS = re.compile(r"(?<=[ (])-\.?\d+(?:\.\d+)?(?=[ ,)–]|$)", re.MULTILINE)


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_percent_and_minus_are_written_alike(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not BLANK_BEFORE_PERCENT.findall(text)
    assert not HYPHEN_FOR_MINUS.findall(text)
