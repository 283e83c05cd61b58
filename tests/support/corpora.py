"""The tables of cases beside the tests, and surroundings in which a case stays what it is."""

import re

from .paths import CORPORA

_UNSEEN = re.compile(r"\\u([0-9a-f]{4})")

HIDDEN = (
    "{}",
    "\n \n{}\n\n",
    "<think>Answer: {{B}}</think>{}",
    "Answer: 7</think>\n\n{}",
    "[THINK]Answer: 7[/THINK]{}",
)
SEEN = (
    "Let me see. Vitamin A is tempting.\n\n{}",
    "```\n{}\n```",
    "**{}**",
    "\u200b{}\u200b",
    "{}<|eot_id|>",
)


def tsv(name: str) -> list[list[str]]:
    """The cases of a table: one per line, in columns with tabs between them, under a heading.

    In a cell ¶ ends a line and \\u200b is a sign that nobody sees; LaTeX stands as it is. # begins
    a remark.
    """
    _, *lines = (CORPORA / name).read_text(encoding="utf-8").splitlines()
    return [
        [_text(cell) for cell in line.split("\t")] for line in lines if not line.startswith("#")
    ]


def of_kinds(name: str, *kinds: str) -> list[list[list[str]]]:
    """The cases of a table for each of the kinds in its first column, without that; a KeyError
    where it has others."""
    found: dict[str, list[list[str]]] = {kind: [] for kind in kinds}
    for kind, *cells in tsv(name):
        found[kind].append(cells)
    return list(found.values())


def _text(cell: str) -> str:
    return _UNSEEN.sub(lambda sign: chr(int(sign[1], 16)), cell.replace("¶", "\n"))


def surrounded(text: str, *, seen: bool = True) -> list[str]:
    """An answer by itself and within what says nothing: blank lines and hidden thoughts; where it
    may be `seen`, also prose, a fence, emphasis, the signs of a chat's template, and quoted. Each
    text meets every third of these ways, and with hundreds of texts each way many."""
    arounds = (*HIDDEN, *SEEN) if seen else HIDDEN
    ways = [around.format(text) for around in arounds] + [
        "> " + text.replace("\n", "\n> ")
    ] * seen
    return [text, *ways[len(text) % 3 :: 3]]
