"""What runs of several methods say of a model together. Field names are the contract of `fathom
schema profile`."""

from datetime import datetime
from typing import Literal

from .records import Record
from .result import Interval, Status

Unit = Literal["depths", "share", "gap", "score"]
"""`depths`: an EVD. `share`: 0 … 1, the more the better. `gap`: a difference or discrepancy in
shares of 1, −1 … 1, the less the better. `score`: a mean of scores of 1 … 5."""

Side = Literal["at least", "more than", "at most"]
"""The lower end of an interval reaches a limit, lies above it; or its upper end does not pass it.
"""


class ProfileRow(Record):
    """One measure of a model, with what stands behind it."""

    measure: str
    """`evd`, `tier_common` … `tier_cutting_edge`; `eqt_accuracy`, `acs`, `acs_normalised`;
    `depthqa_score`, `depthqa_d3`, `forward`, `backward`; `original`, and for each load `q2s_some`
    and `drop_some`, `q2i`, `distance`."""
    label: str
    """The measure in words."""
    unit: Unit
    value: float
    ci: Interval | None
    """95%. Of `drop_…` Tango's score interval of a paired difference, of `distance` Newcombe's of
    two independent shares; of an EVD that of its drill; of a mean of repeats Student's t. Of all
    others allowing for answers that belong together (to a root, a concept, a tree) where the run
    tells; else Wilson's. None where there is none."""
    p: float | None = None
    """Of a drop: exact p of McNemar's test, two-sided, adjusted by Holm's method over the loads of
    its run."""
    scale: Interval
    """Between what the value can lie."""
    lower_limit: bool = False
    """Whether the value is only a lower limit: an EVD whose drill ended before survival fell below
    the threshold."""
    tier_depths: int | None = None
    """Of an EVD: how many depths a tier covers."""
    n: int
    """Scored answers, questions, nodes or problems it is over."""
    note: str = ""
    """What the figure needs to be understood."""
    setting: str = ""
    """What sets its run apart from others of the same model, method and domain, as `distractors
    some`; empty where nothing does, or there is no other."""
    method: str
    domain: str
    """As the run has it: a domain, concepts, the name of a graph or of a benchmark."""
    run_ids: tuple[str, ...]
    """One run; of repeats all that count."""
    started: datetime | None
    """When the run began, UTC; of repeats the first. None where that is not known."""
    cost_usd: float | None
    """Of the whole run, which other rows share; None when any price is unknown."""
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    status: Status
    """How it ended: complete, partial (budget), failed or interrupted."""


class Ground(Record):
    """A figure that makes a contradiction."""

    row: ProfileRow
    side: Side
    """Which end of the interval meets the limit, and how."""
    limit: float
    """In the row's unit."""
    significant: bool = False
    """Whether the row's `p` had to be below 5%, and is."""


class Contradiction(Record):
    """Figures that do not go together, each beyond its limit with its whole interval."""

    rule: str
    says: str
    """A few words, as `deep but inconsistent`."""
    means: str
    """One sentence."""
    grounds: tuple[Ground, ...]


class Profile(Record):
    """One model."""

    model: str
    simulated: bool
    """Whether any row is."""
    rows: tuple[ProfileRow, ...]
    """By method, and within a method by run."""
    contradictions: tuple[Contradiction, ...]
    missing: tuple[str, ...]
    """Methods without a figure of this model."""
    cost_usd: float | None
    """Of all runs that stand behind the rows; None when any price is unknown."""


class ProfileDocument(Record):
    """The profiles of one or several models."""

    method: Literal["profile"] = "profile"
    domain: str | None
    """What all runs are taken to be about; None where nobody said so."""
    domains: tuple[str, ...]
    """The domains of the rows, as the runs have them."""
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    profiles: tuple[Profile, ...]
    notes: tuple[str, ...]
