"""How long DepthQA's texts are, how long replies take and how much is asked twice: from past runs of the same models,
else by default.

Every figure is a `Spread`: a low, an expected and a high value. Which calls are due when a graph is asked follows from
the protocol alone; past runs tell how much more there may be. The default length of a real model's answers is that of
the 1,571 zero-shot answers of Llama 3 8B that were published with the method: on average 1,190, 1,890 and 1,880
characters at depth 1, 2 and 3, a tenth of them below 500, 1,180 and 1,080; at most twice the average is assumed.
References and subquestions that are still to be written are taken to be as long as their prompts ask for. The wide
ranges say how little that is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...sim.server import Timing
from ...state.depthqa.items import DEPTHS, Depth
from ...state.spec import DepthQABuildSpec, DepthQASpec, WorldSpec, is_simulated
from ..run.past import EXACT, StepRate, Usual, is_calm, mean_of, slowest_of, step_rate
from ..run.rates import Step
from ..run.spread import Spread, around
from .past import ANSWER, CLASSIFY, CONTEXT, MORE, OPEN, PARTS, RATING, REFERENCE, RELATION, DepthQAPriors, PastDepthQA

ASKING = (ANSWER, CONTEXT, RATING)
BUILDING = (CLASSIFY, REFERENCE, OPEN, PARTS, MORE, RELATION)
REAL_ANSWER: Mapping[Depth, Spread] = {
    1: Spread(500, 1190, 2400),
    2: Spread(1180, 1890, 3800),
    3: Spread(1080, 1880, 3800),
}
SIMULATED_ANSWER: Mapping[Depth, Spread] = {1: Spread(75, 170, 240), 2: Spread(70, 175, 240), 3: Spread(70, 240, 330)}
"""Characters of an answer, by the question's depth."""
HIDDEN = {ANSWER: 1500, CONTEXT: 1500, RATING: 700, CLASSIFY: 700, REFERENCE: 1500, OPEN: 700, PARTS: 2500, MORE: 1500}
"""Tokens that a real model may think unseen before it writes; the simulated ones do not think."""
REAL_SECONDS = {ANSWER: 9.0, CONTEXT: 9.0, RATING: 3.5, CLASSIFY: 3.0, REFERENCE: 8.0, OPEN: 2.5, PARTS: 10.0}
RATING_TOKENS, SIMULATED_RATING_TOKENS = Spread(35, 65, 130), Spread(15, 18, 26)
UNSURE = Spread(1.0, 1.0, 1.6)
"""Calls per call that is due: what is cut off, empty or malformed is asked for once more, with more room."""
RATED = Spread(0.9, 1.0, 1.6)
"""Likewise of ratings: of a refusal, and of a reply without a word, the judge is not asked."""


@dataclass(frozen=True, slots=True)
class DepthQARates:
    """All steps of one run."""

    steps: Mapping[Step, StepRate]
    answer: Mapping[Depth, Spread]
    """Characters of an answer."""
    spoken: Spread | None
    """Tokens out per character of an answer, hidden reasoning included; None: past runs do not tell."""
    slowest: Spread
    """How much longer the slowest of the calls that are made at once takes than a usual one."""
    past: Mapping[str, Sequence[PastDepthQA]] = field(default_factory=dict)
    """The past runs behind the figures of each model that is asked; those of a model without any are the defaults."""


def ask_rates(spec: DepthQASpec, priors: DepthQAPriors, timing: Timing) -> DepthQARates:
    """The rates of asking a graph. How long a model's answers are is taken from past runs with it as target, what its
    ratings take from those with it as judge."""
    models = {ANSWER: spec.target, CONTEXT: spec.target, RATING: spec.judge}
    if spec.given:
        models = {RATING: spec.judge}
    limits = {ANSWER: spec.answer_tokens, CONTEXT: spec.answer_tokens, RATING: spec.judge_tokens}
    calm = is_calm(spec.world, models.values())
    steps, past = dict[Step, StepRate](), dict[str, list[PastDepthQA]]()
    for step, model in models.items():
        often = EXACT if calm else RATED if step == RATING and not spec.given else UNSURE
        own = [run for run in priors.runs if step in run.steps and _model(run, step) == model]
        rate = _rate(step, model, often, own, spec.world, timing, limits[step])
        if step == RATING and rate.output_tokens is None:
            usual_rating = SIMULATED_RATING_TOKENS if is_simulated(model) else RATING_TOKENS
            rate = replace(rate, output_tokens=usual_rating)
        steps[step] = rate
        past.setdefault(model, [])
        past[model] += [run for run in own if run not in past[model]]
    told = [run for run in past.get(spec.target, []) if run.spec.target == spec.target]
    usual = SIMULATED_ANSWER if is_simulated(spec.target) else REAL_ANSWER
    answer = {depth: _length(depth, told, usual[depth]) for depth in DEPTHS}
    spoken = [run.per_character for run in told if run.per_character is not None]
    per_character = around(mean_of(spoken), 1.15) if spoken else None
    return DepthQARates(steps, answer, per_character, slowest_of(timing, models.values()), past)


def build_rates(spec: DepthQABuildSpec, priors: DepthQAPriors, timing: Timing) -> DepthQARates:
    """The rates of building a graph, from past builds by the same evaluator that are as wide."""
    calm = is_calm(spec.world, [spec.evaluator])
    alike = [run for run in priors.runs if is_like(spec, run)]
    steps = {}
    for step in BUILDING:
        own = [run for run in alike if step in run.steps]
        rate = _rate(step, spec.evaluator, EXACT if calm else UNSURE, own, spec.world, timing, None)
        if own:
            rate = replace(rate, input_tokens=around(mean_of(run.steps[step].input_tokens for run in own), 1.1))
        steps[step] = rate
    slowest = slowest_of(timing, [spec.evaluator])
    return DepthQARates(steps, {}, None, slowest, {spec.evaluator: alike})


def is_like(spec: DepthQABuildSpec, run: PastDepthQA) -> bool:
    """Whether a past build tells how this one will go: the same evaluator, the same width, the same language."""
    past = run.spec
    if not isinstance(past, DepthQABuildSpec):
        return False
    return (past.evaluator, past.width, past.language) == (spec.evaluator, spec.width, spec.language)


def _model(run: PastDepthQA, step: Step) -> str:
    return str(getattr(run.spec, step.role))


def _rate(
    step: Step,
    model: str,
    often: Spread,
    own: Sequence[PastDepthQA],
    world: WorldSpec | None,
    timing: Timing,
    limit: int | None,
) -> StepRate:
    """The rate of a model; `own` are past runs in which it was asked the same, `limit` that of a reply's tokens."""
    hidden = HIDDEN.get(step, 1000)
    usual = Usual(often, REAL_SECONDS.get(step, 5.0), min(hidden, limit or hidden))
    return step_rate(step, model, usual, own, world, timing)


def _length(depth: Depth, runs: Sequence[PastDepthQA], default: Spread) -> Spread:
    told = [run.lengths[depth] for run in runs if depth in run.lengths]
    return around(mean_of(told), 1.15) if told else default
