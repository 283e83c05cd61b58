"""Word lists for reading prose in several languages, and lists of sites: what is in words.toml."""

import tomllib
from pathlib import Path

_DATA = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_LISTS: dict[str, tuple[str, ...]] = {
    name: tuple(text.split()) for name, text in _DATA["words"].items()
}

ALWAYS_GOES_ON = frozenset(_LISTS["always_goes_on"])
GOES_ON_BEFORE_NUMBER = frozenset(_LISTS["goes_on_before_number"])
MAY_END = frozenset(_LISTS["may_end"])
STARTERS = frozenset(_LISTS["starters"])
FINITE = frozenset(_LISTS["finite"])
CONTINUES = STARTERS | FINITE | frozenset(_LISTS["continues"])
ADVERBS = frozenset(_LISTS["adverbs"])
DETERMINERS = frozenset(_LISTS["determiners"])
ORDINAL_DOT = frozenset(_LISTS["ordinal_dot"])
STOPWORDS = frozenset(_LISTS["stopwords"])
BOILERPLATE_SIGNS = frozenset(_LISTS["boilerplate_signs"])
NO_PROSE_HEADINGS = frozenset(
    entry.strip() for entry in _DATA["entries"]["no_prose_headings"].split("|")
)
MONTHS = _LISTS["months"]
PREPRINT_HOSTS, PROFESSIONAL_HOSTS = _LISTS["preprint_hosts"], _LISTS["professional_hosts"]
JOURNAL_HOSTS = _LISTS["journal_hosts"]
LANGUAGES = dict(entry.split(":") for entry in _LISTS["languages"])
MEDLINE_LANGUAGES = LANGUAGES | dict(entry.split(":") for entry in _LISTS["medline_languages"])
"""Codes of three letters by those of wikis."""


def _about_the_text(pattern: str) -> str:
    for name, words in _DATA["about_the_text"]["parts"].items():
        any_of = "|".join(words.split() if isinstance(words, str) else words)
        pattern = pattern.replace(f"<{name}>", f"(?:{any_of})")
    return pattern


ABOUT_THE_TEXT = tuple(map(_about_the_text, _DATA["about_the_text"]["patterns"]))
"""How a sentence begins, in any case, that is about the text it stands in and not about the text's
subject."""
