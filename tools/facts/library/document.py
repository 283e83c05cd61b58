"""What every format is read into: paragraphs under their headings, and where each one stands in the
file. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from ..passages import NO_PROSE_HEADINGS

MAX_BYTES = 20_000_000
"""Largest file that is read."""
MAX_TEXT = 5_000_000
"""Most characters of text in one file: beyond, it is a dump rather than a document, or a trap."""

_EDGE = " \t:.*_¶"
_LONGEST_TERM = 120


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
    place: str
    """A fragment that finds it: `L12`, `page=3`, an anchor, or nothing."""


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
    stay empty: then the file's name stands for it."""

    title: str = ""
    labels: Labels = Labels()
    blocks: list[Block] = field(default_factory=list)
    _stack: list[tuple[int, str]] = field(default_factory=list)
    _divided: bool = False
    _size: int = 0

    def heading(self, level: int, text: str) -> None:
        """The first heading is the title when nothing stands before it or it is of the first
        level."""
        text = " ".join(text.split()).strip(_EDGE)
        if not text:
            return
        if not self.title and not self._divided and (level == 1 or not self.blocks):
            self.title = text
            return
        self._divided = True
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))

    def block(
        self,
        text: str,
        place: str,
        terms: tuple[str, ...] = (),
        *,
        begins: bool = False,
    ) -> None:
        """One paragraph; left out under a heading such as "References". `terms`: those it helps to
        define, outermost first; `begins`: it opens the definition of the last. Raises Unreadable
        past MAX_TEXT characters."""
        text = " ".join(text.split())
        if not text:
            return
        if begins:
            text = f"{terms[-1]}: {text}"
        self._size += len(text)
        if self._size > MAX_TEXT:
            raise Unreadable(f"more than {MAX_TEXT // 1_000_000} million characters of text")
        headings = tuple(heading for _, heading in self._stack)
        if not any(heading.casefold() in NO_PROSE_HEADINGS for heading in headings):
            self.blocks.append(Block(text, headings + terms, not self._divided, place))

    def text(self) -> str:
        """Its prose as Markdown: paragraphs as lines, each heading on a line of its own."""
        lines, trail = list[str](), tuple[str, ...]()
        for block in self.blocks:
            if block.trail and block.trail != trail:
                lines.append(f"{'#' * min(6, 1 + len(block.trail))} {block.trail[-1]}")
            trail = block.trail
            lines.append(block.text)
        return "\n".join(lines)


def term(names: Iterable[str]) -> str:
    """What a definition defines, in one short line: all its names, a long signature without its
    arguments."""
    line = ""
    for name in (name.rstrip(" ,:¶#") or name for name in names):
        if len(name) > _LONGEST_TERM:
            head, bracket, _ = name[:_LONGEST_TERM].partition("(")
            name = head + "(…)" if bracket else head + "…"
        if line and len(line) + len(name) > _LONGEST_TERM:
            break
        line += f", {name}" if line else name
    return line
