"""Offline encyclopedias: Wikipedia and others as ZIM files, read through libzim. Nothing leaves the
machine."""

import asyncio
import hashlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...state.errors import SourceFailed, UsageError, install
from .base import FactQuery, spread
from .encyclopedia import HITS, Article, LookUp
from .library.html import read_article
from .plan import LANGUAGES, check_language

if TYPE_CHECKING:
    from libzim.reader import Archive, Entry  # type: ignore[import-untyped]  # ships no py.typed

Value = TypeVar("Value")
_MISSING_PACKAGE = f"The source zim needs the package libzim: {install('zim')}."
_WORDS = re.compile(r"[^\W_]+")
_HOPS = 5
_NEAREST = 5
_LOOKED_AT = 20
"""Entries for each title that is listed: redirects and pictures are many."""
_BROKEN = (RuntimeError, OSError, LookupError, ValueError, ArithmeticError)
"""What libzim's own exceptions arrive as; UnicodeDecodeError where a message quotes the broken
bytes."""


class ZimSource(LookUp):
    """An encyclopedia in one file. It is opened when first asked for, and read on one thread of its
    own: libzim's searches are not made for several at once. A reading takes milliseconds."""

    def __init__(
        self,
        name: str,
        *,
        path: str,
        language: str = "en",
        clock: Callable[[], datetime],
    ) -> None:
        """`path` is the .zim file. Raises UsageError for an odd language code or when libzim is not
        installed."""
        if find_spec("libzim") is None:
            raise UsageError(_MISSING_PACKAGE)
        super().__init__(name)
        self._path = Path(path).expanduser()
        self._language = check_language(language)
        self._clock = clock
        self._opened: Archive | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="zim")

    async def prepare(self) -> None:
        """Opens the archive. Raises UsageError when the file is missing, no ZIM archive, cut short,
        without articles, or in another language."""
        await self._on_thread(lambda _: self._check_language())

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the archive's id, checksum and size. Raises SourceFailed."""
        return await self._ask(_fingerprint)

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles that begin as it does, then those of articles that a search finds; at most 5.
        Raises SourceFailed."""
        return await self._ask(lambda _: self._nearest_titles(title))

    async def sections(self, query: FactQuery, limit: int) -> list[str]:
        """Titles of all articles where there are no more than `limit`, else none. Raises
        SourceFailed."""
        titles = await self.contents(limit + 1)
        return titles if len(titles) <= limit else []

    async def contents(self, limit: int) -> list[str]:
        """Titles of articles, by path; at most `limit`, spread evenly. Raises SourceFailed."""
        return await self._ask(lambda _: self._article_titles(limit))

    async def aclose(self) -> None:
        await super().aclose()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._opened = None

    async def _page(
        self,
        title: str,
        language: str,
        *,
        whole: bool,
    ) -> Article | None:
        return await self._ask(lambda _: self._read_article(title, language))

    async def _search(self, words: str, language: str) -> list[str]:
        return await self._ask(lambda _: self._search_titles(words))

    async def _ask(self, question: Callable[["Archive"], Value]) -> Value:
        """As `_on_thread`, in the midst of a run, where a file that cannot be opened is a failed
        source."""
        try:
            return await self._on_thread(question)
        except UsageError as error:
            raise SourceFailed("bad_reply", str(error)) from error

    async def _on_thread(self, question: Callable[["Archive"], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: question(self._archive)
        )

    # what follows runs on the thread

    @property
    def _archive(self) -> "Archive":
        if self._opened is None:
            archive = _open(self._path)
            if archive.article_count == 0:
                raise UsageError(
                    f"{self._path} holds no articles: it cannot serve as an encyclopedia."
                )
            self._opened = archive
        return self._opened

    def _check_language(self) -> None:
        """Refuses an archive that states its languages when the one asked for is known and not
        among them."""
        code = self._language
        stated = set(re.findall(r"[^,\s]+", self._metadata("Language")))
        wanted = LANGUAGES.get(code.split("-")[0])
        if stated and wanted and not stated & {wanted, code}:
            raise UsageError(
                f"{self._path.name} is written in {', '.join(sorted(stated))}, not in {code!r}: "
                "name an archive in that"
                " language, or another --language."
            )

    def _read_article(self, title: str, language: str) -> Article | None:
        """The article under a title or path, redirects followed; None when there is none."""
        try:
            entry = self._entry(title.strip())
            if entry is None or not entry.get_item().mimetype.startswith("text/html"):
                return None
            html = bytes(entry.get_item().content).decode("utf-8", errors="replace")
            reading = read_article(html, entry.title)
        except _BROKEN as error:
            raise self._failed(f"the article {title!r}", error) from error
        # what the archive calls itself and its day, "wikipedia_en_all 2026-05-01"; its id where it
        # does not say
        revision = " ".join(filter(None, (self._metadata("Name"), self._metadata("Date")))) or str(
            self._archive.uuid
        )
        return Article(
            title=entry.title or title.strip(),
            url=f"zim:{self._path.name}#{entry.path}",
            revision=revision,
            retrieved_at=self._clock(),
            language=language,
            ambiguous=reading.ambiguous,
            source=reading.text,
        )

    def _search_titles(self, words: str) -> list[str]:
        """Titles of articles that hold the words, best first; by their titles alone where the
        archive has no index of its text."""
        from libzim.search import Query, Searcher  # type: ignore[import-untyped]  # an extra, without py.typed

        query = _plain_query(words)
        if not self._archive.has_fulltext_index:
            return self._suggested(query)
        searcher = Searcher(self._archive)
        return self._titles_of(query, lambda: searcher.search(Query().set_query(query)))

    def _suggested(self, query: str) -> list[str]:
        from libzim.suggestion import SuggestionSearcher  # type: ignore[import-untyped]

        return self._titles_of(query, lambda: SuggestionSearcher(self._archive).suggest(query))

    def _titles_of(self, query: str, search: Callable[[], Any]) -> list[str]:
        if not query:
            return []
        try:
            paths = search().getResults(0, HITS)
            return [self._archive.get_entry_by_path(path).title or path for path in paths]
        except _BROKEN as error:
            raise self._failed(f"a search for {query!r}", error) from error

    def _nearest_titles(self, title: str) -> list[str]:
        query = _plain_query(title)
        titles = [*self._suggested(query), *self._search_titles(query)]
        for word in query.split() if not titles else ():
            titles += self._suggested(word)
        return list(dict.fromkeys(titles))[:_NEAREST]

    def _article_titles(self, limit: int) -> list[str]:
        """Looks at a few entries for each title that is wanted, evenly over all: an archive may
        hold millions."""
        count = self._archive.all_entry_count
        ids = spread(range(count), limit * _LOOKED_AT)
        try:
            titles = dict.fromkeys(filter(None, map(self._title_of_article, ids)))
        except _BROKEN as error:
            raise self._failed("its list of articles", error) from error
        return spread(list(titles), limit)

    def _title_of_article(self, id: int) -> str | None:
        entry = self._archive._get_entry_by_id(id)
        if entry.is_redirect or not entry.get_item().mimetype.startswith("text/html"):
            return None
        return str(entry.title or entry.path)

    def _entry(self, title: str) -> "Entry | None":
        """The entry itself, at the end of its redirects. Titles stand as they are read, paths with
        underscores; older archives keep articles below `A/`."""
        text = title.encode("utf-8", errors="ignore").decode().replace("\0", "")
        capital = text[:1].upper() + text[1:]
        for name in dict.fromkeys((text, capital)):
            if name and self._archive.has_entry_by_title(name):
                return _target(self._archive.get_entry_by_title(name))
        for name in dict.fromkeys((text, text.replace(" ", "_"), capital.replace(" ", "_"))):
            for path in (name, f"A/{name}"):
                if name and self._archive.has_entry_by_path(path):
                    return _target(self._archive.get_entry_by_path(path))
        return None

    def _metadata(self, key: str) -> str:
        if key not in self._archive.metadata_keys:
            return ""
        return str(self._archive.get_metadata(key), "utf-8", errors="replace").strip()

    def _failed(self, part: str, error: Exception) -> SourceFailed:
        return SourceFailed(
            "bad_reply",
            f"{self._path.name} cannot be read: {part} gave “{_reason(error)}”. Is the file whole?",
        )


def _plain_query(words: str) -> str:
    """In capitals AND, OR, NOT and NEAR are operators."""
    return " ".join(_WORDS.findall(words.lower()))


def _fingerprint(archive: "Archive") -> str:
    checksum = archive.checksum if archive.has_checksum else ""
    text = f"{archive.uuid} {checksum} {archive.all_entry_count} {archive.filesize}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _open(path: Path) -> "Archive":
    from libzim.reader import Archive

    parts = path.with_name(f"{path.name}aa")  # a large archive may come as .zimaa, .zimab, …
    if not path.is_file() and not parts.is_file():
        kind = "is a folder" if path.is_dir() else "does not exist"
        raise UsageError(f"The archive {path} {kind}: name a .zim file, as in zim:wikipedia.zim.")
    try:
        return Archive(path)
    except _BROKEN as error:
        raise UsageError(
            f"{path} is no whole ZIM archive ({_reason(error)}): download it again, or name "
            "another file."
        ) from None


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or not str(error).strip():
        return "its content is damaged"
    return str(error).strip().splitlines()[0].rstrip(".:")


def _target(entry: "Entry") -> "Entry | None":
    for _ in range(_HOPS):
        if not entry.is_redirect:
            return entry
        entry = entry.get_redirect_entry()
    return None
