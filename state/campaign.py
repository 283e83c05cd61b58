"""The cells of a campaign: a study's domains × targets × repeats (× methods), each one run."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator

from .records import Record
from .result import Interval
from .spec import Spec

CellStatus = Literal["waiting", "running", "complete", "partial", "failed", "interrupted"]
"""`partial`: cut off by the budget; `failed`: with the reason in `error`; `interrupted`: stopped or
killed. What is partial or interrupted goes on with the next `fathom run`, what has failed when that
is asked for."""


def _one_name(run: str) -> str:
    if "/" in run or run.startswith("."):
        raise ValueError("a run is named by one folder, and no path")
    return run


class CellState(Record):
    """How one cell stands: a row of the index, what the screen shows, and what a worker sends of
    it."""

    cell: str
    """Digest of its spec."""
    method: str
    domain: str
    target: str
    """As in the spec."""
    seed: int | None = None
    """By which repeats differ."""
    simulated: bool = False
    """True when any part is the simulated world: the numbers measure no real model."""
    status: CellStatus = "waiting"
    """How it ended: complete, partial (budget), failed or interrupted."""
    run: Annotated[str, AfterValidator(_one_name)] = ""
    """Id of its run; empty before the first attempt."""
    attempts: int = 0
    """Times it was begun or taken up."""
    error: str = ""
    """Why it failed or was cut off, in a sentence."""
    share: float = 0.0
    """How much of it is done, 0 … 1."""
    figure: float | None = None
    """What it has measured so far: EVD in depths, accuracy as a share, mean score of 1 … 5."""
    interval: Interval | None = None
    """95%; None until it has ended."""
    at_least: bool = False
    """Whether the figure is only a lower limit."""
    highest: float | None = None
    """What the figure can be at most, where that is its spec's choice (the depths of a drill)."""
    usd: float | None = 0.0
    """Paid in all attempts; None where a price is unknown."""
    calls: int = 0
    """Model calls of all attempts; cached ones are none."""
    changed: datetime | None = None
    """When anything of this changed, in UTC."""

    @property
    def over(self) -> bool:
        """Whether nothing goes on by itself."""
        return self.status not in ("waiting", "running")


def cell_id(spec: Spec) -> str:
    """The digest of its spec; how many repeats it has beside it counts only as far as that shapes
    it (`pool`)."""
    repeats = getattr(spec, "repeats", 1)
    return (spec.model_copy(update={"repeats": 2}) if repeats > 2 else spec).digest


def cell_of(spec: Spec) -> CellState:
    """The cell of a run that nobody has begun."""
    return CellState(
        cell=cell_id(spec),
        method=spec.method,
        domain=spec.domain,
        target=spec.target,
        seed=getattr(spec, "seed", None),
        highest=getattr(spec, "max_depth", None),
        simulated=spec.simulated,
    )


class WorkerState(Record):
    """What one process of a campaign is doing."""

    name: str
    in_flight: int = 0
    """Model calls under way."""
    queued: int = 0
    """Model calls that wait for a free connection or for the end of a pause."""
    capacity: int = 0
    """Calls at once that it may have under way."""
    refused: int = 0
    """429s so far."""


class News(Record):
    """What a process of a campaign tells now and then."""

    process: WorkerState
    """Itself."""
    cells: tuple[CellState, ...]
    """Those of which anything has changed."""
