"""A sheet as one static page of HTML: no script, nothing loaded, one A4 page when it is printed."""

import shutil
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib import resources
from os import geteuid
from pathlib import Path
from typing import IO
from urllib.parse import quote

from ...state.errors import RunFailed, UsageError
from ..page.picture import LETTERS
from ..page.plain import Plain, plain
from ..page.remarks import SIMULATED
from . import markdown
from .report import Section

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
PRINTING_S = 120
PRINTED = 18
"""Size of those in a picture, in its own pixels: it is printed at about half its size."""
TOP, WIDE = 3, 2
"""Parts at the beginning, and at the end, that take the whole width."""


def write(title: str, created: str, sections: Sequence[Section], file: IO[str]) -> None:
    """Write the page. Foreign text is escaped everywhere."""
    style = (resources.files(__package__) / "sheet.css").read_text(encoding="utf-8")
    file.write(
        f"{head(title, style)}<body>\n<header><h1>{escape(title)}</h1><p>{escape(created)}</p>"
        "</header>\n<main>\n"
    )
    for number, section in enumerate(sections):
        if number == TOP:
            file.write('<div class="parts">\n')
        if number == len(sections) - WIDE:
            file.write("</div>\n")
        file.writelines(section_html(section, "part" if number else "answer", PRINTED))
    file.write("</main>\n</body>\n</html>\n")


def head(title: str, style: str, scripts: Sequence[str] = ()) -> str:
    """How a page begins that loads nothing and runs no scripts but these."""
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
    if scripts:
        digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
        allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
        policy += f"; script-src {allowed}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
    )


def write_markdown(
    title: str, created: str, sections: Sequence[Section], file: IO[str]
) -> None:
    """Write the same as Markdown, without the curve."""
    file.write(f"# {markdown.text(title)}\n\n{created}\n")
    for section in sections:
        content = plain(section.blocks)
        if content:
            file.write(f"\n## {markdown.text(section.title)}\n")
            file.writelines(markdown.blocks(content))


def browser() -> str:
    """The installed browser that prints. Raises UsageError without any."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise UsageError(
            "A PDF is printed by Chromium or Chrome, and neither is installed here: write the sheet "
            "as HTML (-o sheet.html) and print it from a browser."
        )
    return path


def print_pdf(html: str, target: Path) -> None:
    """Print a page to a PDF. Raises RunFailed when the browser does not."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "sheet.html"
        page.write_text(html, encoding="utf-8")
        words = [
            browser(),
            "--headless",
            "--disable-gpu",
            *(["--no-sandbox"] if geteuid() == 0 else []),  # a browser of root has no sandbox
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={target.absolute()}",
            page.as_uri(),
        ]
        try:
            subprocess.run(words, check=True, capture_output=True, timeout=PRINTING_S)
        except (subprocess.SubprocessError, OSError) as error:
            raise RunFailed(f"The browser could not print the sheet ({error}).") from error
    if not target.is_file():
        raise RunFailed(f"The browser wrote no file {target}.")


# blocks


def section_html(section: Section, kind: str, letters: int = LETTERS) -> Iterator[str]:
    """A part of a page with its pictures, in letters of this size."""
    yield f'<section class="{kind}">\n<h2>{escape(section.title)}</h2>\n'
    yield from blocks_html(plain(section.blocks))
    for picture in section.pictures:
        line = " ".join(line for line in picture.said if line != SIMULATED)
        yield f"<figure>{picture.inline_svg(letters)}<figcaption>{escape(line)}</figcaption></figure>\n"
    yield "</section>\n"


def blocks_html(blocks: Iterable[Plain], run: str = "") -> Iterator[str]:
    """Blocks as markup. `run`: whose steps they lead to."""
    for block in blocks:
        title = f"<h3>{escape(block['title'])}</h3>\n" if block["title"] else ""
        lines = (_line(line, run) for line in block.get("lines", ()))
        yield f"<section>{title}"
        yield from _table(block) if block["kind"] == "table" else lines
        yield "</section>\n"


def _line(line: Plain, run: str) -> str:
    lead, style = escape(line.get("lead", "")), escape(line.get("style", ""))
    words = escape(line.get("text", ""))
    if run and line.get("step"):
        words = f'<a href="#{run}/{quote(line["step"])}">{words}</a>'
    lead = f"<b>{lead}</b>" if lead else ""
    return f'<p class="{_classes(style)}">{lead}{words}</p>\n'


def _classes(style: str) -> str:
    return " ".join(f"s-{word}" for word in style.split())


def _table(block: Plain) -> Iterator[str]:
    name = escape(block["title"] or "table")
    yield f'<div class="scrolls" tabindex="0" role="group" aria-label="{name}"><table>\n<thead><tr>'
    for head in block["heads"]:
        yield f'<th scope="col"{_right(head)}>{escape(head["text"])}</th>'
    yield "</tr></thead>\n<tbody>\n"
    rights = [bool(head["right"]) for head in block["heads"]]
    for row in block["rows"]:
        if "head" in row:
            yield f'<tr><th colspan="{len(rights)}">{escape(row["head"])}</th></tr>\n'
            continue
        first, *rest = zip(row["cells"], rights, strict=False)
        cells = [_cell(*first, "th"), *(_cell(*each) for each in rest)]
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody></table></div>\n"
    for line in block["said"]:
        yield f"<small>{escape(line)}</small>\n"


def _right(head: Plain) -> str:
    return ' class="right"' if head["right"] else ""


def _cell(cell: Plain, right: bool, tag: str = "td") -> str:
    classes = " ".join(
        filter(None, ["right" if right else "", _classes(cell.get("style", ""))])
    )
    return f'<{tag} class="{classes}">{escape(cell["text"])}</{tag}>'
