"""A report as one HTML file that loads nothing. What it says, each run behind a click, is read
without any script; steps, filters and files are drawn from what the page holds.

Nothing foreign is ever read as markup: text is escaped, all other data stands in compressed blocks,
and the page's own script puts every text into a text node. The page's policy allows no address, and
no script but the two that are in it.
"""

import gzip
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from importlib import resources
from itertools import groupby
from typing import IO, Any

import orjson

from ..page.plain import plain
from ..page.remarks import SIMULATED
from .report import Report, Run, RunPage
from .sheet import blocks_html, head, section_html


def write(report: Report, file: IO[str]) -> None:
    """Write the page, run by run: only one run is held at a time."""
    scripts = (_drawing(), one_script(page_part("page", ".js")))
    file.write(
        f"{head(report.title, page_part('page', '.css'), scripts)}<body>\n"
        f'<div id="report">\n<h1>{escape(report.title)}</h1>\n<p>{escape(report.created)}</p>\n'
        '<main id="overview-page">\n'
    )
    for section in report.sections:
        file.writelines(section_html(section, ""))
    file.write('<section id="runs">\n<h2>Runs</h2>\n')
    repeats = Counter(run.about for run in report.runs)
    for about, pages in groupby(report.pages, lambda page: page.run.about):
        file.writelines(_model(about, repeats[about], pages))
    file.write("</section>\n")
    for section in report.about:
        file.writelines(section_html(section, ""))
    file.write("</main>\n</div>\n")
    runs = [{name: getattr(run, name) for name in run.__slots__} for run in report.runs]
    overview = {
        "title": report.title,
        "made": report.created,
        "simulated": SIMULATED,
        "rows": report.rows,
    }
    file.write(_blob("overview", {**overview, "runs": runs}))
    for script in scripts:
        file.write(f"<script>{script}</script>\n")
    file.write("</body>\n</html>\n")


def _model(about: str, repeats: int, pages: Iterable[RunPage]) -> Iterator[str]:
    """The runs of a model with their data; several are one line until they are opened."""
    if repeats > 1:
        yield f"<details>\n<summary><b>{escape(about)}</b>: {repeats} runs</summary>\n"
    for page in pages:
        yield from _run(page.run, page)
        yield _blob(f"run-{page.run.id}", page.document())
    if repeats > 1:
        yield "</details>\n"


def _run(run: Run, page: RunPage) -> Iterator[str]:
    """A run behind a click, with a link to its steps."""
    failed = ' class="s-red"' if run.failed else ""
    yield f'<details{failed} id="about-{run.id}">\n'
    yield f"<summary><b>{escape(run.about)} {run.id}</b>: {escape(run.headline)}</summary>\n"
    yield f'<p><a href="#{run.id}">Its pictures, questions and answers</a></p>\n'
    yield from blocks_html(plain(page.blocks), run.id)
    yield "</details>\n"


def _blob(name: str, data: Any) -> str:
    return f'<script type="application/gzip" id="{name}">{_packed(data)}</script>\n'


def _packed(data: Any) -> str:
    return b64encode(gzip.compress(orjson.dumps(data), mtime=0)).decode()


def one_script(*parts: str) -> str:
    """Parts of a script as one that leaves no names behind."""
    return "(() => {\n" + "\n".join(parts) + "})();"


@cache
def page_part(folder: str, ending: str) -> str:
    """The files of a page's folder that end like this, in the order of their names."""
    files = sorted(
        (resources.files(__package__) / folder).iterdir(), key=lambda file: file.name
    )
    texts = [file.read_text(encoding="utf-8") for file in files if file.name.endswith(ending)]
    return "\n".join(texts)


@cache
def _drawing() -> str:
    """What draws Vega-Lite charts, as `vegaEmbed`."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed").replace(
        "</script", "<\\/script"
    )
