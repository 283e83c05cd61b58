"""Studies that were posted: their files beside the runs, and a process for each that goes on."""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Container, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import blake2b
from math import inf
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import orjson
from aiohttp.web import HTTPConflict, HTTPNotFound, HTTPTooManyRequests
from filelock import FileLock
from pydantic import BaseModel

from ..state.campaign import CellState
from ..state.errors import UsageError
from ..tools.files.output import write_whole
from . import child
from .trust import LIMITS, Allowed, require_few, trusted

Amounts = Mapping[str, float | None]
"""`budget` in US dollars, and `max_calls`; None: no limit, or not known."""
STATES = {None: "running", 0: "complete", 1: "failed", 2: "refused", 3: "partial"}
"""By exit code; every other one is of an interrupted study."""
UNKNOWN = "unknown"
RESTARTS = 5
FRESH_S, PATIENCE_S = 1.0, 20.0
STUDY_ID = re.compile(r"[0-9a-f]{16}")


class Study(BaseModel):
    """What the server keeps of a study beside its file."""

    id: str
    about: str = ""
    """Its domains."""
    created: datetime
    limits: Amounts
    day: date
    """The day to whose budget it counts, with all that it spends."""
    spent: Amounts = dict.fromkeys(LIMITS, 0.0)
    code: int | None = None
    """Exit code of its last process; None while it is to be run."""
    error: str = ""

    @property
    def state(self) -> str:
        return STATES.get(self.code, "interrupted")

    def takes(self, day: date, unit: str) -> float:
        """Its part of that day's budget: while it runs, and where no price is known, all that it
        may spend."""
        if self.day != day:
            return 0.0
        spent = None if self.code is None else self.spent[unit]
        amount = self.limits[unit] if spent is None else spent
        return inf if amount is None else amount


def today_in_utc() -> date:
    """The day whose budget counts."""
    return datetime.now(UTC).date()


