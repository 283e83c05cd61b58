"""Markdown through markdown-it: its prose with line numbers, without code, images, raw HTML and
markup. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from .document import Document, is_head

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONGEST_PARAGRAPH = 20_000
"""Inline markup is parsed up to here: a paragraph of more characters is not one that a person
wrote."""
_DEFINED = re.compile(r"(?P<term>[^\n]{1,120})\n:[ \t]+(?=\S)")
_BOLD = re.compile(r"(\*\*|__)(?P<head>[^*_\n]+)\1:?")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")


def read_markdown(text: str) -> Document:
    """Lines are those of `text`, from 1."""
    out, lines = Document(), text.split("\n")
    level = 0
    for token in _parser().parse(text):
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "inline":
            if level:
                out.heading(level, _written(token.content))
            elif (bold := _BOLD.fullmatch(token.content)) and is_head(bold["head"]):
                out.head(bold["head"])
            else:
                first, end = token.map or (0, 0)
                defined = _DEFINED.match(token.content)
                terms = (_written(defined["term"]),) if defined else ()
                text = _written(token.content[defined.end() :] if defined else token.content)
                out.block(
                    text, line=first + 1 + bool(terms), lines=lines[first + bool(terms) : end], terms=terms,
                    begins=bool(terms),
                )  # fmt: skip
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
