"""What a method says of its steps; screen, lines, traces and unfinished runs read nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..page import figures
from ..page.sanitise import model_name
from ..progress import RunProgress
from ..step import SIGNS, Count, Field, PartName, RunContext, StepStatus, StepView, roles_of

LEGEND: Mapping[StepStatus, str] = {
    "correct": "right",
    "wrong": "wrong",
    "rejected": "dropped",
    "unscored": "unscored",
}


class Figure(NamedTuple):
    """A figure of a run so far."""

    said: str
    """In words: `accuracy so far 83%`; empty: it is only in the table of several runs."""
    value: str = ""
    head: str = ""
    """What its column in that table is called; empty: it has none."""


def measured(name: str, value: str, head: str) -> Figure:
    """A figure that is only told of once there is one."""
    text = "" if value == figures.NONE else f"{name} {value}"
    return Figure(text, value, head)


def tallied(run: RunProgress, series: str, legend: Mapping[StepStatus, str]) -> list[Figure]:
    """How many steps came to what, and the share right so far."""
    marks = run.tallies[series]
    counts = [Figure(f"{marks.marks[status]:,} {words}") for status, words in legend.items()]
    return [*counts, measured("accuracy", figures.percent(marks.accuracy), "acc.")]


def no_words(scene: RunContext) -> list[str]:
    """Nothing to add."""
    return []


@dataclass(frozen=True, slots=True)
class Steps:
    """How the steps of a method are shown. What is not said is left out."""

    step: Callable[[Any, RunContext], StepView]
    part: str
    """What a run consists of, in words: `concept`."""
    named: Callable[[RunContext, int], PartName]
    """A part by its index."""
    parts: Callable[[RunContext], int]
    """How many there are, or are expected."""
    planned: Callable[[RunContext, int], float]
    """Steps of a part when nothing fails."""
    figures: Callable[[RunProgress], Sequence[Figure]]
    legend: Mapping[StepStatus, str] = field(default_factory=lambda: LEGEND)
    unit: str = "step"
    index: Callable[[Any], int] = lambda item: item.concept
    """The part that an item belongs to."""
    roles: Callable[[RunContext], list[str]] = lambda scene: roles_of(scene.spec)
    """Who takes part beside the target."""
    size: Callable[[RunContext], list[str]] = no_words
    """How much is asked."""
    closed: Callable[[Any, RunContext], tuple[str, Sequence[Count]]] = lambda event, scene: (
        "",
        (),
    )
    """What is said of a part that closes, and what it adds to the figures."""
    event: Callable[[Any, RunContext], str] = lambda event, scene: ""
    """What is said of an event that no other method has."""
    closes: bool = True
    """Whether parts are closed one by one."""
    table: Callable[[RunProgress], list[Sequence[str]]] = lambda run: []
    """What else belongs on the screen: a heading, and lines of which the last count most."""
    target: Callable[[str], str] = model_name
    """What the target is called."""
    kept: tuple[type, ...] = ()
    """Items that later ones are read with while the run goes on."""
    ending: Callable[[Any], Mapping[str, str]] = lambda spec: {}
    """Reason to stop → what it means here, where that is not what it means elsewhere."""
    head: Callable[[RunContext, str], list[Field]] = lambda scene, part: []
    """What stands above the steps of a part: what it is, and what else they are read with."""
    # how a report lists them
    group: Callable[[Any, RunContext], str] = lambda item, scene: ""
    """What stands above an item and those that belong with it; empty: the part of its id."""
    kinds: str = ""
    """What else they can be told apart by: `tier`."""
    kind: Callable[[Any, RunContext], str] = lambda item, scene: ""
    """Which of them an item is."""


def legend_words(steps: Steps) -> str:
    """What the signs mean: `✓ right ✗ wrong`."""
    return " ".join(f"{SIGNS[mark][0]} {said}" for mark, said in steps.legend.items())
