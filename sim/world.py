"""One simulated world: the corpus, and by its seed who knows what, where the judge errs and which pages are missing."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..state.spec import WorldSpec
from ..state.text import contains, normalise
from .corpus import corpus
from .draws import draw
from .drill.spoilt import Spoilt, spoilt
from .facts import Fact
from .pages import Document, Page
from .personas import Persona
from .search import literature_index, wiki_index
from .values import Pool, matches, tokens


@dataclass(frozen=True, slots=True)
class LookUp:
    """What a wiki finds under a title: the page (None: missing), the title in normal form, the redirect followed."""

    page: Page | None
    title: str
    redirected_from: str | None = None


class World:
    """Immutable, and cheap to make: all worlds of a process share one corpus."""

    def __init__(self, spec: WorldSpec) -> None:
        self.spec = spec
        self._corpus = corpus()
        self.facts: tuple[Fact, ...] = self._corpus.facts
        self.titles: tuple[str, ...] = tuple(title for title, p in self._corpus.pages.items() if not p.disambiguation)

    def fact_of(self, question: str) -> Fact | None:
        """The fact a question asks for, well or with a fault; None for a question that is not of this world."""
        known = self._corpus.questions.get(normalise(question))
        if known is None and (made := self.spoilt(question)) is not None:
            return made.fact
        return known

    def spoilt(self, question: str) -> Spoilt | None:
        """What is wrong with a question's words; None in a world whose evaluator writes no such questions."""
        return spoilt(question) if self.spec.leak or self.spec.lists else None

    def fact_in(self, sentence: str) -> Fact | None:
        """The fact a sentence of this world's pages states."""
        return self._corpus.sentences.get(normalise(sentence))

    def knows(self, persona: Persona, fact: Fact) -> bool:
        """The bit: whether this persona knows this fact in this world."""
        return draw(self.spec.seed, "knows", persona.name, fact.id) < persona.chance(fact.tier)

    def pool(self, fact: Fact) -> Pool:
        """What claims about the fact's property can look like."""
        return self._corpus.pools[fact.property]

    def rival_values(self, fact: Fact) -> tuple[tuple[str, ...], ...]:
        """The values of the fact's property, each as its items, anywhere in the world."""
        return self._corpus.rivals[fact.property]

    def look_up(self, title: str) -> LookUp:
        """The page under a title, as MediaWiki finds it: first letter of any case, underscores, redirects."""
        wanted = " ".join(title.replace("_", " ").split())
        wanted = wanted[:1].upper() + wanted[1:]
        target = self._corpus.redirects.get(wanted)
        page = self._corpus.pages.get(target or wanted)
        if page is not None and draw(self.spec.seed, "missing", page.title) < self.spec.faults.missing_page:
            page = None
        return LookUp(page, wanted, wanted if target and page else None)

    def search(self, query: str, limit: int = 10) -> list[Page]:
        """Pages that have all the words, those with the words in their title first."""
        found = (self.look_up(title).page for title in wiki_index().find(query))
        return [page for page in found if page is not None][:limit]

    def literature(self, query: str) -> list[Document]:
        """Documents about what the query names, best first."""
        return literature_index().find(query)

    def leads_somewhere(self, name: str) -> bool:
        """Whether a name has a page."""
        return _key(name) in self._corpus.names

    def title_of(self, name: str) -> str | None:
        """Title of the page that a name leads to, with or without an addition in brackets; None where there is none."""
        return self._corpus.names.get(_key(name.partition(" (")[0]))

    def names(self, text: str, concept: str) -> bool:
        """Whether a text names the concept, by any name of its page."""
        title = self.title_of(concept)
        if title is None:
            return contains(text, concept.partition(" (")[0])
        found = matches(tokens(text), self._corpus.names, self._corpus.longest_name)
        return any(self._corpus.names[key] == title for _, key in found)

    def mentioned(self, text: str) -> list[str]:
        """Names with a page that the text mentions, in order, each once, spelt as titles are but without additions."""
        found = matches(tokens(text), self._corpus.names, self._corpus.longest_name)
        return list(dict.fromkeys(self._corpus.spellings[key] for _, key in found))

    def links(self, name: str) -> Iterable[str]:
        """Titles the page under this name links to; none when there is no such page."""
        page = self.look_up(name).page
        return page.links if page else ()


@lru_cache(maxsize=4096)
def _key(name: str) -> tuple[str, ...]:
    return tuple(tokens(name))
