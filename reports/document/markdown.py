"""A report as Markdown (CommonMark with GitHub's tables): the same blocks, without pictures and
single steps."""

import re
from collections.abc import Iterable, Iterator
from typing import IO

from ..page.plain import Plain, plain
from .report import Report, Run, Section

_ACTIVE = re.compile(r"(`fathom [^`|\n]+`)|([\\`*_\[\]<>|~&$#])")


def write(report: Report, file: IO[str]) -> None:
    """Write the overview, then each run."""
    file.write(f"# {text(report.title)}\n\n{report.created}\n")
    runs = iter(report.runs)
    file.writelines(_sections(report.sections))
    file.write("\n## Runs\n\n")
    file.writelines(map(_listed, report.runs))
    for page in report.pages:
        run = next(runs)
        file.write(
            f"\n## {text(run.method)}: {text(run.domain)}, {text(run.target)} ({run.id})\n"
        )
        file.writelines(blocks(plain(page.blocks)))
    file.writelines(_sections(report.about))


def _sections(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        yield f"\n## {text(section.title)}\n"
        yield from blocks(plain(section.blocks))


def text(words: str) -> str:
    """A text that Markdown shows as it is; a command of Fathom's stays code."""
    return _ACTIVE.sub(lambda sign: sign[1] or f"\\{sign[2]}", words)


def _listed(run: Run) -> str:
    return (
        f"- `{run.id}` {text(run.method)} · {text(run.domain)} · {text(run.target)}: "
        f"{text(run.headline)}\n"
    )


def blocks(plain_blocks: Iterable[Plain]) -> Iterator[str]:
    for block in plain_blocks:
        if block["title"]:
            yield f"\n### {text(block['title'])}\n"
        yield "\n"
        yield from _table(block) if block["kind"] == "table" else map(_line, block["lines"])


def _line(line: Plain) -> str:
    if line.get("whole"):
        return f"```\n{line['text']}\n```\n\n"
    lead, words = text(line.get("lead", "")), text(line.get("text", "")).replace("\n", "  \n")
    if words.startswith("· "):
        return f"- {words[2:]}\n"
    if not lead and line.get("style", "").startswith("bold"):
        words = _strong(words)
    return f"{'> ' if line.get('indent') else ''}{_strong(lead)}{words}\n\n"


def _strong(words: str) -> str:
    bare = words.strip()
    return words.replace(bare, f"**{bare}**", 1) if bare else words


def _table(block: Plain) -> Iterator[str]:
    heads = block["heads"]
    yield _row([text(head["text"]) for head in heads])
    yield _row(["---:" if head["right"] else "---" for head in heads])
    for row in block["rows"]:
        cells = [_cell(cell) for cell in row.get("cells", ())] or [_strong(text(row["head"]))]
        yield _row(cells + [""] * (len(heads) - len(cells)))
    yield "\n"
    for note in block["said"]:
        yield f"{text(note)}\n\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(cell: Plain) -> str:
    words = text(cell["text"])
    return _strong(words) if cell["style"] == "bold" else words
