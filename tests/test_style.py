"""One style of figures wherever somebody reads them: in the README and on every screen that is kept
as a snapshot."""

import re

from .support.paths import ROOT

SHOWN = [
    *(ROOT / "tests" / "snapshots").glob("*.txt"),
    *(ROOT / "tests" / "goldens").rglob("*.txt"),
]
READ = [
    ROOT / "README.md",
    *(path for path in SHOWN if "json" not in path.name and "traces" not in path.name),
]
BLANK_BEFORE_PERCENT = re.compile(r"\d %(?!\d)")
HYPHEN_FOR_MINUS = re.compile(r"(?<=[ (])-\.?\d+(?:\.\d+)?(?=[ ,)–]|$)", re.MULTILINE)


def test_percent_and_minus_are_written_alike() -> None:
    assert len(READ) > 40
    texts = {str(path): path.read_text(encoding="utf-8") for path in READ}
    assert not {
        path: found
        for path, text in texts.items()
        if (found := BLANK_BEFORE_PERCENT.findall(text))
    }
    assert not {
        path: found for path, text in texts.items() if (found := HYPHEN_FOR_MINUS.findall(text))
    }
