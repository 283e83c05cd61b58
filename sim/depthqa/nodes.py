"""Questions at three depths about the elements: what one consists of, and how a kind of question is written."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from ...state.depthqa.items import Reasoning
from ...state.tiers import Tier
from ..corpus import corpus
from ..draws import pick
from ..facts import Fact
from ..values import show


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a reference answer: a whole sentence with one value in it, and values that make it untrue."""

    before: str
    value: str
    after: str
    wrong: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.said(self.value)

    def said(self, value: str) -> str:
        """The sentence with another value."""
        return f"{self.before}{value}{self.after}"


@dataclass(frozen=True, slots=True)
class DeepQuestion:
    """A question of this world with its computed reference answer. `needs` are the questions one depth below on whose
    answers it rests; the reference is the fact's claim, or all parts in a row."""

    id: str
    """No white space: `d2.liquid-range.iron`."""
    depth: int
    question: str
    parts: tuple[Part, ...] = ()
    needs: tuple["DeepQuestion", ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    domain: str = ""
    subjects: tuple[str, ...] = ()
    """The elements it is about."""
    yes_no: str = ""
    """The same as a question that yes or no would answer; empty at depth 3."""
    fact: Fact | None = None
    tier: Tier = Tier.TEXTBOOK

    @property
    def reference(self) -> str:
        return self.fact.claim if self.fact else " ".join(part.text for part in self.parts)


class Unfit(Exception):
    """A question cannot be asked of these elements: a value is not known, or nothing would tell them apart."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a kind of question makes of its elements."""

    parts: tuple[Part, ...]
    needs: tuple[DeepQuestion, ...]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of question of depth 2 or 3. The places of its wordings are the slots: `{a}` and `{b}` elements, `{n}` a
    figure, `{t}` a temperature in °C, `{x}` what the elements decide themselves."""

    name: str
    depth: int
    slots: str
    """The places that can be chosen, in order: `ab`."""
    wordings: tuple[str, ...]
    reasoning: tuple[Reasoning, ...]
    domain: str
    write: Callable[..., Written]
    """Takes the slots. Raises Unfit."""
    yes_no: str = ""
    fill: Callable[..., str] | None = None
    """What stands at `{x}`, or at a `{t}` that cannot be chosen."""


@lru_cache(maxsize=65_536)
def make(kind: Kind, *slots: str) -> DeepQuestion:
    """The question of a kind about these elements and figures. Raises Unfit."""
    written = kind.write(*slots)
    words = wording_values(kind, *slots)
    wording = pick(kind.wordings, kind.name, *slots)
    return DeepQuestion(
        id=".".join((f"d{kind.depth}", kind.name, *slots)),
        depth=kind.depth,
        question=wording.format_map(words),
        parts=written.parts,
        needs=written.needs,
        reasoning=kind.reasoning,
        domain=kind.domain,
        subjects=tuple(slot for name, slot in zip(kind.slots, slots, strict=True) if name in "ab"),
        yes_no=kind.yes_no.format_map(words),
    )


def wording_values(kind: Kind, *slots: str) -> dict[str, str]:
    """What stands at the places of a kind's wordings."""
    words = dict(zip(kind.slots, slots, strict=True))
    if kind.fill is not None:
        filled = kind.fill(*slots)
        words |= {"x": filled, "t": words.get("t", filled)}
    return words


@cache
def _facts() -> dict[str, Fact]:
    return {fact.id: fact for fact in corpus().facts}


def known_fact(subject: str, prop: str) -> DeepQuestion:
    """The fact as a question of depth 1. Raises Unfit when it is not known."""
    fact = _facts().get(f"{subject}/{prop}")
    if fact is None:
        raise Unfit
    return of_fact(fact)


@lru_cache(maxsize=16_384)
def of_fact(fact: Fact) -> DeepQuestion:
    """A fact of this world as a question of depth 1."""
    claim = fact.claim.removesuffix(".")
    return DeepQuestion(
        id=f"d1.{fact.id.replace('/', '.')}",
        depth=1,
        question=fact.question,
        subjects=(fact.subject,),
        yes_no=f"Is it true that {claim[:1].lower()}{claim[1:]}?",
        fact=fact,
        tier=fact.tier,
    )


def value_of(subject: str, prop: str) -> float:
    """The figure of a fact. Raises Unfit when it is not known."""
    return float(text_of(subject, prop))


def text_of(subject: str, prop: str) -> str:
    """The first item of a fact's value, without unit. Raises Unfit when it is not known."""
    fact = known_fact(subject, prop).fact
    assert fact is not None
    return fact.items[0]


def start(name: str) -> str:
    """A name at the start of a sentence."""
    return name[:1].upper() + name[1:]


def figure(value: float, digits: int = 4) -> str:
    """A computed figure as it is written: so many significant digits, no exponent."""
    return show(float(f"{value:.{digits}g}"))


def part(text: str, value: str, *wrong: str) -> Part:
    """A statement; `{v}` in the text is the place of the value."""
    before, _, after = text.partition("{v}")
    return Part(before, value, after, tuple(dict.fromkeys(w for w in wrong if w != value)))


def figure_part(text: str, value: float, digits: int = 4) -> Part:
    """A statement with a computed figure of so many significant digits."""
    return part(text, figure(value, digits), *(figure(value * f if value else f, digits) for f in (1.37, 0.62, 1.81)))


def count_part(text: str, count: int) -> Part:
    """A statement with a count."""
    return part(text, str(count), *(str(count + more) for more in (2, 1, 3, -1) if count + more > 0))


def shown_part(text: str, subject: str, prop: str) -> Part:
    """A statement with the figure of a fact, as the fact has it."""
    value = value_of(subject, prop)
    return part(text, text_of(subject, prop), *(figure(value * f if value else f) for f in (1.37, 0.62, 1.81)))
