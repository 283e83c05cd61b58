"""What a reader of the event stream knows of an Explain-Query-Test: it does not grow with the answers."""

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ....state.eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from ....state.eqt.result import Numbers
from ....state.events import ConceptClosed, RunStarted
from ....state.spec import EqtSpec

KEPT_ANSWERS = 60
"""Newest answers kept per run: as many as the tallest screen shows."""
UNIT = "step"
"""What a run of this method consists of, in words."""

Outcome = Literal["correct", "wrong", "unscored"]


@dataclass(frozen=True, slots=True)
class Answered:
    """A finished asking, as one line shows it."""

    id: str
    outcome: Outcome
    concept: str
    said: str
    """The letters chosen or what stands in their place; why there is nothing, when it is unscored."""
    right: str
    """The letters that are right, as they were shown; empty where the question is not known."""
    question: str
    elapsed_s: float


@dataclass(slots=True)
class OpenConcept:
    """A concept that is being worked on."""

    index: int
    name: str
    again: bool = False
    """It was closed before, and what a fault took is asked for once more."""
    asked: dict[int, tuple[str, frozenset[int]]] = field(default_factory=dict)
    """Finished questions: the wording, empty for one that cannot be asked, and which options are right."""
    worded: dict[tuple[int, int], bool] = field(default_factory=dict)
    """Finished paraphrases: whether they can be asked."""
    answers: int = 0
    """Finished askings, open book included."""
    outcomes: dict[Outcome, int] = field(default_factory=lambda: {"correct": 0, "wrong": 0, "unscored": 0})
    failed: set[str] = field(default_factory=set)
    """Those of its askings, as counted here, that have no answer for a fault."""

    @property
    def lost(self) -> int:
        """Finished questions that cannot be asked."""
        return sum(not text for text, _ in self.asked.values())


class Tally(NamedTuple):
    """What closed concepts add up to; closed book only, but `lost`: steps of any kind that came to nothing for a fault.

    `consistency` is the sum of ACS over `questions`.
    """

    concepts: int = 0
    scored: int = 0
    correct: int = 0
    consistency: float = 0.0
    questions: int = 0
    lost: int = 0

    def plus(self, other: "Tally", sign: int = 1) -> "Tally":
        """The sum, or the difference for sign −1."""
        return Tally(
            self.concepts + sign * other.concepts,
            self.scored + sign * other.scored,
            self.correct + sign * other.correct,
            self.consistency + sign * other.consistency,
            self.questions + sign * other.questions,
            self.lost + sign * other.lost,
        )

    @property
    def accuracy(self) -> float | None:
        """Correct of scored answers; None without any."""
        return self.correct / self.scored if self.scored else None

    @property
    def acs(self) -> float | None:
        """Mean ACS over the questions that can show any inconsistency; None without any."""
        return self.consistency / self.questions if self.questions else None


def tally_of(numbers: Numbers) -> Tally:
    """One closed concept."""
    row = numbers.consistency
    informative = row.questions if row.acs is not None else 0
    consistency, lost = (row.acs or 0.0) * informative, sum(numbers.unscored.values())
    return Tally(1, numbers.all.scored, numbers.all.correct, consistency, informative, lost)


def outcome_of(choice: Choice) -> Outcome:
    """Right, wrong, or unscored; only the endpoint's fault leaves an asking unscored."""
    if choice.correct is None:
        return "unscored"
    return "correct" if choice.correct else "wrong"


def said_anything(choice: Choice) -> bool:
    """Whether there is any text to an answer; a model may reply with nothing."""
    return choice.answer is not None and bool(choice.answer.text.strip())


def said_of(choice: Choice) -> str:
    """`B, D`; in its place what the answer came to, or the fault."""
    if choice.fault is not None:
        return f"{choice.fault.stage}: {choice.fault.kind}"
    if choice.reading == "unreadable" and not said_anything(choice):
        return "no answer"
    return read_as(choice)


def read_as(choice: Choice) -> str:
    """`B, D`, or what an answer without letters was taken for."""
    words = {"none": "none is right", "unreadable": "no readable selection", "refused": "refused"}
    return words.get(choice.reading or "", ", ".join(choice.letters))


