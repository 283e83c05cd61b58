"""One style of figures wherever somebody reads them: in the README and on every screen that is kept."""

import re
from pathlib import Path

import pytest

from .support.paths import ROOT

TESTS = ROOT / "tests"
KEPT = [*(TESTS / "snapshots").glob("*.txt"), *(TESTS / "goldens").glob("*/*.txt")]
READ = [ROOT / "README.md", *sorted(path for path in KEPT if not path.stem.endswith(("_json", "traces_100")))]
"""Not what programs read, nor what models have written."""
BLANK_BEFORE_PERCENT = re.compile(r"\d %(?!\d)")
HYPHEN_FOR_MINUS = re.compile(r"(?<=[ (])-\.?\d+(?:\.\d+)?(?=[ ,)–]|$)", re.MULTILINE)


@pytest.mark.parametrize("path", READ, ids=lambda path: "/".join(path.parts[-2:]))
def test_percent_and_minus_are_written_alike(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not BLANK_BEFORE_PERCENT.findall(text)
    assert not HYPHEN_FOR_MINUS.findall(text)
