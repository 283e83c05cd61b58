"""How many drafts DeepQuestion takes, what passes the checks, how long texts are and how long replies take: from past
runs of the same models, else by default; of simulated generators and evaluators from their world.

Every figure is a `Spread`: a low, an expected and a high value. The defaults for real models are reckoned from the
prompts: transformation prompts of at most 400 words, scenarios of a few sentences beside the problem's own length,
instructions of 60 to 200 words. Which share passes the checks is assumed. The wide ranges say how little that is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...sim.server import Timing
from ...state.deepquestion.items import Kind, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.spec import is_simulated
from ...stats.accuracy import wilson
from ..run.loads import ZERO
from ..run.past import EXACT, StepRate, Usual, is_calm, mean_of, slowest_of, step_rate
from ..run.rates import Step
from ..run.spread import Spread, around, fixed
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
    Passing,
    PastDeepQuestion,
    Text,
)
from .world import Foreseen, comparable, foreseen

TWICE, OFTEN_TWICE = 1.6, 2.0
"""Calls per call that is due, at most: what is malformed or cut off is asked for once more. The latter of a simulated
world with faults, and of solvers with few tokens."""
FOLLOWING = 0.75
"""At least: what would follow a step that came to nothing is never asked."""
BEGINNING = (DRAFT, SOLUTION, SCENARIO, INSTRUCTION)
"""Steps that follow no other one that may come to nothing."""
SOLVING = (SOLUTION, SOLVED, CREATED)
"""Steps with the limit that the spec gives."""
ROOM = 512
"""Tokens that no reply of the simulated world needs."""


class Assumed(NamedTuple):
    """One kind of call, without past runs."""

    seconds: float
    """Of a real model's reply, as the next two."""
    hidden: int
    """Tokens that it may think unseen before it writes; the simulated ones do not think."""
    tells: float = 0.0
    """Tokens of the reply beside the texts that are written in it; half as many to three times as many."""
    simulated: Spread = ZERO
    """Likewise of a simulated model."""


ASSUMED: Mapping[Step, Assumed] = {
    DRAFT: Assumed(15.0, 2500, 6, fixed(6)),
    REDRAFT: Assumed(15.0, 2500, 6, fixed(6)),
    SCORE: Assumed(8.0, 2500, 30, Spread(6, 10, 12)),
    SOLUTION: Assumed(9.0, 2500),
    SCENARIO: Assumed(9.0, 2000, 20, Spread(8, 15, 30)),
    SCENARIO_CHECK: Assumed(4.0, 1500, 40, Spread(14, 17, 40)),
    DISTRACTORS: Assumed(6.0, 2000, 8, fixed(6)),
    SOLVED: Assumed(8.0, 2500, 150, Spread(18, 42, 90)),
    INSTRUCTION: Assumed(7.0, 1500, 6, fixed(6)),
    INSTRUCTION_CHECK: Assumed(3.5, 1000, 40, Spread(14, 25, 32)),
    CREATED: Assumed(7.0, 2500),
    MET: Assumed(4.0, 1000, 30, Spread(12, 16, 22)),
    COMPARISON: Assumed(4.5, 1200, 90, Spread(36, 46, 90)),
    VERDICT: Assumed(3.0, 700, 60, Spread(22, 37, 60)),
}
REAL: Mapping[Text, Spread] = {
    "guide": Spread(1200, 2200, 3200),
    "feedback": Spread(150, 600, 1500),
    "distractor": Spread(60, 100, 200),
    "instruction": Spread(360, 850, 1600),
    "created": Spread(120, 350, 1200),
    "said": Spread(250, 1100, 4000),
}
SIMULATED: Mapping[Text, Spread] = {
    "guide": Spread(100, 300, 450),
    "feedback": Spread(20, 110, 260),
    "distractor": Spread(35, 50, 75),
    "instruction": Spread(600, 760, 950),
    "created": Spread(20, 210, 400),
    "said": Spread(50, 175, 320),
}
"""Characters of what is written."""
STORY, SIMULATED_STORY = Spread(250, 550, 1500), Spread(100, 230, 380)
"""Characters of a scenario beyond those of its problem."""
PASSING: Mapping[Passing, Spread] = {
    "scenario_checked": Spread(0.85, 0.98, 1.0),
    "scenario_solved": Spread(0.6, 0.93, 1.0),
    "scenario_accepted": Spread(0.3, 0.82, 1.0),
    "instruction_checked": Spread(0.85, 0.98, 1.0),
    "instruction_accepted": Spread(0.4, 0.85, 1.0),
    "compared": Spread(0.0, 0.6, 1.0),
}
"""Shares that go on, where nothing is known of them."""
ROUNDS = 2.0
"""Drafts of a prompt that are expected, where there is neither a past run nor a simulated world that tells."""


