"""The figures of an Explain-Query-Test, and what its result tells of each concept, question and
answer (METHODS.md, section 3)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, get_args

from ...state.eqt.items import (
    Attribution,
    Cause,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Item,
    Paraphrase,
)
from ...state.eqt.result import AnswerRow as Answered
from ...state.eqt.result import (
    AttributedCase,
    AttributionRow,
    ConceptRow,
    ConsistencyRow,
    Numbers,
    QuestionRow,
    ShareRow,
)
from ...state.records import Stage
from ...state.rows import AnswerRow, Estimate
from ...state.spec import EqtSpec
from ...stats.accuracy import bounds, wilson
from ...stats.consistency import consistency
from ...stats.eqt.items import (
    READABLE,
    Items,
    in_order,
    parent_of,
    require_whole,
    wording_of,
    wrong_choices,
)
from ...stats.estimates import mean
from .measures import MEASURES, closed_book, rows_counted, values_of
from .rows import question_rows

I = TypeVar("I", bound=EqtItem)  # noqa: E741 - an item
_MEASURES = {measure.name: measure for measure in MEASURES}


class EqtTables(NamedTuple):
    """Every field of `EqtResult` that rests on items, under its name there."""

    numbers: Numbers
    by_category: dict[str, Numbers]
    concepts: tuple[ConceptRow, ...]
    attribution: AttributionRow | None


class Concept(NamedTuple):
    """One concept: its items, what the result tells of its questions, and the answers as rows."""

    place: int
    items: Items
    questions: tuple[QuestionRow, ...]
    rows: Sequence[AnswerRow]


def numbers_of(spec: EqtSpec, items: Iterable[EqtItem]) -> Numbers:
    """The figures over all concepts that have an item here, of one concept or of many.

    Intervals are clustered by concept, or by question where the answers they rest on are to one
    concept only.
    """
    concepts = [_concept(spec, *entry) for entry in in_order(items).items()]
    return _numbers(spec, concepts)


def tables_of(spec: EqtSpec, items: Collection[EqtItem], closed: Collection[int]) -> EqtTables:
    """All figures of a run. `closed`: places in the spec's list of the concepts that are finished;
    no other counts.

    Raises RunFailed when an item is missing that another one refers to.
    """
    counted = in_order(item for item in items if item.concept in closed)
    for each in counted.values():
        require_whole(each)
    concepts = [_concept(spec, *each) for each in counted.items()]
    named = [(spec.concepts[concept.place].category, concept) for concept in concepts]
    categories = dict.fromkeys(concept.category for concept in spec.concepts)
    groups = {name: [own for category, own in named if category == name] for name in categories}
    return EqtTables(
        numbers=_numbers(spec, concepts),
        by_category={
            name: _numbers(spec, group) for name, group in groups.items() if name and group
        },
        concepts=tuple(_concept_row(spec, concept) for concept in concepts),
        attribution=_attribution_row(items, counted) if spec.attribute else None,
    )


def _concept(spec: EqtSpec, index: int, items: Items) -> Concept:
    questions = tuple(_question_row(each, items) for each in _of(items, ChoiceQuestion))
    make = partial(
        AnswerRow,
        run="",
        method="eqt",
        model=spec.target,
        domain="",
    )
    rows = [
        row
        for place, question in enumerate(questions)
        for row in question_rows(make, f"{index}", place, question)
    ]
    return Concept(index, items, questions, rows)


def _of(items: Items, kind: type[I]) -> list[I]:
    return [item for item in items.values() if isinstance(item, kind)]


# figures


def _numbers(spec: EqtSpec, concepts: Sequence[Concept]) -> Numbers:
    rows = [row for concept in concepts for row in concept.rows]
    items = [item for concept in concepts for item in concept.items.values()]
    faults = Counter(
        item.fault.stage
        for item in items
        if item.fault is not None and not isinstance(item, Attribution)
    )
    readings = Counter(row.tags["reading"] for row in closed_book(rows))
    gap = _MEASURES["open_book_gap"].of(rows) if spec.open_book else Estimate(None)
    return Numbers(
        concepts=len(concepts),
        **_written(items, ChoiceQuestion, "questions", "dropped"),
        **_written(items, Paraphrase, "paraphrases", "paraphrases_dropped"),
        unscored={stage: faults[stage] for stage in get_args(Stage) if faults[stage]},
        all=_share(rows_counted(rows, "accuracy")),
        originals=_share(rows_counted(rows, "originals")),
        paraphrased=_share(rows_counted(rows, "paraphrased")),
        consistency=_consistency(rows, [each for own in concepts for each in own.questions]),
        format_failures=readings["unreadable"],
        refusals=readings["refused"],
        none_chosen=readings["none"],
        open_book=_share(rows_counted(rows, "open_book")) if spec.open_book else None,
        open_book_gap=gap.value,
        open_book_gap_ci=gap.interval,
    )


def _written(
    items: Sequence[EqtItem], kind: type[ChoiceQuestion | Paraphrase], name: str, dropped: str
) -> dict[str, int]:
    """How many of a kind there are, and how many were malformed twice."""
    written = [item for item in items if isinstance(item, kind)]
    return {
        name: sum(item.fault is None and item.dropped is None for item in written),
        dropped: sum(item.dropped is not None for item in written),
    }


def _share(rows: Sequence[AnswerRow]) -> ShareRow:
    """The share of right answers; those that were not scored were lost by the target."""
    values = values_of(rows)
    estimate, correct = mean(values), round(sum(score for _, score in values))
    return ShareRow(
        scored=estimate.n,
        correct=correct,
        accuracy=estimate.value,
        ci=wilson(correct, estimate.n),
        ci_clustered=estimate.interval,
        bounds=bounds(correct, estimate.n, len(rows) - estimate.n),
    )


def _consistency(rows: Sequence[AnswerRow], questions: Sequence[QuestionRow]) -> ConsistencyRow:
    acs, normalised = _MEASURES["acs"].of(rows), _MEASURES["acs_normalised"].of(rows)
    single = sum(each.acs is not None and not each.informative for each in questions)
    answered = sum(any(map(_is_scored, each.answers)) for each in questions)
    put = any(each.answers for each in questions)
    return ConsistencyRow(
        questions=acs.n,
        uninformative=single,
        unread=answered - acs.n - single,
        acs=acs.value,
        acs_ci=acs.interval,
        acs_normalised=normalised.value,
        acs_normalised_ci=normalised.interval,
        missing=None if acs.n else _missing(put, answered, single),
    )


def _is_scored(answer: Answered) -> bool:
    return answer.correct is not None


def _missing(asked: bool, scored: int, read: int = 0) -> str:
    """Why there is no ACS over questions: asked, with scored answers, and with one answer each that
    can be read."""
    if not scored:
        return "no answer was scored" if asked else "nothing was asked"
    return "no question has two readable answers" if read else "no answer is readable"


# concepts, questions, answers


def _concept_row(spec: EqtSpec, concept: Concept) -> ConceptRow:
    """One concept with its questions, in order."""
    named, first = spec.concepts[concept.place], next(iter(_of(concept.items, Explanation)))
    return ConceptRow(
        id=first.id,
        concept=named.name,
        category=named.category,
        explanation=first.text,
        unscored=_why(first),
        numbers=_numbers(spec, [concept]),
        questions=concept.questions,
    )


def _question_row(question: ChoiceQuestion, items: Items) -> QuestionRow:
    choices = [item for item in _of(items, Choice) if parent_of(item) == question.id]
    answers = tuple(_answer_row(item, items) for item in choices if not item.open_book)
    with_book = [_answer_row(item, items) for item in choices if item.open_book]
    readable = [frozenset(each.chosen) for each in answers if each.reading in READABLE]
    alike, scored = consistency(readable), sum(map(_is_scored, answers))
    return QuestionRow(
        **_shared(question, QuestionRow),
        unscored=_why(question),
        acs=alike.acs if alike else None,
        acs_normalised=alike.normalised if alike else None,
        acs_missing=None if alike else _missing(bool(answers), scored),
        informative=alike is not None and alike.informative,
        answers=answers,
        open_book=with_book[0] if with_book else None,
    )


def _answer_row(choice: Choice, items: Items) -> Answered:
    return Answered(
        **_shared(choice, Answered),
        asked=getattr(items.get(wording_of(choice)), "text", ""),
        said=choice.answer.text if choice.answer is not None else "",
        unscored=_why(choice),
    )


def _shared(item: Item, record: type[Answered | QuestionRow]) -> dict[str, Any]:
    """The fields that the item has under the same name."""
    return {name: getattr(item, name) for name in record.model_fields if hasattr(item, name)}


def _why(item: Item) -> str | None:
    """Why there is nothing, in words; None when there is something."""
    return None if item.fault is None else item.fault.message or item.fault.kind


def _attribution_row(items: Iterable[EqtItem], counted: dict[int, Items]) -> AttributionRow:
    """What the judge put wrong closed-book answers down to, by cause and case by case."""
    sampled = [item for own in counted.values() for item in _of(own, Attribution)]
    cases = tuple(
        AttributedCase(
            id=parent_of(item),
            cause=item.cause,
            reason=item.reason,
        )
        for item in sampled
        if item.cause is not None and item.fault is None
    )
    counts: Counter[Any] = Counter(case.cause for case in cases)
    return AttributionRow(
        wrong=len(wrong_choices(items, counted)),
        sampled=len(sampled),
        unscored=len(sampled) - len(cases),
        causes={cause: counts[cause] for cause in get_args(Cause)},
        cases=cases,
    )
