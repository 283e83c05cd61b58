"""What the runs of a launch will ask, cost and take, before anybody is asked: the calls that are due
times what calls are like, by past runs, else by default. Pure: specs, past runs and prices in, a plan
out.

Each figure is computed three times, with everything at its low, its expected and its high value, so
a range is wide rather than narrow.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from ...sim.faults import Timing
from ...state.records import BESIDE, Role
from ...state.spec import Spec, WorldSpec, is_simulated
from ...tools.models.address import parse_model
from ...tools.models.limiter import Limits
from ...tools.models.pricing import PriceList
from ...tools.models.providers import PROVIDERS
from ...tools.models.rates import read_rates
from ..method import prompts_of
from .due import NOTHING, ONCE, Calls, PlannedCall
from .past import Means, Past, PastRun
from .spread import ZERO, Spread, around, fixed, longest, total
from .usual import USUAL

ORDER: tuple[Role, ...] = ("target", "examiner", "generator", "evaluator", "judge", *BESIDE)
CHARACTERS = 4
"""Of a text, per token."""
AGAIN = Spread(0.85, 1.0, 1.6)
SLOWEST = Spread(1.2, 1.7, 3.0)
"""How much longer the slowest of the calls that are made at once takes than a usual one."""


@dataclass(slots=True)
class Load:
    """All calls of one kind that a launch makes to one model."""

    role: Role
    purpose: str
    model: str
    spec: Spec
    """Of the first run that makes them."""
    calls: Spread = ZERO
    known: float = 0.0
    """Characters known beforehand, of all expected calls together."""
    limit: int = 0
    """Tokens of a reply at most."""
    input_tokens: Spread = ZERO
    output_tokens: Spread = ZERO
    """Of all of them together."""
    seconds: Spread = ZERO
    """Of one call."""

    def add(
        self,
        due: PlannedCall,
        often: Spread,
    ) -> None:
        """So many calls more; `often`: of the part they belong to."""
        self.calls = self.calls.plus(due.number.times(often))
        self.known += due.known * due.number.mid * often.mid
        self.limit = max(self.limit, due.limit)


class RolePlan(NamedTuple):
    """What one role asks of one model, over all runs. `usd` is None when the price is unknown."""

    role: str
    model: str
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the runs of one launch will ask, cost and take. They are of one method and the same
    settings."""

    specs: Sequence[Any]
    past: Past
    loads: Sequence[Load]
    """All calls of all runs; without those that are not made."""
    parts: Spread
    """Parts of a run: the fewest, on average, and the most."""
    repeated: float
    """Calls that are the same as another one of the launch, and not made."""
    roles: Sequence[RolePlan]
    wall_s: Spread

    @property
    def simulated(self) -> bool:
        """Whether any run has a simulated model in it."""
        return any(spec.simulated for spec in self.specs)

    @property
    def all(self) -> RolePlan:
        """All roles together; the cost is that of the models whose price is known."""
        usd = total(role.usd for role in self.roles if role.usd is not None)
        return _together("all", "", self.roles, None if self.unknown else usd)

    @property
    def calls(self) -> Spread:
        return self.all.calls

    @property
    def usd(self) -> Spread | None:
        """None when any price is unknown."""
        return self.all.usd

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
            runs_of[load.model] |= {
                run.folder.name for run in self.past.runs if key in run.means
            }
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
    rates = _Rates(history.runs, timing or Timing())
    loads, shared_calls, repeated = dict[Hashable, Load](), set[Hashable](), 0.0
    numbers_of_parts, ways = list[Spread](), list[Spread]()
    for spec in specs:
        declared = calls(spec, material)
        parts = declared.parts(history.runs)
        for part, often in parts:
            for due in declared.due(part, NOTHING):
                if due.shared is not None and due.shared in shared_calls:
                    repeated += due.number.mid * often.mid
                    continue
                shared_calls.add(due.shared)
                load = Load(
                    due.role,
                    due.purpose,
                    spec.models.get(due.role, ""),
                    spec,
                )
                key = (load.role, load.purpose, load.model)
                loads.setdefault(key, load).add(due, often)
        numbers_of_parts.append(total(often for _, often in parts))
        ways.append(rates.way(spec, declared, numbers_of_parts[-1]))
    for load in loads.values():
        into, out = rates.tokens(load.spec, load)
        load.calls = load.calls.times(_repeats(load.spec))
        load.input_tokens, load.output_tokens = load.calls.times(into), load.calls.times(out)
        load.seconds = rates.seconds(load.purpose, load.model)
    asked_loads = [load for load in loads.values() if load.calls.high > 0]
    low, mid, high = zip(*numbers_of_parts, strict=True)
    return Plan(
        specs=specs,
        past=history,
        loads=asked_loads,
        parts=Spread(min(low), fmean(mid), max(high)),
        repeated=repeated,
        roles=_roles(asked_loads, prices),
        wall_s=longest(*ways, *_busy(asked_loads, bounds), *_paced(asked_loads, bounds)),
    )


