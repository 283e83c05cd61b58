"""Recorded runs as objects, changed in one place, and the doors by which they are shown."""

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from fathom.commands.finished import FinishedRun
from fathom.commands.print_results import print_launch
from fathom.graphs.method import METHODS, steps_of
from fathom.reports.live.display import Gauge, make_display
from fathom.reports.live.screen import progress_of
from fathom.reports.page.blocks import Block
from fathom.reports.page.picture import save
from fathom.reports.page.terminal import rendered
from fathom.reports.page.view import PageOptions, page
from fathom.reports.views.unfinished import unfinished
from fathom.state.events import EVENT, Event
from fathom.state.result import DrillResult
from fathom.state.results import RESULTS, with_material

from ..contracts.recordings import recordings
from .screen import active_characters, screen, shown, written

Change = Callable[[str], str]
GAUGE = Gauge(in_flight=3, peak=8, queued=1, capacity=8)
HOSTILE = " \x1b[2J\u202e[red]超流動[/red] \x07الهيليوم\x1b]0;x\x07 and on and on and on and on"
FOREIGN = {
    "text",
    "reason",
    "message",
    "domain",
    "reference",
    "title",
    "category",
    "said",
    "quote",
    "root",
} | {
    *(
        "question",
        "answer",
        "before",
        "concept",
        "name",
        "concepts",
        "chain",
        "aspects",
        "roots",
        "notes",
        "conformance",
        "open_concepts",
    )
}
"""Fields whose text a model, a page, a file or a user has written."""
SAYING = 20
"""Characters from which a reason is a sentence of a model, and no word of ours."""


def result_of(method: str, kind: str = "complete", **changes: Any) -> Any:
    """The recorded result, with these fields changed; `spec__seed=1` changes a field of the
    spec."""
    return changed(_result(method, kind), **changes)


@cache
def _result(method: str, kind: str) -> Any:
    result = read_result(recordings(method)[kind].files["result.json"])
    return with_material(result, events_of(method, kind)[0].material)


def read_result(text: str) -> Any:
    """A result of whatever kind."""
    return RESULTS.get(json.loads(text)["method"], DrillResult).model_validate_json(text)


def changed(model: Any, **changes: Any) -> Any:
    """The model with other values: `numbers__all__scored=9` stands for a field of a field of a
    field."""
    for path, value in changes.items():
        name, _, rest = path.partition("__")
        model = model.model_copy(
            update={name: changed(getattr(model, name), **{rest: value}) if rest else value}
        )
    return model


def events_of(
    method: str, kind: str = "complete", *, run: str = "", change: Change | None = None
) -> list[Any]:
    """The recorded journal. `run`: an id in place of the last part of its own. `change`: of what
    others wrote."""
    if change is None:
        return [*_events(method, kind, run)]
    recording = recordings(method)[kind]
    lines = [line.replace(recording.short, run) if run else line for line in recording.journal]
    return [EVENT.validate_python(rewritten(json.loads(line), change)) for line in lines]


@lru_cache(64)
def _events(method: str, kind: str, run: str) -> tuple[Event, ...]:
    recording = recordings(method)[kind]
    lines = [line.replace(recording.short, run) if run else line for line in recording.journal]
    return tuple(map(EVENT.validate_json, lines))


def rewritten(value: Any, change: Change, key: str = "") -> Any:
    """A document with other text wherever somebody else has written it."""
    if isinstance(value, dict):
        return {name: rewritten(each, change, name) for name, each in value.items()}
    if isinstance(value, list):
        return [rewritten(each, change, key) for each in value]
    if (
        not isinstance(value, str)
        or not value
        or key not in FOREIGN
        or (key == "reason" and len(value) < SAYING)
    ):
        return value
    return change(value)


def hostile(text: str) -> str:
    """The text, acting on a terminal, partly wide, and going on and on."""
    return text + HOSTILE


def rewritten_result(method: str, kind: str, change: Change) -> Any:
    """The recorded result with other text."""
    document = json.loads(recordings(method)[kind].files["result.json"])
    result = read_result(json.dumps(rewritten(document, change)))
    return with_material(result, events_of(method, kind)[0].material)


