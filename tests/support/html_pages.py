"""Reports as pages: what is in one, and a browser to open it with."""

import base64
import gzip
import importlib.util
import json
import re
import shutil
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
_DATA = re.compile(r'<script type="application/gzip" id="([\w-]+)">([^<]*)</script>')


def missing() -> str | None:
    """Why no page can be opened here, or None when one can."""
    if CHROMIUM is None:
        return "chromium is not installed"
    return None if importlib.util.find_spec("playwright") else "playwright is not installed"


def held_in(page: Path) -> dict[str, Any]:
    """All that the page holds: `overview`, and `run-ID` of each run."""
    found = _DATA.findall(page.read_text(encoding="utf-8"))
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in found}


def texts_of(value: Any) -> list[str]:
    """Every text in a document."""
    if isinstance(value, str):
        return [value]
    each = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    return [text for part in each for text in texts_of(part)]
