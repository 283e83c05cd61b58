"""A file of any known kind as a document, and the document as passages with their places."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from .... import __version__
from ..passages import clean, passages
from ..standing import is_preprint, is_retracted
from .decode import decode, split_front, tier_named
from .document import Block, Document, Labels, Unreadable
from .html import read_html
from .markdown import read_markdown
from .pdf import pypdf_version, read_pdf
from .plaintext import read_rst, read_text

LEAD_CHARS = 1_500
"""Where nothing stands before the first sub-heading, or there is none, the passages in the first so many characters
serve as the lead."""

_READING = 3
"""To be raised when the same file would be read into other passages than before."""
_HEAD = 1_500
_SPACES = re.compile(r"[\s_]+")

Stop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage and where it stands. `place` follows the `#` of an address: `L12`, `page=3`, an anchor, or nothing."""

    text: str
    section: str | None
    place: str
    lead: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, read: what it is called (the book it is part of in brackets behind it), what it says about itself, and
    its passages in order, none overlapping."""

    title: str
    labels: Labels
    pieces: tuple[Piece, ...]


def reader_version(kind: str) -> str:
    """What the passages of a file depend on beside its content: a file read by another version is read again."""
    library = f" pypdf {pypdf_version()}" if kind == "pdf" else ""
    return f"{kind} {__version__}.{_READING}{library}"


def read(data: bytes, path: str, kind: str, language: str, stop: Stop) -> Reading:
    """The file's passages. `path` is the one below the folder: a part of it named like a tier is the document's tier,
    the innermost first, unless front matter names one. Raises Unreadable, and whatever `stop` raises."""
    document = _READERS[kind](data, stop)
    title = document.title or _SPACES.sub(" ", PurePosixPath(path).name.split(".")[0]).strip() or path
    pieces = tuple(_pieces(document, language, stop))
    if not pieces:
        raise Unreadable("no prose to ask about")
    book = f" ({document.book})" if document.book and document.book not in title else ""
    return Reading(title[:300] + book, _completed(document, title, path), _with_lead(pieces))


def _marked(read_marked: Callable[[str, Labels], Document]) -> Callable[[bytes, Stop], Document]:
    def reader(data: bytes, stop: Stop) -> Document:
        labels, text = split_front(decode(data))
        return read_marked(text, labels)

    return reader


_READERS: Mapping[str, Callable[[bytes, Stop], Document]] = {
    "markdown": _marked(read_markdown),
    "text": _marked(read_text),
    "rst": _marked(read_rst),
    "html": lambda data, stop: read_html(decode(data, html=True)),
    "pdf": read_pdf,
}


def _completed(document: Document, title: str, path: str) -> Labels:
    """What the document says, else what its place and its first lines tell."""
    labels = document.labels
    folders = (tier_named(part) for part in reversed(PurePosixPath(path).parts[:-1]))
    head = " ".join(block.text for block in document.blocks[:5])[:_HEAD]
    return replace(
        labels,
        tiers=labels.tiers or tuple(tier for tier in folders if tier)[:1],
        retracted=is_retracted(title, head) if labels.retracted is None else labels.retracted,
        preprint=is_preprint(title, head) if labels.preprint is None else labels.preprint,
    )


def _pieces(document: Document, language: str, stop: Stop) -> Iterator[Piece]:
    for count, block in enumerate(document.blocks):
        if count % 500 == 0:
            stop()
        section = " › ".join(dict.fromkeys(part for part in block.trail if part != document.title)) or None
        # block by block: the cutter keeps the texts it has seen, and a whole file is too large to keep
        found = [passage.text for passage in passages(block.text, language)]
        for text, place in zip(found, _places(block, found), strict=True):
            yield Piece(text, section, place, block.lead)


def _places(block: Block, found: list[str]) -> Iterator[str]:
    if not block.line:
        yield from (block.place for _ in found)
        return
    whole, position = clean(block.text), 0
    for text in found:
        position = max(position, whole.find(text, position))
        before = whole.count(" ", 0, position)
        yield f"L{block.line + sum(before >= words for words in block.line_words[:-1])}"


def _with_lead(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    lead = [piece.lead for piece in pieces]
    if any(lead) and not all(lead):
        return pieces
    total, counted = 0, []
    for piece in pieces:
        counted.append(replace(piece, lead=total + len(piece.text) <= LEAD_CHARS or total == 0))
        total += len(piece.text)
    return tuple(counted)