class Rounds(NamedTuple):
    """How often a prompt is drafted. A simulated generator that mends nothing writes the same draft again, and what is
    the same to the letter is not asked for again."""

    rounds: Spread
    redrafts: Spread
    """Calls, as the next one."""
    scores: Spread


@dataclass(frozen=True, slots=True)
class DeepQuestionRates:
    """All of one run."""

    steps: Mapping[Step, StepRate]
    texts: Mapping[Text, Spread]
    """Characters of what is written; of a scenario those of the whole text without distractors."""
    passing: Mapping[Passing, Spread]
    rounds: Mapping[Kind, Rounds]
    """Of each prompt that is drafted."""
    kinds: tuple[Kind, ...]
    """Kinds that something will be written for: of the simulated world it is known which prompts converge."""
    slowest: Spread
    """How much longer the slowest of the calls that are made at once takes than a usual one."""
    past: Mapping[Step, Sequence[PastDeepQuestion]]
    """The past runs behind the figures of each step; those of a step without any are the defaults."""


def deepquestion_rates(
    spec: DeepQuestionSpec, problems: ProblemSet, priors: DeepQuestionPriors, timing: Timing
) -> DeepQuestionRates:
    """The rates a run is expected to have. How long a text is and how long a reply takes is taken from past runs with
    the same model in this role, those about the same benchmark if there are any."""
    calm = is_calm(spec.world, spec.asked) and spec.answer_tokens >= ROOM
    past = {step: [run for run in _like(spec, step.role, priors.runs) if step in run.steps] for step in ASSUMED}
    world = foreseen(spec, problems)
    return DeepQuestionRates(
        steps={step: _step(spec, step, past[step], timing, calm=calm) for step in ASSUMED},
        texts=_texts(spec, problems, priors.runs, world),
        passing=_passing(spec, problems, priors.runs, world, calm=calm),
        rounds={kind: _rounds(spec, kind, priors.runs, world.get(kind), calm=calm) for kind in spec.drafted},
        kinds=tuple(kind for kind in spec.kinds if kind not in world or world[kind].goes_ahead),
        slowest=slowest_of(timing, spec.asked),
        past=past,
    )


def _step(
    spec: DeepQuestionSpec, step: Step, own: Sequence[PastDeepQuestion], timing: Timing, *, calm: bool
) -> StepRate:
    high = OFTEN_TWICE if spec.simulated or spec.answer_tokens < ROOM else TWICE
    often = EXACT if calm else Spread(1.0 if step in BEGINNING else FOLLOWING, 1.0, high)
    hidden = min(ASSUMED[step].hidden, spec.answer_tokens) if step in SOLVING else ASSUMED[step].hidden
    usual = Usual(often, ASSUMED[step].seconds, hidden)
    return step_rate(step, str(getattr(spec, step.role)), usual, own, spec.world, timing)


def _like(spec: DeepQuestionSpec, role: str, runs: Iterable[PastDeepQuestion]) -> list[PastDeepQuestion]:
    """Past runs with the same model in a role: those about the same benchmark, else all."""
    same = [run for run in runs if getattr(run.spec, role) == getattr(spec, role)]
    return [run for run in same if run.spec.benchmark == spec.benchmark] or same


