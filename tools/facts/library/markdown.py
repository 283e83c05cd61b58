"""Markdown and plain text through markdown-it: prose with line numbers, without code, images, raw
HTML and markup. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..base import NUMBER
from .document import Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONGEST_PARAGRAPH = 20_000
"""Inline markup is parsed up to here: a paragraph of more characters is not one that a person
wrote."""
_DEFINED = re.compile(r"(?P<term>[^\n]{1,120})\n:[ \t]+(?=\S)")


_NUMBERED = re.compile(
    rf"(?:{NUMBER}[.)]?|[^\W\d_]+ {NUMBER}[.:]?|§+ ?{NUMBER})\s+(?P<title>[A-ZÀ-Þ].{{0,60}})$"
)
"""A line of a plain text that is the heading of a numbered section."""
_MOST_HEADING_WORDS = 8
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")
_NO_MARKUP = ["code", "fence", "html_block", "table", "reference"]


@cache
def _parser(plain: bool = False) -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")
    return parser.disable(_NO_MARKUP) if plain else parser


def read_markdown(text: str) -> Document:
    """Lines are those of `text`, from 1."""
    return _read(text, _parser(), _plain_text)


def read_text(text: str) -> Document:
    """A plain text as Markdown without markup: its numbered and underlined headings become
    Markdown's, and no indented line is code."""
    lines = [line.strip() for line in text.split("\n")]
    for at, line in enumerate(lines):
        if at and _ADORNMENT.match(line) and _ADORNMENT.match(lines[at - 1]) is None:
            lines[at - 1 : at + 1] = _adorned(lines[at - 1], line)
        elif (at == 0 or not lines[at - 1]) and _is_numbered_heading(line):
            lines[at] = f"## {line}"
    return _read("\n".join(lines), _parser(plain=True), str)


def _adorned(title: str, line: str) -> tuple[str, str]:
    """A line and the one below it: a heading where it is underlined."""
    underlined = title and len(line) >= min(len(title), 80) - 2
    if not underlined or title.startswith("#"):
        return title, ""
    return f"{'#' if line[0] in '=*' else '##'} {title}", ""


def _is_numbered_heading(line: str) -> bool:
    numbered = _NUMBERED.match(line)
    if not numbered or len(numbered["title"].split()) > _MOST_HEADING_WORDS:
        return False
    return line[-1] not in ",;:"


def _read(text: str, parser: "MarkdownIt", plain_text: Callable[[str], str]) -> Document:
    document, level = Document(), 0
    for token in parser.parse(text):
        if token.type in ("heading_open", "heading_close"):
            level = int(token.tag[1:]) * token.nesting
        elif token.type == "inline" and level > 0:
            document.heading(level, plain_text(token.content))
        elif token.type == "inline":
            line = token.map[0] + 1 if token.map else 1
            content, terms = token.content, tuple[str, ...]()
            if definition := _DEFINED.match(content):
                terms, line = (plain_text(definition["term"]),), line + 1
                content = content[definition.end() :]
            document.block(plain_text(content), f"L{line}", terms, begins=bool(terms))
    return document


def _plain_text(content: str) -> str:
    if len(content) > _LONGEST_PARAGRAPH:
        return ""
    parser = _parser()
    children: list[Token] = []
    parser.inline.parse(content, parser, {}, children)
    return "".join(_texts(children))


def _texts(tokens: Sequence["Token"]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
