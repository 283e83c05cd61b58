"""The items of an Explain-Query-Test: in the order of their places, and what refers to what."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from random import Random

from ...state.eqt.items import Choice, EqtItem, Explanation, Reading
from ...state.errors import RunFailed
from ...state.spec import EqtSpec

ATTRIBUTION = -1
"""The part that comes after all concepts."""
READABLE: tuple[Reading, ...] = ("letters", "none")
"""Readings of an answer of which it is known what it chooses."""
Items = Mapping[str, EqtItem]
"""Id → item, by concept, question and paraphrase."""


def in_order(items: Iterable[EqtItem]) -> dict[int, Items]:
    """Place of the concept → its items. Of items with one id the last is kept: it was asked for
    again. In whatever order they came: sums of floats depend on it, and a resumed run has its own.
    """
    by_id = {item.id: item for item in items}
    concepts: dict[int, dict[str, EqtItem]] = {}
    for item in sorted(by_id.values(), key=_position):
        concepts.setdefault(item.concept, {})[item.id] = item
    return dict(concepts)


def _position(item: EqtItem) -> tuple[int, int, int, str]:
    question, paraphrase = getattr(item, "question", 0), getattr(item, "paraphrase", 0)
    return item.concept, question, paraphrase, item.id


def parent_of(item: EqtItem) -> str:
    """The id that an item's own begins with."""
    return item.id.rpartition(".")[0]


def wording_of(choice: Choice) -> str:
    """Id of the question, or of the paraphrase, that was put."""
    return (
        f"{parent_of(choice)}.p{choice.paraphrase}" if choice.paraphrase else parent_of(choice)
    )


def require_whole(items: Items) -> None:
    """Raises RunFailed when an item of a concept is missing that another one refers to, with the
    ids of both."""
    for item in items.values():
        for missing in _references(item):
            if missing not in items:
                raise RunFailed(
                    f"The run's journal lacks the item {missing}, to which {item.id} refers, so "
                    "that no result can be computed from it: put back the journal as it was "
                    "written, or start the run again."
                )


def _references(item: EqtItem) -> Iterator[str]:
    """The ids of those that an item refers to."""
    if not isinstance(item, Explanation):
        yield parent_of(item)
    if isinstance(item, Choice):
        yield wording_of(item)


def wrong_choices(items: Iterable[EqtItem], concepts: Collection[int]) -> list[Choice]:
    """All wrong closed-book answers that can be read, by concept, question and paraphrase: what
    attributions are drawn from. Of an answer without a selection it is clear what failed."""
    wrong = list[Choice]()
    for items_of_concept in in_order(
        item for item in items if item.concept in concepts
    ).values():
        for item in items_of_concept.values():
            if isinstance(item, Choice) and item.reading in READABLE and not item.correct:
                wrong += [] if item.open_book else [item]
    return wrong


def sample_of(spec: EqtSpec, items: Sequence[EqtItem], closed: Collection[int]) -> list[str]:
    """Ids of the wrong closed-book answers to be looked into, drawn by seed. `closed`: places of
    the concepts that are finished."""
    wrong = wrong_choices(items, closed)
    size = min(spec.attribute, len(wrong))
    places = Random(f"{spec.seed}:attribute").sample(range(len(wrong)), size)
    return [wrong[position].id for position in sorted(places)]
