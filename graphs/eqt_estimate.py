"""What planned Explain-Query-Tests will ask, cost and take, before anybody is asked. Pure: specs, past runs and prices
in, a plan out.

Per concept there is one explanation and q questions; per question k paraphrases (each checked, where that is asked
for), k + 1 answers, and one more with the explanation at hand where that is asked for; over all, up to N wrong answers
are attributed. These are the calls expected. The low end allows for questions that are dropped, the high end for what
is written or asked for a second time. Runs of one launch with one examiner share its explanations, questions and
paraphrases, which are asked for in the same words. Each figure is computed three times, with everything at its low, its
expected and its high value, so a range is wide rather than narrow.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..sim.server import Timing
from ..state.records import Role
from ..state.spec import EqtSpec, is_simulated
from ..tools.models.address import parse_model
from ..tools.models.attempts import Limits
from ..tools.models.priced import PriceList
from ..tools.models.providers import PROVIDERS
from .eqt_priors import (
    CHOICE,
    EXPLAIN,
    OPEN,
    PARAPHRASE,
    QUESTION,
    SAME,
    STEPS,
    WHY,
    EqtPriors,
    EqtRates,
    eqt_rates,
    nominal,
)
from .estimate import RolePlan
from .priors import SIMULATED_WORK_S, Step
from .spread import Spread, fixed, longest, total

WRONG = Spread(0.0, 0.4, 1.0)
"""Share of the answers that are wrong, where that is needed: all of a question's options have to be judged rightly."""
ZERO = fixed(0.0)


@dataclass(frozen=True, slots=True)
class EqtPlan:
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
    shared: int
    """Runs that ask the examiner nothing new, because an earlier one of the launch has asked it the same."""


@dataclass(frozen=True, slots=True)
class _Run:
    spec: EqtSpec
    rates: EqtRates
    asked: Mapping[Step, Spread]
    """Calls of this run, those that another run has made already left out."""


def estimate_eqt(
    specs: Sequence[EqtSpec],
    prices: PriceList,
    priors: EqtPriors | None = None,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> EqtPlan:
    """The plan of a launch. `limits` give the connections, `timing` is that of a simulated world. Raises ValueError for
    no specs."""
    if not specs:
        raise ValueError("there is nothing to plan")
    past = priors or EqtPriors()
    runs = _runs(specs, past, timing or Timing())
    roles = _roles(runs, prices)
    behind = _behind(runs)
    known = [role.usd for role in roles if role.usd is not None]
    return EqtPlan(
        simulated=any(spec.simulated for spec in specs),
        roles=roles,
        calls=total(role.calls for role in roles),
        input_tokens=total(role.input_tokens for role in roles),
        output_tokens=total(role.output_tokens for role in roles),
        usd=total(known) if len(known) == len(roles) else None,
        known_usd=total(known),
        unknown=tuple(dict.fromkeys(role.model for role in roles if role.usd is None)),
        wall_s=_wall(runs, limits or Limits()),
        past_runs=len({place for places in behind.values() for place in places}),
        learnt={model: len(places) for model, places in behind.items()},
        unreadable=past.unreadable,
        shared=sum(run.asked[EXPLAIN] == ZERO for run in runs),
    )


def _runs(specs: Sequence[EqtSpec], priors: EqtPriors, timing: Timing) -> list[_Run]:
    """One entry per spec; what several share is counted with the first of them."""
    written, checked = set[str](), set[tuple[str, str]]()
    runs = []
    for spec in specs:
        rates = eqt_rates(spec, priors, timing)
        asked = _asked(spec, rates)
        same = spec.model_copy(
            update={"target": "", "judge": "", "attribute": 0, "open_book": False, "verify_paraphrases": False}
        ).digest
        if same in written:
            asked |= dict.fromkeys((EXPLAIN, QUESTION, PARAPHRASE), ZERO)
        if (same, spec.judge) in checked:
            asked[SAME] = ZERO
        written.add(same)
        if spec.verify_paraphrases:
            checked.add((same, spec.judge))
        runs.append(_Run(spec, rates, asked))
    return runs


def _behind(runs: Sequence[_Run]) -> dict[str, set[int]]:
    """Per model that is asked, which past runs are behind its figures."""
    behind = defaultdict[str, set[int]](set)
    for run in runs:
        for model, past in run.rates.past.items():
            behind[model] |= {id(one) for one in past}
    return dict(behind)


def _asked(spec: EqtSpec, rates: EqtRates) -> dict[Step, Spread]:
    """Calls of one run that shares nothing."""
    asked = {step: rates.steps[step].calls.times(number) for step, number in nominal(spec).items()}
    wrong = asked[CHOICE].times(WRONG)
    asked[WHY] = Spread(*(min(spec.attribute, number) for number in wrong)).times(rates.steps[WHY].calls)
    return asked


def _roles(runs: Sequence[_Run], prices: PriceList) -> tuple[RolePlan, ...]:
    """One entry per role and model that is asked anything, targets first."""
    calls, into, out = (defaultdict[tuple[Role, str], Spread](lambda: ZERO) for _ in range(3))
    for run in runs:
        for step, number in run.asked.items():
            if number.high > 0:
                key, rate = (step.role, getattr(run.spec, step.role)), run.rates.steps[step]
                calls[key] = calls[key].plus(number)
                into[key] = into[key].plus(number.times(rate.input_tokens))
                out[key] = out[key].plus(number.times(rate.output_tokens))
    order: tuple[Role, ...] = ("target", "examiner", "judge")
    keys = sorted(calls, key=lambda key: order.index(key[0]))
    return tuple(
        RolePlan(*key, calls[key], into[key], out[key], _usd(prices, key[1], into[key], out[key])) for key in keys
    )


def _usd(prices: PriceList, model: str, into: Spread, out: Spread) -> Spread | None:
    price = prices.price(model)
    return into.times(price.input_usd / 1e6).plus(out.times(price.output_usd / 1e6)) if price else None


def _wall(runs: Sequence[_Run], limits: Limits) -> Spread:
    """What must happen one after the other, or the time the busiest endpoint needs for all calls, whichever is
    longer."""
    busy = defaultdict[object, Spread](lambda: ZERO)
    connections: dict[object, int] = {}
    for run in runs:
        for step, number in run.asked.items():
            address = parse_model(getattr(run.spec, step.role))
            provider = PROVIDERS.get(address.provider)
            place = (address.provider, address.base_url)
            connections[place] = limits.connections(provider.connections if provider else None)
            busy[place] = busy[place].plus(number.times(run.rates.steps[step].latency_s))
            if is_simulated(address.text):  # both ends of the call are this machine's work
                busy["here"] = busy["here"].plus(number.times(SIMULATED_WORK_S))
    loads = (load.times(1 / connections.get(place, 1)) for place, load in busy.items())
    return longest(*(_way(run) for run in runs), *loads)


def _way(run: _Run) -> Spread:
    """Explanation → question → paraphrase (→ its check) → answer (→ attribution), all concepts beside one another, at
    the pace of the slowest of the calls that are made at once."""
    asked = nominal(run.spec)
    steps = (step for step in STEPS if asked[step] and step != OPEN)  # open-book answers are given beside the others
    return total(run.rates.steps[step].latency_s for step in steps).times(run.rates.slowest)
