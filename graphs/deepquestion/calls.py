"""What a DeepQuestion asks: per prompt that is drafted 1 to `rounds` drafts, each scored; per
problem a solution of the original; of Q2S a scenario, its check, distractors (where a load has
any), per load an independent solution and one by the target; of Q2I an instruction, its check, a
question by it, its independent solution, its check and two comparisons. The judge also compares
answers in words, and the baseline pairs in both orders.

What follows from what is written comes about only where that passes its checks, and nothing is
written by a prompt of which no draft is good enough. Texts that are given are neither written nor
checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from random import Random

from ...agents.answers.final_answer import answer_kind
from ...agents.questioner.transformation import problem_text
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import Kind, Problem, ProblemSet
from ...state.records import Role
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread, fixed
from .checks import SAME, given_texts, most_distractors

PROMPT = -1
"""The part of the run that the steps of the prompt optimisation belong to: no problem."""
TOKENS = 3_000
"""Limit of a draft, a score, a scenario, or distractors."""
SCENARIO_BYTES = 6_000
"""Room for a scenario in the requests that carry it."""
GUIDE_BYTES, COMPARED_BYTES = 4 * TOKENS, 4 * TEXT_BYTES
ROUNDS = 2
"""Drafts of a prompt that are expected."""
PASSED = Spread(0.0, 0.83, 1.0)
"""Share of the problems whose text passes its checks."""
HALF = Spread(0.0, 0.5, 1.0)
"""Share of the problems by which a question with the required answer is written."""
OTHER_FORM = 0.1
"""Share of the numbers and letters that do not stand as asked for on the last line, so that the
judge compares them."""


def _step(
    role: Role, purpose: str, number: Spread, room: int = SCENARIO_BYTES, limit: int = 0
) -> PlannedCall:
    """`room`: bytes beyond the problem's own; `limit`: 0: as the spec says of solutions."""
    return PlannedCall(role, purpose, number, room, limit)


SOLUTION = _step("target", "solution", ONCE)
SOLVED_SCENARIO = _step("target", "solution", PASSED)
CHECKED_SCENARIO = _step("evaluator", "independent_solution", PASSED)
SCENARIO = {
    "scenario": _step("generator", "scenario", ONCE, GUIDE_BYTES, TOKENS),
    "scenario@check": _step("evaluator", "scenario_check", PASSED, GUIDE_BYTES, LIMIT),
    "distractors": _step("generator", "distractors", PASSED, GUIDE_BYTES, TOKENS),
}
INSTRUCTION = {
    "instruction": _step("generator", "instruction", ONCE, GUIDE_BYTES, LIMIT),
    "instruction@check": _step("evaluator", "instruction_check", PASSED, GUIDE_BYTES, LIMIT),
}
CREATED = {
    "q2i": _step("target", "created_question", PASSED, TEXT_BYTES),
    "q2i@solved": _step("evaluator", "independent_solution", PASSED),
    "q2i@met": _step("evaluator", "instruction_met", PASSED, COMPARED_BYTES, LIMIT),
    "q2i@first": _step("judge", "comparison", HALF, COMPARED_BYTES, LIMIT),
    "q2i@second": _step("judge", "comparison", HALF, COMPARED_BYTES, LIMIT),
}
BASELINE = {
    "baseline@first": _step("judge", "comparison", ONCE, COMPARED_BYTES, LIMIT),
    "baseline@second": _step("judge", "comparison", ONCE, COMPARED_BYTES, LIMIT),
}
CHAINS: dict[Kind, list[PlannedCall]] = {
    "q2s": [
        SCENARIO["scenario"],
        SCENARIO["scenario@check"],
        CHECKED_SCENARIO,
        SOLVED_SCENARIO,
    ],
    "q2i": [*INSTRUCTION.values(), CREATED["q2i"], CREATED["q2i@solved"], CREATED["q2i@first"]],
}
"""Steps of a problem that follow one another."""
WRITTEN = (*SCENARIO.values(), *INSTRUCTION.values(), CHECKED_SCENARIO)
"""Steps that texts which are given do not need."""


def baseline_pairs(spec: DeepQuestionSpec, problems: ProblemSet) -> dict[int, int]:
    """Problem → the one that it is compared with, drawn by seed; empty where there are not two."""
    count = len(problems.problems)
    if count < 2:
        return {}
    rng = Random(f"{spec.seed}:baseline")
    pairs: dict[int, int] = {}
    for index in rng.sample(range(count), count):
        # the other way round it would be the same pair
        free = [place for place in range(count) if place != index and pairs.get(place) != index]
        if free and len(pairs) < spec.baseline:
            pairs[index] = rng.choice(free)
    return pairs


