"""Run folders as they are found on disk: which there are, what stands in them. Reading only; the
runner writes them."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from ...state.errors import RunFailed, UsageError
from ...state.events import Event, RunFinished, RunStarted
from ...state.question_graph import Material
from ...state.result import FORMAT, DrillResult, Interval
from ...state.results import RESULTS, Result, with_material
from ..files.text import quoted, some_of
from .event_file import events_with_places, first_fault

STATUSES = ("complete", "partial", "failed", "interrupted", "running", "unreadable")
LOCK = ".lock"
RESULT, EVENTS, SPEC, LAUNCH = "result.json", "events.jsonl", "spec.json", "launch.json"
LAST = "last"


class EarlierFormat(RunFailed):
    """A result must be computed again from its journal."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What a run measured, under the name that it has in JSON; shares lie in 0 … 1."""

    name: str
    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run folder as a list shows it."""

    path: Path
    id: str
    method: str
    domain: str
    """What was measured: the domain of a drill, the concepts of an EQT, the name of a graph of
    questions or of a benchmark. Empty where it could not be read."""
    target: str
    """The model under test; of a graph that was built its evaluator."""
    status: str
    """One of `STATUSES`. A run whose end was not written is running while somebody holds its lock,
    else interrupted."""
    censored: bool
    """Whether the EVD is only a lower limit."""
    simulated: bool
    when: datetime | None
    """When the run began, UTC: by its name, else by its folder's time."""
    launch: str = ""
    """Id of its launch; empty where that cannot be read."""
    figures: tuple[Figure, ...] = ()
    """The main one first; none without a result."""

    @property
    def main(self) -> Figure | None:
        return self.figures[0] if self.figures else None

    def document(self) -> dict[str, Any]:
        """As JSON has it: each figure under its name, its interval behind `_ci`."""
        entry = {name: getattr(self, name) for name in _IN_DOCUMENTS}
        for figure in self.figures:
            entry |= {figure.name: figure.value, f"{figure.name}_ci": figure.interval}
        return entry


_IN_DOCUMENTS = (
    *("id", "method", "domain", "target", "status", "censored", "simulated", "when", "launch"),
)


def is_run(path: Path) -> bool:
    """Whether the path is a run folder: one with a run's files, and with no pipe, device or folder
    in their place."""
    try:
        files = {
            name: (path / name).is_file()
            for name in (RESULT, EVENTS, SPEC, LAUNCH)
            if (path / name).exists()
        }
        return path.is_dir() and all(files.values()) and not files.keys() <= {LAUNCH}
    except OSError:  # a name that no file can have, or a folder that is closed to us
        return False


def require_not_of_run(output: Path) -> None:
    """Raises UsageError for an output that would take the place of one of a run's own files, forced
    or not."""
    if output.name in (RESULT, EVENTS, SPEC, LAUNCH) and is_run(output.parent):
        raise UsageError(
            f"The output {output} is a run's own file, which is never overwritten: name "
            "another file."
        )


def is_elsewhere(run: Path, runs_dir: Path) -> bool:
    """Whether a run folder lies outside the folder of the runs: anybody may have made it."""
    return os.path.realpath(run.parent) != os.path.realpath(runs_dir)


