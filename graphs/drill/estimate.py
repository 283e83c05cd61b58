"""What planned drills will ask, cost and take, before anybody is asked. Pure: specs, past runs and prices in, a plan
out.

A slot of a depth is one question, one answer, one check of the question and one verdict, a second verdict where the
check's words differ, and, where another depth follows, one call for the concepts of the answer; questions that are
rejected and probes that are replaced make these a little more than one each (`priors`). Runs of one launch share what
is asked of the evaluator in the same words: the pool of aspects of a domain, the questions and checks of depth 1 of a
repeat, and some of the deeper ones. Each figure is computed three times, with everything at its low, its expected and
its high value, so a range is wide rather than narrow.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, log
from operator import mul

from ...sim.server import Timing
from ...state.records import Role
from ...state.spec import DrillSpec, is_simulated
from ...state.tiers import tier_of
from ...stats.accuracy import Count
from ...stats.drill.evd_interval import smoothed
from ...stats.drill.power import Separation, protocol_sd, separation
from ...stats.drill.survival import pooled
from ...tools.models.address import parse_model
from ...tools.models.attempts import Limits
from ...tools.models.priced import PriceList
from ...tools.models.pricing import Price
from ...tools.models.providers import PROVIDERS
from ..run.aspect_pools import pool_seed
from ..run.rates import Step
from ..run.spread import Spread, fixed, longest, total
from .priors import (
    AGREES,
    ANSWER,
    ASPECTS,
    CHECK,
    CONCEPTS,
    QUESTION,
    SIMULATED_WORK_S,
    VERDICT,
    PastRun,
    Priors,
    Rates,
    rates_for,
)

HARD, USUAL = 0.15, 0.85
"""Accuracy per depth of a target that knows next to nothing, and of a usual one: where survival falls below the
threshold with these is the shallow end, and the expected depth, of a drill without past runs. The deep end is the
deepest depth allowed."""
SHARED = (QUESTION, CHECK, AGREES)
"""Steps that ask the evaluator the same for each target, as long as the questions are the same."""
ZERO = fixed(0.0)
Asked = Mapping[Step, Spread]
"""Calls by step."""


@dataclass(frozen=True, slots=True)
class RolePlan:
    """What one role asks of one model, over all drills. `usd` is None when the price is unknown."""

    role: Role
    model: str
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the drills of one launch will ask, cost and take."""

    drills: int
    simulated: bool
    depths: Spread
    """Depths of the shallowest and the deepest drill, and of a drill on average."""
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
    match: tuple[str, ...]
    """What those runs have in common with the plan."""
    unreadable: int
    """Past runs that could not be read."""
    separation: Separation | None
    """What the drills can tell apart; None where the accuracy cannot scatter."""
    sd_from: str
    """Where the spread of EVD comes from: `past runs`, or `assumed`."""


@dataclass(frozen=True, slots=True)
class _Drill:
    spec: DrillSpec
    rates: Rates
    depths: Spread
    asked: dict[Step, Spread]
    """Calls of this drill, those that another drill has made already left out."""


