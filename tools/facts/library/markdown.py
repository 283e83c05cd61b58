"""Markdown and plain text through markdown-it: prose with line numbers, without code, images, raw
HTML and markup. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..titles import NUMBER
from .document import Document, is_head

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONGEST_PARAGRAPH = 20_000
"""Inline markup is parsed up to here: a paragraph of more characters is not one that a person
wrote."""
_DEFINED = re.compile(r"(?P<term>[^\n]{1,120})\n:[ \t]+(?=\S)")
_CODE = re.compile(r"`([\w-]+)`")
_BOLD = re.compile(r"(\*\*|__)(?P<head>[^*_\n]+)\1:?")


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
    return _read(text, _parser(), _written)


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


def _read(text: str, parser: "MarkdownIt", written: Callable[[str], str]) -> Document:
    out, lines = Document(names=set(_CODE.findall(text))), text.split("\n")
    level = items = 0
    for token in parser.parse(text):
        items += token.nesting * (token.type in ("list_item_open", "list_item_close"))
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "inline":
            if level:
                out.heading(level, written(token.content))
            elif (bold := _BOLD.fullmatch(token.content)) and is_head(bold["head"]):
                out.head(bold["head"])
            else:
                first, end = token.map or (0, 0)
                defined = _DEFINED.match(token.content)
                terms = (written(defined["term"]),) if defined else ()
                text = written(token.content[defined.end() :] if defined else token.content)
                out.block(
                    text, line=first + 1 + bool(terms), lines=lines[first + bool(terms) : end], terms=terms,
                    begins=bool(terms), item=items > 0,
                )  # fmt: skip
        elif token.type in ("fence", "code_block"):
            out.introduces("")
    return out


def _written(content: str) -> str:
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
