"""The figures of an Explain-Query-Test, and what its result tells of each concept, question and
answer (METHODS.md, section 3)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
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
from ...stats.estimates import mean
from .items import (
    READABLE,
    Items,
    in_order,
    parent_of,
    require_whole,
    wording_of,
    wrong_choices,
)
from .measures import (
    ACS,
    ACS_NORMALISED,
    GAP,
    alike_by_question,
    rows_counted,
    values_of,
)
from .rows import question_rows

I = TypeVar("I", bound=EqtItem)  # noqa: E741 - an item
ROW = partial(AnswerRow, run="", method="eqt", model="", domain="")


class EqtTables(NamedTuple):
    """Every field of `EqtResult` that rests on items, under its name there."""

    numbers: Numbers
    by_category: dict[str, Numbers]
    concepts: tuple[ConceptRow, ...]
    attribution: AttributionRow | None


def numbers_of(spec: EqtSpec, items: Iterable[EqtItem]) -> Numbers:
    """The figures over all concepts that have an item here, of one concept or of many.

    Intervals are clustered by concept, or by question where the answers they rest on are to one
    concept only.
    """
    return _numbers(spec, in_order(items))


def tables_of(spec: EqtSpec, items: Collection[EqtItem], closed: Collection[int]) -> EqtTables:
    """All figures of a run. `closed`: places in the spec's list of the concepts that are finished;
    no other counts.

    Raises RunFailed when an item is missing that another one refers to.
    """
    concepts = in_order(item for item in items if item.concept in closed)
    by_category: dict[str, dict[int, Items]] = {named.category: {} for named in spec.concepts}
    for index, items_of_concept in concepts.items():
        require_whole(items_of_concept)
        by_category[spec.concepts[index].category][index] = items_of_concept
    return EqtTables(
        numbers=_numbers(spec, concepts),
        by_category={
            name: _numbers(spec, group) for name, group in by_category.items() if name and group
        },
        concepts=tuple(_concept_row(spec, *entry) for entry in concepts.items()),
        attribution=_attribution_row(items, concepts) if spec.attribute else None,
    )


def _of(items: Items, kind: type[I]) -> list[I]:
    return [item for item in items.values() if isinstance(item, kind)]


# figures


def _numbers(spec: EqtSpec, concepts: Mapping[int, Items]) -> Numbers:
    rows, items = list[AnswerRow](), dict[str, EqtItem]()
    for index, items_of_concept in concepts.items():
        items |= items_of_concept
        for number, question in enumerate(_questions(items_of_concept)):
            rows += question_rows(ROW, f"{index}", number, question)
    steps = [item for item in items.values() if not isinstance(item, Attribution)]
    faults = Counter(item.fault.stage for item in steps if item.fault)
    questions, paraphrases = _of(items, ChoiceQuestion), _of(items, Paraphrase)
    closed_book = rows_counted(rows, "accuracy")
    readings = Counter(row.tags["reading"] for row in closed_book)
    gap = GAP.of(rows) if spec.open_book else Estimate(None)
    return Numbers(
        concepts=len(concepts),
        questions=sum(bool(item.text) for item in questions),
        dropped=sum(item.dropped is not None for item in questions),
        paraphrases=sum(bool(item.text) for item in paraphrases),
        paraphrases_dropped=sum(item.dropped is not None for item in paraphrases),
        unscored={stage: faults[stage] for stage in get_args(Stage) if faults[stage]},
        all=_share(closed_book),
        originals=_share(rows_counted(rows, "originals")),
        paraphrased=_share(rows_counted(rows, "paraphrased")),
        consistency=_consistency(rows),
        format_failures=readings["unreadable"],
        refusals=readings["refused"],
        none_chosen=readings["none"],
        open_book=_share(rows_counted(rows, "open_book")) if spec.open_book else None,
        open_book_gap=gap.value,
        open_book_gap_ci=gap.interval,
    )


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


def _consistency(rows: Sequence[AnswerRow]) -> ConsistencyRow:
    acs, normalised = ACS.of(rows), ACS_NORMALISED.of(rows)
    alike = [score for _, score in alike_by_question(rows)]
    single = sum(score is not None and not score.informative for score in alike)
    missing = "no question has two readable answers" if single else _missing(rows, len(alike))
    return ConsistencyRow(
        questions=acs.n,
        uninformative=single,
        unread=alike.count(None),
        acs=acs.value,
        acs_ci=acs.interval,
        acs_normalised=normalised.value,
        acs_normalised_ci=normalised.interval,
        missing=None if acs.n else missing,
    )


def _missing(answers: Sequence[object], scored: int) -> str:
    """Why there is no ACS over the answers."""
    if scored:
        return "no answer is readable"
    return "no answer was scored" if answers else "nothing was asked"


# concepts, questions, answers


def _concept_row(spec: EqtSpec, index: int, items: Items) -> ConceptRow:
    """One concept with its questions, in order."""
    named, (explanation, *_) = spec.concepts[index], _of(items, Explanation)
    return ConceptRow(
        id=explanation.id,
        concept=named.name,
        category=named.category,
        explanation=explanation.text,
        unscored=_why(explanation),
        numbers=_numbers(spec, {index: items}),
        questions=_questions(items),
    )


def _questions(items: Items) -> tuple[QuestionRow, ...]:
    return tuple(_question_row(question, items) for question in _of(items, ChoiceQuestion))


def _question_row(question: ChoiceQuestion, items: Items) -> QuestionRow:
    choices = [item for item in _of(items, Choice) if parent_of(item) == question.id]
    answers = tuple(_answer_row(item, items) for item in choices if not item.open_book)
    with_book = [_answer_row(item, items) for item in choices if item.open_book]
    alike = consistency([frozenset(row.chosen) for row in answers if row.reading in READABLE])
    scored = sum(row.correct is not None for row in answers)
    return QuestionRow(
        **_shared(question, QuestionRow),
        unscored=_why(question),
        acs=alike.acs if alike else None,
        acs_normalised=alike.normalised if alike else None,
        acs_missing=None if alike else _missing(answers, scored),
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


def _attribution_row(items: Iterable[EqtItem], concepts: Mapping[int, Items]) -> AttributionRow:
    """What the judge put wrong closed-book answers down to, by cause and case by case."""
    sampled = [item for part in concepts.values() for item in _of(part, Attribution)]
    cases = tuple(
        AttributedCase(id=parent_of(item), cause=item.cause, reason=item.reason)
        for item in sampled
        if item.cause is not None and item.fault is None
    )
    counts = Counter(case.cause for case in cases)
    return AttributionRow(
        wrong=len(wrong_choices(items, concepts)),
        sampled=len(sampled),
        unscored=len(sampled) - len(cases),
        causes={cause: counts[cause] for cause in get_args(Cause)},
        cases=cases,
    )
