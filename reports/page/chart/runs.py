"""Which runs a picture shows, and what must stand in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..palette import model_marks
from ..remarks import SIMULATED
from .axes import Series

MOST_RUNS = 12
"""More could not be told apart."""


def notes(
    results: Sequence[Any], drawn: Mapping[str, Any], noun: str, unfinished: Sequence[str] = ()
) -> list[str]:
    """What must stand in every picture: that numbers are simulated, which runs are drawn, and which
    are not whole."""
    sentences = [SIMULATED] if any(result.simulated for result in results) else []
    if len(drawn) < len(results):
        sentences.append(f"The first {len(drawn)} of {len(results)} {noun} are drawn.")
    return [*sentences, *unfinished]


def of_models(drawn: Sequence[str], among: Sequence[str] = ()) -> Series:
    """Series that are models, each with its mark among all that are shown together."""
    marks = model_marks(among or drawn)
    return Series({name: marks[name] for name in drawn})
