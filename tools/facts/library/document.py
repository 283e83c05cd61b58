"""What every format is read into: paragraphs under their headings, and where each one stands in the file. Pure."""

from dataclasses import dataclass, field
from datetime import date

from ..vocabulary import NO_PROSE_HEADINGS

MAX_BYTES = 20_000_000
"""Largest file that is read."""
MAX_TEXT = 5_000_000
"""Most characters of text in one file: beyond, it is a dump rather than a document, or a trap."""

_EDGE = " \t:.*_¶"


class Unreadable(Exception):
    """A file that cannot serve as evidence; the message is the reason, in a few words without a full stop."""


class Stopped(Exception):
    """Reading was called off."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, on one line. `trail` holds the headings above it, outermost first, the document's own left out."""

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


@dataclass(frozen=True, slots=True)
class Document:
    """A file as read. `title` may be empty: then the file's name stands for it."""

    title: str
    blocks: tuple[Block, ...]
    labels: Labels = Labels()


@dataclass(slots=True)
class Outliner:
    """Collects a document's paragraphs and keeps count of the headings they stand under."""

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    _stack: list[tuple[int, str]] = field(default_factory=list)
    _divided: bool = False
    _size: int = 0

    def heading(self, level: int, text: str) -> None:
        """The first heading is the title when nothing stands before it or it is of the first level."""
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

    def block(self, text: str, *, place: str = "", line: int = 0, lines: tuple[str, ...] = ()) -> None:
        """One paragraph; left out under a heading such as "References". Raises Unreadable past MAX_TEXT characters."""
        text = " ".join(text.split())
        self._size += len(text)
        if self._size > MAX_TEXT:
            raise Unreadable(f"more than {MAX_TEXT // 1_000_000} million characters of text")
        trail = tuple(heading for _, heading in self._stack)
        if text and not any(heading.casefold() in NO_PROSE_HEADINGS for heading in trail):
            self.blocks.append(Block(text, trail, not self._divided, place, line, _running(lines)))

    def document(self, labels: Labels | None = None) -> Document:
        labels = labels or Labels()
        return Document(labels.title or self.title, tuple(self.blocks), labels)


def _running(lines: tuple[str, ...]) -> tuple[int, ...]:
    total, counts = 0, []
    for line in lines:
        total += len(line.split())
        counts.append(total)
    return tuple(counts)