def run_paths(runs_dir: Path) -> list[Path]:
    """All run folders in the folder, the oldest first; none when it does not exist.

    Names begin with the time, so that their order is the order of the runs. Raises UsageError for
    what is no folder, or cannot be read.
    """
    try:
        return sorted(
            (path for path in runs_dir.iterdir() if is_run(path)), key=lambda path: path.name
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(
            f"The folder of the runs {runs_dir} cannot be read ({error.strerror or error}): "
            "name another with --runs."
        ) from None


def find_run(
    runs_dir: Path, text: str, start: str = "start one, as with `fathom drill`"
) -> Path:
    """The run folder meant by `text`: a path, a folder's name, the start or end of an id, or
    `last`.

    Raises UsageError when there is none (`start`: what to do where no run is at all), or more than
    one.
    """
    if not text.strip():
        raise UsageError("No run is named: give a run's folder, its id, or `last`.")
    if is_run(Path(text)):
        return Path(text)
    paths = run_paths(runs_dir)
    if text == LAST:
        if not paths:
            raise UsageError(f"There is no run in {runs_dir}: {start}, or name another folder.")
        return (find_launch(runs_dir, LAST) or [max(paths, key=_began)])[-1]
    candidates = [path for path in paths if text in (path.name, id_of(path))]
    if not candidates:
        candidates = [path for path in paths if _begins_or_ends(id_of(path), text)]
    candidates = candidates or find_launch(runs_dir, text)
    if not candidates:
        raise UsageError(
            f"No run in {runs_dir} is called {quoted(text, 80)}: `fathom list` shows the runs "
            "there are."
        )
    if len(candidates) > 1:
        names = [id_of(path) for path in candidates]
        raise UsageError(
            f"{text!r} could be any of {len(names)} runs ({some_of(names)}): name one by its id."
        )
    return candidates[0]


def _begins_or_ends(run_id: str, text: str) -> bool:
    return run_id.startswith(text) or run_id.endswith(text)


def find_launch(runs_dir: Path, text: str) -> list[Path]:
    """The run folders of the launch with this id, or of the `last` one, in the order of the launch;
    none when there is no such launch.

    A run that was killed before it was told of its launch is among them.
    """
    by_id = {path.name: path for path in run_paths(runs_dir)}
    if text == LAST and by_id:
        text = launch_of(max(by_id.values(), key=_began))[0]
    for path in by_id.values():
        launch, runs = launch_of(path)
        if launch and launch == text:
            return [by_id[run] for run in runs if run in by_id]
    return []


def _began(path: Path) -> tuple[str, int]:
    """By what a run is the last: the second that its name begins with, and when its spec was
    written."""
    spec = path / SPEC
    return path.name[:15], spec.stat().st_mtime_ns if spec.exists() else 0


def launch_of(path: Path) -> tuple[str, list[str]]:
    """Id and runs of the launch that a run belongs to; nothing where that cannot be read."""
    record = launch_fields(path)
    try:
        return str(record["launch"]), [str(run) for run in record["runs"]]
    except (KeyError, TypeError):
        return "", []


def launch_fields(path: Path) -> dict[str, Any]:
    """How a run was launched; nothing where that cannot be read."""
    try:
        return json_object((path / LAUNCH).read_bytes())
    except (OSError, orjson.JSONDecodeError, RunFailed):
        return {}


def id_of(path: Path) -> str:
    return path.name.rpartition("-")[2]


def read_result(path: Path) -> DrillResult | None:
    """The result of the drill in a run folder, or None when it has none (yet), or one of another
    method.

    Raises RunFailed when the file is there and cannot be read.
    """
    result = read_outcome(path)
    return result if result is not None and result.method == "drill" else None


def read_outcome(path: Path) -> Result | None:
    """The result in a run folder, by whatever method; None when the run has none (yet). Raises as
    `read_result`, and EarlierFormat for one that an earlier version has written."""
    file = path / RESULT
    try:
        raw = file.read_bytes()
        document = json_object(raw)
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, RunFailed) as error:
        raise RunFailed(f"{file} is no result: it is not a JSON object.") from error
    if format_of(document) < FORMAT:
        raise EarlierFormat(f"{file} is of an earlier version of Fathom.")
    method = str(document.get("method"))
    try:
        result = RESULTS.get(method, DrillResult).model_validate_json(raw)
        return with_material(result, material_in(path)) if method == "depthqa" else result
    except ValidationError as error:
        raise RunFailed(
            f"{file} is no result of this version of Fathom: {first_fault(error)}."
        ) from error


def material_in(path: Path) -> Material | None:
    """What a DepthQA run was about, as its journal begins with it."""
    started = next(
        (event for event in read_events(path) if isinstance(event, RunStarted)), None
    )
    return started.material if started is not None else None


def format_of(result: Mapping[str, Any]) -> int:
    """The version of its format that a result says it has; 0 where it does not say."""
    provenance = result.get("provenance")
    version = provenance.get("format") if isinstance(provenance, dict) else None
    return version if isinstance(version, int) else 0


def read_events(path: Path) -> Iterator[Event]:
    """The events in a run folder, in the order they were written; nothing when no event was
    written.

    A last line without its line end was being written when the run was killed: it is left out
    unless it is whole. Raises RunFailed, with the line's number, on any other line that is no
    event.
    """
    return (event for event, _, _ in events_with_places(path / EVENTS))


def json_object(raw: bytes | dict[str, Any]) -> dict[str, Any]:
    """A JSON object, from its bytes or as it is. Raises RunFailed for anything else, and
    JSONDecodeError."""
    value = orjson.loads(raw) if isinstance(raw, bytes) else raw
    if not isinstance(value, dict):
        raise RunFailed("a JSON object was expected")
    return value


def is_running(path: Path) -> bool:
    """Whether a process works on the run; looked at without taking the lock from anybody."""
    try:
        with (path / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def facts_in(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The spec and the fields a list shows, read without building every probe of the run."""
    if (path / RESULT).is_file():
        result = json_object((path / RESULT).read_bytes())
        return json_object(result.get("spec", {})), result
    spec = json_object((path / SPEC).read_bytes()) if (path / SPEC).is_file() else {}
    first, last = _first_and_last(path / EVENTS)
    facts: dict[str, Any] = {"status": "interrupted"}
    if first is not None:
        spec = spec or json_object(first.get("spec", {}))
        facts["simulated"] = first.get("simulated", False)
    if last is not None and last.get("type") == RunFinished.model_fields["type"].default:
        facts |= {key: last.get(key) for key in ("status", "stop_reason", "evd", "evd_ci")}
    return spec, facts


def _first_and_last(file: Path) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The first and the last whole line of a file of JSON lines."""
    if not file.is_file():
        return None, None
    first = last = b""
    with file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                first, last = first or line, line
    return (json_object(first), json_object(last)) if first else (None, None)


def when_begun(path: Path) -> datetime:
    """When the run began, as its folder's name says (`20261120T120000Z-…`, with or without signs
    between)."""
    digits = "".join(filter(str.isdigit, path.name[:24]))
    try:
        when = datetime.strptime(digits[:14], "%Y%m%d%H%M%S")
        return when.replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