class DeepQuestionCalls:
    """What one run asks. Its parts are the prompts that are drafted (all in one), then the
    problems."""

    def __init__(self, spec: DeepQuestionSpec, problems: ProblemSet) -> None:
        self.spec, self.problems = spec, problems
        self._same = spec.model_copy(update={"target": "", "world": None}).digest
        """Who is asked before the target has a say is asked the same by all runs with this one."""
        self._steps: dict[int, dict[str, PlannedCall]] = {}

    @cached_property
    def pairs(self) -> Mapping[int, int]:
        """Baseline pairs."""
        return baseline_pairs(self.spec, self.problems) if "q2i" in self.spec.kinds else {}

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        first = [PROMPT] if self.spec.drafted else []
        return [(part, ONCE) for part in (*first, *range(len(self.problems.problems)))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if part == PROMPT:
            yield from self._drafting(done)
            return
        problem = self.problems.problems[part]
        for place, due in self.steps(part).items():
            if not done.has(f"{done.short_id}/{problem.id}@{place}"):
                yield due

    def steps(self, part: int) -> dict[str, PlannedCall]:
        """All steps of a problem, by their place in it; beside each solution the judge's word on it,
        where its answer is in words or in another form than the one asked for."""
        if part in self._steps:
            return self._steps[part]
        problem = self.problems.problems[part]
        size, known = _bytes(problem), len(problem_text(problem).text)
        judged = 1.0 if answer_kind(problem) == "text" else OTHER_FORM
        steps = self._steps[part] = {}
        for place, step in self._places(part).items():
            is_shared = step.role != "target" and not place.startswith("q2i")
            shared = (self._same, part, place) if is_shared else None
            steps[place] = replace(
                step,
                room=step.room + size,
                limit=step.limit or self.spec.answer_tokens,
                known=known,
                shared=shared,
            )
            if step.purpose.endswith("solution"):
                steps[f"{place}{SAME}"] = PlannedCall(
                    "judge",
                    "verdict",
                    Spread(0.0, step.number.mid * judged, 1.0),
                    size + SCENARIO_BYTES + 4 * self.spec.answer_tokens,
                    known=known,
                    shared=shared and (shared, SAME),
                )
        return steps

    def _places(self, part: int) -> dict[str, PlannedCall]:
        """The steps of a problem but for what the judge compares of its solutions."""
        spec, steps = self.spec, {"original": SOLUTION}
        if spec.given:
            texts = given_texts(spec, self.problems.given.get(self.problems.problems[part].id))
            steps |= dict.fromkeys(texts.scenarios, SOLUTION)
            steps |= CREATED if texts.instruction else {}
        else:
            if "q2s" in spec.kinds:
                steps |= SCENARIO
                steps |= {f"{load}@solved": CHECKED_SCENARIO for load in spec.distractors}
                steps |= dict.fromkeys(spec.distractors, SOLVED_SCENARIO)
            if "q2i" in spec.kinds:
                steps |= INSTRUCTION | CREATED
            if not most_distractors(spec):
                steps.pop("distractors", None)
        return steps | (BASELINE if part in self.pairs else {})

    @property
    def drafts(self) -> int:
        """Of each prompt, at most."""
        return 1 if self.spec.single_pass else self.spec.rounds

    def _drafting(self, done: FinishedItems) -> Iterator[PlannedCall]:
        room = 6 * TEXT_BYTES + 2 * sum(map(_bytes, self.problems.problems[:1]))
        for kind in self.spec.drafted:
            for number in range(1, self.drafts + 1):
                often = ONCE if number == 1 else Spread(0.0, float(number <= ROUNDS), 1.0)
                drafting = "prompt_draft" if number == 1 else "prompt_redraft"
                steps: dict[str, tuple[Role, str]] = {
                    f"{kind}@draft{number}": ("generator", drafting),
                    f"{kind}@score{number}": ("evaluator", "prompt_score"),
                }
                for place, (role, purpose) in steps.items():
                    if not done.has(f"{done.short_id}/{place}"):
                        shared = (self._same, place)
                        yield PlannedCall(role, purpose, often, room, TOKENS, shared=shared)

    def chain(self, parts: Spread) -> list[CallStage]:
        """The drafts and scores, one after the other; then a problem, all of them beside one
        another."""
        spec, kind = self.spec, self.spec.kinds[-1]
        expected = min(ROUNDS, self.drafts)
        redrafts = Spread(0.0, expected - 1, self.drafts - 1)
        drafting = [
            CallStage("generator", "prompt_draft"),
            CallStage("generator", "prompt_redraft", redrafts),
            CallStage("evaluator", "prompt_score", redrafts.plus(fixed(1.0))),
        ]
        stages = drafting if spec.drafted else []
        for step in CHAINS[kind]:
            is_written = spec.given and step in WRITTEN
            if not is_written:
                stages.append(CallStage(step.role, step.purpose))
        return stages


def _bytes(problem: Problem) -> int:
    texts = (problem.question, problem.answer, problem.solution, *problem.options)
    return sum(len(text.encode()) for text in texts)
