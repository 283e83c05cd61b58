"""A report as one HTML file that loads nothing: opened from disk, it draws itself from what it
holds.

Nothing foreign is ever read as markup: all data stands in compressed blocks, and the page's own
script puts every text into a text node. The page's policy allows no address, and no script but the
two that are in it.
"""

import gzip
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from typing import IO, Any

import orjson

from ..page.remarks import SIMULATED
from .report import Report

SHARED = 40
"""Characters from which a text that occurs again is kept once."""
_FOUND = "$text"


def write(report: Report, file: IO[str]) -> None:
    """Write the page, run by run: only one run is held at a time."""
    scripts = (_drawing(), _page(".js"))
    hashes = " ".join(
        f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in scripts
    )
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )
    file.write(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_page('.css')}</style>\n</head>\n<body>\n"
        "<noscript>This report draws itself with a script that is part of it: open it with scripts "
        "allowed."
        '</noscript>\n<div id="report"></div>\n'
    )
    for name, data in _blobs(report):
        file.write(f'<script type="application/gzip" id="{name}">{_packed(data)}</script>\n')
    for script in scripts:
        file.write(f"<script>{script}</script>\n")
    file.write("</body>\n</html>\n")


def _blobs(report: Report) -> Iterator[tuple[str, Any]]:
    """The overview, then each run by its id."""
    runs = [{name: getattr(run, name) for name in run.__slots__} for run in report.runs]
    sections = [section.document() for section in report.sections]
    own = {"title": report.title, "made": report.made, "simulated": SIMULATED, "rows": report.rows}
    yield "overview", {**own, "sections": sections, "runs": runs}
    for page in report.pages:
        yield f"run-{page.run.id}", page.document()


def _packed(data: Any) -> str:
    texts: dict[str, int] = {}
    found = _referred(data, texts)
    document = orjson.dumps({"texts": list(texts), "data": found})
    return b64encode(gzip.compress(document, mtime=0)).decode()


def _referred(value: Any, texts: dict[str, int]) -> Any:
    """The same with each long text by its number: an answer stands in the steps, in the rows and in
    the result."""
    if isinstance(value, str):
        return {_FOUND: texts.setdefault(value, len(texts))} if len(value) >= SHARED else value
    if isinstance(value, dict):
        return {name: _referred(each, texts) for name, each in value.items()}
    return [_referred(each, texts) for each in value] if isinstance(value, list | tuple) else value


@cache
def _page(suffix: str) -> str:
    """The page's own script or style, from its files in the order of their names."""
    files = sorted((resources.files(__package__) / "page").iterdir(), key=lambda file: file.name)
    joined = "\n".join(
        file.read_text(encoding="utf-8") for file in files if file.name.endswith(suffix)
    )
    return f"(() => {{\n{joined}}})();" if suffix == ".js" else joined


@cache
def _drawing() -> str:
    """What draws Vega-Lite charts, as `vegaEmbed`."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed").replace(
        "</script", "<\\/script"
    )
