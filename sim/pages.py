"""Pages of the simulated encyclopedia and documents of its literature, and the prose that carries facts in both."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..state.tiers import Tier
from .facts import Fact
from .values import join

FACTS_PER_FILLER = 2


@dataclass(frozen=True, slots=True)
class Page:
    """An encyclopedia page. `text` is plain text with wiki headings, as MediaWiki's extracts give it."""

    pageid: int
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    links: tuple[str, ...]
    categories: tuple[str, ...]
    disambiguation: bool = False

    @property
    def url(self) -> str:
        return f"sim://wiki/{self.title.replace(' ', '_')}"

    @property
    def revision(self) -> int:
        return 1_000_000 + self.pageid

    @property
    def text(self) -> str:
        return self.lead + "".join(f"\n\n\n== {heading} ==\n{body}" for heading, body in self.sections)


@dataclass(frozen=True, slots=True)
class Document:
    """A piece of the literature. `published` is a fixed day (ISO), or None for the newest, which has an age in days."""

    id: str
    title: str
    tier: Tier
    kind: str
    site: str
    subject: str
    """How prose names what it is about."""
    topics: tuple[str, ...]
    text: str
    published: str | None
    age_days: int

    @property
    def url(self) -> str:
        return f"sim://literature/{self.id}"


@dataclass(slots=True)
class Draft:
    """A page while its parts come in. `name` is what prose calls its subject; `topics`: such names of other pages."""

    title: str
    name: str
    topics: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    lead: list[Fact] = field(default_factory=list)
    body: dict[str, list[Fact]] = field(default_factory=dict)

    def add(self, fact: Fact) -> None:
        (self.lead if fact.section is None else self.body.setdefault(fact.section, [])).append(fact)

    def link(self, *names: str) -> None:
        self.topics.extend(name for name in dict.fromkeys(names) if name not in self.topics and name != self.name)


_FILLERS = (
    "Comparisons of {s} with {a} are common in texts on the chemical elements.",
    "Texts on {s} are often read together with those on {a}.",
    "In courses on the chemical elements, {s} is usually met beside {a}.",
    "Anyone who studies {s} will sooner or later come across {a}.",
    "Collections of data list {s} not far from {a}.",
)
"""Sentences that carry links and assert nothing a question could ask for."""


def with_article(name: str) -> str:
    return f"the {name}" if name.endswith(("-block", "table")) and not name.startswith("the ") else name


def prose(name: str, facts: Sequence[Fact], topics: Sequence[str], turn: int = 0) -> str:
    """The facts as one paragraph with a linking sentence after every second one; it begins and ends with a fact."""
    sentences: list[str] = []
    for count, fact in enumerate(facts, start=1):
        sentences.append(fact.sentence)
        if count % FACTS_PER_FILLER == 0 and count < len(facts) and topics:
            place = turn + count // FACTS_PER_FILLER
            chosen = dict.fromkeys(with_article(topics[(2 * place + i) % len(topics)]) for i in range(2))
            filler = _FILLERS[place % len(_FILLERS)].format(s=with_article(name), a=join(tuple(chosen)))
            sentences.append(filler)
    return " ".join(sentences)
