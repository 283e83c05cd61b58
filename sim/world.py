"""One simulated world: the corpus, and by its seed who knows what, where the judge errs and which
pages are missing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from .. import __version__
from ..state.spec import WorldSpec
from ..state.text import contains, normalise
from ..state.tiers import TIERS, Tier
from .corpus import corpus, name_index, names
from .facts import Fact
from .pages import Page
from .personas import Persona
from .search import find_pages
from .values import draw, matches, tokens

Reply = dict[str, object]
"""The evaluator's reply to a task."""


def shifted(tier: Tier, levels: int) -> Tier:
    """The tier so many levels above, as far as there are any."""
    index = TIERS.index(tier) + levels
    return TIERS[min(max(index, 0), len(TIERS) - 1)]


@dataclass(frozen=True, slots=True)
class LookUp:
    """What a wiki finds under a title: the page (None: missing), the title in normal form, the
    redirect followed."""

    page: Page | None
    title: str
    redirected_from: str | None = None


class World:
    """Immutable, and cheap to make: all worlds of a process share one corpus."""

    def __init__(self, spec: WorldSpec) -> None:
        self.spec = spec
        self.seed = spec.seed
        self._corpus = corpus()
        self.facts: tuple[Fact, ...] = self._corpus.facts
        self.titles: tuple[str, ...] = tuple(
            title for title, p in self._corpus.pages.items() if not p.disambiguation
        )

    def fact_in(self, sentence: str) -> Fact | None:
        """The fact a sentence of this world's pages states."""
        return self._corpus.sentences.get(normalise(sentence))

    def knows(self, persona: Persona, fact: Fact, shift: int = 0) -> bool:
        """The bit: whether this persona knows this fact in this world, asked for so many levels
        harder than it is."""
        chance = persona.chance(shifted(fact.tier, shift))
        return draw(self.seed, "knows", persona.name, fact.id) < chance

    def look_up(self, title: str) -> LookUp:
        """The page under a title, as MediaWiki finds it: first letter of any case, underscores,
        redirects."""
        wanted = " ".join(title.replace("_", " ").split())
        wanted = wanted[:1].upper() + wanted[1:]
        target = self._corpus.redirects.get(wanted)
        page = self._corpus.pages.get(target or wanted)
        if (
            page is not None
            and draw(self.seed, "missing", page.title) < self.spec.faults.missing_page
        ):
            page = None
        return LookUp(page, wanted, wanted if target and page else None)

    def search(self, query: str, limit: int = 10) -> list[Page]:
        """Pages that have all the words, those with the words in their title first."""
        pages = (self.look_up(title).page for title in find_pages(query))
        return [page for page in pages if page is not None][:limit]

    def title_of(self, name: str) -> str | None:
        """Title of the page that a name leads to, with or without an addition in brackets; None
        where there is none."""
        bare_name = name.partition(" (")[0]
        return names().get(_key(bare_name), (None, ""))[0]

    def names(self, text: str, concept: str) -> bool:
        """Whether a text names the concept, by any name of its page."""
        title = self.title_of(concept)
        if title is None:
            return contains(text, concept.partition(" (")[0])
        return any(named_title == title for named_title, _ in self._named(text))

    def mentioned(self, text: str) -> list[str]:
        """Names with a page that the text mentions, in order, each once, spelt as titles are but
        without additions."""
        return list(dict.fromkeys(name for _, name in self._named(text)))

    def _named(self, text: str) -> list[tuple[str, str]]:
        return matches(tokens(text), name_index())

    def links(self, name: str) -> tuple[str, ...]:
        """Titles the page under this name links to; none when there is no such page."""
        page = self.look_up(name).page
        return page.links if page else ()


@dataclass(frozen=True, slots=True)
class Task:
    """What is wanted of a persona: the values of a prompt by name; one that is missing counts as
    empty."""

    world: World
    persona: Persona
    about: Mapping[str, Any]
    message: str = ""
    """The last turn, a name for draws; nobody reads it."""
    attempt: int = 0
    """How often it was sent back."""
    seed: int | None = None
    """The request's, by which an evaluator that errs does so another time."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What was asked before about passages from elsewhere."""

    def __getitem__(self, name: str) -> Any:
        return self.about.get(name, "")


Purposes = Mapping[str, Callable[[Task], Reply | str]]
"""How what is asked for is done, by the name of its prompt."""


@lru_cache(maxsize=4096)
def _key(name: str) -> tuple[str, ...]:
    return tuple(tokens(name))


def identity(spec: WorldSpec, today: date) -> str:
    """One name for all places and times at which the very same replies are given: thirty-two hex
    digits over what decides them, the spec, the day that dates the newest literature, and the
    program, by its version and its text."""
    decisive = (spec.model_dump_json(), today.isoformat(), __version__, _program())
    return blake2b("\0".join(decisive).encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1)
def _program() -> str:
    """Digest of the modules and data of the world: whoever works on them must not meet yesterday's
    replies."""
    folder = Path(__file__).parent
    digest = blake2b(digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(
                path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes()
            )
    return digest.hexdigest()
