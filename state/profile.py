"""What runs of several methods say of a model together."""

from datetime import datetime
from typing import Literal

from .records import Record
from .result import Interval, Status

Side = Literal["at least", "at most"]
"""The whole interval lies on or above a limit; or on or below it."""


class ProfileRow(Record):
    """One measure of a model, with what stands behind it."""

    measure: str
    """`evd`, `accuracy` …; of one part of the answers `accuracy[common]`, as in a condition."""
    unit: str
    """`depths`, `share` (0 … 1), `score` or `index`."""
    value: float
    interval: Interval | None
    """95%; None where there is none."""
    n: int
    """Scored answers that it rests on."""
    at_least: bool
    """Whether the value is only a lower limit."""
    method: str
    domain: str
    """As the run has it: a domain, concepts, the name of a graph or of a benchmark."""
    label: str
    """The model, told apart by what else differs where runs with several settings count."""
    tier_depths: int
    """Of a drill: how many depths a tier covers."""
    run_ids: tuple[str, ...]
    """One run; of a drill all repeats that count."""
    started: datetime | None
    """When the last of them began, UTC. None where that is not known."""
    cost_usd: float | None
    """Of all of them, which other rows share; None when any price is unknown."""
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    status: Status
    """How the last of them ended: complete, partial (budget), failed or interrupted."""


class Ground(Record):
    """A figure that makes a contradiction."""

    row: ProfileRow
    side: Side
    limit: float
    """In the row's unit."""


class Contradiction(Record):
    """Figures that do not go together, each beyond its limit with its whole interval."""

    says: str
    """A few words, as `deep but inconsistent`."""
    means: str
    """One sentence."""
    grounds: tuple[Ground, ...]


class Profile(Record):
    """One model in one domain."""

    model: str
    domain: str
    simulated: bool
    """Whether any row is."""
    rows: tuple[ProfileRow, ...]
    contradictions: tuple[Contradiction, ...]
    cost_usd: float | None
    """Of all runs that stand behind the rows; None when any price is unknown."""


class ProfileDocument(Record):
    """The profiles of one or several models."""

    method: Literal["profile"] = "profile"
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    profiles: tuple[Profile, ...]
    notes: tuple[str, ...]
