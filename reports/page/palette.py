"""Which colour and mark stands for a model: the same in all pictures of a launch."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

COLOURS = ("#0072b2", "#d55e00", "#8800ff", "#888899", "#995544", "#bb55ff")
"""Of models. Told apart with any kind of colour blindness, and at a contrast of 3 to 1 or more on
white and black."""
_SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "cross"),
    *("triangle-down", "triangle-right"),
)
"""One more than colours, so that the two together repeat only after 42."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a series is drawn with."""

    colour: str
    shape: str


_REPORTED: ContextVar[tuple[str, ...]] = ContextVar("models of the report", default=())


@contextmanager
def one_colour_per_model(models: Iterable[str]) -> Iterator[None]:
    """Meanwhile these models have the same marks in every picture, whatever else it shows."""
    token = _REPORTED.set(tuple(sorted(set(models))))
    try:
        yield
    finally:
        _REPORTED.reset(token)


def model_marks(models: Iterable[str]) -> dict[str, Mark]:
    """Model → its mark, by the order of all the models' names: whatever their order, and whichever
    of them have something to be drawn."""
    first = _REPORTED.get()
    names = [*first, *sorted(set(models).difference(first))]
    return {
        name: Mark(COLOURS[place % len(COLOURS)], _SHAPES[place % len(_SHAPES)])
        for place, name in enumerate(names)
    }
