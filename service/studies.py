"""Studies that were posted: their files beside the runs, and a process for each that goes on."""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson
import yaml
from filelock import FileLock
from pydantic import BaseModel

from ..state.campaign import CellState
from ..state.errors import UsageError
from ..tools.files.output import write_whole
from . import child
from .trust import Allowed, trusted

Amounts = tuple[float | None, float | None]
"""US dollars and calls; None: no limit, or not known."""
UNITS = ("USD", "calls")
STATES = {None: "running", 0: "complete", 1: "failed", 2: "refused", 3: "partial"}
"""By exit code; every other one is of an interrupted study."""
MOST_CELLS, RESTARTS, FRESH_S, PATIENCE_S = 1000, 5, 1.0, 20.0
_ID = re.compile(r"[0-9a-f]{16}")


class NotFound(Exception):
    """There is nothing of this name."""


class Conflict(Exception):
    """The same key was used for another study."""


class DayIsSpent(Exception):
    """The day's budget does not cover the study."""


class Study(BaseModel):
    """What the server keeps of a study beside its file."""

    id: str
    digest: str
    created: datetime
    limits: Amounts
    day: date
    """The day to whose budget it counts."""
    before: Amounts = (0.0, 0.0)
    """What it had spent before that day."""
    spent: Amounts = (0.0, 0.0)
    code: int | None = None
    """Exit code of its last process; None while it is to be run."""
    error: str = ""

    @property
    def state(self) -> str:
        return STATES.get(self.code, "interrupted")

    def on(self, day: date, unit: int) -> float:
        """What it takes of that day's budget: while it runs, all that it may spend."""
        limit, before = self.limits[unit], self.before[unit] or 0.0
        spent = self.spent[unit] if self.code is not None else limit
        if spent is None:  # not known, or without a limit
            spent = limit or 0.0
        return max(0.0, spent - before) if self.day == day else 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator has chosen. `cells`: how the cells of a study file stand."""

    runs: Path
    allowed: Allowed
    cells: Callable[[Path], list[CellState]]
    jobs: int = 4
    each: Amounts = (None, None)
    daily: Amounts = (None, None)
    today: Callable[[], date] = lambda: datetime.now(UTC).date()


@dataclass(slots=True)
class Studies:
    """All studies of a folder of runs, and the processes of this server."""

    settings: Settings
    folder: Path = field(init=False)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _free: asyncio.Semaphore = field(init=False)
    _tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    _processes: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    _stopped: set[str] = field(default_factory=set)
    _fresh: dict[str, tuple[float, "asyncio.Task[Any]"]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.settings.runs / ".studies"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._free = asyncio.Semaphore(self.settings.jobs)

    def start(self) -> None:
        """Start every study again that is not at its end."""
        for study in self.all():
            if study.code is None:
                self._start(study)

    async def aclose(self) -> None:
        """Stop the processes as at Ctrl-C; their studies stay unfinished, to be started again."""
        self.closing.set()
        for process in self._processes.values():
            _signal(process, signal.SIGINT)
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=PATIENCE_S)
        for process in self._processes.values():
            _signal(process, signal.SIGKILL)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def all(self) -> Iterator[Study]:
        """The studies, the newest first."""
        files = self.folder.glob("*.json")
        studies = [Study.model_validate_json(file.read_bytes()) for file in files]
        yield from sorted(studies, key=lambda study: study.created, reverse=True)

    def open(self, name: str) -> Study:
        """The study of this id. Raises NotFound."""
        file = self.folder / f"{name}.json"
        if not _ID.fullmatch(name) or not file.is_file():
            raise NotFound(f"There is no study {name[:40]!r}: GET /v1/studies lists them.")
        return Study.model_validate_json(file.read_bytes())

    def file(self, study: Study) -> Path:
        """Its study file."""
        return self.folder / f"{study.id}.yaml"

    async def cells(self, study: Study) -> list[CellState]:
        """How its cells stand. Raises UsageError."""
        ask = partial(asyncio.to_thread, self.settings.cells, self.file(study))
        cells: list[CellState] = await self._once_a_second(study.id, ask)
        return cells

    async def every_cell(self) -> list[CellState]:
        """Those of all studies."""
        studies = [study for study in self.all() if study.code != 2]
        return [cell for study in studies for cell in await self.cells(study)]

    async def going(self) -> frozenset[str]:
        """The runs of studies that are not at their end."""
        runs: frozenset[str] = await self._once_a_second("", self._going)
        return runs

    async def _going(self) -> frozenset[str]:
        studies = [study for study in self.all() if study.code is None]
        return frozenset([cell.run for study in studies for cell in await self.cells(study)])

    async def _once_a_second(self, name: str, ask: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """The answer, which all who ask within a second share."""
        now = asyncio.get_running_loop().time()
        at, task = self._fresh.get(name, (0.0, None))
        if task is None or now - at >= FRESH_S:
            task = asyncio.create_task(ask())
            self._fresh[name] = now, task
        return await asyncio.shield(task)

    async def post(self, content: Any, key: str | None) -> tuple[Study, bool]:
        """The study, and whether it is new. Raises UsageError, Conflict and DayIsSpent."""
        content = trusted(content, self.settings.allowed)
        limits = self._limits(content)
        written = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        digest, name = _digest(written), _digest(key.encode()) if key else _digest(written)
        if (self.folder / f"{name}.json").is_file():
            study = self.open(name)
            if study.digest != digest:
                raise Conflict("This Idempotency-Key belongs to another study: send a new key.")
            return study, False
        today, now = self.settings.today(), datetime.now(UTC)
        study = Study(id=name, digest=digest, created=now, limits=limits, day=today)
        write_whole(self.file(study), _yaml(content), "The study")
        await self._require_right(study)
        if (self.folder / f"{name}.json").is_file():  # posted twice at the same time
            return self.open(name), False
        self._admit(study)
        return study, True

    async def _require_right(self, study: Study) -> None:
        """Raises UsageError for a study that the program refuses; then nothing is kept of it."""
        try:
            cells = await self.cells(study)
            if len(cells) > MOST_CELLS:
                raise UsageError(f"A study may have {MOST_CELLS:,} cells here, not {len(cells):,}.")
        except UsageError as error:
            self.file(study).unlink(missing_ok=True)
            raise UsageError(self.plain(str(error))) from None

    def plain(self, sentence: str) -> str:
        """The sentence without the paths of this machine."""
        sentence = re.sub(
            rf"{re.escape(str(self.folder))}/\w+\.yaml(, line \d+)?", "the study", sentence
        )
        return sentence.replace(str(self.settings.runs), "the runs")

    async def resume(self, study: Study, limits: Any) -> Study:
        """Run it again, with what more it may spend. Raises UsageError and DayIsSpent."""
        if study.code is None:
            return study
        chosen = trusted(limits or {}, self.settings.allowed)
        if chosen.keys() - {"budget", "max_calls", "facts"}:
            raise UsageError("resume takes budget and max_calls: nothing else can be changed.")
        wanted = self._limits(chosen) if limits else study.limits
        today = self.settings.today()
        before = study.before if study.day == today else study.spent
        again = {"limits": wanted, "before": before, "day": today, "code": None, "error": ""}
        self._admit(study.model_copy(update=again))
        return self.open(study.id)

    def stop(self, study: Study) -> str:
        """Let it come to its end, called again: end it at once. Returns what was done."""
        process = self._processes.get(study.id)
        twice = study.id in self._stopped
        self._stopped.add(study.id)
        if process is not None:
            _signal(process, signal.SIGKILL if twice else signal.SIGINT)
        elif study.code is None:
            self._keep(study.model_copy(update={"code": 130}))
            if task := self._tasks.get(study.id):
                task.cancel()
        return "killed" if twice and process else "stopping" if process else "stopped"

    def _limits(self, content: dict[str, Any]) -> Amounts:
        """The lower of what the study asks for and what the operator allows each. Raises
        UsageError."""
        usd, calls = (
            _lower(content.pop(key, None), most, key)
            for key, most in zip(("budget", "max_calls"), self.settings.each, strict=True)
        )
        return usd, calls

    def _admit(self, study: Study) -> None:
        """Take it into the day's budget, and start it. Raises DayIsSpent."""
        with FileLock(self.folder / ".lock"):
            for unit, daily in enumerate(self.settings.daily):
                taken = sum(o.on(study.day, unit) for o in self.all() if o.id != study.id)
                if daily is not None and taken + study.on(study.day, unit) > daily:
                    raise DayIsSpent(
                        f"{max(0.0, daily - taken):g} {UNITS[unit]} of the day's budget are left: "
                        "lower budget or max_calls of the study, or post it tomorrow (UTC)."
                    )
            self._keep(study)
        self._start(study)

    def _keep(self, study: Study) -> None:
        data = study.model_dump_json().encode()
        write_whole(self.folder / f"{study.id}.json", data, "The state of the study")

    def _start(self, study: Study) -> None:
        self._stopped.discard(study.id)
        task = asyncio.create_task(self._run(study))
        self._tasks[study.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(study.id, None))

    async def _run(self, study: Study) -> None:
        """Run it to its end, again where its process was killed."""
        async with self._free:
            for _ in range(RESTARTS):
                code = await self._process(study)
                if self.closing.is_set():
                    return
                if code >= 0 or study.id in self._stopped:
                    break
        log = (self.folder / f"{study.id}.log").read_bytes()
        self._fresh.pop(study.id, None)
        cells = await self.cells(study) if code != 2 else []
        known = all(cell.usd is not None for cell in cells)
        spent = sum(cell.usd or 0.0 for cell in cells) if known else None
        calls = float(sum(cell.calls for cell in cells))
        error = self.plain(child.sentence_in(log)) if code in (1, 2) else ""
        end = {"code": code if code >= 0 else 130, "error": error, "spent": (spent, calls)}
        self._keep(study.model_copy(update=end))

    async def _process(self, study: Study) -> int:
        words = ["run", str(self.file(study)), "--runs", str(self.settings.runs)]
        words += ["--engine", "local", "--display", "none", "--retry-failed"]
        for flag, limit in zip(("--budget", "--max-calls"), study.limits, strict=True):
            words += [flag, f"{limit:.12g}"] if limit is not None else []
        process = await child.start(*words, log=self.folder / f"{study.id}.log")
        self._processes[study.id] = process
        if self.closing.is_set() or study.id in self._stopped:
            _signal(process, signal.SIGINT)
        try:
            return await process.wait()
        finally:
            self._processes.pop(study.id, None)


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    if process.returncode is None:
        os.killpg(process.pid, number)


def _lower(asked: Any, most: float | None, key: str) -> float | None:
    if asked is None:
        return most
    if isinstance(asked, bool) or not 0 < asked < float("inf"):
        raise UsageError(f"{key} cannot be {asked!r}: it must be a number above 0.")
    return float(asked) if most is None else min(float(asked), most)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def _yaml(content: dict[str, Any]) -> bytes:
    return yaml.dump(content, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False).encode()
