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
from typing import cast

from ...agents.answers.final_answer import answer_kind
from ...agents.questioner.transformation import problem_text
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import Kind, Load, Problem, ProblemSet
from ...state.records import Role
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread, fixed
from .checks import SAME, Accepted, given_texts, most_distractors

PROMPT = -1
"""The part of the run that the steps of the prompt optimisation belong to: no problem."""
TOKENS = 3_000
"""Limit of a draft, a score, a scenario, or distractors."""
SCENARIO_BYTES = 6_000
"""Room for a scenario in the requests that carry it."""
GUIDE_BYTES, COMPARED_BYTES = 4 * TOKENS, 4 * TEXT_BYTES
ROUNDS = 2.0
"""Drafts of a prompt that are expected."""
PASSED = 0.83
"""Share of the problems whose text passes its checks."""


def _step(
    role: Role, purpose: str, share: float, room: int = SCENARIO_BYTES, limit: int = 0
) -> PlannedCall:
    """One step of a problem. `share`: of the problems, those for which it is expected to come
    about (1: it follows no check); `room`: bytes beyond the problem's own; `limit`: tokens of a
    reply (0: as the spec says of solutions)."""
    return PlannedCall(role, purpose, Spread(0.0, share, 1.0), room, limit)


SOLUTION = _step("target", "solution", 1.0)
PASSED_SOLUTION = _step("target", "solution", PASSED)
ALONE = _step("evaluator", "independent_solution", 0.93)
SCENARIO = {
    "scenario": _step("generator", "scenario", 1.0, GUIDE_BYTES, TOKENS),
    "scenario@check": _step("evaluator", "scenario_check", 0.98, GUIDE_BYTES, LIMIT),
    "distractors": _step("generator", "distractors", 0.98, GUIDE_BYTES, TOKENS),
}
INSTRUCTION = {
    "instruction": _step("generator", "instruction", 1.0, GUIDE_BYTES, LIMIT),
    "instruction@check": _step("evaluator", "instruction_check", 0.98, GUIDE_BYTES, LIMIT),
}
COMPARISON = _step("judge", "comparison", 0.5, COMPARED_BYTES, LIMIT)
CREATED = {
    "q2i": _step("target", "created_question", PASSED, TEXT_BYTES),
    "q2i@solved": _step("evaluator", "independent_solution", PASSED),
    "q2i@met": _step("evaluator", "instruction_met", PASSED, COMPARED_BYTES, LIMIT),
    "q2i@first": COMPARISON,
    "q2i@second": COMPARISON,
}
BASELINE = dict.fromkeys(
    ("baseline@first", "baseline@second"),
    _step("judge", "comparison", 1.0, COMPARED_BYTES, LIMIT),
)


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


