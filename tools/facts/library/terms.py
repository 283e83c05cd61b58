"""Words as the index knows them: the same light stems by which `relevance.mentions` compares. Pure."""

import re
from functools import lru_cache

from ....state.text import normalise
from ..base import FactQuery
from ..relevance import aside, bare, stems

_SIGNS = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff"
_TERM = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
_RUN = re.compile(rf"[{_SIGNS}]+")
_MOST_TERMS = 24
"""Of a longer concept, the first words find the candidates; whether they mention it all is asked afterwards."""


def terms(text: str) -> str:
    """The text as it is indexed: stems in order, and single signs where words are not spaced."""
    return " ".join(_term(word) for word in _TERM.findall(normalise(text)))


def match(query: FactQuery) -> str | None:
    """An FTS5 query for passages that have the concept in their text, title or headings; the concept as a phrase, the
    words in brackets behind it, those of its line and of the domain only raise the rank. None when there is no word in
    it. Nothing of it is read as syntax."""
    concept = bare(query.concept)
    required = _required(concept)
    if not required:
        return None
    wanted = " AND ".join(required)
    around = (aside(query.concept), *reversed(query.line), query.domain)
    helpful = dict.fromkeys(stem for text in around if text for stem in sorted(stems(text)))
    liked = [_quoted(terms(concept)), *map(_quoted, list(helpful)[:_MOST_TERMS])]
    places = " OR ".join(f"({{{column}}} : ({wanted}))" for column in ("title", "heading", "body"))
    return f"({places}) AND ({required[0]} OR {' OR '.join(liked)})"


def _required(concept: str) -> list[str]:
    folded = normalise(concept)
    if runs := _RUN.findall(folded):
        return [_quoted(" ".join(run)) for run in runs[:_MOST_TERMS]]
    return [_quoted(stem) for stem in sorted(stems(concept))[:_MOST_TERMS]]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', " ") + '"'


@lru_cache(maxsize=65_536)
def _term(word: str) -> str:
    return " ".join(sorted(stems(word)))
