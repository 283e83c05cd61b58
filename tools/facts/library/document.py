"""What every format is read into: paragraphs under their headings, and where each one stands in the
file. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate

from ..base import sentences
from ..passages import HEADED, MAX_CHARS, NO_PROSE_HEADINGS

MAX_BYTES = 20_000_000
"""Largest file that is read."""
MAX_TEXT = 5_000_000
"""Most characters of text in one file: beyond, it is a dump rather than a document, or a trap."""

_EDGE = " \t:.*_¶"
_ITEM = re.compile(r"(?:[•◦▪‣–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])\s+(?=\S)")
_FINISHED = re.compile(r"""[.!?…。！？]["'”’»)\]]*$""")
_BETWEEN_ITEMS = re.compile(r"[\s.,;]*(?:;\s*[^\W\d]{1,4})?[\s.,;]*$")
"""What ends an item of a list: "; and". Behind a comma the same may be its last word."""
_LAST_WORDS = 20
_INTRODUCES = (":", "—", "–")
_LEAST_INTRODUCTION = 3
"""Words."""
_LONGEST_TERM, _LONGEST_HEAD = 120, 60


class Unreadable(Exception):
    """A file that cannot serve as evidence; the message is the reason, in a few words without a
    full stop."""


class Stopped(Exception):
    """Reading was called off."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, on one line. `trail` holds the headings above it, outermost first, the
    document's own left out, then the terms whose definition it is part of. The first paragraph of a
    definition begins with its term."""

    text: str
    trail: tuple[str, ...]
    lead: bool
    """Whether it stands before the first sub-heading."""
    place: str = ""
    """A fragment that finds it: `page=3`, an anchor, or empty when `line` says it."""
    line: int = 0
    """Number of its first line, from 1; 0 where the format has none."""
    line_words: tuple[int, ...] = ()
    """Words up to the end of each of its lines, counted from its beginning."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a document says about itself. `tiers` empty: it does not say."""

    title: str = ""
    tiers: tuple[str, ...] = ()
    published: date | None = None
    retracted: bool | None = None
    preprint: bool | None = None


@dataclass(slots=True)
class Document:
    """A file as it is read, paragraph by paragraph, each below the headings before it. `title` may
    stay empty: then the file's name stands for it. `book`: what it is a part of, with the edition
    or version."""

    title: str = ""
    book: str = ""
    labels: Labels = Labels()
    blocks: list[Block] = field(default_factory=list)
    _stack: list[tuple[int, str]] = field(default_factory=list)
    _divided: bool = False
    names: set[str] = field(default_factory=set)
    """Words that are set as code, of which a sentence may begin with one in small letters."""
    _size: int = 0
    _head: str = ""
    _introduction: str = ""
    """The unfinished sentence that the next items of a list go on with."""
    _listing: bool = False
    """Whether the last block is such a sentence with its items."""

    def heading(self, level: int, text: str) -> None:
        """The first heading is the title when nothing stands before it or it is of the first
        level."""
        text = " ".join(text.split()).strip(_EDGE)
        self._head = self._introduction = ""
        if not text:
            return
        if not self.title and not self._divided and (level == 1 or not self.blocks):
            self.title = text
            return
        self._divided = True
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))

    def head(self, text: str) -> None:
        """A line of its own that names what the next paragraph is about."""
        self._head = " ".join(text.split()).strip(_EDGE)

    def block(
        self,
        text: str,
        *,
        place: str = "",
        line: int = 0,
        lines: Iterable[str] = (),
        terms: tuple[str, ...] = (),
        begins: bool = False,
        item: bool = False,
    ) -> None:
        """One paragraph; left out under a heading such as "References". `terms`: those it helps to
        define, outermost first; `begins`: it opens the definition of the last. An `item` of a list
        that is no sentence of its own is put behind the one that introduces it. Raises Unreadable
        past MAX_TEXT characters."""
        text = " ".join(text.split())
        if mark := _ITEM.match(text):
            text, item = text[mark.end() :], True
        if not text:
            return
        if item and not terms and not _is_sentence(text):
            self._add_item(text, place, line)
            return
        self._listing = False
        if not item or text[-1] in _INTRODUCES:
            self.introduces(text)
        if self._head:
            terms, begins, self._head = (*terms, self._head), True, ""
        before = f"{terms[-1]}{'' if terms[-1][-1] in '?!' else ':'} " if begins else ""
        text = before + text
        self._size += len(text)
        if self._size > MAX_TEXT:
            raise Unreadable(f"more than {MAX_TEXT // 1_000_000} million characters of text")
        headings = tuple(heading for _, heading in self._stack)
        if any(heading.casefold() in NO_PROSE_HEADINGS for heading in headings):
            return
        words = accumulate((len(each.split()) for each in lines), initial=len(before.split()))
        self.blocks.append(
            Block(text, headings + terms, not self._divided, place, line, tuple(words)[1:])
        )

    def introduces(self, text: str) -> None:
        """Whether the last sentence of a text introduces the list that follows; code between them
        is none of it."""
        self._introduction = ""
        if text[-1:] in _INTRODUCES and len(text.split()) >= _LEAST_INTRODUCTION:
            start, end = sentences(text)[-1]
            self._introduction = text[start:end]

    def _add_item(self, text: str, place: str, line: int) -> None:
        """To the sentence that introduces it or the items before it, as long as that is no longer
        than a passage; nothing where no sentence does."""
        item = text[:-_LAST_WORDS] + _BETWEEN_ITEMS.sub("", text[-_LAST_WORDS:])
        if not self._introduction or not item:
            return
        if item[-1] in _INTRODUCES:
            deeper = f"{self._introduction} {item}"
            self._introduction = deeper if len(deeper) <= MAX_CHARS // 2 else item
            self._listing = False
            return
        last = self.blocks[-1] if self._listing else None
        if last and len(last.text) + len(item) + 2 <= MAX_CHARS:
            self.blocks[-1] = replace(last, text=f"{last.text[:-1]}; {item}.")
            return
        headings = tuple(heading for _, heading in self._stack)
        whole = f"{self._introduction} {item}."
        self._size += len(whole)
        self.blocks.append(Block(whole, headings, not self._divided, place, line))
        self._listing = True


def _is_sentence(item: str) -> bool:
    """Whether an item stands for itself: begun with a capital or a term, and finished."""
    begins = not item[0].islower() or bool(HEADED.match(item))
    return begins and bool(_FINISHED.search(item))


def term(names: Iterable[str]) -> str:
    """What a definition defines, in one short line: all its names, a long signature without its
    arguments."""
    kept = ""
    for name in (name.rstrip(" ,:¶#") or name for name in names):
        if len(name) > _LONGEST_TERM:
            head, bracket, _ = name[:_LONGEST_TERM].partition("(")
            name = head + "(…)" if bracket else head + "…"
        if kept and len(kept) + len(name) > _LONGEST_TERM:
            break
        kept += f", {name}" if kept else name
    return kept


def is_head(line: str) -> bool:
    """Whether a line in bold type names what the next paragraph is about, or asks for it."""
    return (
        len(line) <= (_LONGEST_TERM if line[-1:] == "?" else _LONGEST_HEAD)
        and line[-1:] not in ".!,;"
        and any(char.isalpha() for char in line)
    )