def _roles(loads: Sequence[Load], prices: PriceList) -> list[RolePlan]:
    """One entry per role and model that is asked anything."""
    groups = defaultdict[tuple[Role, str], list[Load]](list)
    for load in loads:
        groups[load.role, load.model].append(load)
    rows = []
    for role, model in sorted(groups, key=lambda key: ORDER.index(key[0])):
        price, usd = prices.price(model), None
        row = _together(role, model, groups[role, model], None)
        if price is not None:
            read = row.input_tokens.times(price.input_usd / 1e6)
            usd = read.plus(row.output_tokens.times(price.output_usd / 1e6))
        rows.append(row._replace(usd=usd))
    return rows


def _together(
    role: str, model: str, parts: Sequence[Load | RolePlan], usd: Spread | None
) -> RolePlan:
    return RolePlan(
        role,
        model,
        total(part.calls for part in parts),
        total(part.input_tokens for part in parts),
        total(part.output_tokens for part in parts),
        usd,
    )


def _busy(loads: Sequence[Load], limits: Limits) -> list[Spread]:
    """Seconds that each endpoint needs for all of its calls."""
    busy, connections = defaultdict[object, Spread](lambda: ZERO), dict[object, int]()
    for load in loads:
        address = parse_model(load.model)
        provider, endpoint = (
            PROVIDERS.get(address.provider),
            (address.provider, address.base_url),
        )
        connections[endpoint] = limits.connections(provider.connections if provider else None)
        busy[endpoint] = busy[endpoint].plus(load.calls.times(load.seconds))
    return [seconds.times(1 / connections[endpoint]) for endpoint, seconds in busy.items()]


def _paced(loads: Sequence[Load], limits: Limits) -> Iterator[Spread]:
    """Seconds that the requests, and the tokens, of each model need at the rate that it is
    allowed."""
    limited, groups = read_rates(limits.rates), defaultdict[object, list[Load]](list)
    for load in loads:
        address = parse_model(load.model)
        groups[address.provider, address.base_url, address.model].append(load)
    for group in groups.values():
        rates = [limited.of_model(load.model) or limited.plain for load in group]
        rate = min(filter(None, rates), default=None)
        if rate is not None:
            tokens = total(load.input_tokens.plus(load.output_tokens) for load in group)
            yield total(load.calls for load in group).times(60 / rate.requests)
            yield tokens.times(60 / rate.tokens)


class _Rates:
    """What calls are like: by past runs that asked the model the same, else by default."""

    def __init__(
        self,
        past: Sequence[PastRun],
        timing: Timing,
    ) -> None:
        self._past = past
        self._wait_s = fixed(timing.latency_s + timing.jitter_s / 2)
        """Of a simulated model, as it is told to."""

    def seconds(
        self,
        purpose: str,
        model: str,
    ) -> Spread:
        """Of one call, or of a look-up of the source `model`."""
        if is_simulated(model):
            return self._wait_s
        means = self._means(purpose, model)
        if not means:
            return around(USUAL[purpose].seconds, 3)
        return around(fmean(mean.seconds for mean in means), 1.5)

    def tokens(
        self,
        spec: Spec,
        load: Load,
    ) -> tuple[Spread, Spread]:
        """In and out of one call; by default those of the prompt's own text, of what is known, and what
        is usual."""
        if means := self._means(load.purpose, load.model):
            into = fmean(mean.input_tokens for mean in means)
            return around(into, 1.1), around(fmean(mean.output_tokens for mean in means), 1.25)
        usual, prompts = USUAL[load.purpose], prompts_of(spec)
        characters = around(load.known / load.calls.mid if load.calls.mid else 0.0, 1.25)
        text = characters.plus(fixed(len(prompts[load.purpose].text))).times(1 / CHARACTERS)
        if is_simulated(load.model):
            read, reply = around(usual.simulated_read, 1.5), around(usual.simulated_said, 1.5)
        else:
            read, reply = around(usual.read, 2), usual.said
        return text.plus(read), Spread(*(min(number, load.limit) for number in reply))

    def way(
        self,
        spec: Spec,
        declared: Calls,
        parts: Spread,
    ) -> Spread:
        """Seconds of what must happen one after the other, at the pace of the slowest of what is
        done at once."""
        way = ZERO
        for stage in declared.chain(parts):
            model = spec.models.get(stage.role, "") if stage.role else "".join(spec.sources[:1])
            way = way.plus(self.seconds(stage.purpose, model).times(stage.times))
        return way if all(map(is_simulated, spec.asked)) else way.times(SLOWEST)

    def _means(
        self,
        purpose: str,
        model: str,
    ) -> list[Means]:
        return [
            run.means[purpose, model] for run in self._past if (purpose, model) in run.means
        ]


def _repeats(spec: Spec) -> Spread:
    """Calls per call that is due: what follows a step that came to nothing is never asked; what is
    cut off, empty or malformed is asked for once more, but for a simulated world without faults."""
    world = spec.world
    simulated = all(map(is_simulated, spec.models.values()))
    is_calm = simulated and world is not None and world == WorldSpec(seed=world.seed)
    return ONCE if is_calm else AGAIN
