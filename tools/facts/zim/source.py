"""Offline encyclopedias: Wikipedia and others as ZIM files, read through libzim. Nothing leaves the machine."""

import asyncio
from collections.abc import Callable, Set
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ....state.errors import SourceFailed, UsageError
from ....state.records import Evidence
from ....state.tiers import Tier
from ..address import check_language
from ..base import FactQuery
from ..encyclopedia import TIERS_SERVED, Article, LookUp
from ..transport import Clock

if TYPE_CHECKING:
    from .archive import ZimArchive

Value = TypeVar("Value")
_MISSING_PACKAGE = "The source zim needs the package libzim: install it with pip install 'fathom-eval[zim]'."


class ZimSource:
    """COMMON is the lead of the concept's article, TEXTBOOK its body without the lead, as with any encyclopedia.

    The archive is opened when first asked for, and read on one thread of its own: libzim's searches are not made for
    several at once. A reading takes milliseconds.
    """

    def __init__(self, name: str, *, path: str, language: str = "en", clock: Clock) -> None:
        """`path` is the .zim file. Raises UsageError for an odd language code or when libzim is not installed."""
        if find_spec("libzim") is None:
            raise UsageError(_MISSING_PACKAGE)
        self._name = name
        self._path = Path(path).expanduser()
        self._language = check_language(language)
        self._clock = clock
        self._archive: ZimArchive | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="zim")
        self._look_up = LookUp(name, page=self._page, search=self._search)

    @property
    def name(self) -> str:
        return self._name

    @property
    def tiers(self) -> Set[Tier]:
        return TIERS_SERVED

    async def prepare(self) -> None:
        """Opens the archive. Raises UsageError when the file is missing, no ZIM archive, cut short, without articles,
        or in another language."""
        await self._on_thread(lambda archive: archive.check_language(self._language))

    async def articles(self) -> int:
        """How many articles the archive holds. Raises UsageError as `prepare` does."""
        return await self._on_thread(lambda archive: archive.articles)

    async def full_text(self) -> bool:
        """Whether the text can be searched, and not only the titles. Raises UsageError as `prepare` does."""
        return await self._on_thread(lambda archive: archive.full_text)

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the archive's id, checksum and size. Raises SourceFailed."""
        return await self._asked(lambda archive: archive.fingerprint())

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier, in reading order; none when there is no article on it, or only a stub,
        or at a tier that no encyclopedia serves. Raises SourceFailed when the archive cannot be read."""
        return await self._look_up.find(query)

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the archive knows the subject: by title (redirects and lists of senses count) or by a search hit that
        is the page on it or mentions it. Raises SourceFailed when the archive cannot be read."""
        return await self._look_up.has_page(title, language)

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles of articles that a search for the title finds. Raises SourceFailed."""
        return await self._search(title, language)

    async def aclose(self) -> None:
        await self._look_up.aclose()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._archive = None

    async def _page(self, title: str, language: str) -> Article | None:
        return await self._asked(lambda archive: archive.article(title, language, self._clock))

    async def _search(self, words: str, _language: str) -> list[str]:
        return await self._asked(lambda archive: archive.search(words))

    async def _asked(self, question: Callable[["ZimArchive"], Value]) -> Value:
        """As `_on_thread`, in the midst of a run, where a file that cannot be opened is a failed source."""
        try:
            return await self._on_thread(question)
        except UsageError as error:
            raise SourceFailed("bad_reply", str(error)) from error

    async def _on_thread(self, question: Callable[["ZimArchive"], Value]) -> Value:
        def ask() -> Value:
            if self._archive is None:
                from .archive import ZimArchive  # libzim is an extra

                self._archive = ZimArchive(self._path)
            return question(self._archive)

        return await asyncio.get_running_loop().run_in_executor(self._thread, ask)
