"""Pages of the simulated encyclopedia, and the prose that carries its facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ..state.tiers import TIERS
from .facts import TEXTS, Fact, lower_first
from .values import join

FACTS_PER_FILLER = 2
_FILLERS = TEXTS["pages"]["fillers"]
"""Sentences that carry links and assert nothing a question could ask for."""


class PageRow(TypedDict):
    """What a page is made of beside its facts. `name`: what prose calls its subject; `topics`: such
    names of pages."""

    name: str
    topics: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """An encyclopedia page. `text` is plain text with wiki headings, as MediaWiki's extracts give
    it."""

    pageid: int
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    links: tuple[str, ...]
    disambiguation: bool = False
    facts: tuple[Fact, ...] = ()
    """What it states, in its order."""

    @property
    def url(self) -> str:
        return f"sim://wiki/{self.title.replace(' ', '_')}"

    @property
    def revision(self) -> int:
        return 1_000_000 + self.pageid

    @property
    def text(self) -> str:
        return self.lead + "".join(
            f"\n\n\n== {heading} ==\n{body}" for heading, body in self.sections
        )


def with_article(name: str) -> str:
    return (
        f"the {name}"
        if name.endswith(("-block", "table")) and not name.startswith("the ")
        else name
    )


def prose(name: str, facts: Sequence[Fact], topics: Sequence[str], turn: int = 0) -> str:
    """The facts as one paragraph with a linking sentence after every second one; it begins and ends
    with a fact."""
    sentences: list[str] = []
    for count, fact in enumerate(facts, start=1):
        sentences.append(fact.sentence)
        if count % FACTS_PER_FILLER == 0 and count < len(facts) and topics:
            turn_of_filler = turn + count // FACTS_PER_FILLER
            chosen = dict.fromkeys(
                (
                    topics[2 * turn_of_filler % len(topics)],
                    topics[(2 * turn_of_filler + 1) % len(topics)],
                )
            )
            filler = _FILLERS[turn_of_filler % len(_FILLERS)].format(
                s=with_article(name), a=join(tuple(map(with_article, chosen)))
            )
            sentences.append(filler)
    return " ".join(sentences)


def pages(
    rows: Mapping[str, PageRow],
    facts_by_title: Mapping[str, Sequence[Fact]],
    ambiguous: Mapping[str, Sequence[str]],
) -> Iterator[Page]:
    """The pages in the order of their rows, with the facts of the first two tiers; behind them
    disambiguation pages, which list and state nothing. `ambiguous`: titles, with what each can
    mean.

    A page without a fact of its own says that it is a stub, as such pages do: that is no evidence
    of anything.
    """
    titles = {row["name"]: title for title, row in rows.items()}
    for pageid, (title, row) in enumerate(rows.items(), start=1):
        name = row["name"]
        topics = [topic for topic in row["topics"] if topic != name]
        by_section: dict[str, list[Fact]] = {}
        for fact in facts_by_title.get(title, ()):
            if fact.tier in TIERS[:2]:
                by_section.setdefault(fact.section or "", []).append(fact)
        lead, body = by_section.pop("", []), sorted(by_section.items())
        yield Page(
            pageid=pageid,
            title=title,
            lead=prose(name, lead, topics, turn=title.count("e"))
            or f"This article on {name} is a stub.",
            sections=tuple(
                (heading, prose(name, facts, topics, turn))
                for turn, (heading, facts) in enumerate(body, start=3)
            ),
            links=tuple(sorted({titles[topic] for topic in topics} - {title})),
            facts=(*lead, *(fact for _, facts in body for fact in facts)),
        )
    for pageid, (title, targets) in enumerate(ambiguous.items(), start=len(rows) + 1):
        lines = "\n".join(f"{target}, see {lower_first(target)}" for target in targets)
        intro = f"{title.partition(' (')[0]} may refer to:\n{lines}"
        yield Page(
            pageid,
            title,
            intro,
            (),
            tuple(sorted(targets)),
            True,
        )
