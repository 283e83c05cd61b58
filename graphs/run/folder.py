"""The run folder: `spec.json`, `launch.json`, `events.jsonl`, `log.jsonl`, `result.json`."""

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from ...sim.faults import Timing
from ...state.decision import Policy
from ...state.errors import UsageError
from ...state.faults import place_of, rule_of
from ...state.question_graph import QuestionGraph
from ...state.spec import SPEC, Spec, label_of
from ...tools.runs.folders import LAUNCH, LOCK, RESULT
from ...tools.runs.folders import SPEC as SPEC_FILE

T = TypeVar("T")
GRAPH = "graph.json"


class LaunchRecord(BaseModel):
    """How a run was launched, for whoever resumes it. No key stands in it; what an older launch
    wrote besides is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    launch: str
    """Id shared by all runs of one launch."""
    runs: tuple[str, ...]
    """Their run ids."""
    max_connections: int | None = None
    timeout_s: float = 120.0
    timing: Timing = Timing()
    """Latency of the simulated world, where one is started."""
    cached: bool = True
    offline: bool = False
    budget_usd: float | None = None
    max_calls: int | None = None
    until_decided: int | None = None
    """Repeats at most, where the launch was looked at until it was decided."""
    campaign: str = ""
    """What all runs of one campaign have in common: the study's file as it was named, or a digest."""
    prices: tuple[str, ...] = ()
    """Prices given by hand, as they were written."""
    policy: Policy | None = None
    """By what it was to be decided when the run was begun, as it was stated; None: not known."""
    rates: tuple[str, ...] = ()
    """Requests and tokens per minute, as they were written."""


def short_id() -> str:
    """Eight hex digits, new for each run."""
    return secrets.token_hex(4)


def run_name(spec: Spec, now: datetime, run_short_id: str) -> str:
    """`<timestamp>-<method>-<slug>-<id>`; the slug names domain and target, in ASCII."""
    slug = (
        re.sub(r"[^a-z0-9]+", "-", f"{spec.domain} {label_of(spec.target)}".lower())
        .strip("-")[:48]
        .strip("-")
    )
    return f"{now:%Y%m%dT%H%M%S}-{spec.method}-{slug or 'run'}-{run_short_id}"


class Busy(UsageError):
    """Another process works on the run."""


class RunFolder:
    """One run's folder, held by one process at a time."""

    def __init__(self, path: Path) -> None:
        """Takes the folder's lock. Raises UsageError when another process holds it, or it cannot be
        written."""
        self.path, self.run_id = path, path.name
        self._lock = FileLock(path / LOCK, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise Busy(
                f"The run {path.name} is being worked on by another process: wait for it, or "
                "stop it first."
            ) from None
        except OSError as error:
            raise _unwritable(path, error) from error

    @classmethod
    def create(
        cls, runs: Path, spec: Spec, now: datetime, new_id: Callable[[], str] = short_id
    ) -> "RunFolder":
        """A new folder under the runs folder, before any call. Raises as `at`."""
        return cls.at(runs / run_name(spec, now, new_id()), spec)

    @classmethod
    def at(cls, path: Path, spec: Spec) -> "RunFolder":
        """The folder at this place, made where it is missing. Raises Busy when another process
        holds it, and UsageError when it cannot be written."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            folder = cls(path)
            if not (path / SPEC_FILE).is_file():
                folder._write(SPEC_FILE, spec.model_dump_json(indent=2))
        except OSError as error:
            raise _unwritable(path, error) from error
        return folder

    def release(self) -> None:
        """Let others work on the run."""
        self._lock.release()

    def remove(self) -> None:
        """Take an unused folder away again."""
        self.release()
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def log(self) -> Path:
        return self.path / "log.jsonl"

    def write_launch(self, record: LaunchRecord) -> None:
        """Atomic. Raises UsageError when it cannot be written."""
        try:
            self._write(LAUNCH, record.model_dump_json(indent=2))
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def write_result(self, result: BaseModel) -> None:
        """Atomic: the old file or the whole new one is there; beside it a graph that was built.
        Raises OSError."""
        graph = getattr(result, "graph", None)
        if isinstance(graph, QuestionGraph):
            self._write(GRAPH, graph.model_dump_json(indent=2))
        self._write(RESULT, result_text(result))

    def _write(self, name: str, text: str) -> None:
        part = self.path / f"{name}.part"
        with part.open("w", encoding="utf-8") as file:
            file.writelines((text, "\n"))
        os.replace(part, self.path / name)


def hold_launch(runs: Path, launch: str) -> AbstractContextManager[None]:
    """The right to spend the budget of a launch, for one process at a time. Raises UsageError when
    another has it."""
    return hold(
        runs / f".launch-{launch}.lock",
        f"Another run of the launch {launch} is being worked on, and they share a budget: wait for "
        "it, or resume"
        f" them together with `fathom resume {launch}`.",
    )


@contextmanager
def hold(file: Path, busy: str) -> Iterator[None]:
    """A lock for one holder at a time, over all processes. Raises UsageError, saying `busy`, when
    another has it.

    The file stays: were it removed, one process could hold the old file and another a new one.
    """
    # taken in one thread, given back in another
    lock = FileLock(file, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(busy) from None
    except OSError as error:
        raise _unwritable(file.parent, error) from error
    try:
        yield
    finally:
        lock.release()


def result_text(result: BaseModel) -> str:
    """A result as it stands in `result.json`, without the last line end."""
    return result.model_dump_json(indent=2, by_alias=True)


def read_spec(path: Path) -> Spec:
    """The spec in a run folder. Raises UsageError when it is missing or not one of this version."""
    return _read(path / SPEC_FILE, SPEC.validate_json)


def read_launch(path: Path) -> LaunchRecord:
    """How a run was launched. Raises UsageError when that is missing or not of this version."""
    return _read(path / LAUNCH, LaunchRecord.model_validate_json)


def _read(file: Path, parse: Callable[[bytes], T]) -> T:
    try:
        return parse(file.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read ({error.strerror or error}): the run cannot be resumed "
            "without it."
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = f"{place_of(fault)}: " if fault["loc"] else ""
        raise UsageError(
            f"{file} is not of this version of Fathom ({where}{rule_of(fault)}): restore it."
        ) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"The run folder {path} cannot be written ({error.strerror or error}); "
        "choose another with --runs DIR or FATHOM_RUNS."
    )
