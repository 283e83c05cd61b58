"""How often an Explain-Query-Test asks what, how long the texts are and how long the replies take: from past runs of
the same models, else by default.

Every figure is a `Spread`: a low, an expected and a high value. The defaults for real models are reckoned from the
prompts: their own length, the explanation of six to nine short paragraphs they ask for, and options of a dozen words at
most. The wide ranges say how little that is. How many calls are expected follows from the spec alone; past runs tell
how much more there may be.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from ...agents.prompt_template import override
from ...agents.prompts import EQT_PROMPTS
from ...sim.server import Timing
from ...state.events import ConceptClosed, ItemFinished, RunStarted
from ...state.records import Call
from ...state.spec import EqtSpec, WorldSpec, is_simulated
from ...tools.runs.folders import read_events
from ..run.past import MOST_EVENTS, read_past
from ..run.rates import CHARACTERS, Rate, Step
from ..run.spread import Spread, around, fixed, total

EXPLAIN, QUESTION = Step("examiner", "explanation"), Step("examiner", "choice_question")
PARAPHRASE, SAME = Step("examiner", "paraphrase"), Step("judge", "same_question")
CHOICE, OPEN, WHY = Step("target", "choice"), Step("target", "open_book"), Step("judge", "attribution")
STEPS = (EXPLAIN, QUESTION, PARAPHRASE, SAME, CHOICE, OPEN, WHY)
"""In the order in which a concept goes through them."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of what an examiner writes."""

    explanation: Spread
    question: Spread
    option: Spread


REAL = Lengths(Spread(450, 750, 1300), Spread(20, 35, 70), Spread(8, 14, 25))
SIMULATED = Lengths(around(410, 1.25), around(25, 1.5), around(13, 1.4))
HIDDEN = {EXPLAIN: 1500, QUESTION: 1500, PARAPHRASE: 500, SAME: 500, CHOICE: 1000, OPEN: 800, WHY: 700}
"""Tokens that a real model may think unseen before it writes; the simulated ones do not think."""
REAL_SECONDS = {EXPLAIN: 12.0, QUESTION: 8.0, PARAPHRASE: 3.0, SAME: 2.5, CHOICE: 5.0, OPEN: 5.0, WHY: 3.0}
EXACT = dict.fromkeys(STEPS, fixed(1.0))
UNSURE = {
    EXPLAIN: Spread(1.0, 1.0, 1.4),
    QUESTION: Spread(1.0, 1.0, 2.2),
    PARAPHRASE: Spread(0.85, 1.0, 2.2),
    SAME: Spread(0.85, 1.0, 2.2),
    CHOICE: Spread(0.85, 1.0, 1.6),
    OPEN: Spread(0.85, 1.0, 1.6),
    WHY: Spread(1.0, 1.0, 1.6),
}
"""Calls per call that is due: a seventh of the questions may be dropped; what is malformed is written a second time,
and what is cut off is asked for again with more room."""


@dataclass(frozen=True, slots=True)
class EqtRates:
    """All steps of one run."""

    steps: Mapping[Step, Rate]
    """`calls`: per call that is due."""
    slowest: Spread
    """How much longer the slowest of the calls that are made at once takes than a usual one."""
    past: Mapping[str, Sequence["PastEqt"]] = field(default_factory=dict)
    """The past runs behind the figures of each model that is asked; those of a model without any are the defaults."""


@dataclass(frozen=True, slots=True)
class PastEqt:
    """What one finished run tells."""

    spec: EqtSpec
    concepts: int
    """Those that are finished and were read."""
    calls: Mapping[Step, int]
    means: Mapping[Step, tuple[float, float, float]]
    """Tokens in, tokens out and seconds per call that was answered."""
    lost: int = 0
    """Steps that came to nothing or were dropped; what would have followed them was never asked."""


@dataclass(frozen=True, slots=True)
class EqtPriors:
    """Past runs, the newest first."""

    runs: Sequence[PastEqt] = field(default_factory=tuple)
    unreadable: int = 0


