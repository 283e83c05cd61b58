"""What a report consists of, whatever it is written as."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.results import Result
from ..page import figures
from ..page.blocks import Block
from ..page.picture import OF_PAGE, Picture
from ..page.plain import Plain, style_words
from ..page.sanitise import model_name, one_line, paragraphs
from ..step import SIGNS, Field, RunContext, StepView
from ..trace import in_order, part_of
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
            "result": result.model_dump(mode="json", by_alias=True) if result is not None else None,
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


# the steps of a run


def _listed(steps: Steps, scene: RunContext) -> dict[str, Any]:
    """`groups` in their order, each with what stands above it, and `steps` in the order of the
    groups."""
    grouped: dict[str, list[Any]] = {}
    for item in scene.items.values():
        grouped.setdefault(_group(steps, scene, item), []).append(item)
    rows: list[Plain] = []
    for number, items in enumerate(grouped.values()):
        rows += [_step(steps, scene, item, number) for item in in_order(items)]
    groups = [_head(steps, scene, name) for name in grouped]
    legend = {mark: f"{SIGNS[mark][0]} {lines}" for mark, lines in steps.legend.items()}
    return {
        "groups": groups,
        "steps": rows,
        "legend": legend,
        "kinds": steps.kinds,
        "unit": steps.unit,
    }


def _group(steps: Steps, scene: RunContext, item: Any) -> str:
    return steps.group(item, scene) or part_of(figures.place(item.id))


def _head(steps: Steps, scene: RunContext, name: str) -> Plain:
    return {"name": one_line(name), "fields": [*map(_field, steps.head(scene, name))]}


def _step(steps: Steps, scene: RunContext, item: Any, group: int) -> Plain:
    view = steps.step(item, scene)
    kind = steps.kind(item, scene)
    values = {
        "place": one_line(view.place),
        "mark": view.mark,
        "sign": SIGNS[view.mark][0],
        "title": one_line(view.title),
        "about": one_line(view.about),
        "said": one_line(view.said),
        "text": one_line(view.text),
        "group": group,
        "level": view.depth,
        "kind": kind,
        "took": figures.duration(view.elapsed_s),
        "fields": [*map(_field, _fields(view))],
        "calls": [_call(call) for call in getattr(item, "calls", ())],
    }
    return {name: value for name, value in values.items() if value or name in ("group", "mark")}


def _fields(view: StepView) -> Iterator[Field]:
    yield from view.fields()
    if view.fault is not None:
        why = f"{view.fault.stage}: {view.fault.kind}. {view.fault.message}"
        yield Field("lost to a fault, not counted", why, "unscored")


def _field(field: Field) -> Plain:
    values = {
        "name": one_line(field.name),
        "text": paragraphs(field.text),
        "style": style_words(field.style),
        "quote": paragraphs(field.quote),
        "link": one_line(field.link),
    }
    return {name: value for name, value in values.items() if value}


def _call(call: Any) -> str:
    """`judge · verdict · gpt-5 · 812 + 40 tokens · 1.3 s · USD 0.0021`."""
    parts = [
        call.role,
        call.purpose,
        model_name(call.model),
        f"{call.usage.input_tokens:,} + {call.usage.output_tokens:,} tokens",
        figures.duration(call.latency_s),
        "from the cache" if call.cached else figures.money(call.cost_usd),
        f"{call.attempts} attempts" if call.attempts > 1 else "",
        f"failed: {call.failure}" if call.failure else "",
    ]
    return figures.joined([one_line(part) for part in parts])
