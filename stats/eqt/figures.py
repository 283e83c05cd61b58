"""The figures of an Explain-Query-Test from its items (METHODS.md, section 3)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeVar, get_args

from ...state.eqt.items import Choice, EqtItem, Reading
from ...state.eqt.result import (
    AttributionRow,
    ConceptRow,
    ConsistencyRow,
    Numbers,
    ShareRow,
)
from ...state.records import Stage
from ...state.result import Interval
from ...state.spec import EqtSpec
from ..accuracy import bounds, wilson
from ..consistency import Consistency, consistency, mean_interval_clustered
from ..paired import Pair, clustered
from .items import ConceptItems, by_concept, require_whole, scored
from .rows import attribution_row, concept_row, missing

Place = tuple[int, int]
"""(concept, question)."""
V = TypeVar("V")


@dataclass(frozen=True)
class EqtTables:
    """Every field of `EqtResult` that rests on items, under its name there:
    `EqtResult(**tables.fields(), …)`."""

    numbers: Numbers
    by_category: dict[str, Numbers]
    concepts: tuple[ConceptRow, ...]
    attribution: AttributionRow | None

    def fields(self) -> dict[str, Any]:
        """Name → value, not copied."""
        return dict(vars(self))


def numbers_of(spec: EqtSpec, items: Iterable[EqtItem]) -> Numbers:
    """The figures over all concepts that have an item here, of one concept or of many.

    Intervals are clustered by concept, or by question where the answers they rest on are to one
    concept only.
    """
    return _numbers(spec, list(by_concept(items).values()))


def tables_of(spec: EqtSpec, items: Iterable[EqtItem], closed: Collection[int]) -> EqtTables:
    """All figures of a run. `closed`: places in the spec's list of the concepts that are finished;
    no other counts.

    Raises RunFailed when an item is missing that another one refers to.
    """
    held = [own for index, own in by_concept(items).items() if index in closed]
    for own in held:
        require_whole(own)
    groups: dict[str, list[ConceptItems]] = {
        concept.category: [] for concept in spec.concepts if concept.category
    }
    for own in held:
        category = spec.concepts[own.index].category
        if category:
            groups[category].append(own)
    return EqtTables(
        numbers=_numbers(spec, held),
        by_category={
            category: _numbers(spec, group) for category, group in groups.items() if group
        },
        concepts=tuple(concept_row(spec, own, _numbers(spec, [own])) for own in held),
        attribution=attribution_row(held) if spec.attribute else None,
    )


def _numbers(spec: EqtSpec, concepts: Sequence[ConceptItems]) -> Numbers:
    closed_book = [choice for own in concepts for choice in own.choices.values()]
    with_book = [choice for own in concepts for choice in own.open_book.values()]
    questions = [question for own in concepts for question in own.questions.values()]
    paraphrases = [paraphrase for own in concepts for paraphrase in own.paraphrases.values()]
    faults = Counter(
        item.fault.stage for own in concepts for item in own.measured() if item.fault is not None
    )
    read: Counter[Reading | None] = Counter(choice.reading for choice in scored(closed_book))
    gap, gap_ci = _open_book_gap(concepts) if spec.open_book else (None, None)
    return Numbers(
        concepts=len(concepts),
        questions=sum(item.fault is None and item.dropped is None for item in questions),
        dropped=sum(item.dropped is not None for item in questions),
        paraphrases=sum(item.fault is None and item.dropped is None for item in paraphrases),
        paraphrases_dropped=sum(item.dropped is not None for item in paraphrases),
        unscored={stage: faults[stage] for stage in get_args(Stage) if faults[stage]},
        all=_share(closed_book),
        originals=_share([choice for choice in closed_book if choice.paraphrase == 0]),
        paraphrased=_share([choice for choice in closed_book if choice.paraphrase > 0]),
        consistency=_consistency(concepts),
        format_failures=read["unreadable"],
        refusals=read["refused"],
        none_chosen=read["none"],
        open_book=_share(with_book) if spec.open_book else None,
        open_book_gap=gap,
        open_book_gap_ci=gap_ci,
    )


def _share(choices: Sequence[Choice]) -> ShareRow:
    held = scored(choices)
    correct, n = sum(choice.correct is True for choice in held), len(held)
    values = _clustered(
        ((choice.concept, choice.question), float(choice.correct is True)) for choice in held
    )
    lost = sum(choice.fault is not None and choice.fault.at_target for choice in choices)
    return ShareRow(
        scored=n,
        correct=correct,
        accuracy=correct / n if n else None,
        ci=wilson(correct, n),
        ci_clustered=mean_interval_clustered(values),
        bounds=bounds(correct, n, lost),
    )


def _clustered(values: Iterable[tuple[Place, V]]) -> list[tuple[int, V]]:
    """The values under what may make them alike: their concept; where only one concept has any,
    their question.

    It is the concepts with values that count: those that a fault took add no cluster.
    """
    held = list(values)
    single = len({concept for (concept, _), _ in held}) == 1
    return [(question if single else concept, value) for (concept, question), value in held]


def _consistency(concepts: Sequence[ConceptItems]) -> ConsistencyRow:
    found: list[tuple[Place, Consistency]] = []
    most, asked, answered, uninformative = 2, 0, 0, 0
    for own in concepts:
        for question in own.questions:
            answers = own.answers_to(question)
            own_score = consistency(answers)
            choices = [choice for (number, _), choice in own.choices.items() if number == question]
            asked += bool(choices)
            answered += any(choice.fault is None for choice in choices)
            if own_score is None:
                continue
            if not own_score.informative:
                uninformative += 1
                continue
            found.append(((own.index, question), own_score))
            most = max(most, len(answers))
    acs = _clustered((place, score.acs) for place, score in found)
    normalised = _clustered((place, score.normalised) for place, score in found)
    return ConsistencyRow(
        questions=len(acs),
        uninformative=uninformative,
        unread=answered - len(acs) - uninformative,
        acs=_mean(acs),
        acs_ci=mean_interval_clustered(acs, low=1 / most),
        acs_normalised=_mean(normalised),
        acs_normalised_ci=mean_interval_clustered(normalised),
        missing=None if acs else missing(asked, answered, uninformative),
    )


def _mean(values: Sequence[tuple[int, float]]) -> float | None:
    return fmean(value for _, value in values) if values else None


def _open_book_gap(concepts: Sequence[ConceptItems]) -> tuple[float | None, Interval | None]:
    """Open-book minus closed-book accuracy over the original questions that have both answers, with
    an interval."""
    found: list[tuple[Place, tuple[bool, bool]]] = []
    for own in concepts:
        for question, after in own.open_book.items():
            before = own.choices.get((question, 0))
            if before is None or before.fault is not None or after.fault is not None:
                continue
            found.append(((own.index, question), (before.correct is True, after.correct is True)))
    if not found:
        return None, None
    pairs = [Pair(str(cluster), before, after) for cluster, (before, after) in _clustered(found)]
    differences = [pair.after - pair.before for pair in pairs]
    if len(set(differences)) == 1:
        # no variation to see a clustering in: each cluster counts once, as if all of its questions
        # were one
        pairs = list({pair.root: pair for pair in pairs}.values())
    return sum(differences) / len(differences), clustered(pairs)