@dataclass(slots=True)
class EqtProgress:
    """One run."""

    spec: EqtSpec
    open: dict[int, OpenConcept] = field(default_factory=dict)
    """By place in the spec's list, in the order they were begun."""
    closed: dict[int, Tally] = field(default_factory=dict)
    totals: Tally = field(default_factory=Tally)
    by_category: dict[str, Tally] = field(default_factory=dict)
    outcomes: dict[Outcome, int] = field(default_factory=lambda: {"correct": 0, "wrong": 0, "unscored": 0})
    """Closed-book answers so far, of open concepts too."""
    open_book: int = 0
    """Finished open-book askings."""
    attributed: int = 0
    items: int = 0
    """Finished steps. As in all counts here, one that was done again counts once, as it came out last."""
    newest: deque[Answered] = field(default_factory=lambda: deque(maxlen=KEPT_ANSWERS))
    """Finished askings, the newest first."""
    _failed: set[str] = field(default_factory=set)
    """Steps that came to nothing for a fault: when the run goes on, they may be done once more."""

    def begin(self, spec: EqtSpec, started: RunStarted | None) -> None:
        """The run begins, or goes on."""
        self.spec = spec

    def take(self, item: EqtItem) -> None:
        """A step is finished; one that had come to nothing takes its own place."""
        again = item.id in self._failed
        _note(self._failed, item)
        self.items += not again
        if isinstance(item, Attribution):
            self.attributed += not again
            return
        concept = self._concept(item.concept)
        match item:
            case ChoiceQuestion():
                right = frozenset(place for place, option in enumerate(item.options) if option.correct)
                concept.asked[item.question] = (item.text, right)
            case Paraphrase():
                concept.worded[item.question, item.paraphrase] = bool(item.text)
            case Choice():
                self._answer(item, concept, again=again)
            case Explanation():
                pass

    def close(self, event: ConceptClosed) -> None:
        """All about a concept is there."""
        self.open.pop(event.index, None)
        before, now = self.closed.get(event.index, Tally()), tally_of(event.numbers)
        self.closed[event.index] = now
        change = now.plus(before, -1)
        self.totals = self.totals.plus(change)
        self.by_category[event.category] = self.by_category.get(event.category, Tally()).plus(change)

    @property
    def accuracy(self) -> float | None:
        """Over all closed-book answers so far; None without any."""
        scored = self.outcomes["correct"] + self.outcomes["wrong"]
        return self.outcomes["correct"] / scored if scored else None

    @property
    def unbegun(self) -> list[int]:
        """Concepts of which nothing is finished: they are being explained, or wait."""
        return [i for i in range(len(self.spec.concepts)) if i not in self.open and i not in self.closed]

    def _concept(self, index: int) -> OpenConcept:
        known = index in self.closed
        return self.open.setdefault(index, OpenConcept(index, self.name(index), again=known))

    def name(self, index: int) -> str:
        """A concept's name; empty for one that the spec does not have."""
        return self.spec.concepts[index].name if index < len(self.spec.concepts) else ""

    def _answer(self, choice: Choice, concept: OpenConcept, *, again: bool) -> None:
        outcome = outcome_of(choice)
        self._count(choice, concept, outcome, again=again)
        if again:
            self.newest = deque((one for one in self.newest if one.id != choice.id), maxlen=KEPT_ANSWERS)
        text, right = concept.asked.get(choice.question, ("", frozenset()))
        letters = ", ".join(chr(65 + place) for place, option in enumerate(choice.order) if option in right)
        self.newest.appendleft(
            Answered(choice.id, outcome, concept.name, said_of(choice), letters, text, choice.elapsed_s)
        )

    def _count(self, choice: Choice, concept: OpenConcept, outcome: Outcome, *, again: bool) -> None:
        here = choice.id in concept.failed  # not so when the concept was closed in between: it counts anew
        _note(concept.failed, choice)
        concept.answers += not here
        if choice.open_book:
            self.open_book += not again
            return
        for outcomes, replaced in ((self.outcomes, again), (concept.outcomes, here)):
            outcomes["unscored"] -= replaced
            outcomes[outcome] += 1


def _note(failed: set[str], item: EqtItem) -> None:
    """Keep in mind whether the step came to nothing."""
    if item.fault is not None:
        failed.add(item.id)
    else:
        failed.discard(item.id)


def expected_answers(spec: EqtSpec, concept: OpenConcept) -> int:
    """Askings of a concept, as far as is known: what was dropped or lost is not asked."""
    unworded = sum(not can for can in concept.worded.values())
    return (spec.questions - concept.lost) * (1 + spec.paraphrases + spec.open_book) - unworded


def answers_of(progress: EqtProgress) -> tuple[int, int]:
    """Closed-book answers that are finished, and how many there will be, as far as is known: of concepts that are not
    begun all that is planned, of others without what was dropped or lost."""
    spec, finished = progress.spec, sum(progress.outcomes.values())
    planned = finished + len(progress.unbegun) * spec.questions * (1 + spec.paraphrases)
    for concept in progress.open.values():
        if not concept.again:
            with_book = (spec.questions - concept.lost) * spec.open_book
            planned += expected_answers(spec, concept) - with_book - sum(concept.outcomes.values())
    return finished, max(finished, planned)


def phase_of(spec: EqtSpec, concept: OpenConcept) -> str:
    """`questions 3/5`, `paraphrases 7/15, answers 3/20`, `answers 12/20`, or `asked again`."""
    if concept.again:
        return "asked again"
    wanted = (spec.questions - concept.lost) * spec.paraphrases
    parts = []
    if len(concept.asked) < spec.questions:
        parts.append(f"questions {len(concept.asked)}/{spec.questions}")
    elif len(concept.worded) < wanted:
        parts.append(f"paraphrases {len(concept.worded)}/{wanted}")
    if concept.answers or not parts:
        parts.append(f"answers {concept.answers}/{expected_answers(spec, concept)}")
    return ", ".join(parts)
