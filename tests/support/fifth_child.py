"""The fifth method in a process of its own, planned, cut off by its budget, resumed, replayed,
embedded, shown and served: prints what it found as JSON."""

from .fifth_method import ToyCalls, ToyResult, ToySpec  # isort: skip

# first of all: it puts the method into the registry
import asyncio
import io
import json
import sys
from contextlib import chdir, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from fathom import cli
from fathom.commands.ended import FinishedRun
from fathom.commands.help import Entry
from fathom.commands.paths import show_path
from fathom.commands.show_options import pictures_of
from fathom.graphs import method
from fathom.graphs.embed import embed
from fathom.graphs.method import steps_of
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.plan import plan_of
from fathom.graphs.run.record import record_of
from fathom.graphs.run.resume_check import take_up
from fathom.reports.live.display import Gauge, LinesDisplay, TreeDisplay, utc_now
from fathom.reports.page.chart.picture import save
from fathom.state.worlds import WorldSpec
from fathom.tools.models.pricing import PriceList
from fathom.tools.runs.bundle import freeze, read_run
from fathom.tools.runs.folders import read_events

SPEC: Any = ToySpec(topics=("Gold", "Iron", "Neon", "Tin"), target="sim:student", world=WorldSpec())


async def launched(runs: Path, again: Path | None = None, **options: Any) -> RunReport[Any]:
    """The run, or the one of a folder taken up again."""
    own = LaunchOptions(runs=runs, **options)
    (report,) = await (
        Launch([], own, resumed=[take_up(again)]) if again else Launch([SPEC], own)
    ).run()
    return report


async def found(folder: Path) -> dict[str, Any]:
    calls: Any = ToyCalls
    plan = plan_of(calls, [SPEC], PriceList())
    whole, cut = await launched(folder / "whole"), await launched(folder / "cut", max_calls=2)
    assert whole.folder is not None
    assert cut.folder is not None
    there = [event for event in read_events(cut.folder) if event.type == "item_finished"]
    done = await launched(folder / "cut", cut.folder, max_calls=9)
    freeze(whole.folder, folder / "toy.fathom")
    again: Any = method.result_of(record_of(read_run(str(folder / "toy.fathom"), folder).events))
    async with embed("toy", {"target": "sim:student"}) as toy:
        embedded: Any = toy.result(await toy.graph.ainvoke(toy.input(*SPEC.topics)))
    results: list[Any] = [whole.result, done.result, again, embedded]
    return {
        "shown": shown(whole.folder),
        "planned": plan.calls,
        "answered": [each.answered for each in results],
        "cut": [cut.status, cut.exit_code, len(there)],
        "calls": [each.usage["target"].calls for each in results[:2]],
        "replayed": again == whole.result,
    }


def shown(folder: Path) -> list[str]:
    """The live screen, the lines, and one part in full."""
    texts = [
        Console(file=io.StringIO(), width=80, height=24, force_terminal=tree, color_system=None)
        for tree in (True, False)
    ]
    screen, lines = (
        TreeDisplay(texts[0], lambda: Gauge(1, 1, 0, 1), steps_of, utc_now),
        LinesDisplay(texts[1], steps_of),
    )
    for event in read_events(folder):
        screen.handle(event)
        lines.handle(event)
    texts[0].print(screen)
    with redirect_stdout(io.StringIO()) as trace:
        show_path(folder, "t2", prompts=True, as_json=False)
    return [*(cast(io.StringIO, text.file).getvalue() for text in texts), trace.getvalue()]


def said(folder: Path, *words: str) -> str:
    """What the command line prints, where the method is entered."""
    cli.COMMANDS["toy"] = Entry(
        "tests.support.fifth_method:TOY", "Ask for chemical symbols.", cli.METHODS
    )
    out = TextIOWrapper(BytesIO(), encoding="utf-8")
    with redirect_stdout(out), chdir(folder):
        cli.app([*words], standalone_mode=False)
    out.seek(0)
    return out.read()


def commanded(folder: Path) -> dict[str, Any]:
    """The method's command, and its study planned and run."""
    words = ["toy", "Gold", "Iron", "-t", "sim:student", "--seed", "5"]
    quiet = ["--json", "--display", "none"]
    study = "method: toy\ntopics: [Gold, Iron]\ntarget: [sim:student]\nseed: 5\n"
    (folder / "s.yaml").write_text(study)
    one, other = (
        said(folder, *words[:4], model, *words[5:], *quiet)
        for model in ("sim:student", "sim:novice")
    )
    results: list[Any] = [ToyResult.model_validate_json(text) for text in (one, other)]
    (path,) = save(
        folder, pictures_of([FinishedRun(each.run_id, each, None) for each in results], ())
    )
    return {
        "help": said(folder, "toy", "--help"),
        "page": said(folder, *words, "-t", "sim:novice", "--display", "none"),
        "picture": path.read_text(encoding="utf-8"),
        "command": json.loads(one),
        "plan": json.loads(said(folder, "plan", "s.yaml", "--json")),
        "study": json.loads(said(folder, "run", "s.yaml", *quiet)),
    }


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(json.dumps(asyncio.run(found(place)) | commanded(place)))
