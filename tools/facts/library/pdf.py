"""PDF through pypdf, which is an extra: the text of each page, without running heads, in bounded
work."""

import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ....state.errors import install
from .document import MAX_TEXT, Document, Stopped, Unreadable

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 2_000
MAX_OPERATIONS = 5_000_000
"""Most drawing operators interpreted in one file: nested forms can ask for more than a lifetime
holds."""
MAX_PAGE_BYTES = 10_000_000
"""Most bytes of one page's drawing operators, unpacked."""
NO_PYPDF = f"PDF needs pypdf: {install('pdf')}"

_HYPHEN = re.compile(r"(?<=[a-zà-öø-ÿ])[-\u00ad\u2010]\n(?=[a-zà-öø-ÿ])")
_DIGITS = re.compile(r"\d+")
_NO_TITLE = re.compile(
    r"\W*(?:untitled|microsoft word\b.*|.*\.(?:docx?|tex|dvi|indd|pdf|qxd|pptx?))?\W*",
    re.IGNORECASE,
)
_REPEATS = 3
"""A line at the edge of this many pages, and of half of them, is a running head."""

logging.getLogger("pypdf").addHandler(
    logging.NullHandler()
)  # its remarks on odd files are not for the screen


def pypdf_version() -> str | None:
    """None when it is not installed. Another version may read another text out of the same file."""
    try:
        import pypdf
    except ImportError:
        return None
    return pypdf.__version__


def read_pdf(data: bytes, stop: Callable[[], None]) -> Document:
    """`stop` is called between pages and may raise. Raises Unreadable: pypdf missing, protected by
    a password, broken, too many pages, more work or text than a document can hold, or no text at
    all (a scan)."""
    if pypdf_version() is None:
        raise Unreadable(NO_PYPDF)
    pages, title = _pages(data, stop)
    if not any(any(lines) for lines in pages):
        raise Unreadable("no text, only pictures")
    out = Document(title=title)
    heads = _running_heads(pages)
    for number, lines in enumerate(pages, 1):
        for paragraph in _paragraphs(
            [line for line in lines if _DIGITS.sub("0", line) not in heads]
        ):
            out.block(paragraph, f"page={number}")
    return out


def _pages(data: bytes, stop: Callable[[], None]) -> tuple[list[list[str]], str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("protected by a password")
        if len(reader.pages) > MAX_PAGES:
            raise Unreadable(f"more than {MAX_PAGES:,} pages")
        return _texts(reader, stop), _title(reader)
    except (Unreadable, Stopped):
        raise
    except DependencyError:
        raise Unreadable(
            "encrypted: pip install cryptography, which pypdf needs to read it"
        ) from None
    except RecursionError:
        raise Unreadable("broken PDF (it refers to itself)") from None
    except (
        Exception
    ) as error:  # a damaged file fails inside pypdf in as many ways as it can be damaged
        raise Unreadable(f"broken PDF ({type(error).__name__})") from error


def _texts(reader: "PdfReader", stop: Callable[[], None]) -> list[list[str]]:
    pages: list[list[str]] = []
    size = operations = 0

    def spend(*_: object) -> None:
        nonlocal operations
        operations += 1
        if operations > MAX_OPERATIONS:
            raise Unreadable(
                f"more than {MAX_OPERATIONS // 1_000_000} million drawing operations"
            )

    for page in reader.pages:
        stop()
        contents, text = page.get_contents(), ""
        if contents is not None:
            if len(contents.get_data()) > MAX_PAGE_BYTES:
                raise Unreadable(
                    f"a page that unpacks to more than {MAX_PAGE_BYTES // 1_000_000} MB"
                )
            text = (
                page.extract_text(visitor_operand_before=spend)
                .replace("\r", "\n")
                .replace("\x00", "")
            )
            operations -= 1
            spend()  # pypdf drops what is raised inside a form
        size += len(text)
        if size > MAX_TEXT:
            raise Unreadable(f"more than {MAX_TEXT // 1_000_000} million characters of text")
        pages.append([line.strip() for line in _HYPHEN.sub("", text).split("\n")])
    return pages


def _title(reader: "PdfReader") -> str:
    stated = reader.metadata.title if reader.metadata else None
    title = " ".join(str(stated or "").split())[:300]
    return "" if _NO_TITLE.fullmatch(title) else title


def _running_heads(pages: list[list[str]]) -> set[str]:
    """Lines at the top or the foot of many pages, their numbers set aside."""
    edges = Counter(
        edge
        for lines in pages
        if (full := [_DIGITS.sub("0", line) for line in lines if line])
        for edge in {*full[:2], *full[-2:]}
    )
    return {edge for edge, times in edges.items() if times >= max(_REPEATS, len(pages) / 2)}


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """A blank line ends a paragraph, and so does a short line behind the end of a sentence."""
    usual = sorted(map(len, filter(None, lines)))[len(lines) // 2 :][:1] or [0]
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line:
            paragraph.append(line)
        is_short = len(line) < 0.7 * usual[0] and line.endswith((".", "!", "?", ":"))
        if paragraph and (not line or is_short):
            yield " ".join(paragraph)
            paragraph = []