OTHER_FORM = 0.1
"""Share of the numbers and letters that do not stand as asked for on the last line, so that the
judge compares them."""


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
        """All steps of a problem, by their place in it."""
        if part not in self._steps:
            self._steps[part] = self._steps_of(part)
        return self._steps[part]

    def _steps_of(self, part: int) -> dict[str, PlannedCall]:
        spec, problem = self.spec, self.problems.problems[part]
        texts = given_texts(spec, self.problems.given.get(problem.id)) if spec.given else None
        steps = {"original": SOLUTION}
        steps |= self._q2s(texts) if "q2s" in spec.kinds else {}
        steps |= self._q2i(texts) if "q2i" in spec.kinds else {}
        steps |= BASELINE if part in self.pairs else {}
        for place, step in steps.items():
            text = texts.scenarios.get(cast(Load, place)) if texts else None
            of_target = place.startswith(("original", "q2i")) or place in spec.distractors
            steps[place] = replace(
                step,
                number=self._number(place, step.number),
                room=step.room + _bytes(problem),
                limit=step.limit or spec.answer_tokens,
                known=len(text or problem_text(problem).text),
                shared=None if of_target else (self._same, part, place),
            )
        return steps | self._judged(problem, steps)

    def _q2s(self, texts: Accepted | None) -> dict[str, PlannedCall]:
        if texts:
            return dict.fromkeys(texts.scenarios, SOLUTION)
        loads, steps = self.spec.distractors, dict(SCENARIO)
        if not most_distractors(self.spec):
            del steps["distractors"]
        steps |= {f"{load}@solved": ALONE for load in loads}
        return steps | dict.fromkeys(loads, PASSED_SOLUTION)

    def _q2i(self, texts: Accepted | None) -> dict[str, PlannedCall]:
        if texts is None:
            return INSTRUCTION | CREATED
        return CREATED if texts.instruction else {}

    def _number(self, place: str, number: Spread) -> Spread:
        """Certain is only what passes no check, and needs no draft that is good enough."""
        spec = self.spec
        kinds: dict[str, tuple[Kind, ...]] = {"original": spec.kinds, "scenario": ("q2s",)}
        is_drafted = set(kinds.get(place, ("q2i",))) <= set(spec.drafted)
        sure = spec.use_best or spec.single_pass or not is_drafted
        return ONCE if sure and number.mid == 1.0 else number

    def _judged(self, problem: Problem, steps: Mapping[str, PlannedCall]) -> dict[str, PlannedCall]:
        """The judge's word on each solution whose answer is in words, or in another form than the one
        asked for."""
        in_words = answer_kind(problem) == "text"
        open_in_words = answer_kind(problem.without_options) == "text"
        room = _bytes(problem) + SCENARIO_BYTES + 4 * self.spec.answer_tokens
        known, verdicts = len(problem_text(problem).text), dict[str, PlannedCall]()
        for place, step in steps.items():
            is_judged = open_in_words if place == "q2i@solved" else in_words
            if step.purpose.endswith("solution"):
                share = 1.0 if is_judged else OTHER_FORM
                number = Spread(0.0, step.number.mid * share, step.number.high)
                shared = step.shared and (step.shared, SAME)
                verdicts[f"{place}{SAME}"] = PlannedCall(
                    "judge",
                    "verdict",
                    number,
                    room,
                    known=known,
                    shared=shared,
                )
        return verdicts

    @property
    def drafts(self) -> Spread:
        """Of each prompt that is drafted."""
        most = 1 if self.spec.single_pass else self.spec.rounds
        return Spread(1.0, min(ROUNDS, most), most)

    @property
    def redrafts(self) -> Spread:
        return self.drafts.plus(fixed(-1.0))

    def _drafting(self, done: FinishedItems) -> Iterator[PlannedCall]:
        room = 6 * TEXT_BYTES + 2 * sum(map(_bytes, self.problems.problems[:1]))
        for kind in self.spec.drafted:
            drafts, scores = (
                sum(
                    item_id.startswith(f"{done.short_id}/{kind}@{step}")
                    for item_id in done.memory.item_ids
                )
                for step in ("draft", "score")
            )
            steps: tuple[tuple[Role, str, Spread, int], ...] = (
                ("generator", "prompt_draft", ONCE, min(drafts, 1)),
                ("generator", "prompt_redraft", self.redrafts, max(0, drafts - 1)),
                ("evaluator", "prompt_score", self.drafts, scores),
            )
            for role, purpose, number, finished in steps:
                left = Spread(*(max(0.0, amount - finished) for amount in number))
                yield PlannedCall(
                    role, purpose, left, room, TOKENS, shared=(self._same, kind, purpose)
                )

    def chain(self, parts: Spread) -> list[CallStage]:
        """The drafts and scores, one after the other; then a problem, all of them beside one
        another."""
        drafting = [
            CallStage("generator", "prompt_draft"),
            CallStage("generator", "prompt_redraft", self.redrafts),
            CallStage("evaluator", "prompt_score", self.drafts),
        ]
        return [*(drafting if self.spec.drafted else []), *self.chain_of_a_problem()]

    def chain_of_a_problem(self) -> list[CallStage]:
        """Scenario → its check beside distractors → independent solution → solution; or instruction
        → check → question → independent solution → comparison."""
        alone, is_given = CallStage("evaluator", "independent_solution"), self.spec.given
        if "q2i" in self.spec.kinds:
            writing = [
                CallStage("generator", "instruction"),
                CallStage("evaluator", "instruction_check"),
            ]
            creating = [
                CallStage("target", "created_question"),
                alone,
                CallStage("judge", "comparison"),
            ]
            return [*([] if is_given else writing), *creating]
        writing = [
            CallStage("generator", "scenario"),
            CallStage("evaluator", "scenario_check"),
            alone,
        ]
        return [*([] if is_given else writing), CallStage("target", "solution")]


def _bytes(problem: Problem) -> int:
    texts = (problem.question, problem.answer, problem.solution, *problem.options)
    return sum(len(text.encode()) for text in texts)