def nominal(spec: EqtSpec, concepts: int | None = None) -> dict[Step, int]:
    """Calls of a run in which nothing is dropped and nothing is asked twice; of the attributions the most there can
    be. `concepts`: how many of them; None: all."""
    questions = (len(spec.concepts) if concepts is None else concepts) * spec.questions
    reworded = questions * spec.paraphrases
    return {
        EXPLAIN: questions // spec.questions,
        QUESTION: questions,
        PARAPHRASE: reworded,
        SAME: reworded if spec.verify_paraphrases else 0,
        CHOICE: questions + reworded,
        OPEN: questions if spec.open_book else 0,
        WHY: min(spec.attribute, questions + reworded),
    }


def eqt_rates(spec: EqtSpec, priors: EqtPriors, timing: Timing) -> EqtRates:
    """The rates a run is expected to have. How long a text is, how long a reply takes and how much is asked twice at
    most is taken from past runs that asked the same model for the same, with as many options."""
    base = default_rates(spec, timing)
    alike = [run for run in priors.runs if run.spec.options == spec.options]
    steps, past = dict[Step, Rate](), dict[str, list[PastEqt]]()
    for step, number in nominal(spec).items():
        model = getattr(spec, step.role)
        own = [run for run in alike if getattr(run.spec, step.role) == model and step in run.means]
        steps[step] = _learnt(step, base.steps[step], spec, own) if own else base.steps[step]
        if number:
            known = past.setdefault(model, [])
            known += [run for run in own if run not in known]
    return replace(base, steps=steps, past=past)


def default_rates(spec: EqtSpec, timing: Timing) -> EqtRates:
    """The rates of a run without past ones."""
    prompts = override(EQT_PROMPTS, spec.prompts)
    often = EXACT if _calm(spec) else UNSURE
    usual = timing.latency_s + timing.jitter_s / 2
    steps = {}
    for step in STEPS:
        simulated = is_simulated(getattr(spec, step.role))
        into, out = _tokens(step, spec)
        into = into.plus(fixed(len(prompts[step.purpose].text) / CHARACTERS))
        seconds = fixed(usual + timing.reverse_window_s) if simulated else around(REAL_SECONDS[step], 3)
        steps[step] = Rate(often[step], into, out, seconds)
    slowest = fixed((timing.latency_s + timing.jitter_s) / usual if usual else 1.0)
    return EqtRates(steps, slowest if _all_simulated(spec) else Spread(1.2, 1.7, 3))


def _tokens(step: Step, spec: EqtSpec) -> tuple[Spread, Spread]:
    """Tokens in, around the prompt's own text, and tokens out."""
    written = SIMULATED if is_simulated(spec.examiner) else REAL
    hidden = 0 if is_simulated(getattr(spec, step.role)) else HIDDEN[step]
    if step in (CHOICE, OPEN):
        hidden = min(spec.answer_tokens, hidden)
    o, text, stem, options = spec.options, written.explanation, written.question, written.option.times(spec.options)
    lettered, marked = options.plus(fixed(3 * o)), options.plus(fixed(12 * o))
    selection = Spread(3 + 0.2 * o, 4 + 0.5 * o, 6 + 1.5 * o)
    if not is_simulated(spec.target):  # a few words on each option before the answer line
        selection = selection.plus(Spread(0, min(15 * o, spec.answer_tokens), min(60 * o, spec.answer_tokens)))
    into, out = {
        EXPLAIN: ([fixed(20)], [text]),
        QUESTION: ([text, fixed(70)], [stem, marked, fixed(15)]),
        PARAPHRASE: ([stem, options, fixed(60)], [stem, fixed(10)]),
        SAME: ([stem, stem, options, fixed(30)], [around(20, 1.5)]),
        CHOICE: ([stem, lettered], [selection]),
        OPEN: ([text, stem, lettered, fixed(20)], [selection]),
        WHY: ([text, stem, lettered, fixed(60)], [around(40, 2)]),
    }[step]
    return total(into), total([*out, Spread(0, 0, hidden)])


