"""What shapes a launch but not its results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...sim.server import Timing
from ...state.deepquestion.items import ProblemSet
from ...state.depthqa.items import Material
from ...state.records import Probe
from ...tools.models.clients import Limits
from .argument_checks import require
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
    max_concurrency: int | None = None
    """LangGraph's own limit on probes at once; None: all of a round."""
    cache: Path | None = None
    """File of the persistent cache; None: replies are shared within the launch only, and nothing is kept."""
    data: Path | None = None
    """Folder for indexes of fact folders and counts of paid searches; None keeps them in memory."""
    checkpoint: str | None = field(default=None, repr=False)
    """Address of a PostgreSQL database for the checkpoints; None: a file in each run folder."""
    offline: bool = False
    """Refuse every model and source that is not on this machine."""
    budget_usd: float | None = None
    """Most that all runs of the launch may cost together, earlier sessions included."""
    max_calls: int | None = None
    """Most model calls of all runs of the launch together, earlier sessions included; cached calls are none."""
    prices: tuple[str, ...] = ()
    """Prices by hand, as `IN/OUT` or `MODEL=IN/OUT` in USD per million tokens."""

    questions: Mapping[str, Sequence[Probe]] = field(default_factory=dict, repr=False)
    """For replays that begin: digest of the questions → the probes of the drill they come from."""

    materials: Mapping[str, Material] = field(default_factory=dict, repr=False)
    """For DepthQA runs that begin: digest → what they ask about."""

    problem_sets: Mapping[str, ProblemSet] = field(default_factory=dict, repr=False)
    """For DeepQuestion runs that begin: digest → their problems."""

    def __post_init__(self) -> None:
        """Raises UsageError for what cannot be one of these."""
        require(env=self.env, runs=self.runs, cache=self.cache, data=self.data)

    def record(self, launch: str, runs: tuple[str, ...]) -> LaunchRecord:
        """What is kept of these options for whoever resumes the launch."""
        return LaunchRecord(
            launch=launch,
            runs=runs,
            max_connections=self.limits.max_connections,
            timeout_s=self.limits.timeout_s,
            timing=self.timing,
            cached=self.cache is not None,
            offline=self.offline,
            postgres=self.checkpoint is not None,
            budget_usd=self.budget_usd,
            max_calls=self.max_calls,
            prices=self.prices,
        )
