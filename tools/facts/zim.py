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
from .base import spread
from .encyclopedia import HITS, Article, LookUp
from .library.document import Unreadable
from .library.html import NOT_IN_ARTICLES, read_html
from .plan import check_language

if TYPE_CHECKING:
    from libzim.reader import Archive, Entry  # type: ignore[import-untyped]  # ships no py.typed

Value = TypeVar("Value")
_MISSING_PACKAGE = f"The source zim needs the package libzim: {install('zim')}."
_WORDS = re.compile(r"[^\W_]+")
_LANGUAGES = """
ar:ara bg:bul ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa et:est eu:eus fa:fas fi:fin
fr:fra he:heb hi:hin hr:hrv hu:hun id:ind it:ita ja:jpn ko:kor lt:lit lv:lav nb:nob nl:nld
nn:nno no:nor pl:pol pt:por ro:ron ru:rus simple:eng sk:slk sl:slv sr:srp sv:swe th:tha
tr:tur uk:ukr vi:vie zh:zho
"""
"""Codes of ISO 639-3, as archives state them."""
_SENSES = re.compile(
    r"""["']mw:PageProp/disambiguation|\bid=["'](?:disambigbox|begriffsklaerung)["']|"""
    r"""\bclass=["'][^"']*\b(?:disambigbox|dmbox-disambig|mbox-disambig|bandeau-homonymie)\b"""
)
_LISTS_SENSES = re.compile(r"\b(?:may|can) (?:also )?refer to\s*:", re.IGNORECASE)
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
        self._archive: Archive | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="zim")

    async def prepare(self) -> None:
        """Opens the archive. Raises UsageError when the file is missing, no ZIM archive, cut short,
        without articles, or in another language."""
        await self._on_thread(self._check_language)

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the archive's id, checksum and size. Raises SourceFailed."""
        return await self._ask(_fingerprint)

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles that begin as it does, then those of articles that a search finds; at most 5.
        Raises SourceFailed."""
        return await self._ask(lambda archive: self._nearest_titles(archive, title))

    async def contents(self, limit: int) -> list[str]:
        """Titles of articles, by path; at most `limit`, spread evenly. Raises SourceFailed."""
        return await self._ask(lambda archive: _article_titles(archive, limit))

    async def aclose(self) -> None:
        await super().aclose()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._archive = None

    async def _page(self, title: str, language: str, *, whole: bool) -> Article | None:
        return await self._ask(lambda archive: self._read_article(archive, title, language))

    async def _search(self, words: str, language: str) -> list[str]:
        return await self._ask(lambda archive: self._search_titles(archive, words))

    async def _ask(self, question: Callable[["Archive"], Value]) -> Value:
        """As `_on_thread`, in the midst of a run, where a file that cannot be opened or read is a
        failed source."""
        try:
            return await self._on_thread(question)
        except UsageError as error:
            raise SourceFailed("bad_reply", str(error)) from error
        except _BROKEN as error:
            says = f"{self._path.name} cannot be read (“{_reason(error)}”). Is the file whole?"
            raise SourceFailed("bad_reply", says) from error

    async def _on_thread(self, question: Callable[["Archive"], Value]) -> Value:
        def answer() -> Value:
            if self._archive is None:
                self._archive = _open(self._path)
            return question(self._archive)

        return await asyncio.get_running_loop().run_in_executor(self._thread, answer)

    # what follows runs on the thread

    def _check_language(self, archive: "Archive") -> None:
        """Refuses an archive that states its languages when the one asked for is known and not
        among them."""
        code = self._language
        stated = set(re.findall(r"[^,\s]+", _metadata(archive, "Language")))
        codes = dict(pair.split(":") for pair in _LANGUAGES.split())
        wanted = codes.get(code.split("-")[0])
        if stated and wanted and not stated & {wanted, code}:
            raise UsageError(
                f"{self._path.name} is written in {', '.join(sorted(stated))}, not in {code!r}: "
                "name an archive in that language, or another --language."
            )

    def _read_article(self, archive: "Archive", title: str, language: str) -> Article | None:
        """The article under a title or path, redirects followed; None when there is none."""
        entry = _entry(archive, title.strip())
        if entry is None or not entry.get_item().mimetype.startswith("text/html"):
            return None
        html = bytes(entry.get_item().content).decode("utf-8", errors="replace")
        try:
            text = read_html(html, NOT_IN_ARTICLES).text()
        except Unreadable:
            return None
        # what the archive calls itself and its day, "wikipedia_en_all 2026-05-01"; its id where it
        # does not say
        stated = [_metadata(archive, key) for key in ("Name", "Date")]
        return Article(
            title=entry.title or title.strip(),
            url=f"zim:{self._path.name}#{entry.path}",
            revision=" ".join(filter(None, stated)) or str(archive.uuid),
            retrieved_at=self._clock(),
            language=language,
            ambiguous=lists_senses(entry.title, html, text),
            source=text,
        )

    def _search_titles(self, archive: "Archive", words: str) -> list[str]:
        """Titles of articles that hold the words, best first; by their titles alone where the
        archive has no index of its text."""
        from libzim.search import Query, Searcher  # type: ignore[import-untyped]  # an extra, without py.typed

        query = _plain_query(words)
        if not archive.has_fulltext_index:
            return self._suggested(archive, query)
        search = Searcher(archive).search(Query().set_query(query)) if query else None
        return _titles_of(archive, search)

    def _suggested(self, archive: "Archive", query: str) -> list[str]:
        from libzim.suggestion import SuggestionSearcher  # type: ignore[import-untyped]

        return _titles_of(
            archive, SuggestionSearcher(archive).suggest(query) if query else None
        )

    def _nearest_titles(self, archive: "Archive", title: str) -> list[str]:
        query = _plain_query(title)
        titles = [*self._suggested(archive, query), *self._search_titles(archive, query)]
        for word in query.split() if not titles else ():
            titles += self._suggested(archive, word)
        return list(dict.fromkeys(titles))[:_NEAREST]


def lists_senses(title: str, html: str, text: str) -> bool:
    """Whether an article lists senses of its title, by its title, its marks or its first words."""
    if title.strip().endswith("(disambiguation)"):
        return True
    return bool(_SENSES.search(html) or _LISTS_SENSES.search(text[:300]))


def _titles_of(archive: "Archive", search: Any) -> list[str]:
    paths = search.getResults(0, HITS) if search else ()
    return [archive.get_entry_by_path(path).title or path for path in paths]


def _article_titles(archive: "Archive", limit: int) -> list[str]:
    """Looks at a few entries for each title that is wanted, evenly over all: an archive may hold
    millions."""
    titles = dict[str, None]()
    for id in spread(range(archive.all_entry_count), limit * _LOOKED_AT):
        entry = archive._get_entry_by_id(id)
        if not entry.is_redirect and entry.get_item().mimetype.startswith("text/html"):
            titles[str(entry.title or entry.path)] = None
    return spread(list(titles), limit)


def _entry(archive: "Archive", title: str) -> "Entry | None":
    """The entry itself, at the end of its redirects. Titles stand as they are read, paths with
    underscores; older archives keep articles below `A/`."""
    text = title.encode("utf-8", errors="ignore").decode().replace("\0", "")
    names = dict.fromkeys((text, text[:1].upper() + text[1:])) if text else ()
    for name in names:
        if archive.has_entry_by_title(name):
            return _target(archive.get_entry_by_title(name))
    for name in names:
        for path in (name.replace(" ", "_"), f"A/{name.replace(' ', '_')}"):
            if archive.has_entry_by_path(path):
                return _target(archive.get_entry_by_path(path))
    return None


def _metadata(archive: "Archive", key: str) -> str:
    if key not in archive.metadata_keys:
        return ""
    return str(archive.get_metadata(key), "utf-8", errors="replace").strip()


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
        raise UsageError(
            f"The archive {path} does not exist or is a folder: name a .zim file, as in "
            "zim:wikipedia.zim."
        )
    try:
        archive = Archive(path)
    except _BROKEN as error:
        raise UsageError(
            f"{path} is no whole ZIM archive ({_reason(error)}): download it again, or name "
            "another file."
        ) from None
    if archive.article_count == 0:
        raise UsageError(f"{path} holds no articles: it cannot serve as an encyclopedia.")
    return archive


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
