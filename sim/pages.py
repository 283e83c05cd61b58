"""Pages of the simulated encyclopedia and documents of its literature, and the prose that carries
facts in both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TypedDict

from ..state.records import TIERS, Tier
from .facts import Fact, lower_first
from .texts import TEXTS
from .values import join, number, shuffled

_, _, PROFESSIONAL, SPECIALIST, CUTTING_EDGE = TIERS

DISAMBIGUATION = "Disambiguation pages"
PREPRINT, RETRACTED = "preprint", "retracted article"
FACTS_PER_FILLER = 2
_FILLERS = TEXTS["pages"]["fillers"]
"""Sentences that carry links and assert nothing a question could ask for."""
_KINDS = {
    PROFESSIONAL: ("guideline", "Guideline and data sheet for professional practice"),
    SPECIALIST: ("journal article", "Peer-reviewed study of properties"),
    CUTTING_EDGE: ("journal article", "New results"),
}
_PER_DOCUMENT = 9
"""Facts of one document, at most."""
_OLDEST, _SPAN_DAYS = date(2006, 1, 1), 6000
"""Days of publication of everything but the newest literature: 2006 to mid-2022."""
_YOUNGEST_DAYS, _NEW_SPAN_DAYS = 20, 660


class PageRow(TypedDict):
    """What a page is made of beside its facts. `name`: what prose calls its subject; `topics`: such
    names of pages."""

    name: str
    topics: Sequence[str]
    categories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """An encyclopedia page. `text` is plain text with wiki headings, as MediaWiki's extracts give
    it."""

    pageid: int
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    links: tuple[str, ...]
    categories: tuple[str, ...]
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


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A piece of the literature. `day` is fixed (ISO), or None for the newest, which has an age in
    days; `subject`: how prose names what it is about."""

    id: str
    title: str
    tier: Tier
    kind: str
    subject: str
    topics: tuple[str, ...]
    facts: tuple[Fact, ...]
    part: int
    day: str | None
    age_days: int

    @property
    def url(self) -> str:
        return f"sim://literature/{self.id}"

    @property
    def text(self) -> str:
        return prose(self.subject, self.facts, self.topics, turn=self.part)

    def published(self, reference: date) -> date:
        """The day of publication: fixed, or for the newest literature counted back from the
        reference day."""
        return (
            date.fromisoformat(self.day) if self.day else reference - timedelta(days=self.age_days)
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
            place = turn + count // FACTS_PER_FILLER
            chosen = dict.fromkeys(
                (topics[2 * place % len(topics)], topics[(2 * place + 1) % len(topics)])
            )
            filler = _FILLERS[place % len(_FILLERS)].format(
                s=with_article(name), a=join(tuple(map(with_article, chosen)))
            )
            sentences.append(filler)
    return " ".join(sentences)


def pages(
    rows: Mapping[str, PageRow],
    told: Mapping[str, Sequence[Fact]],
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
        for fact in told.get(title, ()):
            if fact.tier not in _KINDS:
                by_section.setdefault(fact.section or "", []).append(fact)
        lead, body = by_section.pop("", []), sorted(by_section.items())
        yield Page(
            pageid=pageid,
            title=title,
            lead=prose(name, lead, topics, turn=title.count("e"))
            or f"This article on {name} is a stub.",
            sections=tuple(
                (each, prose(name, facts, topics, turn))
                for turn, (each, facts) in enumerate(body, start=3)
            ),
            links=tuple(sorted({titles[topic] for topic in topics} - {title})),
            categories=tuple(row["categories"]),
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
            (DISAMBIGUATION, "All disambiguation pages"),
            True,
        )


def documents(
    rows: Mapping[str, PageRow], told: Mapping[str, Sequence[Fact]]
) -> Iterator[Document]:
    """All documents, subject by subject. A document has between two and nine facts of one tier."""
    for title, row in rows.items():
        for tier in _KINDS:
            found = {fact.id: fact for fact in told.get(title, ()) if fact.tier is tier}
            chosen = [found[id] for id in shuffled(list(found), tier)]
            count = -(-len(chosen) // _PER_DOCUMENT)
            for part in range(count):
                yield from _with_copies(_document(row, tier, tuple(chosen[part::count]), part + 1))


def _document(row: PageRow, tier: Tier, facts: tuple[Fact, ...], part: int) -> Document:
    (kind, heading), name = _KINDS[tier], row["name"]
    id = f"{tier.lower().replace('_', '-')}-{name.lower().replace(' ', '-')}-{part}"
    title = f"{heading}: {name} among the chemical elements, part {part}"
    day = (
        None
        if tier is CUTTING_EDGE
        else (_OLDEST + timedelta(days=number(id) % _SPAN_DAYS)).isoformat()
    )
    age = _YOUNGEST_DAYS + number(id) % _NEW_SPAN_DAYS
    return Document(id, title, tier, kind, name, tuple(row["topics"]), facts, part, day, age)


def _with_copies(document: Document) -> Iterator[Document]:
    """Some articles have a preprint, some were retracted: a source for specialists has to leave
    both out."""
    yield document
    if document.tier is SPECIALIST:
        chance = number("copy", document.id) % 20
        if chance < 2:
            title = f"Preprint, not peer-reviewed: {document.subject} among the chemical elements"
            yield replace(
                document,
                id=f"preprint-{document.id}",
                kind=PREPRINT,
                title=title,
            )
        elif chance == 2:
            yield replace(
                document,
                id=f"retracted-{document.id}",
                kind=RETRACTED,
                title=f"Retracted: {document.title}",
            )
