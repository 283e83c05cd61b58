"""What past runs tell the plan of whatever method journals its steps as items: how long a reply is, how long it takes
and how much is asked twice."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import orjson

from ...sim.server import Timing
from ...state.errors import RunFailed, UsageError
from ...state.records import Call, Sent
from ...state.spec import WorldSpec, is_simulated
from ...tools.runs.folders import RESULT, SPEC, run_paths
from .rates import CHARACTERS, Step
from .spread import Spread, around, fixed

T = TypeVar("T")
NEWEST = 10
"""Past runs that are read, the newest first."""
MOST_EVENTS = 4_000
"""Of each of them."""
EXACT = fixed(1.0)
"""Calls per call that is due, where nothing can go wrong."""


class StepMeans(NamedTuple):
    """One kind of call in one run."""

    items: int
    """Steps that asked this at all."""
    calls: int
    """Calls they took."""
    per_character: float
    """Tokens in per character of the prompt."""
    input_tokens: float
    """Per call that was answered, as the following."""
    output_tokens: float
    seconds: float


@dataclass(frozen=True, slots=True)
class StepRate:
    """One kind of call. Tokens in are reckoned from characters, those out per call where they are not an answer's."""

    often: Spread
    """Calls per call that is due."""
    per_character: Spread
    """Tokens in per character of the prompt."""
    latency_s: Spread
    input_tokens: Spread | None = None
    """Per call, where past runs tell; None: from the prompt's characters."""
    output_tokens: Spread | None = None
    """Likewise."""
    hidden: float = 0.0
    """Tokens that may be thought unseen, at most, where past runs do not tell."""


class Usual(NamedTuple):
    """What is assumed of one kind of call where past runs do not tell."""

    often: Spread
    """Calls per call that is due."""
    seconds: float
    """Of a real model's reply; it may take three times as long, or a third."""
    hidden: float
    """Tokens that a real model may think unseen before it writes."""


class _Item(Protocol):
    """A journalled step."""

    @property
    def prompt(self) -> tuple[Sent, ...]: ...
    @property
    def calls(self) -> tuple[Call, ...]: ...


class _Spec(Protocol):
    @property
    def world(self) -> WorldSpec | None: ...


class PastSteps(Protocol):
    """What one finished run tells, of whatever method."""

    @property
    def spec(self) -> _Spec: ...
    @property
    def steps(self) -> Mapping[Step, StepMeans]: ...
    @property
    def lost(self) -> int: ...


def read_past(runs_dir: Path, method: str, tell: Callable[[Path], T | None]) -> tuple[list[T], int]:
    """What the newest finished runs of a method tell, the newest first, and how many could not be read. `tell` takes a
    run folder; None: it tells nothing."""
    found, unreadable = list[T](), 0
    for path in islice(_finished(runs_dir, method), NEWEST):
        try:
            past = tell(path)
        except (RunFailed, UsageError, OSError):
            unreadable += 1
            continue
        if past is not None:
            found.append(past)
    return found, unreadable


def _finished(runs_dir: Path, method: str) -> Iterator[Path]:
    """Folders of a method's runs with a result, the newest first; what is no run is left out."""
    for path in reversed(run_paths(runs_dir)):
        try:
            if (path / RESULT).is_file() and orjson.loads((path / SPEC).read_bytes()).get("method") == method:
                yield path
        except (OSError, orjson.JSONDecodeError, AttributeError):
            continue


def step_means(items: Iterable[_Item]) -> dict[Step, StepMeans]:
    """By kind of call; those of which none was answered are left out."""
    grouped: dict[Step, list[_Item]] = defaultdict(list)
    for item in items:
        for step in {Step(call.role, call.purpose) for call in item.calls}:
            grouped[step].append(item)
    return {step: means for step, own in grouped.items() if (means := _means(step, own)) is not None}


def _means(step: Step, items: Sequence[_Item]) -> StepMeans | None:
    calls = [(item, call) for item in items for call in item.calls if Step(call.role, call.purpose) == step]
    answered = [(item, call) for item, call in calls if call.failure is None]
    # a call that is cut off, or refused, may be told without its tokens
    counted = [(item, call) for item, call in answered if call.usage.input_tokens]
    if not counted:
        return None
    characters = sum(len(sent.text) for item, _ in counted for sent in item.prompt)
    into = sum(call.usage.input_tokens for _, call in counted)
    fresh = [call.latency_s for _, call in answered if not call.cached] or [0.0]
    return StepMeans(
        items=len(items),
        calls=len(calls),
        per_character=into / max(1, characters),
        input_tokens=into / len(counted),
        output_tokens=sum(call.usage.output_tokens for _, call in counted) / len(counted),
        seconds=sum(fresh) / len(fresh),
    )


def step_rate(
    step: Step, model: str, usual: Usual, own: Sequence[PastSteps], world: WorldSpec | None, timing: Timing
) -> StepRate:
    """The rate of a model; `own` are past runs in which it was asked the same. A simulated model takes the time that
    its world is told to take, and how much is asked twice depends on that world."""
    simulated = is_simulated(model)
    wait = timing.latency_s + timing.jitter_s / 2
    per_character = around(1 / CHARACTERS, 1.02 if simulated else 1.25)
    seconds = fixed(wait + timing.reverse_window_s) if simulated else around(usual.seconds, 3)
    if not own:
        return StepRate(usual.often, per_character, seconds, hidden=0 if simulated else usual.hidden)
    same = [run for run in own if run.spec.world == world] if simulated else own
    return StepRate(
        often_of(step, usual.often, same),
        around(mean_of(run.steps[step].per_character for run in own), 1.05),
        seconds if simulated else around(mean_of(run.steps[step].seconds for run in own), 1.5),
        output_tokens=around(mean_of(run.steps[step].output_tokens for run in own), 1.25),
    )


def often_of(step: Step, default: Spread, runs: Iterable[PastSteps]) -> Spread:
    """Calls per call that is due: the expected number stands, the high end is what past runs needed and a tenth more.

    A run that lost something asked too little for that, so it can raise the high end but not lower it. A range of no
    width is arithmetic, to which experience adds nothing.
    """
    if default == EXACT:
        return default
    needed = [(run.lost, run.steps[step].calls / run.steps[step].items) for run in runs]
    whole = [ratio for lost, ratio in needed if not lost]
    high = 1.1 * max(1.0, *whole) if whole else default.high
    return default._replace(high=max([high, *(1.1 * ratio for lost, ratio in needed if lost)]))


def slowest_of(timing: Timing, models: Collection[str]) -> Spread:
    """How much longer the slowest of the calls that are made at once takes than a usual one."""
    usual = timing.latency_s + timing.jitter_s / 2
    if not all(map(is_simulated, models)):
        return Spread(1.2, 1.7, 3)
    return fixed((timing.latency_s + timing.jitter_s) / usual if usual else 1.0)


def is_calm(world: WorldSpec | None, models: Collection[str]) -> bool:
    """Whether all is of a simulated world in which nothing goes wrong."""
    return all(map(is_simulated, models)) and world is not None and world == WorldSpec(seed=world.seed)


def mean_of(figures: Iterable[float]) -> float:
    """The mean of at least one figure."""
    told = list(figures)
    return sum(told) / len(told)
