"""A file of any known kind as a document: decoded, its front matter read; and the document as
passages with their places."""

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Annotated

import yaml
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from .... import __version__
from ....state.tiers import Tier
from ...files.trees import require_bounded
from ..passages import passages
from ..standing import is_preprint, is_retracted, parse_date
from .document import Document, Labels, Unreadable
from .html import read_html
from .markdown import read_markdown, read_text
from .pdf import pypdf_version, read_pdf

LEAD_CHARS = 1_500
"""Where nothing stands before the first sub-heading, or there is none, the passages in the first so
many characters serve as the lead."""

_READING = 6
"""To be raised when the same file would be read into other passages than before."""
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_FRONT = re.compile(r"---[ \t]*\n(?P<yaml>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_CHARS = 64_000
_HEAD = 1_500
_SPACES = re.compile(r"[\s_]+")

Stop = Callable[[], None]
BELOW = " › "
"""Between a heading and one below it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage and where it stands. `place` follows the `#` of an address: `L12`, `page=3`, an
    anchor, or nothing."""

    text: str
    section: str | None
    place: str
    lead: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, read: what it is called, what it says about itself, and its passages in order, none
    overlapping."""

    title: str
    labels: Labels
    pieces: tuple[Piece, ...]


def reader_version(kind: str) -> str:
    """What the passages of a file depend on beside its content: a file read by another version is
    read again."""
    library = f" pypdf {pypdf_version()}" if kind == "pdf" else ""
    return f"{kind} {__version__}.{_READING}{library}"


def read(
    data: bytes,
    path: str,
    kind: str,
    language: str,
    stop: Stop,
) -> Reading:
    """The file's passages. `path` is the one below the folder: a part of it named like a tier is
    the document's tier, the innermost first, unless front matter names one. Raises Unreadable, and
    whatever `stop` raises."""
    document = _document(data, kind, stop)
    title = (
        document.title
        or _SPACES.sub(" ", PurePosixPath(path).name.split(".")[0]).strip()
        or path
    )
    pieces = tuple(_pieces(document, language, stop))
    if not pieces:
        raise Unreadable("no prose to ask about")
    return Reading(title[:300], _completed(document, title, path), _with_lead(pieces))


_MARKED = {"markdown": read_markdown, "text": read_text}


def _document(data: bytes, kind: str, stop: Stop) -> Document:
    if kind == "pdf":
        return read_pdf(data, stop)
    if kind == "html":
        return read_html(decode(data, html=True))
    labels, text = split_front(decode(data))
    document = _MARKED[kind](text)
    document.labels, document.title = labels, labels.title or document.title
    return document


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
        trail = dict.fromkeys(part for part in block.trail if part != document.title)
        # block by block: the cutter keeps the texts it has seen, and a whole file is too large to
        # keep
        for passage in passages(block.text, language):
            yield Piece(passage.text, BELOW.join(trail) or None, block.place, block.lead)


def _with_lead(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    if {piece.lead for piece in pieces} == {True, False}:
        return pieces
    ends = accumulate(len(piece.text) for piece in pieces)
    return tuple(
        replace(p, lead=not n or end <= LEAD_CHARS)
        for n, (p, end) in enumerate(zip(pieces, ends, strict=True))
    )


def decode(data: bytes, *, html: bool = False) -> str:
    r"""The text, with `\n` line ends: UTF-16 with its byte order mark, UTF-8, else what an HTML page
    declares. Raises Unreadable: binary, or in another encoding."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b"\x00" in data and not marked:
        raise Unreadable("binary")
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
        if len(_CONTROL.findall(text[:100_000])) > len(text[:100_000]) // 200:
            raise Unreadable("binary")
    except UnicodeDecodeError:
        declared = _declared(data) if html else None
        if declared is None:
            raise Unreadable("unknown encoding (save it as UTF-8)") from None
        text = declared
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(data: bytes) -> str | None:
    charset = _DECLARED.search(data[:4096])
    try:
        return data.decode(charset[1].decode("ascii")) if charset else None
    except (LookupError, UnicodeDecodeError):
        return None


def split_front(text: str) -> tuple[Labels, str]:
    """What the YAML front matter says, and the text with the front matter blanked, so that lines
    keep their numbers.

    Raises Unreadable when there is front matter that cannot be understood: a document whose tier
    was mistyped must not pass for one without a tier.
    """
    front = _FRONT.match(text, 0, _FRONT_CHARS)
    if not front:
        return Labels(), text
    try:
        require_bounded(front["yaml"] or "", "The front matter")
        fields = yaml.safe_load(front["yaml"] or "")
    except (yaml.YAMLError, ValueError):
        raise Unreadable("front matter is not valid YAML") from None
    if not isinstance(fields, Mapping):  # prose between two horizontal rules
        return Labels(), text
    try:
        front_matter = _Front.model_validate(
            {str(key).casefold(): fields[key] for key in fields}
        )
    except ValidationError as error:
        fault = error.errors()[0]
        stated = f"{fault['loc'][0]}: {fault['input']!r}"[:60]
        raise Unreadable(f"front matter says {stated}, which cannot be understood") from None
    labels = front_matter.model_dump()
    title = " ".join(str(labels.pop("title") or "").split())[:300]
    return Labels(title=title, **labels), "\n" * front.group().count("\n") + text[front.end() :]


def _tiers(value: object) -> object:
    listed = value if isinstance(value, list) else str(value or "").split(",")
    return [_key(str(item)) for item in listed if str(item).strip()]


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip()).upper()


def tier_named(name: str) -> str | None:
    """The tier of this name in any case, `cutting-edge` and `Cutting edge` included; None when
    there is none."""
    return _key(name) if _key(name) in Tier.__members__ else None


def _date(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return parse_date(str(value).replace("/", "-")) if value else None


class _Front(BaseModel):
    """What front matter may say of a document."""

    title: str | int | float | None = None
    tiers: Annotated[tuple[Tier, ...], BeforeValidator(_tiers)] = Field(
        default=(), validation_alias=AliasChoices("tier", "tiers")
    )
    published: Annotated[date | None, BeforeValidator(_date)] = Field(
        default=None, validation_alias=AliasChoices("published", "date")
    )
    retracted: bool | None = None
    preprint: bool | None = None
