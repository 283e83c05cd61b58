"""What planned runs of DeepQuestion will ask, cost and take, before anybody is asked. Pure: specs, problems, past runs
and prices in, a plan out.

Per prompt that is drafted there are 1 to `rounds` drafts, each scored. Per problem there is a solution of the original;
of Q2S a scenario, its check, distractors (where a load has any), per load an independent solution and, for a scenario
that passes, one by the target; of Q2I an instruction, its check and, for one that passes, a question, its independent
solution and its check, and two comparisons where that solution reaches the required answer. The judge also compares
answers in words, and the baseline pairs in both orders. Texts that are given are neither written nor checked. Runs of
one launch share everything that is asked before the target has a say, since it is asked in the same words. Each figure
is computed three times, with everything at its low, its expected and its high value, so a range is wide rather than
narrow.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...agents.prompt_template import Prompt, override
from ...agents.prompts import DEEPQUESTION_PROMPTS
from ...sim.server import Timing
from ...state.deepquestion.items import Kind, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.records import Role
from ...tools.models.attempts import Limits
from ...tools.models.priced import PriceList
from ..run.loads import ZERO, LaunchPlan, Load, RunLoads, launch_figures
from ..run.rates import TAGS, Step, bare_length
from ..run.spread import Spread, fixed, longest, total
from .counts import Counted, Due
from .past import (
    COMPARISON,
    CREATED,
    DISTRACTORS,
    DRAFT,
    INSTRUCTION,
    INSTRUCTION_CHECK,
    MET,
    REDRAFT,
    SCENARIO,
    SCENARIO_CHECK,
    SCORE,
    SOLUTION,
    SOLVED,
    VERDICT,
    DeepQuestionPriors,
    PastDeepQuestion,
)
from .priors import DeepQuestionRates, deepquestion_rates

ORDER: tuple[Role, ...] = ("target", "generator", "evaluator", "judge")


@dataclass(frozen=True, slots=True)
class DeepQuestionPlan(LaunchPlan):
    """What the runs of one launch will ask, cost and take."""

    by_prompt: Mapping[str, Spread]
    """Calls by the prompt they are made with."""
    rounds: Mapping[Kind, Spread]
    """Drafts of each prompt that is drafted."""
    left_out: tuple[Kind, ...]
    """Kinds for which nothing will be written, since it is known that no draft will be good enough."""
    scenarios: Spread
    """That each target will be asked at each load."""
    instructions: Spread
    """By which each target will be asked to write."""
    words: int
    """Problems whose answers are in words, so that the judge compares them."""
    pairs: int
    """Baseline pairs."""
    shared: int
    """Runs that share what is written and checked with an earlier one."""


@dataclass(frozen=True, slots=True)
class _Run:
    spec: DeepQuestionSpec
    rates: DeepQuestionRates
    counted: Counted
    due: Sequence[Due]
    """Calls of this run, those that another run has made already left out."""
    shares: bool
    """Whether there are any of those."""


def estimate_deepquestion(
    specs: Sequence[DeepQuestionSpec],
    problems: ProblemSet,
    prices: PriceList,
    priors: DeepQuestionPriors | None = None,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> DeepQuestionPlan:
    """The plan of a launch over these problems. `limits` give the connections, `timing` is that of a simulated world.
    Raises ValueError for no specs."""
    if not specs:
        raise ValueError("there is nothing to plan")
    past = priors or DeepQuestionPriors()
    runs = _runs(specs, problems, past, timing or Timing())
    loads = [_loads(run) for run in runs]
    made = [RunLoads(run.spec.simulated, own, _way(run), _past(run)) for run, own in zip(runs, loads, strict=True)]
    by_prompt = defaultdict[str, Spread](lambda: ZERO)
    for load in (load for own in loads for load in own):
        by_prompt[load.step.purpose] = by_prompt[load.step.purpose].plus(load.calls)
    first = runs[0].counted
    return DeepQuestionPlan(
        **launch_figures(made, prices, ORDER, limits or Limits(), past.unreadable),
        by_prompt=dict(by_prompt),
        rounds={kind: loop.rounds for kind, loop in first.rates.rounds.items()},
        left_out=tuple(kind for kind in first.spec.kinds if kind not in first.rates.kinds),
        scenarios=first.scenarios(first.spec.distractors[0]).number if "q2s" in first.rates.kinds else ZERO,
        instructions=first.instructions.number if "q2i" in first.rates.kinds else ZERO,
        words=first.words,
        pairs=first.pairs,
        shared=sum(run.shares for run in runs),
    )


def _runs(
    specs: Sequence[DeepQuestionSpec], problems: ProblemSet, priors: DeepQuestionPriors, timing: Timing
) -> list[_Run]:
    """One entry per spec; what several share is counted with the first of them."""
    written, runs = set[str](), list[_Run]()
    for spec in specs:
        rates = deepquestion_rates(spec, problems, priors, timing)
        counted = Counted(spec, problems, rates)
        every = counted.due()
        # the target has no part in what is shared, nor has the world it lives in where the others do not
        same = spec.model_copy(update={"target": "", "world": None}).digest
        due = [each for each in every if not (each.shared and same in written)]
        runs.append(_Run(spec, rates, counted, due, shares=len(due) < len(every)))
        written.add(same)
    return runs


def _loads(run: _Run) -> list[Load]:
    """The calls by kind."""
    prompts = override(DEEPQUESTION_PROMPTS, run.spec.prompts)
    loads = []
    for due in run.due:
        rate = run.rates.steps[due.step]
        calls = due.calls.times(rate.often)
        sent = due.sent.plus(fixed(_around(prompts[due.step.purpose]))).times(rate.per_character)
        told = rate.output_tokens or due.said.plus(Spread(0, 0, rate.hidden))
        model = str(getattr(run.spec, due.step.role))
        loads.append(Load(due.step, model, calls, calls.times(sent), calls.times(told), rate.latency_s))
    return loads


def _around(prompt: Prompt) -> float:
    """Characters of a prompt without the values in its places; those of the target stand in no blocks."""
    blocks = 0 if prompt.name in (SOLUTION.purpose, CREATED.purpose) else len(prompt.fields)
    return bare_length(prompt) + TAGS * blocks


def _past(run: _Run) -> dict[str, list[PastDeepQuestion]]:
    """The past runs behind the figures of each model that is asked anything."""
    found: dict[str, list[PastDeepQuestion]] = {}
    for step in dict.fromkeys(due.step for due in run.due):
        known = found.setdefault(str(getattr(run.spec, step.role)), [])
        known += [past for past in run.rates.past[step] if past not in known]
    return found


def _way(run: _Run) -> Spread:
    """The drafts and scores, one after the other; then the longer of (scenario → its check beside distractors →
    independent solution → solution) and (instruction → check → question → independent solution → comparison), with the
    judge's word behind solutions where there is one; all problems beside one another, at the pace of the slowest of the
    calls that are made at once."""
    asked = {due.step for due in run.due}
    seconds = {step: rate.latency_s if step in asked else ZERO for step, rate in run.rates.steps.items()}

    def row(*steps: Step) -> Spread:
        return total(seconds[step] for step in steps)

    drafting = row(DRAFT, SCORE).plus(row(REDRAFT, SCORE).times(_more_rounds(run.rates)))
    checks = longest(seconds[SCENARIO_CHECK], seconds[DISTRACTORS])
    alone = row(SOLUTION, VERDICT)
    q2s = row(SCENARIO).plus(checks).plus(row(SOLVED, VERDICT)).plus(alone) if "q2s" in run.rates.kinds else alone
    tested = longest(row(SOLVED, VERDICT), row(MET))
    q2i = row(INSTRUCTION, INSTRUCTION_CHECK, CREATED, COMPARISON).plus(tested)
    return drafting.plus(longest(q2s, q2i)).times(run.rates.slowest)


def _more_rounds(rates: DeepQuestionRates) -> Spread:
    """Drafts after the first one, of the kind that takes most."""
    return longest(ZERO, *(loop.redrafts for loop in rates.rounds.values()))