def _texts(
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    runs: Sequence[PastDeepQuestion],
    world: Mapping[Kind, Foreseen],
) -> dict[Text, Spread]:
    """Characters of what is written, by whoever writes it."""
    asked = [len(problem.question) for problem in problems.problems]
    writers: dict[Text, str] = {"feedback": "evaluator", "created": "target", "said": "target"}
    found = dict[Text, Spread]()
    for name in ("guide", "feedback", "scenario", "distractor", "instruction", "created", "said"):
        role = writers.get(name, "generator")
        simulated = is_simulated(str(getattr(spec, role)))
        told = [run.lengths[name] for run in _like(spec, role, runs) if name in run.lengths]
        if told:
            found[name] = around(mean_of(told), 1.3)
        elif name == "scenario":
            found[name] = fixed(mean_of(asked)).plus(SIMULATED_STORY if simulated else STORY)
        else:
            found[name] = (SIMULATED if simulated else REAL)[name]
    guides = [len(guide) for each in world.values() for guide in (each.guide, *each.drafts)]
    guides += [len(guide) for guide in spec.guides.values()]
    if guides and (world or not spec.drafted):
        found["guide"] = Spread(min(guides), mean_of(guides), max(guides))
    return found


def _passing(
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    runs: Sequence[PastDeepQuestion],
    world: Mapping[Kind, Foreseen],
    *,
    calm: bool,
) -> dict[Passing, Spread]:
    """Shares that go on: from past runs with the same generator and evaluator (of comparisons with the same target and
    evaluator), with the ends of their 95% interval; where the simulated world is known, from there."""
    found = dict(PASSING)
    if is_simulated(spec.target):
        found["compared"] = Spread(0.0, comparable(spec.target), 1.0)
    for name in PASSING:
        own = _like(spec, "target" if name == "compared" else "generator", runs)
        counts = [run.passed[name] for run in own if name in run.passed and _checks_alike(spec, run)]
        passed, of = sum(k for k, _ in counts), sum(n for _, n in counts)
        if of:
            low, high = wilson(passed, of)
            found[name] = Spread(low, passed / of, high)
    for kind, known in world.items():
        found |= _foreseen(kind, known, len(problems.problems), calm=calm)
    if spec.answer_tokens < ROOM:  # all solutions may be cut off
        found |= {name: found[name]._replace(low=0.0) for name in ("scenario_accepted", "compared")}
    return found


def _checks_alike(spec: DeepQuestionSpec, run: PastDeepQuestion) -> bool:
    """A single pass writes by another prompt, of which more is rejected."""
    return (run.spec.evaluator, run.spec.single_pass) == (spec.evaluator, spec.single_pass)


def _foreseen(kind: Kind, known: Foreseen, number: int, *, calm: bool) -> dict[Passing, Spread]:
    """What is sound passes unless something fails; of problems from elsewhere perhaps half do, and of what is spoilt it
    depends on how."""
    sure = known.sound / number
    low, half = sure if calm else sure / 2, (known.sound + known.foreign / 2) / number
    passed, checked = Spread(low, half, 1.0), Spread(low, (1.0 + half) / 2, 1.0)
    if kind == "q2s":
        return {"scenario_checked": checked, "scenario_solved": passed, "scenario_accepted": passed}
    return {"instruction_checked": checked, "instruction_accepted": passed}


def _rounds(
    spec: DeepQuestionSpec, kind: Kind, runs: Iterable[PastDeepQuestion], known: Foreseen | None, *, calm: bool
) -> Rounds:
    """One draft at least, `rounds` at most."""
    if known is not None and calm:
        drafts = known.drafts
        return Rounds(*(fixed(number) for number in (len(drafts), len(set(drafts[:-1])), len(set(drafts)))))
    told = [run.rounds[kind] for run in _like(spec, "generator", runs) if _drafts_alike(spec, kind, run)]
    usual = len(known.drafts) if known is not None else mean_of(told) if told else ROUNDS
    most = 1 if spec.single_pass else spec.rounds
    rounds = Spread(1.0, min(usual, most), most)
    return Rounds(rounds, rounds.plus(fixed(-1.0)), rounds)


def _drafts_alike(spec: DeepQuestionSpec, kind: Kind, run: PastDeepQuestion) -> bool:
    same = (run.spec.evaluator, run.spec.threshold) == (spec.evaluator, spec.threshold)
    return same and kind in run.rounds
