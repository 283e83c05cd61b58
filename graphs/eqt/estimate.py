"""What planned Explain-Query-Tests will ask, cost and take, before anybody is asked. Pure: specs, past runs and prices
in, a plan out.

Per concept there is one explanation and q questions; per question k paraphrases (each checked, where that is asked
for), k + 1 answers, and one more with the explanation at hand where that is asked for; over all, up to N wrong answers
are attributed. These are the calls expected. The low end allows for questions that are dropped, the high end for what
is written or asked for a second time. Runs of one launch with one examiner share its explanations, questions and
paraphrases, which are asked for in the same words. Each figure is computed three times, with everything at its low, its
expected and its high value, so a range is wide rather than narrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...sim.server import Timing
from ...state.spec import EqtSpec
from ...tools.models.attempts import Limits
from ...tools.models.priced import PriceList
from ..run.loads import ZERO, LaunchPlan, Load, RunLoads, launch_figures
from ..run.rates import Step
from ..run.spread import Spread, total
from .priors import (
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

WRONG = Spread(0.0, 0.4, 1.0)
"""Share of the answers that are wrong, where that is needed: all of a question's options have to be judged rightly."""


@dataclass(frozen=True, slots=True)
class EqtPlan(LaunchPlan):
    """What the runs of one launch will ask, cost and take."""

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
    made = [RunLoads(run.spec.simulated, _loads(run), _way(run), run.rates.past) for run in runs]
    figures = launch_figures(made, prices, ("target", "examiner", "judge"), limits or Limits(), past.unreadable)
    return EqtPlan(**figures, shared=sum(run.asked[EXPLAIN] == ZERO for run in runs))


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


def _asked(spec: EqtSpec, rates: EqtRates) -> dict[Step, Spread]:
    """Calls of one run that shares nothing."""
    asked = {step: rates.steps[step].calls.times(number) for step, number in nominal(spec).items()}
    wrong = asked[CHOICE].times(WRONG)
    asked[WHY] = Spread(*(min(spec.attribute, number) for number in wrong)).times(rates.steps[WHY].calls)
    return asked


def _loads(run: _Run) -> list[Load]:
    """All calls of a run, by kind."""
    return [
        Load(
            step,
            getattr(run.spec, step.role),
            number,
            number.times(run.rates.steps[step].input_tokens),
            number.times(run.rates.steps[step].output_tokens),
            run.rates.steps[step].latency_s,
        )
        for step, number in run.asked.items()
    ]


def _way(run: _Run) -> Spread:
    """Explanation → question → paraphrase (→ its check) → answer (→ attribution), all concepts beside one another, at
    the pace of the slowest of the calls that are made at once."""
    asked = nominal(run.spec)
    steps = (step for step in STEPS if asked[step] and step != OPEN)  # open-book answers are given beside the others
    return total(run.rates.steps[step].latency_s for step in steps).times(run.rates.slowest)
