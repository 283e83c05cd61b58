"""What the runs of a launch will ask, cost and take, before anybody is asked: the calls that are
due times what calls are like. Pure: specs, past runs and prices in, a plan out.

Each figure is computed three times, with everything at its low, its expected and its high value, so
a range is wide rather than narrow.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...sim.faults import Timing
from ...state.records import ANCHORS, Role
from ...state.spec import Spec, is_simulated
from ...tools.models.address import parse_model
from ...tools.models.limiter import Limits
from ...tools.models.pricing import PriceList
from ...tools.models.providers import PROVIDERS
from ...tools.models.rates import read_rates
from .due import NOTHING, Calls
from .past import Past
from .rates import Kind, Load, Rates
from .spread import ZERO, Spread, longest, total

SIMULATED_WORK_S = Spread(0.0008, 0.0015, 0.004)
"""Time of this machine for one simulated call, both ends together."""
ORDER: tuple[Role, ...] = ("target", "examiner", "generator", "evaluator", "judge", *ANCHORS)


@dataclass(frozen=True, slots=True)
class RolePlan:
    """What one role asks of one model, over all runs. `usd` is None when the price is unknown."""

    role: Role
    model: str
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None


@dataclass(slots=True)
class RunPlan:
    """What one run will ask that no earlier one of the launch has asked."""

    spec: Any
    declared: Any
    """Its `Calls`."""
    parts: Spread
    """How many there are."""
    loads: dict[Kind, Load] = field(default_factory=dict)
    repeated: float = 0.0
    """Calls that are the same as another one of the launch."""
    shares: bool = False
    """Whether any of those is of an earlier run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the runs of one launch will ask, cost and take. They are of one method and the same
    settings."""

    runs: Sequence[RunPlan]
    past: Past
    roles: tuple[RolePlan, ...]
    wall_s: Spread

    @property
    def specs(self) -> list[Any]:
        return [run.spec for run in self.runs]

    @property
    def declared(self) -> Any:
        """What the first run asks (`Calls`)."""
        return self.runs[0].declared

    @property
    def loads(self) -> list[Load]:
        """All calls of all runs, by kind; without those that are not made."""
        return [load for run in self.runs for load in run.loads.values() if load.calls.high > 0]

    @property
    def simulated(self) -> bool:
        """Whether any run has a simulated model in it."""
        return any(run.spec.simulated for run in self.runs)

    @property
    def parts(self) -> Spread:
        """Parts of a run: the fewest, on average, and the most."""
        low, mid, high = zip(*(run.parts for run in self.runs), strict=True)
        return Spread(min(low), sum(mid) / len(mid), max(high))

    @property
    def calls(self) -> Spread:
        return total(role.calls for role in self.roles)

    @property
    def input_tokens(self) -> Spread:
        return total(role.input_tokens for role in self.roles)

    @property
    def output_tokens(self) -> Spread:
        return total(role.output_tokens for role in self.roles)

    @property
    def usd(self) -> Spread | None:
        """None when any price is unknown."""
        return None if self.unknown else self.known_usd

    @property
    def known_usd(self) -> Spread:
        """Of the models whose price is known."""
        return total(role.usd for role in self.roles if role.usd is not None)

    @property
    def unknown(self) -> list[str]:
        """Models without a known price."""
        return list(dict.fromkeys(role.model for role in self.roles if role.usd is None))

    @property
    def by_purpose(self) -> dict[str, Spread]:
        """Calls by the prompt they are made with."""
        sums = defaultdict[str, Spread](lambda: ZERO)
        for load in self.loads:
            sums[load.purpose] = sums[load.purpose].plus(load.calls)
        return dict(sums)

    @property
    def behind(self) -> dict[str, set[str]]:
        """Per model that is asked, the past runs of its own behind its figures; none: they are the
        defaults."""
        runs_of = defaultdict[str, set[str]](set)
        for load in self.loads:
            key = (load.purpose, load.model)
            runs_of[load.model] |= {run.folder.name for run in self.past.runs if key in run.means}
        return dict(runs_of)


def plan_of(
    calls: Callable[[Spec, object], Calls],
    specs: Sequence[Spec],
    prices: PriceList,
    past: Past | None = None,
    *,
    material: object = None,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> Plan:
    """The plan of a launch. `calls`: what a run of the method asks, `material`: what it asks about;
    `limits` give the connections and rates, `timing` is that of a simulated world. Raises
    ValueError for no specs."""
    if not specs:
        raise ValueError("there is nothing to plan")
    history, bounds = past or Past(), limits or Limits()
    rates, shared_calls, runs = (
        Rates(calls, history.runs, timing or Timing()),
        set[Hashable](),
        list[RunPlan](),
    )
    for spec in specs:
        runs.append(_run(spec, calls(spec, material), history, shared_calls))
        for load in runs[-1].loads.values():
            rates.fill(spec, load)
    loads = [load for run in runs for load in run.loads.values() if load.calls.high > 0]
    wall_s = longest(
        *(_way(run, rates) for run in runs), *_busy(loads, bounds), *_paced(loads, bounds)
    )
    return Plan(runs, history, _roles(loads, prices), wall_s)


def _run(spec: Spec, calls: Calls, past: Past, shared_calls: set[Hashable]) -> RunPlan:
    """`seen`: the calls that are made already, of those that may be shared."""
    parts = calls.parts(past.runs)
    run, earlier = RunPlan(spec, calls, total(often for _, often in parts)), frozenset(shared_calls)
    for part, often in parts:
        for due in calls.due(part, NOTHING):
            if due.shared is not None and due.shared in shared_calls:
                run.repeated += due.number.mid * often.mid
                run.shares = run.shares or due.shared in earlier
                continue
            if due.shared is not None:
                shared_calls.add(due.shared)
            model = spec.models.get(due.role, "")
            run.loads.setdefault((due.role, due.purpose), Load(due.role, due.purpose, model)).add(
                due, often
            )
    return run


def _way(run: RunPlan, rates: Rates) -> Spread:
    """Seconds of what must happen one after the other, at the pace of the slowest of what is done
    at once."""
    seconds = []
    for link in run.declared.chain(run.parts):
        model = run.spec.models.get(link.role, "") if link.role else "".join(run.spec.sources[:1])
        load = run.loads.get((link.role, link.purpose)) if link.role else None
        seconds_each = load.seconds if load else rates.seconds(link.purpose, model)
        seconds.append(seconds_each.times(link.times))
    return total(seconds).times(rates.slowest(run.spec))


def _roles(loads: Sequence[Load], prices: PriceList) -> tuple[RolePlan, ...]:
    """One entry per role and model that is asked anything."""
    by_player = defaultdict[tuple[Role, str], list[Load]](list)
    for load in loads:
        by_player[load.role, load.model].append(load)
    rows = []
    for role, model in sorted(by_player, key=lambda key: ORDER.index(key[0])):
        group, price = by_player[role, model], prices.price(model)
        into, out = (
            total(load.input_tokens for load in group),
            total(load.output_tokens for load in group),
        )
        usd = (
            into.times(price.input_usd / 1e6).plus(out.times(price.output_usd / 1e6))
            if price
            else None
        )
        rows.append(RolePlan(role, model, total(load.calls for load in group), into, out, usd))
    return tuple(rows)


def _busy(loads: Iterable[Load], limits: Limits) -> list[Spread]:
    """Seconds that each endpoint needs for all of its calls."""
    busy, connections = defaultdict[object, Spread](lambda: ZERO), dict[object, int]()
    for load in loads:
        address = parse_model(load.model)
        provider, endpoint = PROVIDERS.get(address.provider), (address.provider, address.base_url)
        connections[endpoint] = limits.connections(provider.connections if provider else None)
        busy[endpoint] = busy[endpoint].plus(load.calls.times(load.seconds))
        if is_simulated(load.model):  # both ends of the call are this machine's work
            busy["here"] = busy["here"].plus(load.calls.times(SIMULATED_WORK_S))
    return [load.times(1 / connections.get(endpoint, 1)) for endpoint, load in busy.items()]


def _paced(loads: Iterable[Load], limits: Limits) -> Iterator[Spread]:
    """Seconds that the requests, and the tokens, of each model need at the rate that it is
    allowed."""
    limited, by_model = read_rates(limits.rates), defaultdict[object, list[Load]](list)
    for load in loads:
        address = parse_model(load.model)
        by_model[address.provider, address.base_url, address.model].append(load)
    for group in by_model.values():
        rates = [rate for load in group if (rate := limited.of_model(load.model) or limited.plain)]
        if rates:
            yield total(load.calls for load in group).times(60 / min(rates).requests)
            yield total(load.input_tokens.plus(load.output_tokens) for load in group).times(
                60 / min(rates).tokens
            )
