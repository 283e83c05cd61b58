"""What runs ask, by kind of call, put together for a launch: per role, and in time. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ...state.records import Role
from ...state.spec import is_simulated
from ...tools.models.address import parse_model
from ...tools.models.attempts import Limits
from ...tools.models.priced import PriceList
from ...tools.models.providers import PROVIDERS
from ..drill.estimate import RolePlan
from ..drill.priors import SIMULATED_WORK_S
from .rates import Step
from .spread import Spread, fixed, longest, total

ZERO = fixed(0.0)


@dataclass(frozen=True, slots=True)
class Load:
    """All calls of one kind that a run makes of a model."""

    step: Step
    model: str
    calls: Spread
    input_tokens: Spread
    """Of all of them together, as the output's."""
    output_tokens: Spread
    latency_s: Spread
    """Of one call."""


@dataclass(frozen=True, slots=True)
class RunLoads:
    """One run of a launch."""

    simulated: bool
    loads: Sequence[Load]
    way: Spread
    """Seconds of what must happen one after the other."""
    past: Mapping[str, Sequence[object]]
    """The past runs behind the figures of each model that is asked; those of a model without any are the defaults."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What the runs of one launch will ask, cost and take."""

    simulated: bool
    """Whether any run has a simulated model in it."""
    roles: tuple[RolePlan, ...]
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None
    """None when any price is unknown."""
    known_usd: Spread
    """Of the models whose price is known."""
    unknown: tuple[str, ...]
    """Models without a known price."""
    wall_s: Spread
    past_runs: int
    """Past runs behind the figures; 0: defaults."""
    learnt: Mapping[str, int]
    """Per model that is asked, the past runs of its own behind its figures; 0: defaults."""
    unreadable: int
    """Past runs that could not be read."""


class LaunchFigures(TypedDict):
    """The fields of a `LaunchPlan`."""

    simulated: bool
    roles: tuple[RolePlan, ...]
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None
    known_usd: Spread
    unknown: tuple[str, ...]
    wall_s: Spread
    past_runs: int
    learnt: Mapping[str, int]
    unreadable: int


def launch_figures(
    runs: Sequence[RunLoads], prices: PriceList, order: Sequence[Role], limits: Limits, unreadable: int
) -> LaunchFigures:
    """The runs together. `order`: of the roles; `limits` give the connections; `unreadable`: past runs that could not
    be read."""
    loads = [load for run in runs for load in run.loads]
    roles = roles_of(loads, prices, order)
    behind = _behind(runs)
    known = [role.usd for role in roles if role.usd is not None]
    return LaunchFigures(
        simulated=any(run.simulated for run in runs),
        roles=roles,
        calls=total(role.calls for role in roles),
        input_tokens=total(role.input_tokens for role in roles),
        output_tokens=total(role.output_tokens for role in roles),
        usd=total(known) if len(known) == len(roles) else None,
        known_usd=total(known),
        unknown=tuple(dict.fromkeys(role.model for role in roles if role.usd is None)),
        wall_s=wall_of(loads, (run.way for run in runs), limits),
        past_runs=len({place for places in behind.values() for place in places}),
        learnt={model: len(places) for model, places in behind.items()},
        unreadable=unreadable,
    )


def _behind(runs: Iterable[RunLoads]) -> dict[str, set[int]]:
    """Per model that is asked, which past runs are behind its figures."""
    behind = defaultdict[str, set[int]](set)
    for run in runs:
        for model, past in run.past.items():
            behind[model] |= {id(one) for one in past}
    return dict(behind)


def roles_of(loads: Iterable[Load], prices: PriceList, order: Sequence[Role]) -> tuple[RolePlan, ...]:
    """One entry per role and model that is asked anything, the roles in this order."""
    calls, into, out = (defaultdict[tuple[Role, str], Spread](lambda: ZERO) for _ in range(3))
    for load in loads:
        if load.calls.high > 0:
            key = (load.step.role, load.model)
            calls[key] = calls[key].plus(load.calls)
            into[key] = into[key].plus(load.input_tokens)
            out[key] = out[key].plus(load.output_tokens)
    keys = sorted(calls, key=lambda key: order.index(key[0]))
    return tuple(
        RolePlan(*key, calls[key], into[key], out[key], _usd(prices, key[1], into[key], out[key])) for key in keys
    )


def _usd(prices: PriceList, model: str, into: Spread, out: Spread) -> Spread | None:
    price = prices.price(model)
    return into.times(price.input_usd / 1e6).plus(out.times(price.output_usd / 1e6)) if price else None


def wall_of(loads: Iterable[Load], ways: Iterable[Spread], limits: Limits) -> Spread:
    """Seconds: what must happen one after the other (`ways`, per run), or what the busiest endpoint needs for all of
    its calls, whichever is longer."""
    busy = defaultdict[object, Spread](lambda: ZERO)
    connections: dict[object, int] = {}
    for load in loads:
        address = parse_model(load.model)
        provider = PROVIDERS.get(address.provider)
        place = (address.provider, address.base_url)
        connections[place] = limits.connections(provider.connections if provider else None)
        busy[place] = busy[place].plus(load.calls.times(load.latency_s))
        if is_simulated(load.model):  # both ends of the call are this machine's work
            busy["here"] = busy["here"].plus(load.calls.times(SIMULATED_WORK_S))
    return longest(*ways, *(load.times(1 / connections.get(place, 1)) for place, load in busy.items()))
