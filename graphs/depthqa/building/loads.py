"""The calls that building a DepthQA graph takes, by kind. Pure.

How many questions one is taken apart into is the evaluator's to say: of the 91 questions of depth 3 of the published
dataset with `width` 4 there are 359 of depth 2 and 1,121 of depth 1 (DepthQA, table 1), so next to all that may be.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ....agents.prompt_template import override
from ....agents.prompts import DEPTHQA_BUILD_PROMPTS
from ....state.depthqa.spec import SourceQuestion
from ....state.spec import DepthQABuildSpec, is_simulated
from ...run.loads import Load
from ...run.past import StepRate
from ...run.rates import Step, bare_length
from ...run.spread import Spread, around, fixed, total
from ..past import CLASSIFY, MORE, OPEN, PARTS, REFERENCE, RELATION, PastDepthQA
from ..priors import BUILDING, DepthQARates
from .draft import asks_yes_or_no

FILLED = 0.95
"""Share of `width` that is expected to be used."""
KEPT = Spread(0.3, 0.7, 1.0)
"""Share of questions that are of depth 3, where that is judged first."""
GAPS = Spread(0.0, 0.05, 0.5)
"""Share of the questions of depth 2 and 3 that lose a predecessor, and are given another."""
YES_NO = Spread(0.0, 0.02, 0.15)
"""Share of the questions written that yes or no would answer."""
ONCE_MORE = Spread(1.0, 1.1, 2.0)
"""Calls per question that is reworded."""
SAID = {CLASSIFY: Spread(25, 40, 90), REFERENCE: Spread(120, 300, 700)}
SIMULATED_SAID = {CLASSIFY: Spread(15, 17, 25), REFERENCE: Spread(40, 55, 90)}


@dataclass(frozen=True, slots=True)
class _Texts:
    """Characters of what is written during a build."""

    question: Spread
    reference: Spread


REAL = _Texts(Spread(50, 80, 150), Spread(120, 280, 600))
SIMULATED = _Texts(Spread(40, 65, 120), Spread(50, 95, 180))
WRITTEN_REFERENCE, SIMULATED_REFERENCE = Spread(500, 1200, 2800), Spread(150, 210, 320)
AROUND_EACH = 45
"""Characters around a question and its reference in a reply."""


def build_loads(spec: DepthQABuildSpec, rates: DepthQARates) -> list[Load]:
    """All calls of a build, by kind; those that are not made are left out."""
    number = _calls(spec, rates)
    sent, said = _sent(spec), _said(spec)
    prompts = override(DEPTHQA_BUILD_PROMPTS, spec.prompts)
    loads = []
    for step in BUILDING:
        if number[step].high > 0:
            rate, calls = rates.steps[step], number[step].times(_often(step, rates, rates.steps[step]))
            characters = sent[step].plus(fixed(bare_length(prompts[step.purpose])))
            into = rate.input_tokens or characters.times(rate.per_character)
            out = rate.output_tokens or said[step].plus(Spread(0, 0, rate.hidden))
            loads.append(Load(step, spec.evaluator, calls, calls.times(into), calls.times(out), rate.latency_s))
    return loads


def _often(step: Step, rates: DepthQARates, rate: StepRate) -> Spread:
    """What past builds tell of a step per question has its repeats in it."""
    return fixed(1.0) if _learnt(step, rates) else rate.often


def _learnt(step: Step, rates: DepthQARates) -> list[float]:
    """Calls per question in past builds; of relations in those that had them rated."""
    past = [run for run in _past(rates) if step in run.per_question]
    if step == RELATION:
        past = [run for run in past if isinstance(run.spec, DepthQABuildSpec) and run.spec.check]
    return [run.per_question[step] for run in past]


def _past(rates: DepthQARates) -> list[PastDepthQA]:
    return [run for runs in rates.past.values() for run in runs]


def _calls(spec: DepthQABuildSpec, rates: DepthQARates) -> dict[Step, Spread]:
    """Calls that are due."""
    questions = len(spec.questions)
    kept = fixed(questions).times(_kept(spec, rates))
    below = _below(spec)
    wide = fixed(1.0).plus(below)
    """Questions of depth 3 and 2 per question kept."""
    written = below.plus(below.times(below))
    without = sum(not source.reference.strip() for source in spec.questions) / questions
    binary = sum(asks_yes_or_no(spec, source.question) for source in spec.questions) / questions
    per_question = {
        PARTS: wide.plus(GAPS.times(below)),
        OPEN: fixed(binary).plus(written.times(YES_NO)).times(ONCE_MORE),
        MORE: wide.times(GAPS),
        RELATION: wide,
    }
    for step in per_question:
        told = _learnt(step, rates)
        if told:
            per_question[step] = around(sum(told) / len(told), 1.25)
    if not spec.check:
        per_question[RELATION] = fixed(0.0)
    return {
        CLASSIFY: fixed(questions if spec.classify else 0),
        REFERENCE: kept.times(without),
        **{step: kept.times(calls) for step, calls in per_question.items()},
    }


def _kept(spec: DepthQABuildSpec, rates: DepthQARates) -> Spread:
    """Share of the questions that are deconstructed."""
    if not spec.classify:
        return fixed(1.0)
    told = [run.kept for run in _past(rates) if run.kept is not None]
    if not told:
        return KEPT
    mid = sum(told) / len(told)
    return Spread(mid / 1.25, mid, min(1.0, 1.25 * mid))


def _below(spec: DepthQABuildSpec) -> Spread:
    """Questions that one is taken apart into."""
    return Spread(1, max(1.0, FILLED * spec.width), spec.width)


def _sent(spec: DepthQABuildSpec) -> Mapping[Step, Spread]:
    """Characters per call around the prompt's own text, tags included."""
    own, below = _texts(spec), _below(spec)
    source = _mean_source(spec.questions, WRITTEN_REFERENCE if own is REAL else SIMULATED_REFERENCE)
    sub = own.question.plus(own.reference)
    parts = total([source, below.times(sub)]).times(Spread(*(1 / (1 + number) for number in below)))
    brought = sum(len(each.question) + len(each.key_points) for each in spec.questions) / len(spec.questions)
    settings = fixed(150)
    return {
        CLASSIFY: source.plus(fixed(60)),
        REFERENCE: fixed(brought + 90),
        OPEN: sub.plus(fixed(90)),
        PARTS: parts.plus(settings),
        MORE: total([parts, own.question.times(below), settings]),
        RELATION: total([parts, below.times(sub.plus(fixed(15))), settings]),
    }


