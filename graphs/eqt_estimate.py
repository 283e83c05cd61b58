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
from ..state.spec import EqtSpec
from ..tools.models.attempts import Limits
from ..tools.models.priced import PriceList
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
from .loads import ZERO, Load, roles_of, wall_of
from .priors import Step
from .spread import Spread, total

WRONG = Spread(0.0, 0.4, 1.0)
"""Share of the answers that are wrong, where that is needed: all of a question's options have to be judged rightly."""


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
    loads = _loads(runs)
    roles = roles_of(loads, prices, ("target", "examiner", "judge"))
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
        wall_s=wall_of(loads, map(_way, runs), limits or Limits()),
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


def _loads(runs: Sequence[_Run]) -> list[Load]:
    """All calls of all runs, by kind."""
    return [
        Load(
            step,
            getattr(run.spec, step.role),
            number,
            number.times(run.rates.steps[step].input_tokens),
            number.times(run.rates.steps[step].output_tokens),
            run.rates.steps[step].latency_s,
        )
        for run in runs
        for step, number in run.asked.items()
    ]


def _way(run: _Run) -> Spread:
    """Explanation → question → paraphrase (→ its check) → answer (→ attribution), all concepts beside one another, at
    the pace of the slowest of the calls that are made at once."""
    asked = nominal(run.spec)
    steps = (step for step in STEPS if asked[step] and step != OPEN)  # open-book answers are given beside the others
    return total(run.rates.steps[step].latency_s for step in steps).times(run.rates.slowest)
