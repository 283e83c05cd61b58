"""Which runs a picture shows: by what names, in which panels, and what must stand in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ....state.question_graph import MODES
from ....state.worlds import label_of
from ..figures import short_id
from ..palette import in_turn, model_marks
from ..remarks import SIMULATED
from ..sanitise import one_line
from .axes import Series
from .names import labels

T = TypeVar("T")

MOST_RUNS = 12
"""More could not be told apart."""
_LABEL = 76
"""Cells that the name of a run takes at most."""


@dataclass(frozen=True, slots=True)
class Panel(Generic[T]):
    """Part of a picture."""

    title: str
    held: Mapping[str, T]
    """Name of a series → its figures."""


def named(
    results: Sequence[T], names: Mapping[str, str] | None = None, most: int = MOST_RUNS
) -> dict[str, T]:
    """The first runs, `most` of them, by short names that tell them apart: those given by run id,
    else the target's, with the run's where two have the same target."""
    drawn: Sequence[Any] = results[:most]
    own = [
        one_line((names or {}).get(result.run_id, label_of(result.spec.target))) for result in drawn
    ]
    told = [
        name if own.count(name) == 1 else f"{name} ({short_id(result.run_id)})"
        for name, result in zip(own, drawn, strict=True)
    ]
    unique = [
        name if name not in told[:place] else f"{name} {place}" for place, name in enumerate(told)
    ]
    short = labels(unique, _LABEL)
    return {short[name]: result for name, result in zip(unique, drawn, strict=True)}


def notes(
    results: Sequence[Any], drawn: Mapping[str, Any], what: str, unfinished: Sequence[str] = ()
) -> list[str]:
    """What must stand in every picture: that numbers are simulated, which runs are drawn, and which
    are not whole."""
    said = [SIMULATED] if any(result.simulated for result in results) else []
    if len(drawn) < len(results):
        said.append(f"The first {len(drawn)} of {len(results)} {what} are drawn.")
    return [*said, *unfinished]


def of_models(drawn: Sequence[str], every: Sequence[str] = ()) -> Series:
    """Series that are models, each with its mark among all that are shown together."""
    marks = model_marks(every or drawn)
    return Series({name: marks[name] for name in drawn})


def by_mode(
    held: Mapping[str, Mapping[str, T]], runs: Sequence[str]
) -> tuple[list[Panel[T]], Series]:
    """A panel for each mode with the runs in it; of a single run one panel with its modes."""
    modes = _modes(held)
    if len(runs) == 1:
        return by_run(held)
    panels = [
        Panel(mode, {label: own[mode] for label, own in held.items() if mode in own})
        for mode in modes
    ]
    return panels, of_models(list(held), runs)


def by_run(held: Mapping[str, Mapping[str, T]]) -> tuple[list[Panel[T]], Series]:
    """A panel for each run with its modes."""
    modes, marks = _modes(held), in_turn(MODES)
    panels = [
        Panel(label, {mode: own[mode] for mode in modes if mode in own})
        for label, own in held.items()
    ]
    return panels, Series({mode: marks[mode] for mode in modes}, across=True)


def _modes(held: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [mode for mode in MODES if any(mode in own for own in held.values())]


def only(panels: Sequence[Panel[Any]], series: Series) -> list[str]:
    """What there is but one of, since it stands in no legend."""
    titles = [panel.title for panel in panels]
    runs, modes = (titles, series.names) if series.across else (series.names, titles)
    parts = list[str]()
    if len(runs) == 1:
        parts.append(f"Target: {runs[0]}.")
    if len(modes) == 1:
        parts.append(f"Mode: {modes[0]}.")
    return [" ".join(parts)] if parts else []