def real(method: str, kind: str = "complete") -> list[Any]:
    """The journal as of models that are not simulated."""
    text = (
        recordings(method)[kind]
        .files["events.jsonl"]
        .replace("sim:", "openai:")
        .replace('"sim-', '"gpt-')
    )
    text = re.sub(
        r'"world":\{.*?\}\}',
        '"world":null',
        text.replace('"simulated":true', '"simulated":false'),
    )
    return [EVENT.validate_json(line) for line in text.splitlines()]


def interleaved(*streams: Sequence[Event]) -> list[Any]:
    """Several runs as one stream, taking turns."""
    return [event for turn in zip_longest(*streams) for event in turn if event is not None]


def on_terminal(blocks: Iterable[Block], width: int = 120, *, colour: bool = False) -> str:
    """Blocks on a terminal of that width."""
    return shown(rendered(blocks, width), width, colour=colour)


def plotted(place: Path, method: str, results: Sequence[Any]) -> list[Path]:
    """The pictures of results, written into a folder or a file."""
    draw = METHODS[method].page.pictures
    assert draw is not None
    return save(place, draw(results))


class Drawn(Mapping[str, str]):
    """The pictures of results, file name → SVG; each is drawn when it is asked for."""

    def __init__(self, method: str, results: Sequence[Any]) -> None:
        draw = METHODS[method].page.pictures
        assert draw is not None
        self.pictures = {f"{each.name}.svg": each for each in draw(results)}
        self._svgs: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._svgs:
            self._svgs[name] = self.pictures[name].svg()
        return self._svgs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.pictures)

    def __len__(self) -> int:
        return len(self.pictures)


def printed(result: Any, width: int = 400, kept: Path | None = None) -> str:
    """A result as `fathom show` prints it; at the usual width each remark is one line."""
    blocks = page(METHODS[result.method].page, result, PageOptions(kept))
    return shown(rendered(blocks, width), width)


def launched(
    results: Iterable[Any], width: int = 120, *, colour: bool = False, kept: Path | None = None
) -> str:
    """Several results, or one, as a launch prints them at its end; on a terminal if `colour`."""
    console = screen(width, colour=colour, environ={"NO_COLOR": "1"} if colour else None)
    print_launch(console, [FinishedRun(result.run_id, result, kept) for result in results])
    return re.sub(r"\x1b\[[0-9;]*m", "", written(console))


def fragment(events: Sequence[Event], width: int = 400, **options: Any) -> str:
    """What there is of a run without a result."""
    (run,) = progress_of(events, steps_of).runs.values()
    return shown(rendered(unfinished(run, **options), width), width)


def framed(
    events: Sequence[Event],
    width: int = 120,
    height: int = 40,
    gauge: Gauge = GAUGE,
    after_s: float = 1,
) -> str:
    """The live screen some seconds after the last event; the cursor stands in the row below it."""
    now: datetime = next((event.at for event in reversed(events) if event.at), datetime.min)
    console = screen(width, height, colour=True, environ={"NO_COLOR": "1"})
    display: Any = make_display(
        "tree",
        console=console,
        stdout=io.StringIO(),
        gauge=lambda: gauge,
        steps_of=steps_of,
        now=lambda: now + timedelta(seconds=after_s),
    )
    for event in events:
        display.handle(event)
    return shown(display, width, height)


def lined(events: Sequence[Event]) -> list[str]:
    """The run as plain lines."""
    console = screen(120)
    display = make_display(
        "lines", console=console, stdout=io.StringIO(), gauge=lambda: GAUGE, steps_of=steps_of
    )
    for event in events:
        display.handle(event)
    return written(console).splitlines()


def fits(text: str, width: int) -> None:
    """No line is wider than the screen, and nothing of it acts on the terminal."""
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert not active_characters(text)


def flat(text: str) -> str:
    """The words, wherever lines end."""
    return " ".join(text.split())


def write_run(
    runs: Path, result: Any, events: Sequence[Event], files: Mapping[str, str]
) -> Path:
    """A run's folder."""
    folder: Path = runs / result.run_id
    folder.mkdir(parents=True)
    journal = "".join(f"{event.model_dump_json()}\n" for event in events)
    found = {
        "result.json": result.model_dump_json(by_alias=True),
        "spec.json": result.spec.model_dump_json(),
    }
    for name, text in {**files, **found, "events.jsonl": journal}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
