"""What shapes a launch but not its results; and what a program hands over, looked at before
anything is opened or asked."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, InstanceOf, TypeAdapter, ValidationError

from ...sim.faults import Timing
from ...state.decision import Policy
from ...state.errors import UsageError
from ...state.faults import place_of, rule_of
from ...state.problems import ProblemSet
from ...state.question_graph import Material
from ...state.records import Probe
from ...state.tiers import Tier
from ...state.worlds import RunSpec
from ...tools.facts.base import FactSource
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
    max_concurrency: int | None = None
    """LangGraph's own limit on probes at once; None: all of a round."""
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
            budget_usd=self.budget_usd,
            max_calls=self.max_calls,
            until_decided=self.until_decided,
            campaign=self.campaign,
            policy=self.policy,
            prices=self.prices,
            rates=self.limits.rates,
        )


def _copied(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value  # os.environ is no dict


_Texts = Annotated[dict[str, str], BeforeValidator(_copied)]
_Sources = Annotated[Sequence[InstanceOf[FactSource]], Field(min_length=1)]
_Count = Annotated[int, Field(ge=1)]
_File = InstanceOf[Path]
_MODEL = (str, "the name of a model as on the command line")
_COUNT = (_Count, "a whole number of at least 1")
_FILE = (_File, "a pathlib.Path")
_KINDS: Mapping[str, tuple[Any, str]] = {
    "env": (_Texts, "a mapping of names to texts, such as os.environ"),
    "prompts": (_Texts, "a mapping of prompt names to texts"),
    "facts": (
        str | Annotated[Mapping[Tier, _Sources], Field(min_length=1)],
        "a text as on the command line, or a mapping of tiers to lists of fact sources",
    ),
    "listeners": (Sequence[Callable[..., Any]], "a list of functions"),
    "domain": (Annotated[str, Field(pattern=r"\S")], "the name of one"),
    "specs": (
        Annotated[Sequence[InstanceOf[RunSpec]], Field(min_length=1)],
        "one spec, or a list of them",
    ),
    "budget": (
        Annotated[float, Field(gt=0, allow_inf_nan=False)],
        "an amount of US dollars above 0",
    ),
    "max_calls": _COUNT,
    "max_connections": _COUNT,
    "prices": (Sequence[str], "a list of texts such as MODEL=IN/OUT"),
    "folders": (
        Annotated[Sequence[_File], Field(min_length=1)],
        "a list of run folders, each a pathlib.Path",
    ),
    "target": _MODEL,
    "evaluator": _MODEL,
    "judge": _MODEL,
    "options": (InstanceOf[LaunchOptions], "LaunchOptions"),
    "runs": _FILE,
    "cache": _FILE,
    "data": _FILE,
    "journal": _FILE,
}
"""What a program hands over → its type, and what that is in words."""


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[name][0])


def require(**values: Any) -> None:
    """Raises UsageError for the first value that is not of its name's kind; None is what is not
    given. No value is quoted: there may be keys in it."""
    for name, value in values.items():
        if value is None:
            continue
        try:
            _adapter(name).validate_python(value, strict=True)
        except ValidationError:
            empty = "empty " if isinstance(value, str | Mapping | Sequence) and not value else ""
            raise UsageError(
                f"The {empty}{type(value).__name__} given as {name} cannot be used: give "
                f"{_KINDS[name][1]}."
            ) from None


def fault_of(error: ValidationError) -> str:
    """The first fault, with its place."""
    first = error.errors()[0]
    place = place_of(first)
    return f"{place}: {rule_of(first)}" if place else rule_of(first)


_UNDER_WAY: set[tuple[object, str]] = set()


@contextmanager
def only_once(place: object, run_id: str) -> Iterator[None]:
    """Holds a run of this place (a graph, a folder of runs). Raises UsageError while the process
    has it under way."""
    if (place, run_id) in _UNDER_WAY:
        raise UsageError(
            f"The run {run_id} is under way already: wait for its end, or give this one "
            "another run id."
        )
    _UNDER_WAY.add((place, run_id))
    try:
        yield
    finally:
        _UNDER_WAY.discard((place, run_id))