def _all_simulated(spec: EqtSpec) -> bool:
    judge = (spec.judge,) if spec.needs_judge else ()
    return all(is_simulated(name) for name in (spec.target, spec.examiner, *judge))


def _calm(spec: EqtSpec) -> bool:
    """Whether all is of a simulated world in which nothing goes wrong."""
    return _all_simulated(spec) and spec.world is not None and spec.world == WorldSpec(seed=spec.world.seed)


def _learnt(step: Step, default: Rate, spec: EqtSpec, own: Sequence[PastEqt]) -> Rate:
    """The rate that past runs of the step's model tell; `own` are those, at least one."""
    simulated = is_simulated(getattr(spec, step.role))
    texts = [run for run in own if run.spec.examiner == spec.examiner]  # what is read is what an examiner wrote
    into = around(_mean(texts, step, 0), 1.1) if texts else default.input_tokens
    out = around(_mean(own, step, 1), 1.25)
    latency_s = default.latency_s if simulated else around(_mean(own, step, 2), 1.5)
    same = [run for run in own if run.spec.world == spec.world] if simulated else own
    return Rate(_often(step, default.calls, same), into, out, latency_s)


def _mean(runs: Sequence[PastEqt], step: Step, place: int) -> float:
    return sum(run.means[step][place] for run in runs) / len(runs)


def _often(step: Step, default: Spread, runs: Sequence[PastEqt]) -> Spread:
    """Calls per call that is due: the expected number stands, the high end is what past runs needed and a tenth more.

    A run that lost something asked too little for that, so it can raise the high end but not lower it. A range of no
    width is arithmetic, to which experience adds nothing.
    """
    if step == WHY or default == fixed(1.0):
        return default
    needed = [(run.lost, run.calls.get(step, 0) / max(nominal(run.spec, run.concepts)[step], 1)) for run in runs]
    whole = [ratio for lost, ratio in needed if not lost]
    high = 1.1 * max(1.0, *whole) if whole else default.high
    return default._replace(high=max([high, *(1.1 * ratio for lost, ratio in needed if lost)]))


def read_eqt_priors(runs_dir: Path) -> EqtPriors:
    """The newest finished runs of a folder. What cannot be read is counted and left out."""
    return EqtPriors(*read_past(runs_dir, "eqt", past_eqt))


def past_eqt(folder: Path) -> PastEqt | None:
    """What a run's journal tells of calls, lengths and times, by the concepts that are finished; None when there are
    none. Raises RunFailed for a journal that is damaged."""
    spec: EqtSpec | None = None
    made, closed, lost = defaultdict[int, list[Call]](list), set[int](), defaultdict[int, set[str]](set)
    for event in islice(read_events(folder), MOST_EVENTS):
        if isinstance(event, RunStarted) and isinstance(event.spec, EqtSpec):
            spec = event.spec
        elif isinstance(event, ItemFinished):
            item = event.item
            made[item.concept] += event.new_calls
            lost[item.concept].discard(item.id)
            if item.fault is not None or getattr(item, "dropped", None) is not None:
                lost[item.concept].add(item.id)
        elif isinstance(event, ConceptClosed):
            closed.add(event.index)
    if spec is None or not closed:
        return None
    steps = defaultdict[Step, list[Call]](list)
    for index in closed:
        for call in made[index]:
            steps[Step(call.role, call.purpose)].append(call)
    means = {step: means for step, calls in steps.items() if (means := _means(calls))}
    counts = {step: len(calls) for step, calls in steps.items()}
    return PastEqt(spec, len(closed), counts, means, sum(len(lost[index]) for index in closed))


def _means(calls: Sequence[Call]) -> tuple[float, float, float] | None:
    answered = [call for call in calls if call.failure is None]
    if not answered:
        return None
    fresh = [call.latency_s for call in answered if not call.cached] or [0.0]
    return (
        sum(call.usage.input_tokens for call in answered) / len(answered),
        sum(call.usage.output_tokens for call in answered) / len(answered),
        sum(fresh) / len(fresh),
    )