def _mean_source(sources: tuple[SourceQuestion, ...], unwritten: Spread) -> Spread:
    """Characters of a source question with its reference answer, written or still to be."""
    known = sum(len(each.question) + len(each.reference) for each in sources) / len(sources)
    without = sum(not each.reference.strip() for each in sources) / len(sources)
    return fixed(known).plus(unwritten.times(without))


def _said(spec: DepthQABuildSpec) -> Mapping[Step, Spread]:
    """Tokens per reply, without hidden reasoning."""
    own, below = _texts(spec), _below(spec)
    each = own.question.plus(own.reference).plus(fixed(AROUND_EACH)).times(0.25)
    said = SAID if own is REAL else SIMULATED_SAID
    return {
        **said,
        OPEN: own.question.times(0.25).plus(fixed(6)),
        PARTS: below.times(each).plus(fixed(15)),
        MORE: each.times(Spread(1, 1.2, spec.width)),
        RELATION: below.times(12).plus(Spread(20, 35, 80)),
    }


def _texts(spec: DepthQABuildSpec) -> _Texts:
    return SIMULATED if is_simulated(spec.evaluator) else REAL


def build_way(spec: DepthQABuildSpec, rates: DepthQARates) -> Spread:
    """(Classification →) (reference →) (rewording →) deconstruction → (rewording →) deconstruction (→ rewording)
    (→ gap → deconstruction) (→ relation): all questions beside one another, at the pace of the slowest of the calls
    that are made at once. At the low end nothing is reworded and there is no gap; at the expected one there is one of
    each."""
    due = _calls(spec, rates)
    steps = {PARTS: Spread(2, 3, 3), OPEN: Spread(0, 1, 4), MORE: Spread(0, 1, 1)}
    steps |= dict.fromkeys((CLASSIFY, REFERENCE, RELATION), fixed(1.0))
    latencies = (rates.steps[step].latency_s.times(times) for step, times in steps.items() if due[step].high > 0)
    return total(latencies).times(rates.slowest)
