"""What a report consists of, whatever it is written as."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.results import Result
from ..page import figures
from ..page.blocks import Block
from ..page.picture import OF_PAGE, Picture
from ..page.plain import Plain
from ..page.sanitise import one_line
from ..step import SIGNS, RunContext
from ..trace import field_document, in_order, part_of, step_document
from ..views.steps import Steps


@dataclass(frozen=True, slots=True)
class Section:
    """Part of the overview."""

    title: str
    blocks: Iterable[Block]
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One run as a list of runs names it."""

    id: str
    """Short."""
    method: str
    domain: str
    target: str
    headline: str
    """What it found, or why there is nothing."""
    simulated: bool
    failed: bool

    @property
    def about(self) -> str:
        """What repeats of a model have in common: `gpt-5 · Cardiology · drill`."""
        return figures.joined([self.target, self.domain, self.method])


@dataclass(frozen=True, slots=True)
class RunPage:
    """All there is of a run."""

    run: Run
    blocks: Iterable[Block]
    pictures: Iterable[Picture]
    result: Result | None
    steps: Steps | None
    scene: RunContext | None
    rows: Sequence[Mapping[str, Any]]
    """Its answers, for a table (`rows.answers_table`)."""

    def document(self) -> Plain:
        """What its page adds to its blocks: pictures, steps by group, and the result with its rows
        for a file."""
        listed = (
            _listed(self.steps, self.scene)
            if self.steps is not None and self.scene is not None
            else {}
        )
        result = self.result
        return {
            "pictures": [*map(_picture, self.pictures)],
            **listed,
            "result": result.model_dump(mode="json", by_alias=True)
            if result is not None
            else None,
            "rows": self.rows,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """`pages`: one for each of `runs`, in their order, made when they are asked for."""

    title: str
    created: str
    """When it was made, in UTC."""
    sections: Sequence[Section]
    about: Sequence[Section]
    """How all was made; stands after the runs."""
    runs: Sequence[Run]
    """Repeats of a model behind each other."""
    rows: Sequence[Mapping[str, Any]]
    """Those of the runs with a result, for a table (`rows.rows_of`)."""
    pages: Iterator[RunPage]


def _picture(picture: Picture) -> Plain:
    lines = [one_line(line) for line in picture.said]
    return {
        "title": picture.title,
        "said": lines,
        "words": [*picture.figures],
        "spec": picture.spec(OF_PAGE),
    }


def _listed(steps: Steps, scene: RunContext) -> dict[str, Any]:
    """The steps of a run: `groups` in their order, each with what stands above it, and `steps` in
    the order of the groups."""
    grouped: dict[str, list[Any]] = {}
    for item in scene.items.values():
        name = steps.group(item, scene) or part_of(figures.place(item.id))
        grouped.setdefault(name, []).append(item)
    rows: list[Plain] = []
    groups: list[Plain] = []
    for number, (name, items) in enumerate(grouped.items()):
        head = [field_document(field) for field in steps.head(scene, name)]
        groups.append({"name": one_line(name), "fields": head})
        documents = [step_document(steps, scene, item) for item in in_order(items)]
        rows += [{"group": number, **document} for document in documents]
    legend = {mark: f"{SIGNS[mark][0]} {words}" for mark, words in steps.legend.items()}
    return {
        "groups": groups,
        "steps": rows,
        "legend": legend,
        "kinds": steps.kinds,
        "unit": steps.unit,
    }
