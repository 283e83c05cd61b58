"""Folders of documents for the tests of `folder:PATH`: sources over them, and PDF files written by
hand."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from fathom.state.records import Evidence
from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.folder import FolderSource
from fathom.tools.facts.library.reading import Reading, read

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
AS_OF = date(2026, 3, 1)
STROKE = """# Stroke

A stroke is a loss of brain function through lack of blood.
Most strokes are ischaemic, and the rest are haemorrhagic.

## Treatment

Alteplase dissolves the clot in an ischaemic stroke within 4.5 hours.

### Thrombectomy

Thrombectomy removes the clot from a large artery after a stroke.
"""


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """The folder, with these files in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@asynccontextmanager
async def opened(
    folder: Path, index_dir: Path | None = None, *, now: datetime = NOW, language: str = "en"
) -> AsyncIterator[FolderSource]:
    source = FolderSource(
        f"folder:{folder.name}",
        path=str(folder),
        index_dir=index_dir,
        language=language,
        clock=lambda: now,
    )
    try:
        yield source
    finally:
        await source.aclose()


def reading(text: str | bytes, path: str = "notes/a.md", kind: str = "markdown") -> Reading:
    return read(
        text.encode() if isinstance(text, str) else text, path, kind, "en", lambda: None
    )


def without_term(evidence: Evidence) -> str:
    """What stands in the file at the address: a term before it may stand in markup, and on a line
    of its own."""
    return evidence.text.removeprefix(f"{(evidence.section or '').split(' › ')[-1]}: ")


def query(
    concept: str, tier: Tier = Tier.PROFESSIONAL, *, domain: str = "Neurology", limit: int = 12
) -> FactQuery:
    return FactQuery(concept, domain, tier, AS_OF, limit=limit)


async def look_up(folder: Path, concept: str, tier: Tier = Tier.PROFESSIONAL) -> list[Evidence]:
    async with opened(folder) as source:
        return await source.find(query(concept, tier))


async def reason(folder: Path, path: str) -> str:
    """Why the file is skipped, in a folder that has one good document beside it."""
    write(folder, {"good.md": STROKE})
    async with opened(folder) as source:
        return (await source.prepare()).skipped[path]


def pdf(
    pages: Sequence[Sequence[str]], *, title: str | None = None, extra: bytes = b""
) -> bytes:
    """A PDF of version 1.4 with one line of Helvetica per string. `extra`: more operators on every
    page."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, lines in enumerate(pages):
        shown = b" ".join(
            b"(%s) Tj T*" % line.encode("latin-1").replace(b"(", b"\\(") for line in lines
        )
        stream = b"BT /F1 12 Tf 14 TL 72 720 Td %s ET %s" % (shown, extra)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (5 + 2 * n),
            b"<< /Length %d >> stream\n%s\nendstream" % (len(stream), stream),
        ]
    if title is not None:
        objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
    return _file(objects, info=len(objects) if title is not None else 0)


def _file(objects: Sequence[bytes], *, info: int) -> bytes:
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"<< /Size %d /Root 1 0 R %s>>" % (
        len(objects) + 1,
        b"/Info %d 0 R " % info if info else b"",
    )
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return out + head + table + b"trailer %s\nstartxref\n%d\n%%%%EOF" % (trailer, len(out))
