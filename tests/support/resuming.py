"""Runs that are cut off and taken up again, over real HTTP, for tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.resume_check import take_up
from fathom.sim.server import Timing
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.tools.runs.folders import read_events

from .drill.drills import drill, lasting, sim_spec

SIZE: dict[str, Any] = {"n": 4, "max_depth": 4, "threshold": 0.001}
"""Small, and still of several tiers and rounds."""


def whole(report: RunReport) -> DrillResult:
    assert report.result is not None, report.error
    return report.result


_UNINTERRUPTED: list[Any] = []


async def uninterrupted() -> Any:
    """What lasts of a drill that nothing happened to, which is made once."""
    if not _UNINTERRUPTED:
        _UNINTERRUPTED.append(lasting(whole(await drill(sim_spec(**SIZE)))))
    return _UNINTERRUPTED[0]


async def stopped(
    runs: Path,
    when: Callable[[Event], bool],
    spec: DrillSpec | None = None,
    *,
    hurry: bool = False,
    **options: Any,
) -> Path:
    """The folder of a drill that was told to stop at the first event that `when` picks; `hurry`:
    and told so twice."""

    def listen(event: Event) -> None:
        if when(event):
            for _ in range(1 + hurry):
                launch.stop()

    own: dict[str, Any] = {"timing": Timing(latency_s=0.01), "runs": runs} | options
    launch = Launch[DrillResult]([spec or sim_spec(**SIZE)], LaunchOptions(**own), [listen])
    (report,) = await launch.run()
    assert (report.status, report.exit_code) == ("interrupted", 130)
    assert report.folder is not None
    return report.folder


async def resumed(
    folder: Path,
    *,
    force: bool = False,
    when: Callable[[Event], bool] = lambda _: False,
    **options: Any,
) -> RunReport:
    """The run of the folder, taken up again; told to stop at the first event that `when` picks."""

    def listen(event: Event) -> None:
        if when(event):
            again.stop()

    taken = take_up(folder)
    own: dict[str, Any] = {"runs": folder.parent} | options
    again = Launch[DrillResult](
        [],
        LaunchOptions(**own),
        [listen],
        resumed=[taken],
        launch=taken.launch.launch,
        force=force,
    )
    (report,) = await again.run()
    return report


def at_probe(depth: int, number: int) -> Callable[[Event], bool]:
    """Picks the event with which the `number`-th probe of that depth is finished."""
    seen: list[str] = []

    def pick(event: Event) -> bool:
        if event.type == "probe_judged" and event.probe.depth == depth:
            seen.append(event.probe.id)
        return len(seen) == number

    return pick


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "events.jsonl").read_bytes().splitlines(keepends=True)


def write_lines(folder: Path, lines: list[bytes]) -> None:
    (folder / "events.jsonl").write_bytes(b"".join(lines))


def types_of(folder: Path) -> list[str]:
    """The types of the run's events, in order."""
    return [event.type for event in read_events(folder)]


def folder_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
