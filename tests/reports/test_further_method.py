"""What a further method gets from one small view: a page, a comparison and a picture."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field

from fathom.commands.ended import Ended
from fathom.commands.print_results import print_launch
from fathom.commands.show_options import pictures_of
from fathom.reports.page import figures
from fathom.reports.page.blocks import Block, Column, Figure, Figures, Table
from fathom.reports.page.chart.axes import Axis
from fathom.reports.page.chart.draw import chart
from fathom.reports.page.chart.picture import DARK, Picture, save
from fathom.reports.page.chart.runs import named, notes, of_models
from fathom.reports.page.view import How, View
from fathom.reports.views.pages import PAGES
from fathom.state.records import Record
from fathom.state.result import Envelope, RoleUsage

from ..support.depthqa.pictures import description, texts
from ..support.screen import screen, written

# the view

COLUMNS = (Column("target", "spec.target", "model"), Column("answered", "answered", "percent", style="bold"))


def blocks(result: "ToyResult", how: How) -> Iterator[Block]:
    yield Figures([Figure("topics", len(result.spec.topics), "count"), Figure("answered", result.answered, "percent")])


def compare(results: Sequence["ToyResult"], _: Any) -> Iterator[Block]:
    yield Table("Side by side", COLUMNS, results)


def pictures(results: Sequence["ToyResult"], _: Any) -> Iterator[Picture]:
    runs = named(results)
    series = of_models([*runs])
    rows = [{"panel": "", "series": name, "x": "all", "y": run.answered} for name, run in runs.items()]
    words = [f"{name}: {figures.percent(run.answered)}." for name, run in runs.items()]
    axes = Axis(names=["all"]), Axis("answered", high=1.05)
    said = [*notes(results, runs, "runs"), "Share of the topics that were answered."]
    draw = lambda: chart(rows, *axes, series, width=200, height=200)  # noqa: E731
    yield Picture("answered", "Answered", said, words, 300, draw, series.legend)


VIEW = View(
    headline=lambda result: f"answered {figures.percent(result.answered)}",
    blocks=blocks,
    compare=compare,
    pictures=pictures,
)

# and what it shows


class ToySpec(Record):
    target: str
    topics: tuple[str, ...] = ("Gold", "Iron")
    domain: str = "Symbols"


class ToyResult(Envelope):
    method: Literal["toy"] = "toy"
    spec: ToySpec
    answered: float
    usage: dict[str, RoleUsage] = Field(default_factory=dict)
    cost_usd: float | None = 0.0
    wall_s: float = 1.0
    notes: tuple[str, ...] = ("A note\x1b[2J.",)


def run(target: str, answered: float) -> Ended:
    ended: Any = {"simulated": False, "status": "complete", "stop_reason": "all_asked", "stop_detail": ""}
    held: Any = ToyResult(run_id=f"toy-{target}", spec=ToySpec(target=target), answered=answered, **ended)
    return Ended(held.run_id, held, Path("runs") / held.run_id)


def test_one_small_view_gives_a_page_a_comparison_and_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(PAGES, "toy", VIEW)
    runs = [run("a:one", 0.5), run("b:two", 1.0)]
    console = screen(80)
    print_launch(console, runs)
    said = written(console)
    assert said.startswith(
        "Symbols · a:one\nanswered 50%\n\ntopics    2\nanswered  50%\n\nNotes\n· A note␛[2J.\n\ntook 1.0 s\n"
    )
    assert re.search(r"Side by side\ntarget answered\n─+\na:one +50%\nb:two +100%\n", said)
    (path,) = save(tmp_path, pictures_of(runs, ()))
    svg = path.read_text(encoding="utf-8")
    assert {"Answered", "a:one", "b:two"} <= {*texts(svg)}
    assert description(svg) == "Share of the topics that were answered. a:one: 50%. b:two: 100%."


def test_a_picture_is_written_as_its_suffix_says(tmp_path: Path) -> None:
    (one,) = pictures([run("a:one", 0.5).result], None)  # type: ignore[list-item]
    for name, begins in {"p.svg": b"<svg", "p.png": b"\x89PNG", "p.pdf": b"%PDF"}.items():
        (path,) = save(tmp_path / "new" / name, [one])
        assert path.name == name
        assert path.read_bytes().startswith(begins)
    assert [each.name for each in save(tmp_path / "p.svg", [one, one])] == ["p-answered.svg"] * 2
    dark, light = one.svg(DARK), one.svg()
    assert texts(dark) == texts(light)
    assert (DARK.ground in dark, DARK.ground in light) == (True, False)
