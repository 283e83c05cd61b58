"""What shapes a launch but not its results."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...sim.faults import Timing
from ...state.decision import Policy
from ...state.problems import ProblemSet
from ...state.question_graph import Material
from ...state.records import Probe
from ...tools.models.clients import Limits
from .deps import Clock
from .folder import LaunchRecord, short_id

__all__ = ["LaunchOptions"]


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What shapes a launch but not its results."""

    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    runs: Path | None = None
    """Folder for the run folders; None keeps everything in memory."""
    limits: Limits = field(default_factory=Limits)
    timing: Timing = field(default_factory=Timing)
    """Latency of a simulated world that the launch starts itself."""
    clock: Clock = field(default_factory=Clock)
    new_id: Callable[[], str] = short_id
    cache: Path | None = None
    """File of the persistent cache; None: replies are shared within the launch only, and nothing is
    kept."""
    data: Path | None = None
    """Folder for indexes of fact folders; None keeps them in memory."""
    offline: bool = False
    """Refuse every model and source that is not on this machine."""
    budget_usd: float | None = None
    """Most that all runs of the launch may cost together, earlier sessions included."""
    max_calls: int | None = None
    """Most model calls of all runs of the launch together, earlier sessions included; cached calls
    are none."""
    until_decided: int | None = None
    """Most repeats, of which only so many are made as it takes to decide which model to take."""
    campaign: str = ""
    """Of which campaign the launch is a part; empty: of none."""
    policy: Policy = Policy()  # noqa: RUF009  # frozen
    """By what is to be decided which model to take, as it was stated."""
    prices: tuple[str, ...] = ()
    """Prices by hand, as `IN/OUT` or `MODEL=IN/OUT` in USD per million tokens."""

    copy: Callable[[str, bytes], Awaitable[None]] | None = field(default=None, repr=False)
    """Where each line of a journal goes besides, by run id; the line counts once that is done."""

    questions: Mapping[str, Sequence[Probe]] = field(default_factory=dict, repr=False)
    """For replays that begin: digest of the questions → the probes of the drill they come from."""

    materials: Mapping[str, Material] = field(default_factory=dict, repr=False)
    """For runs over question graphs that begin: digest → what they ask about."""

    problem_sets: Mapping[str, ProblemSet] = field(default_factory=dict, repr=False)
    """For runs over problems that begin: digest → their problems."""

    def record(self, launch: str, runs: tuple[str, ...]) -> LaunchRecord:
        """What is kept of these options for whoever resumes the launch."""
        fields = {
            name: getattr(self if hasattr(self, name) else self.limits, name)
            for name in LaunchRecord.model_fields.keys() - {"launch", "runs", "cached"}
        }
        return LaunchRecord(launch=launch, runs=runs, cached=self.cache is not None, **fields)
