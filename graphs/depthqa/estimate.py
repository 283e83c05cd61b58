"""What planned runs of DepthQA will ask, cost and take, before anybody is asked. Pure: specs, the question graph, past
runs and prices in, a plan out.

Asking a graph takes the calls that its protocol says (`counts`). Building one takes, per question, a
classification (where that is asked for) and a reference answer (where it is missing); of each question that is of depth
3 the deconstruction, that of the up to `width` questions it rests on, and so up to `width` squared questions of depth
1; a rewording for each that yes or no would answer; what fills gaps; and (where that is asked for) a rating of each
relation. Embeddings are not counted. Each figure is computed three times, with everything at its low, its expected and
its high value, so a range is wide rather than narrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...agents.prompt_template import override
from ...agents.prompts import DEPTHQA_PROMPTS
from ...sim.server import Timing
from ...state.depthqa.items import Depth, Material, Mode
from ...state.records import Role
from ...state.spec import DepthQABuildSpec, DepthQASpec, is_simulated
from ...tools.models.attempts import Limits
from ...tools.models.priced import PriceList
from ..run.loads import LaunchPlan, Load, RunLoads, launch_figures
from ..run.past import StepRate
from ..run.rates import Step
from ..run.spread import Spread, fixed, total
from .building.loads import build_loads, build_way
from .counts import Asked, Counted, Due, longest_talk
from .past import RATING, DepthQAPriors
from .priors import DepthQARates, ask_rates, build_rates

ORDER: tuple[Role, ...] = ("target", "judge", "evaluator")
ZERO = fixed(0.0)


@dataclass(frozen=True, slots=True)
class DepthQAPlan(LaunchPlan):
    """What the runs of one launch will ask, cost and take."""

    by_mode: Mapping[Mode, tuple[int, int]]
    """Of asking: answers and ratings per run that the protocol asks for in each mode, repeats included."""
    repeats: int = 0
    """Of asking: calls of all runs that are the same as another, and are made once."""


def estimate_ask(
    specs: Sequence[DepthQASpec],
    material: Material,
    prices: PriceList,
    priors: DepthQAPriors | None = None,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> DepthQAPlan:
    """The plan of a launch that asks one question graph. `limits` give the connections, `timing` is that of a simulated
    world. Raises ValueError for no specs."""
    if not specs:
        raise ValueError("there is nothing to plan")
    past = priors or DepthQAPriors()
    counted = Counted(material, override(DEPTHQA_PROMPTS, specs[0].prompts))
    runs, asked = [], []
    for spec in specs:
        rates = ask_rates(spec, past, timing or Timing())
        asked.append(counted.of(spec))
        steps = longest_talk(spec, material.graph)
        way = total(rates.steps[step].latency_s for step in steps).times(rates.slowest)
        runs.append(RunLoads(spec.simulated, _ask_loads(spec, rates, asked[-1]), way, rates.past))
    repeats = sum(one.repeats for one in asked)
    figures = launch_figures(runs, prices, ORDER, limits or Limits(), past.unreadable)
    return DepthQAPlan(**figures, by_mode=asked[0].by_mode, repeats=repeats)


def estimate_build(
    spec: DepthQABuildSpec,
    prices: PriceList,
    priors: DepthQAPriors | None = None,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> DepthQAPlan:
    """The plan of building one graph; `limits` and `timing` as in `estimate_ask`."""
    past = priors or DepthQAPriors()
    rates = build_rates(spec, past, timing or Timing())
    run = RunLoads(spec.simulated, build_loads(spec, rates), build_way(spec, rates), rates.past)
    return DepthQAPlan(**launch_figures([run], prices, ORDER, limits or Limits(), past.unreadable), by_mode={})


def _ask_loads(spec: DepthQASpec, rates: DepthQARates, asked: Asked) -> list[Load]:
    """The calls by kind. A simulated target often says the same to a question that is asked in several ways, and what
    is the same is rated once."""
    loads = []
    for step, due in asked.due.items():
        least = due.least if step == RATING and is_simulated(spec.target) else due.calls
        share = Spread(least / due.calls, (1 + least / due.calls) / 2, 1.0)
        loads.append(_load(step, getattr(spec, step.role), due, rates, share))
    return loads


def _load(step: Step, model: str, due: Due, rates: DepthQARates, share: Spread) -> Load:
    """All calls of one kind, of which a share is made."""
    rate = rates.steps[step]
    often = rate.often.times(share)
    sent = fixed(due.characters).plus(_written(due.quoted, rates))
    out = _out(due, rate, rates)
    return Load(
        step,
        model,
        fixed(due.calls).times(often),
        sent.times(rate.per_character).times(often),
        out.times(often),
        rate.latency_s,
    )


def _out(due: Due, rate: StepRate, rates: DepthQARates) -> Spread:
    """Tokens out of all calls of one kind."""
    if not due.answers:
        assert rate.output_tokens is not None  # a rating has its own
        return rate.output_tokens.times(due.calls).plus(Spread(0, 0, rate.hidden * due.calls))
    answers = _written(due.answers, rates)
    if rates.spoken is not None:
        return answers.times(rates.spoken)
    return answers.times(rate.per_character).plus(Spread(0, 0, rate.hidden * due.calls))


def _written(answers: Mapping[Depth, int], rates: DepthQARates) -> Spread:
    """Characters of so many answers."""
    return total(rates.answer[depth].times(number) for depth, number in answers.items())