@dataclass(slots=True)
class Studies:
    """All studies of a folder of runs, the processes of this server, and what the operator has
    chosen. `read_cells`: how the cells of a study file stand, which is refused if the price of all its
    models is needed and not known; `each`, `daily`: most that a study, and all of a day, may
    spend."""

    runs: Path
    allowed: Allowed
    read_cells: Callable[[Path, bool], list[CellState]]
    each: Amounts
    daily: Amounts
    jobs: int = 4
    today: Callable[[], date] = today_in_utc
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _free: asyncio.Semaphore = field(init=False)
    _tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    _processes: dict[str, asyncio.subprocess.Process | None] = field(default_factory=dict)
    """Of the studies that are no more in the queue."""
    _stopped: set[str] = field(default_factory=set)
    _answers: dict[str, tuple[float, "asyncio.Task[Any]"]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._free = asyncio.Semaphore(self.jobs)

    @property
    def folder(self) -> Path:
        return self.runs / ".studies"

    async def start(self, _: object = None) -> None:
        """Start every study again that is not at its end."""
        for study in self.all():
            if study.code is None:
                self._start(study)

    async def stop_all(self, _: object = None) -> None:
        """Stop the processes as at Ctrl-C; their studies stay unfinished, to be started again."""
        self.closing.set()
        for number in (signal.SIGINT, signal.SIGKILL):
            for name in self._processes:
                self._signal(name, number)
            if self._tasks:
                await asyncio.wait(self._tasks.values(), timeout=PATIENCE_S)

    def all(self) -> list[Study]:
        """The studies, the newest first."""
        studies = [self.open(file.stem) for file in self.folder.glob("*.json")]
        studies.sort(key=lambda study: study.created, reverse=True)
        return studies

    def open(self, name: str) -> Study:
        """The study of this id. Raises HTTPNotFound."""
        if not STUDY_ID.fullmatch(name) or not self._place(name).is_file():
            raise HTTPNotFound(
                text=f"There is no study {name[:40]!r}: GET /v1/studies lists them."
            )
        return Study.model_validate_json(self._place(name).read_bytes())

    def file(self, name: str) -> Path:
        """The study file of this id."""
        return self.folder / f"{name}.yaml"

    @contextmanager
    def draft(self, content: dict[str, Any]) -> Iterator[Path]:
        """A study file for a while."""
        with NamedTemporaryFile(dir=self.folder, suffix=".yaml") as file:
            file.write(orjson.dumps(content))
            file.flush()
            yield Path(file.name)

    async def cells(self, study: Study) -> list[CellState]:
        """How its cells stand; of one that was refused none. Raises UsageError."""
        if study.code == 2:
            return []
        look = asyncio.to_thread
        cells: list[CellState] = await self.share(
            study.id, lambda: look(self.read_cells, self.file(study.id), False)
        )
        return cells

    async def cells_or_unknown(self, study: Study) -> list[CellState]:
        """The same; of one whose models are offered no more one cell whose state is not known."""
        try:
            return await self.cells(study)
        except UsageError:
            cell = CellState(cell="", method="", domain="", target="")
            return [cell.model_copy(update={"status": UNKNOWN})]

    async def unfinished(self) -> Container[str]:
        """The runs of studies that are not at their end."""

        async def look() -> set[str]:
            going = [study for study in self.all() if study.code is None]
            return {cell.run for study in going for cell in await self.cells_or_unknown(study)}

        runs: Container[str] = await self.share("", look)
        return runs

    async def share(
        self, name: str, ask: Callable[[], Coroutine[Any, Any, Any]], fresh_s: float = FRESH_S
    ) -> Any:
        """The answer, which all who ask while it is fresh share."""
        now = asyncio.get_running_loop().time()
        at, task = self._answers.get(name, (-inf, None))
        if task is None or now - at >= fresh_s:
            task = asyncio.create_task(ask())
            self._answers[name] = now, task
        return await asyncio.shield(task)

    async def post(self, content: Any, key: str | None) -> tuple[Study, bool]:
        """The study, and whether it is new. Raises UsageError and HTTPException."""
        content = trusted(content, self.allowed)
        limits = self._limits(content)
        data = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        name = blake2b(key.encode(errors="replace") if key else data, digest_size=8).hexdigest()
        about = ""
        if not self._place(name).is_file():
            with self.draft(content) as file:
                priced = limits["budget"] is not None
                cells = await asyncio.to_thread(self.read_cells, file, priced)
            require_few(len(cells))
            about = ", ".join(dict.fromkeys(cell.domain for cell in cells))[:200]
        if not self._place(name).is_file():  # nor was it posted a second time meanwhile
            write_whole(self.file(name), data, "The study")
            now, day = datetime.now(UTC), self.today()
            study = Study(id=name, about=about, created=now, limits=limits, day=day)
            return self._admit(study), True
        if self.file(name).read_bytes() != data:
            raise HTTPConflict(
                text="This Idempotency-Key belongs to another study: send a new key."
            )
        return self.open(name), False

    def plain(self, sentence: str) -> str:
        """The sentence without the paths of this machine."""
        file = rf"{re.escape(str(self.folder))}/\w+\.yaml"
        return re.sub(file, "the study", sentence).replace(str(self.runs), "the runs")

    def resume(self, study: Study, limits: Any) -> Study:
        """Run it again, with what it may spend now. Raises UsageError and HTTPException."""
        if study.code is None:
            return study
        if limits.keys() - set(LIMITS):
            raise UsageError("resume takes budget and max_calls: nothing else can be changed.")
        self._answers.pop(f"look {study.id}", None)  # a stream that begins now is not over
        again: dict[str, Any] = {"day": self.today(), "code": None, "error": ""}
        if limits:
            again["limits"] = self._limits(trusted(limits, self.allowed))
        return self._admit(study.model_copy(update=again))

    def stop(self, study: Study) -> None:
        """Let it come to its end; called again: end it at once. Raises HTTPConflict."""
        if study.code is not None:
            return
        if study.id not in self._tasks:
            raise HTTPConflict(
                text="Another server on this folder runs the study: stop it there."
            )
        number = signal.SIGKILL if study.id in self._stopped else signal.SIGINT
        self._stopped.add(study.id)
        if study.id in self._processes:
            self._signal(study.id, number)
        else:
            self._tasks.pop(study.id).cancel()
            self._keep(study.model_copy(update={"code": 130}))

    def _limits(self, content: dict[str, Any]) -> Amounts:
        """Taken out of the study: the lower of what it asks for and what the operator allows.
        Raises UsageError."""
        most = self.each
        return {key: _lower(content.pop(key, None), most[key], key) for key in LIMITS}

    def _admit(self, study: Study) -> Study:
        """Take it into the day's budget, of which it gets the rest where it has no limit of its
        own, and start it. Raises HTTPException."""
        if study.id in self._tasks:
            raise HTTPConflict(text="The study is just about to end: ask again.")
        with FileLock(self.folder / ".lock"):
            others = [other for other in self.all() if other.id != study.id]
            limits = dict(study.limits)
            for unit, daily in self.daily.items():
                if daily is None:
                    continue
                taken = sum(other.takes(study.day, unit) for other in others)
                left = max(0.0, daily - taken)
                limit = limits[unit] = left if limits[unit] is None else limits[unit]
                if not limit or limit > left:
                    raise HTTPTooManyRequests(
                        text=f"The day's {unit} has {left:g} of {daily:g} left: "
                        f"lower {unit} of the study, or post it tomorrow (UTC)."
                    )
            study = study.model_copy(update={"limits": limits})
            self._keep(study)
        self._start(study)
        return study

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _keep(self, study: Study) -> None:
        write_whole(
            self._place(study.id), study.model_dump_json().encode(), "The study's state"
        )

    def _start(self, study: Study) -> None:
        self._stopped.discard(study.id)
        task = self._tasks[study.id] = asyncio.create_task(self._run(study))

        def forget(_: object) -> None:
            if self._tasks.get(study.id) is task:  # it may be in the queue anew
                del self._tasks[study.id]

        task.add_done_callback(forget)

    async def _run(self, study: Study) -> None:
        """Run it to its end, again where its process was killed."""
        log, code = self.folder / f"{study.id}.log", -1
        async with self._free:
            self._processes[study.id] = None
            try:
                for _ in range(RESTARTS):
                    if code < 0 and study.id not in self._stopped and not self.closing.is_set():
                        code = await self._process(study, log)
            finally:
                del self._processes[study.id]
        if self.closing.is_set():
            return
        self._answers.pop(study.id, None)
        if code < 0 or (
            code and study.id in self._stopped
        ):  # early in its life, it fails of that
            code = 130
        error = self.plain(child.sentence_in(log.read_bytes())) if code in (1, 2) else ""
        study = study.model_copy(update={"code": code, "error": error})
        self._keep(study.model_copy(update={"spent": await self._spent(study)}))

    async def _spent(self, study: Study) -> Amounts:
        cells = await self.cells_or_unknown(study)
        if any(not cell.cell for cell in cells):
            return dict.fromkeys(LIMITS)
        prices = [cell.usd for cell in cells if cell.usd is not None]
        usd = sum(prices) if len(prices) == len(cells) else None
        return {"budget": usd, "max_calls": sum(cell.calls for cell in cells)}

    async def _process(self, study: Study, log: Path) -> int:
        words = ["run", str(self.file(study.id)), f"--runs={self.runs}"]
        words += ["--engine=local", "--display=none", "--retry-failed"]
        for key, limit in study.limits.items():
            if limit is not None:
                words.append(f"--{key.replace('_', '-')}={limit:.12g}")
        process = self._processes[study.id] = await child.start(*words, log=log)
        if self.closing.is_set() or study.id in self._stopped:
            self._signal(study.id, signal.SIGINT)
        return await process.wait()

    def _signal(self, name: str, number: int) -> None:
        process = self._processes[name]
        if process is not None and process.returncode is None:
            os.killpg(process.pid, number)


def _lower(amount: Any, most: float | None, key: str) -> float | None:
    if amount is None:
        return most
    if isinstance(amount, bool) or not 0 < amount < 1e12 or (key == "max_calls" and amount % 1):
        raise UsageError(
            f"{key} cannot be {amount!r}: it must be above 0, and max_calls whole."
        )
    return min(float(amount), inf if most is None else most)
