"""The items of an Explain-Query-Test, sorted by concept and question."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...state.eqt.items import (
    Attribution,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Item,
    Paraphrase,
    Reading,
)
from ...state.errors import RunFailed

READABLE: tuple[Reading, ...] = ("letters", "none")
"""Readings of an answer of which it is known what it chooses."""

Asking = tuple[int, int]
"""(question, paraphrase); paraphrase 0 is the original wording."""


@dataclass(slots=True)
class ConceptItems:
    """What there is of one concept. Of items with the same place the last one is kept: it was asked
    for again."""

    index: int
    """The concept's place in the spec's list, from 0."""
    explanation: Explanation | None = None
    questions: dict[int, ChoiceQuestion] = field(default_factory=dict)
    paraphrases: dict[Asking, Paraphrase] = field(default_factory=dict)
    choices: dict[Asking, Choice] = field(default_factory=dict)
    """Closed book."""
    open_book: dict[int, Choice] = field(default_factory=dict)
    attributions: dict[Asking, Attribution] = field(default_factory=dict)

    def add(self, item: EqtItem) -> None:
        match item:
            case Explanation():
                self.explanation = item
            case ChoiceQuestion():
                self.questions[item.question] = item
            case Paraphrase():
                self.paraphrases[item.question, item.paraphrase] = item
            case Choice(open_book=True):
                self.open_book[item.question] = item
            case Choice():
                self.choices[item.question, item.paraphrase] = item
            case Attribution():
                self.attributions[item.question, item.paraphrase] = item

    def sort(self) -> None:
        self.questions = dict(sorted(self.questions.items()))
        self.paraphrases = dict(sorted(self.paraphrases.items()))
        self.choices = dict(sorted(self.choices.items()))
        self.open_book = dict(sorted(self.open_book.items()))
        self.attributions = dict(sorted(self.attributions.items()))

    def measured(self) -> Iterator[Item]:
        """Every item that figures rest on; attributions explain figures and are none of them."""
        if self.explanation is not None:
            yield self.explanation
        for part in (self.questions, self.paraphrases, self.choices, self.open_book):
            yield from part.values()

    def answers_to(self, question: int) -> list[frozenset[int]]:
        """The closed-book answers to a question that can be read, as sets of options; "none of
        them" is empty."""
        own = (choice for (number, _), choice in self.choices.items() if number == question)
        return [frozenset(choice.chosen) for choice in own if choice.reading in READABLE]


def by_concept(items: Iterable[EqtItem]) -> dict[int, ConceptItems]:
    """Place of the concept → its items. All of it is in the order of places, in whatever order the
    items came: sums of floats depend on their order, and a resumed run has its own."""
    held: dict[int, ConceptItems] = {}
    for item in items:
        held.setdefault(item.concept, ConceptItems(item.concept)).add(item)
    for own in held.values():
        own.sort()
    return dict(sorted(held.items()))


def require_whole(own: ConceptItems) -> None:
    """Raises RunFailed when an item of the concept is missing that another one refers to, with the
    ids of both."""
    for item, is_there, missing in _references(own):
        if not is_there:
            raise RunFailed(
                f"The run's journal lacks the item {missing}, to which {item.id} refers, so that "
                "no result can be"
                " computed from it: put back the journal as it was written, or start the run again."
            )


def _references(own: ConceptItems) -> Iterator[tuple[Item, bool, str]]:
    """Each item that refers to another one, whether that is there, and its id."""
    for question in own.questions.values():
        yield question, own.explanation is not None, _parent(question)
    for paraphrase in own.paraphrases.values():
        yield paraphrase, paraphrase.question in own.questions, _parent(paraphrase)
    for choice in (*own.choices.values(), *own.open_book.values()):
        yield choice, choice.question in own.questions, _parent(choice)
        if choice.paraphrase:
            wording = choice.question, choice.paraphrase
            yield choice, wording in own.paraphrases, f"{_parent(choice)}.p{choice.paraphrase}"
    for asking, attribution in own.attributions.items():
        yield attribution, asking in own.choices, _parent(attribution)


def _parent(item: Item) -> str:
    """The id that an item's own begins with."""
    return item.id.rpartition(".")[0]


def scored(choices: Iterable[Choice]) -> list[Choice]:
    """The choices that count: those that a fault of the infrastructure has not prevented."""
    return [choice for choice in choices if choice.fault is None]


def wrong_choices(concepts: Sequence[ConceptItems]) -> list[Choice]:
    """All wrong closed-book answers that can be read, by concept, question and paraphrase: what
    attributions are drawn from. Of an answer without a selection it is clear what failed."""
    return [
        choice
        for concept in concepts
        for choice in concept.choices.values()
        if choice.reading in READABLE and not choice.correct
    ]
