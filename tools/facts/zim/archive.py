"""One ZIM file through libzim: articles by title or path, searches, and what the archive says of itself. Synchronous.

Imported only when an archive is really opened. libzim's searches must not run at once on several threads: whoever uses
this class keeps it on one.
"""

import hashlib
import re
from pathlib import Path
from urllib.parse import unquote

from libzim.reader import Archive, Entry  # type: ignore[import-untyped]  # ships no py.typed
from libzim.search import Query, Searcher  # type: ignore[import-untyped]  # ships no py.typed
from libzim.suggestion import SuggestionSearcher  # type: ignore[import-untyped]  # ships no py.typed

from ....state.errors import SourceFailed, UsageError
from ..encyclopedia import HITS, Article
from ..transport import Clock
from .html import read_html

_WORDS = re.compile(r"[^\W_]+")
_HOPS = 5
_BROKEN = (RuntimeError, OSError, LookupError, ValueError, ArithmeticError)
"""What libzim's own exceptions arrive as; UnicodeDecodeError where a message quotes the broken bytes."""
_THREE_LETTERS = {
    "ar": "ara", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "eu": "eus",
    "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind", "it": "ita",
    "ja": "jpn", "ko": "kor", "nb": "nob", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus",
    "simple": "eng", "sk": "slk", "sr": "srp", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie",
    "zh": "zho",
}  # fmt: skip
"""ISO 639-3 codes, as archives state them, by the codes of wikis."""


class ZimArchive:
    """An open archive. Raises UsageError when there is no such file, or it is no whole ZIM archive with articles."""

    def __init__(self, path: Path) -> None:
        self._file = path.name
        self._archive = _opened(path)
        if self._archive.article_count == 0:
            raise UsageError(f"{path} holds no articles: it cannot serve as an encyclopedia.")

    @property
    def articles(self) -> int:
        return int(self._archive.article_count)

    @property
    def full_text(self) -> bool:
        """Whether its text can be searched; else only its titles."""
        return bool(self._archive.has_fulltext_index)

    @property
    def revision(self) -> str:
        """What the archive calls itself and its day, "wikipedia_en_all 2026-05-01"; its id where it does not say."""
        return " ".join(filter(None, (self._said("Name"), self._said("Date")))) or str(self._archive.uuid)

    def check_language(self, code: str) -> None:
        """Raises UsageError when the archive states its languages and `code` is known and not among them."""
        stated = {language.strip() for language in self._said("Language").split(",") if language.strip()}
        wanted = _THREE_LETTERS.get(code.split("-")[0])
        if stated and wanted and not stated & {wanted, code}:
            raise UsageError(
                f"{self._file} is written in {', '.join(sorted(stated))}, not in {code!r}: name an archive in that "
                "language, or another --language."
            )

    def fingerprint(self) -> str:
        """Sixteen hex digits over the archive's id, its checksum and its size."""
        archive = self._archive
        checksum = archive.checksum if archive.has_checksum else ""
        said = f"{archive.uuid} {checksum} {archive.all_entry_count} {archive.filesize}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def article(self, title: str, language: str, clock: Clock) -> Article | None:
        """The article under a title or path, redirects followed; None when there is none. Raises SourceFailed."""
        wanted = title.strip()
        try:
            for _ in range(_HOPS):  # a page may consist of nothing but the way to another
                entry = self._entry(wanted)
                if entry is None or not entry.get_item().mimetype.startswith("text/html"):
                    return None
                html = bytes(entry.get_item().content).decode("utf-8", errors="replace")
                reading = read_html(html, entry.title)
                if reading.goes_to is None:
                    break
                wanted = _beside(entry.path, reading.goes_to)
            else:
                return None
        except _BROKEN as error:
            raise self._failed(f"the article {title!r}", error) from error
        return Article(
            title=entry.title or wanted,
            url=f"zim:{self._file}#{entry.path}",
            revision=self.revision,
            retrieved_at=clock(),
            text=reading.text,
            language=language,
            ambiguous=reading.ambiguous,
        )

    def search(self, words: str) -> list[str]:
        """Titles of articles that hold the words, best first; by their titles alone where the archive has no index of
        its text. Raises SourceFailed."""
        query = " ".join(_WORDS.findall(words.lower()))  # in capitals AND, OR, NOT and NEAR are operators
        if not query:
            return []
        try:
            if self.full_text:
                found = Searcher(self._archive).search(Query().set_query(query)).getResults(0, HITS)
            else:
                found = SuggestionSearcher(self._archive).suggest(query).getResults(0, HITS)
            return [self._archive.get_entry_by_path(path).title or path for path in found]
        except _BROKEN as error:
            raise self._failed(f"a search for {query!r}", error) from error

    def _entry(self, title: str) -> Entry | None:
        """The entry itself, at the end of its redirects. Titles stand as they are read, paths with underscores; older
        archives keep articles below `A/`."""
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

    def _said(self, key: str) -> str:
        if key not in self._archive.metadata_keys:
            return ""
        return str(self._archive.get_metadata(key), "utf-8", errors="replace").strip()

    def _failed(self, what: str, error: Exception) -> SourceFailed:
        return SourceFailed(
            "bad_reply", f"{self._file} cannot be read: {what} gave “{_reason(error)}”. Is the file whole?"
        )


def _opened(path: Path) -> Archive:
    parts = path.with_name(f"{path.name}aa")  # a large archive may come as .zimaa, .zimab, …
    if not path.is_file() and not parts.is_file():
        kind = "is a folder" if path.is_dir() else "does not exist"
        raise UsageError(f"The archive {path} {kind}: name a .zim file, as in zim:wikipedia.zim.")
    try:
        return Archive(path)
    except _BROKEN as error:
        raise UsageError(
            f"{path} is no whole ZIM archive ({_reason(error)}): download it again, or name another file."
        ) from None


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or not str(error).strip():
        return "its content is damaged"
    return str(error).strip().splitlines()[0].rstrip(".:")


def _target(entry: Entry) -> Entry | None:
    for _ in range(_HOPS):
        if not entry.is_redirect:
            return entry
        entry = entry.get_redirect_entry()
    return None


def _beside(path: str, goes_to: str) -> str:
    """The path that a relative address on the page at `path` leads to."""
    name = unquote(goes_to).removeprefix("./")
    folder = path.rpartition("/")[0]
    while name.startswith("../"):
        name, folder = name.removeprefix("../"), folder.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name
