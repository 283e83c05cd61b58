"""The fifth method in a process of its own, from plan to report: prints what it found as JSON."""

from . import state  # isort: skip  # before all else
import asyncio
import io
import json
import sys
from contextlib import chdir, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

from rich.console import Console

from fathom import cli
from fathom.commands.help import Entry
from fathom.graphs.embed import embed
from fathom.graphs.method import steps_of
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.plan import plan_of
from fathom.graphs.run.resume_check import take_up
from fathom.reports.live.display import Gauge, TreeDisplay, utc_now
from fathom.state.worlds import WorldSpec
from fathom.tools.models.pricing import PriceList
from fathom.tools.runs.folders import read_events

from .calls import ToyCalls

TOPICS = ("Gold", "Iron", "Neon", "Tin")
SPEC: Any = state.ToySpec(topics=TOPICS, target="sim:student", world=WorldSpec())
QUIET = ("--display", "none")
WORDS = ("toy", "Gold", "Iron", "--seed", "5", *QUIET)


async def launched(runs: Path, again: Path | None = None, **options: Any) -> RunReport[Any]:
    """The run, or the one of a folder taken up again."""
    with_runs = LaunchOptions(runs=runs, **options)
    launch = Launch([SPEC], with_runs)
    if again:
        launch = Launch([], with_runs, resumed=[take_up(again)])
    (report,) = await launch.run()
    return report


async def run(folder: Path) -> dict[str, Any]:
    calls: Any = ToyCalls
    whole, cut = await launched(folder / "whole"), await launched(folder / "cut", max_calls=2)
    assert whole.folder is not None
    assert cut.folder is not None
    finished = [event for event in read_events(cut.folder) if event.type == "item_finished"]
    resumed = await launched(folder / "cut", cut.folder, max_calls=9)
    async with embed("toy", {"target": "sim:student"}) as toy:
        embedded: Any = toy.result(await toy.graph.ainvoke(toy.input(*TOPICS)))
    results: list[Any] = [whole.result, resumed.result, embedded]
    return {
        "planned": plan_of(calls, [SPEC], PriceList()).calls,
        "cut": [cut.status, cut.exit_code, len(finished)],
        "calls": [result.usage["target"].calls for result in results[:2]],
        "answers": [[answer.text for answer in result.answers] for result in results],
        "screen": screen(whole.folder),
    }


def screen(folder: Path) -> str:
    """The live screen."""
    text = io.StringIO()
    console = Console(file=text, width=80, height=24, force_terminal=True, color_system=None)
    shown = TreeDisplay(console, lambda: Gauge(1, 1, 0, 1), steps_of, utc_now)
    for event in read_events(folder):
        shown.handle(event)
    console.print(shown)
    return text.getvalue()


def said(folder: Path, *words: str) -> str:
    """What the command line prints."""
    out = TextIOWrapper(BytesIO(), encoding="utf-8")
    with redirect_stdout(out), chdir(folder):
        cli.app([*words], standalone_mode=False)
    out.seek(0)
    return out.read()


def commanded(folder: Path) -> dict[str, Any]:
    """What the commands make of two models' runs."""
    entry = Entry(
        f"{state.__package__}.command:COMMAND", "Ask for chemical symbols.", cli.METHODS
    )
    cli.COMMANDS["toy"] = entry
    study = "method: toy\ntopics: [Gold, Iron]\ntarget: [sim:student]\nseed: 5\n"
    (folder / "s.yaml").write_text(study)
    one, other = (
        json.loads(said(folder, *WORDS, "-t", f"sim:{model}", "--json"))
        for model in ("student", "novice")
    )
    runs = (one["run_id"], other["run_id"])
    said(folder, "freeze", runs[0], "-o", "toy.fathom")
    said(folder, "report", *runs, "-o", "report.md")
    return {
        "help": said(folder, "toy", "--help"),
        "command": one,
        "page": said(folder, *WORDS, "-t", "sim:novice"),
        "path": said(folder, "show", runs[0], "--path", "t1"),
        "plan": json.loads(said(folder, "plan", "s.yaml", "--json")),
        "study": json.loads(said(folder, "run", "s.yaml", "--json", *QUIET)),
        "replay": json.loads(said(folder, "replay", "toy.fathom", "--json")),
        "comparison": json.loads(said(folder, "compare", *runs, "--json")),
        "decision": json.loads(
            said(folder, "decide", *runs, "--must", "accuracy >= 1%", "--json")
        ),
        "export": said(folder, "export", runs[0]),
        "report": (folder / "report.md").read_text(encoding="utf-8"),
    }


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(json.dumps(asyncio.run(run(place)) | commanded(place)))
