"""Which runs a picture shows, and what must stand in it."""

from collections.abc import Sequence
from typing import Any

from ..palette import model_marks
from ..remarks import SIMULATED
from .axes import Series

MOST_RUNS = 12
"""More could not be told apart."""


def notes(results: Sequence[Any]) -> list[str]:
    """What must stand in every picture: that numbers are simulated, which runs are drawn, and which
    are not whole."""
    sentences = [SIMULATED] if any(result.simulated for result in results) else []
    if len(results) > MOST_RUNS:
        sentences.append(f"The first {MOST_RUNS} of {len(results)} runs are drawn.")
    cut = [run for run in results[:MOST_RUNS] if run.status != "complete"]
    return [*sentences, *(f"{run.spec.target} is not finished." for run in cut)]


def of_models(drawn: Sequence[str], among: Sequence[str] = ()) -> Series:
    """Series that are models, each with its mark among all that are shown together."""
    marks = model_marks(among or drawn)
    return Series({name: marks[name] for name in drawn})
