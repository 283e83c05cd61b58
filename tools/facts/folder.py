"""A folder of the user's own documents as a source of evidence, searched on this machine and
nowhere else."""

import asyncio
import hashlib
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from ...state.errors import SourceFailed, UsageError
from ...state.records import Evidence
from ...state.text import digest
from ...state.tiers import TIERS, Tier
from ..flight import SingleFlight
from ..runs.log import get_logger
from .base import FactQuery, spread
from .library.document import Stopped
from .library.index import Found, Holdings, Index
from .plan import check_language

_READABLE = "Markdown, plain text, HTML or PDF"
_NEAREST = 5
Value = TypeVar("Value")


class FolderSource:
    """Markdown, plain text, reStructuredText, HTML and PDF below one folder.

    A passage counts when its document, a heading above it or the term that it helps to define is
    named like the concept; where none is, when it has the concept as a phrase; then with its words
    near each other; then with all of its words. Its address is the folder's name with the path
    below it and the place: `notes/stroke.md#L12`, `notes/acs.pdf#page=3`, `notes/gout.html#therapy`.

    A document's tier is what its front matter says, else the innermost sub-folder named like a
    tier. Without a tier it serves COMMON with its lead, TEXTBOOK with the rest, each with all of it
    where that part has nothing as close to the concept, and the tiers above with anything; but only
    where no document of the tier itself has anything on the concept.
    CUTTING_EDGE takes only what states a date of publication within two years before the query's
    `as_of`; a retracted document is no evidence from SPECIALIST on, a preprint not at SPECIALIST.

    Files that cannot be used are in `skipped`, each with its reason, and `notice` sums them up.
    `retrieved_at` is when the file was indexed, `revision` begins its SHA-256: a second run on an
    unchanged folder records the same evidence. The folder is read once per source, at the first
    look-up or `prepare`; what changes later shows in the next launch.
    """

    def __init__(
        self,
        name: str,
        *,
        path: str,
        index_dir: Path | None,
        language: str = "en",
        clock: Callable[[], datetime],
    ) -> None:
        """`index_dir` keeps the index from launch to launch; None keeps it in memory. Raises
        UsageError: no such folder, not a folder, or an odd language code. Reads nothing yet."""
        self.name = name
        self.tiers: Set[Tier] = frozenset(TIERS)
        self._path = path
        self._root = _folder(path)
        self._index_dir = index_dir
        self._language = check_language(language)
        self._clock = clock
        self._stopped = threading.Event()
        self._indexes: SingleFlight[str, Index] = SingleFlight(keep=1_000)
        self._opened: dict[str, Index] = {}

    @property
    def skipped(self) -> Mapping[str, str]:
        """Path below the folder → why the file is not used. Empty before the folder is indexed."""
        return self._holdings.skipped

    @property
    def notice(self) -> str | None:
        """One sentence about files that are not used; None when all are, or nothing is indexed
        yet."""
        if not self.skipped:
            return None
        reasons = _reasons(self._holdings)
        total = self._holdings.documents + len(self.skipped)
        return f"{self.name}: {len(self.skipped)} of {total} files are not used ({reasons})."

    async def prepare(self) -> Holdings:
        """Indexes the folder, unless that is done. Raises UsageError: it has gone, may not be read,
        or holds nothing readable."""
        return (await self._index(self._language)).holdings

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the paths and contents of the documents used and the way they are
        read; the same for the same folder on another machine. Raises SourceFailed."""
        return (await self._ready(self._language)).holdings.fingerprint

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier: best document first, in reading order within a
        document, and no document fills the hand while others have something. Raises SourceFailed
        when the folder cannot be read."""
        index = await self._ready(query.language)
        candidates = await self._ask(index.search, query)
        return [self._evidence(row, query.tier) for row in _spread(candidates, query.limit)]

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles and headings with words of the title, best first, at most 5. Raises
        SourceFailed."""
        index = await self._ready(language)
        return await self._ask(index.nearest, title, _NEAREST)

    async def sections(self, query: FactQuery, limit: int) -> list[str]:
        """The places that speak most of the query's concept and line, at most `limit`. Raises
        SourceFailed."""
        index = await self._ready(query.language)
        return await self._ask(index.sections, query, limit)

    async def contents(self, limit: int) -> list[str]:
        """Titles and headings that have passages, by path and position; at most `limit`, spread
        evenly. Raises SourceFailed."""
        index = await self._ready(self._language)
        return spread(await self._ask(index.contents), limit)

    async def _ask(self, question: Callable[..., Value], *args: object) -> Value:
        try:
            return await asyncio.to_thread(question, *args)
        except (OSError, sqlite3.Error) as error:
            raise SourceFailed("server", f"The index of {self.name} failed: {error}.") from error

    async def aclose(self) -> None:
        """Calls off indexing that is under way and closes the index; a later look-up opens it
        again."""
        self._stopped.set()
        await self._indexes.aclose()
        self._stopped = threading.Event()
        indexes, self._opened = self._opened, {}
        for index in indexes.values():
            await asyncio.to_thread(index.close)

    @property
    def _holdings(self) -> Holdings:
        index = self._opened.get(self._language)
        return index.holdings if index else Holdings()

    async def _ready(self, language: str) -> Index:
        try:
            return await self._index(language)
        except UsageError as error:
            raise SourceFailed("bad_reply", str(error)) from error

    async def _index(self, language: str) -> Index:
        return await self._indexes.get(language, lambda: self._open(language))

    async def _open(self, language: str) -> Index:
        """Sentences end by the rules of a language, so each language asked for has an index of its
        own."""
        index = Index(
            self._root, self._file(check_language(language)), language=language, clock=self._clock
        )
        stopped = self._stopped

        def stop() -> None:
            if stopped.is_set():
                raise Stopped

        try:
            holdings = await asyncio.to_thread(index.refresh, stop)
        except asyncio.CancelledError:
            stopped.set()  # a thread cannot be cancelled, only asked
            raise
        except OSError as error:
            raise UsageError(
                f"The folder {self._path} cannot be read ({error.strerror})."
            ) from error
        self._report(holdings)
        if not holdings.documents:
            index.close()
            why = f" ({_reasons(holdings)})" if holdings.skipped else ""
            raise UsageError(
                f"The folder {self._path} holds no readable document{why}: it takes {_READABLE}."
            )
        self._opened[language] = index
        return index

    def _report(self, holdings: Holdings) -> None:
        get_logger().info(
            "folder indexed",
            source=self.name,
            documents=holdings.documents,
            passages=holdings.passages,
            read=holdings.read,
            removed=holdings.removed,
            skipped=dict(Counter(holdings.skipped.values())),
            index_not_kept=holdings.remark,
        )

    def _evidence(self, row: Found, tier: Tier) -> Evidence:
        return Evidence(
            text=row.text,
            title=row.title,
            url=f"{self._root.name}/{row.path}" + (f"#{row.place}" if row.place else ""),
            source=self.name,
            tier=tier,
            section=row.section,
            revision=row.hash[:12],
            published=date.fromisoformat(row.published) if row.published else None,
            retrieved_at=datetime.fromisoformat(row.read_at),
            digest=digest(row.text),
        )

    def _file(self, language: str) -> Path | None:
        if self._index_dir is None:
            return None
        key = hashlib.sha256(
            f"{self._root}\0{language}".encode("utf-8", "surrogateescape")
        ).hexdigest()[:16]
        return self._index_dir / f"folder-{key}.sqlite"


def _reasons(holdings: Holdings) -> str:
    """Why most files are not used, with their numbers."""
    counted = Counter(holdings.skipped.values()).most_common(3)
    return "; ".join(f"{times} × {reason}" for reason, times in counted)


def _folder(path: str) -> Path:
    try:
        root = Path(path).expanduser().resolve()
        exists, is_folder = root.exists(), root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"The folder {path} cannot be found ({error}).") from error
    if not exists:
        raise UsageError(f"There is no folder {path}: name one that holds {_READABLE}.")
    if not is_folder:
        raise UsageError(f"{path} is a file, not a folder: name the folder it is in.")
    return root


def _spread(candidates: Sequence[Found], limit: int) -> list[Found]:
    """The best, each text once, by document and then in reading order; no document fills the hand
    while others have something."""
    share = max(2, limit // 3)
    by_document: Counter[str] = Counter()
    first: list[Found] = []
    reserve: list[Found] = []
    unique = {digest(row.text): row for row in reversed(candidates)}
    for row in reversed(unique.values()):
        (first if by_document[row.path] < share else reserve).append(row)
        by_document[row.path] += 1
    hand = [*first, *reserve][:limit]
    order = {path: rank for rank, path in enumerate(dict.fromkeys(row.path for row in hand))}
    return sorted(hand, key=lambda row: (order[row.path], row.position))
