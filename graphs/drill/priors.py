"""How often a drill asks what, how long the texts are and how long the replies take: from past runs, else by default.

Every figure is a `Spread`: a low, an expected and a high value. The defaults for real models come from a few drills
with a language model as evaluator; the wide ranges say how little that is. Simulated models are quicker, reject next to
no question and answer a check in the passage's own words.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ...agents.prompt_template import override
from ...agents.prompts import PROMPTS
from ...sim.server import Timing
from ...state.errors import RunFailed
from ...state.records import Call, Probe
from ...state.result import DrillResult
from ...state.spec import DrillSpec, is_simulated
from ...stats.accuracy import Count
from ...tools.runs.folders import RESULT, read_result, run_paths
from ..run.rates import CHARACTERS, Rate, Step
from ..run.spread import Spread, around, fixed

NEWEST = 30
"""Past runs that are read, the newest first."""
SIMULATED_WORK_S = Spread(0.0008, 0.0015, 0.004)
"""Time of this machine for one simulated call, both ends together."""


ASPECTS, QUESTION, CHECK = Step("evaluator", "aspects"), Step("evaluator", "question"), Step("evaluator", "check")
ANSWER, VERDICT, CONCEPTS = Step("target", "answer"), Step("judge", "verdict"), Step("evaluator", "concepts")
AGREES = Step("evaluator", "verdict")
"""Whether the check's answer is the reference, where the words differ."""
STEPS = (ASPECTS, QUESTION, ANSWER, CHECK, AGREES, VERDICT, CONCEPTS)


@dataclass(frozen=True, slots=True)
class Rates:
    """All steps of one drill, and what lies between them."""

    steps: Mapping[Step, Rate]
    look_up_s: Spread
    slowest: Spread
    """How much longer the slowest call of a round takes than a usual one."""
    rounds: Spread
    """Rounds of asking per depth."""
    shared: Spread
    """Below depth 1: share of questions and checks that another target of the same repeat is asked too."""
    runs: int = 0
    """Past runs behind the calls; 0: the defaults."""
    match: str = ""
    """What those runs have in common with the plan."""


def _rate(calls: Spread, data_tokens: float, output: Spread, latency_s: float) -> Rate:
    return Rate(calls, around(data_tokens, 2), output, around(latency_s, 3))


_ONCE = Spread(1.0, 1.07, 1.6)
REAL = Rates(
    {
        ASPECTS: _rate(Spread(1, 1.3, 3), 60, Spread(250, 450, 4000), 8),
        QUESTION: _rate(Spread(1.0, 1.3, 2.2), 150, Spread(50, 80, 900), 4),
        ANSWER: _rate(_ONCE, 30, Spread(50, 90, 1200), 4),
        CHECK: _rate(_ONCE, 120, Spread(20, 30, 500), 2.5),
        AGREES: _rate(Spread(0.1, 0.3, 1.2), 110, Spread(45, 60, 700), 3),
        VERDICT: _rate(_ONCE, 150, Spread(45, 60, 700), 3),
        CONCEPTS: _rate(_ONCE, 150, Spread(90, 140, 900), 4),
    },
    look_up_s=Spread(0.3, 1, 4),
    slowest=Spread(1.2, 1.7, 3),
    rounds=Spread(1, 1.4, 3),
    shared=Spread(0.4, 0.15, 0),
)
"""Without past runs. Input is what stands around the prompt's own text. Output is mostly what hidden reasoning makes of
it: the high end is for models that think."""


def _simulated(calls: float, data_tokens: float, output: float) -> Rate:
    return Rate(Spread(calls, calls, 1.15 * calls), around(data_tokens, 1.5), around(output, 1.2), fixed(0))


SIMULATED = Rates(
    {
        ASPECTS: _simulated(1, 30, 220),
        QUESTION: _simulated(1, 97, 59),
        ANSWER: _simulated(1, 14, 48),
        CHECK: _simulated(1, 83, 26),
        AGREES: _simulated(0, 92, 37),
        VERDICT: _simulated(1, 92, 37),
        CONCEPTS: _simulated(1, 102, 49),
    },
    look_up_s=fixed(0),
    slowest=fixed(1),
    rounds=Spread(1, 1, 2),
    shared=Spread(0.7, 0.5, 0.3),
)


@dataclass(frozen=True, slots=True)
class PastRun:
    """What one finished drill tells."""

    spec: DrillSpec
    counts: tuple[Count, ...]
    """(correct, scored) of each closed depth."""
    censored: bool
    evd_se: float | None
    rounds: float
    slots: Mapping[Step, int]
    """Slots in which the step could have been asked."""
    calls: Mapping[Step, int]
    means: Mapping[Step, tuple[float, float, float]]
    """Tokens in, tokens out and seconds per call that was answered."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Past runs, the newest first."""

    runs: Sequence[PastRun] = ()
    unreadable: int = 0

    def like(self, *tests: Callable[[DrillSpec], bool]) -> list[PastRun]:
        """The runs whose spec passes all tests."""
        return [run for run in self.runs if all(test(run.spec) for test in tests)]


