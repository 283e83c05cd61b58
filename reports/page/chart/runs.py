"""Which runs a picture shows: by what names, and what must stand in it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ....state.worlds import label_of
from ..figures import short_id
from ..palette import model_marks
from ..remarks import SIMULATED
from ..sanitise import one_line
from .axes import Series
from .names import labels

T = TypeVar("T")

MOST_RUNS = 12
"""More could not be told apart."""
_LABEL = 76
"""Cells that the name of a run takes at most."""


def named(
    results: Sequence[T], names: Mapping[str, str] | None = None, most: int = MOST_RUNS
) -> dict[str, T]:
    """The first runs, `most` of them, by short names that tell them apart: those given by run id,
    else the target's, with the run's where two have the same target."""
    runs: Sequence[Any] = results[:most]
    short_names = [
        one_line((names or {}).get(result.run_id, label_of(result.spec.target))) for result in runs
    ]
    full_names = [
        name if short_names.count(name) == 1 else f"{name} ({short_id(result.run_id)})"
        for name, result in zip(short_names, runs, strict=True)
    ]
    unique = [
        name if name not in full_names[:index] else f"{name} {index}"
        for index, name in enumerate(full_names)
    ]
    short = labels(unique, _LABEL)
    return {short[name]: result for name, result in zip(unique, runs, strict=True)}


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
