"""What runs ask, by kind of call, put together for a launch: per role, and in time. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..state.records import Role
from ..state.spec import is_simulated
from ..tools.models.address import parse_model
from ..tools.models.attempts import Limits
from ..tools.models.priced import PriceList
from ..tools.models.providers import PROVIDERS
from .estimate import RolePlan
from .priors import SIMULATED_WORK_S, Step
from .spread import Spread, fixed, longest

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