def read_priors(runs_dir: Path) -> Priors:
    """The newest finished drills of a folder. What cannot be read is counted and left out."""
    found: list[PastRun] = []
    unreadable = 0
    for path in islice((p for p in reversed(run_paths(runs_dir)) if (p / RESULT).is_file()), NEWEST):
        try:
            result = read_result(path)
        except (RunFailed, OSError):
            unreadable += 1
            continue
        if result is not None and result.method == "drill":
            found.append(past_run(result))
    return Priors(found, unreadable)


def past_run(result: DrillResult) -> PastRun:
    """What a result tells of calls, lengths and times. Only closed depths count."""
    spec, closed = result.spec, len(result.depths)
    done = [probe for probe in result.probes if probe.depth <= closed]
    made = defaultdict[Step, list[Call]](list)
    for call in _calls(done):
        made[Step(call.role, call.purpose)].append(call)
    followed = len({probe.depth for probe in done if any(call.purpose == "concepts" for call in probe.calls)})
    return PastRun(
        spec=spec,
        counts=tuple((row.correct, row.scored) for row in result.depths),
        censored=result.censored is not None,
        evd_se=result.evd_se,
        rounds=sum(row.rounds for row in result.depths) / max(1, closed),
        slots={step: spec.n * (followed if step == CONCEPTS else closed) for step in STEPS},
        calls={step: len(calls) for step, calls in made.items()},
        means={step: means for step, calls in made.items() if (means := _means(calls))},
    )


def _calls(probes: Sequence[Probe]) -> Iterator[Call]:
    return (call for probe in probes for call in probe.calls)


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


def rates_for(spec: DrillSpec, priors: Priors, timing: Timing) -> Rates:
    """The rates a drill is expected to have: those of the past runs that are most like it, else the defaults.

    Most like it: the same evaluator and judge, and the same domain or target; then the same evaluator; then any run
    whose evaluator is real, or simulated, like this one's. How long a reply is and how long it takes is taken from runs
    of the model that is asked.
    """
    base = default_rates(spec, timing)
    for match, factor, tests in _levels(spec):
        alike = priors.like(lambda past: past.verify_questions == spec.verify_questions, *tests)
        if alike:
            steps = {step: _learnt(step, base.steps[step], spec, alike, factor) for step in STEPS}
            rounds = sum(run.rounds for run in alike) / len(alike)
            spread = Spread(1, max(1, rounds), max(1, rounds) * factor**2)
            return replace(base, steps=steps, rounds=spread, runs=len(alike), match=match)
    return base


def default_rates(spec: DrillSpec, timing: Timing) -> Rates:
    """The rates of a drill without past runs: how often the evaluator decides, how long whoever is asked."""
    world = _timed(SIMULATED, timing)
    base = world if is_simulated(spec.evaluator) else REAL
    prompts = override(PROMPTS, spec.prompts)
    steps = {}
    for step, rate in base.steps.items():
        one = (world if is_simulated(getattr(spec, step.role)) else REAL).steps[step]
        prompt = fixed(len(prompts[step.purpose].text) / CHARACTERS)
        steps[step] = replace(one, calls=rate.calls, input_tokens=one.input_tokens.plus(prompt))
    return replace(base, steps=steps)


def _levels(spec: DrillSpec) -> Iterator[tuple[str, float, list[Callable[[DrillSpec], bool]]]]:
    """How the runs are alike in words, how far off their rates may be, and the tests."""
    simulated = is_simulated(spec.evaluator)
    same_evaluator: Callable[[DrillSpec], bool] = lambda past: past.evaluator == spec.evaluator  # noqa: E731
    yield (
        "the same evaluator and judge, and this domain or target",
        1.1,
        [same_evaluator, lambda p: p.judge == spec.judge and (p.domain == spec.domain or p.target == spec.target)],
    )
    yield "the same evaluator", 1.25, [same_evaluator]
    yield "another evaluator", 1.6, [lambda past: is_simulated(past.evaluator) == simulated]


def _learnt(step: Step, default: Rate, spec: DrillSpec, runs: Sequence[PastRun], factor: float) -> Rate:
    slots = sum(run.slots.get(step, 0) for run in runs)
    # an opening is shared by the runs of a launch, and its calls stand in one of them only
    calls = around(sum(run.calls.get(step, 0) for run in runs) / slots, factor) if slots else default.calls
    rate = replace(default, calls=default.calls if step == ASPECTS else calls)
    model = getattr(spec, step.role)
    own = [run.means[step] for run in runs if getattr(run.spec, step.role) == model and step in run.means]
    if not own:
        return rate
    into, out, seconds = (sum(column) / len(own) for column in zip(*own, strict=True))
    latency_s = default.latency_s if is_simulated(model) else around(seconds, 1.5)
    return replace(rate, input_tokens=around(into, 1.1), output_tokens=around(out, 1.25), latency_s=latency_s)


def _timed(rates: Rates, timing: Timing) -> Rates:
    """The simulated world takes as long as it was told to."""
    usual = timing.latency_s + timing.jitter_s / 2
    slowest = (timing.latency_s + timing.jitter_s) / usual if usual else 1.0
    wait = fixed(usual + timing.reverse_window_s)
    steps = {step: replace(rate, latency_s=wait) for step, rate in rates.steps.items()}
    return replace(rates, steps=steps, look_up_s=wait, slowest=fixed(slowest))