def estimate(
    specs: Sequence[DrillSpec],
    priors: Priors | None,
    prices: PriceList,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> Plan:
    """The plan of a launch. `limits` give the connections, `timing` is that of a simulated world. Raises ValueError for
    no specs."""
    if not specs:
        raise ValueError("there is nothing to plan")
    past = priors or Priors()
    drills = _drills(specs, past, timing or Timing())
    roles = _roles(drills, prices)
    known = [role.usd for role in roles if role.usd is not None]
    known_usd = total(known)
    sd, sd_from = _spread_of_evd(specs[0], past)
    return Plan(
        drills=len(drills),
        simulated=any(spec.simulated for spec in specs),
        depths=Spread(
            min(drill.depths.low for drill in drills),
            sum(drill.depths.mid for drill in drills) / len(drills),
            max(drill.depths.high for drill in drills),
        ),
        roles=roles,
        calls=total(role.calls for role in roles),
        input_tokens=total(role.input_tokens for role in roles),
        output_tokens=total(role.output_tokens for role in roles),
        usd=known_usd if len(known) == len(roles) else None,
        known_usd=known_usd,
        unknown=tuple(dict.fromkeys(role.model for role in roles if role.usd is None)),
        wall_s=_wall(drills, limits or Limits()),
        past_runs=max(drill.rates.runs for drill in drills),
        match=tuple(dict.fromkeys(drill.rates.match for drill in drills if drill.rates.match)),
        unreadable=past.unreadable,
        separation=separation(sd, specs[0].repeats) if sd > 0 else None,
        sd_from=sd_from,
    )


def deepest(spec: DrillSpec) -> int:
    """The last depth a drill can reach: its limit, or the last one whose tier has a fact source."""
    sourced = (depth for depth in range(1, spec.max_depth + 1) if not spec.facts.get(tier_of(depth, spec.passes)[0]))
    return next(sourced, spec.max_depth + 1) - 1


def depths_of(spec: DrillSpec, priors: Priors) -> Spread:
    """Depths the drill will ask: from past runs of the target, those of the same domain first; else the range from a
    target that knows next to nothing to the deepest depth allowed."""
    last, runs = deepest(spec), _runs_of(spec, priors)
    if runs:
        seen = [_stops_at(run.counts, spec.threshold, last) for run in runs]
        low, high = min(seen) * 0.75, max(seen) * 1.35
        return Spread(*(min(last, max(1, round(depth))) for depth in (low, sum(seen) / len(seen), ceil(high))))
    shallow, usual = (_falls_below(spec.threshold, accuracy) for accuracy in (HARD, USUAL))
    return Spread(min(shallow, last), min(usual, last), last)


def _falls_below(threshold: float, accuracy: float) -> int:
    """First depth with accuracy^depth < threshold."""
    return int(log(threshold) / log(accuracy)) + 1


def _runs_of(spec: DrillSpec, priors: Priors) -> list[PastRun]:
    """Past runs of the same target under the same tiers, in the same domain when there are any."""
    same: list[Callable[[DrillSpec], bool]] = [
        lambda past: (past.target, past.evaluator, past.passes) == (spec.target, spec.evaluator, spec.passes)
    ]
    return priors.like(*same, lambda past: past.domain == spec.domain) or priors.like(*same)


def _stops_at(counts: Sequence[Count], threshold: float, last: int) -> int:
    """First depth with S < threshold, at most `last`; beyond the depths given stands the accuracy of the last three."""
    shares = [correct / scored for correct, scored in counts]
    if shares:
        (further,) = smoothed([pooled(counts)])
        shares += [further] * (last - len(shares))
    survival = accumulate(shares, mul)
    return min(last, next((depth for depth, s in enumerate(survival, start=1) if s < threshold), last))


def _drills(specs: Sequence[DrillSpec], priors: Priors, timing: Timing) -> list[_Drill]:
    """One entry per spec; what several share is counted with the first of them."""
    pools, repeats = set[tuple[object, ...]](), set[str]()
    drills = []
    for spec in specs:
        rates, depths = rates_for(spec, priors, timing), depths_of(spec, priors)
        asked = _asked(spec, rates, depths)
        pool = (spec.domain, spec.evaluator, spec.language, spec.pool, pool_seed(spec))
        if pool in pools:
            asked[ASPECTS] = ZERO
        repeat = spec.model_copy(update={"target": "", "judge": "", "answer_tokens": 16}).digest
        if repeat in repeats:
            asked |= {step: _of_its_own(asked[step], rates, depths) for step in SHARED}
        pools.add(pool)
        repeats.add(repeat)
        drills.append(_Drill(spec, rates, depths, asked))
    return drills


def _of_its_own(calls: Spread, rates: Rates, depths: Spread) -> Spread:
    """What is left of a step when depth 1 and a share of the deeper calls were made for an earlier target."""
    parts = zip(calls, rates.shared, depths, strict=True)
    return Spread(*(number * (1 - share) * (depth - 1) / max(1, depth) for number, share, depth in parts))


def _asked(spec: DrillSpec, rates: Rates, depths: Spread) -> dict[Step, Spread]:
    """Calls of one drill that shares nothing."""
    slots = depths.times(spec.n)
    followed = Spread(*(max(0, min(depth, deepest(spec) - 1)) * spec.n for depth in depths))
    often = {ASPECTS: fixed(1.0), CONCEPTS: followed}
    if not spec.verify_questions:
        often |= {CHECK: ZERO, AGREES: ZERO}
    return {step: often.get(step, slots).times(rate.calls) for step, rate in rates.steps.items()}


def _roles(drills: Sequence[_Drill], prices: PriceList) -> tuple[RolePlan, ...]:
    """One entry per role and model, targets first."""
    calls, into, out = (defaultdict[tuple[Role, str], Spread](lambda: ZERO) for _ in range(3))
    for drill in drills:
        for step, number in drill.asked.items():
            key, rate = (step.role, getattr(drill.spec, step.role)), drill.rates.steps[step]
            calls[key] = calls[key].plus(number)
            into[key] = into[key].plus(number.times(rate.input_tokens))
            out[key] = out[key].plus(number.times(rate.output_tokens))
    order: tuple[Role, ...] = ("target", "evaluator", "judge")
    keys = sorted(calls, key=lambda key: order.index(key[0]))
    return tuple(
        RolePlan(*key, calls[key], into[key], out[key], _usd(prices.price(key[1]), into[key], out[key])) for key in keys
    )


def _usd(price: Price | None, into: Spread, out: Spread) -> Spread | None:
    return into.times(price.input_usd / 1e6).plus(out.times(price.output_usd / 1e6)) if price else None


def _wall(drills: Sequence[_Drill], limits: Limits) -> Spread:
    """The longest drill's own way, or the time the busiest endpoint needs for all calls, whichever is longer."""
    busy = defaultdict[object, Spread](lambda: ZERO)
    connections: dict[object, int] = {}
    for drill in drills:
        for step, number in drill.asked.items():
            address = parse_model(getattr(drill.spec, step.role))
            provider = PROVIDERS.get(address.provider)
            place = (address.provider, address.base_url)
            connections[place] = limits.connections(provider.connections if provider else None)
            busy[place] = busy[place].plus(number.times(drill.rates.steps[step].latency_s))
            if is_simulated(address.text):  # both ends of the call are this machine's work
                busy["here"] = busy["here"].plus(number.times(SIMULATED_WORK_S))
    return longest(
        *(_way(drill) for drill in drills), *(load.times(1 / connections.get(place, 1)) for place, load in busy.items())
    )


def _way(drill: _Drill) -> Spread:
    """What has to happen one after the other: per depth question → answer (the check beside it) → concepts → look-up
    (the verdicts beside them), as often as there are rounds, at the pace of a round's slowest call."""
    steps, look_up_s = drill.rates.steps, drill.rates.look_up_s
    beside = [ANSWER, CHECK] if drill.spec.verify_questions else [ANSWER]
    after = steps[CONCEPTS].latency_s.plus(look_up_s)
    depth = steps[QUESTION].latency_s.plus(longest(*(steps[step].latency_s for step in beside)))
    depth = depth.plus(longest(steps[VERDICT].latency_s, after))
    asked = depth.times(drill.depths).times(drill.rates.rounds).times(drill.rates.slowest)
    return steps[ASPECTS].latency_s.plus(look_up_s).plus(asked)


def _spread_of_evd(spec: DrillSpec, priors: Priors) -> tuple[float, str]:
    """Spread of the EVD of one drill: what past runs of the target estimate, else simulated at the usual accuracy."""
    runs, last = _runs_of(spec, priors), deepest(spec)
    whole = [run.evd_se for run in runs if run.evd_se and not run.censored and _alike(run.spec, spec)]
    if whole:
        return sum(whole) / len(whole), "past runs"
    profile = next((smoothed(run.counts) for run in runs if run.counts), None)
    if last < 1:
        return 0.0, "assumed"
    sd = protocol_sd(profile or (USUAL,), spec.n, spec.threshold, last, seed=spec.seed)
    return sd, "past runs" if profile else "assumed"


def _alike(past: DrillSpec, spec: DrillSpec) -> bool:
    return (past.n, past.threshold, past.max_depth) == (spec.n, spec.threshold, spec.max_depth)
