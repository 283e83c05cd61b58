"""What a DeepQuestion asks: per prompt that is drafted 1 to `rounds` drafts, each scored; per
problem a solution of the original; of Q2S a scenario, its check, distractors (where a load has
any), per load an independent solution and one by the target; of Q2I an instruction, its check, a
question by it, its independent solution, its check and two comparisons. The judge also compares
answers in words, and the baseline pairs in both orders.

What follows from what is written comes about only where that passes its checks, and nothing is
written by a prompt of which no draft is good enough. Texts that are given are neither written nor
checked.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from ...agents.answers.final_answer import answer_kind
from ...agents.questioner.transformation import shown
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import DISTRACTORS, Problem, ProblemSet
from ...state.records import Role
from ...stats.deepquestion.checks import Accepted, given_texts
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread, fixed
from .creating import baseline_pairs
from .loop import PROMPT, TOKENS
from .solving import SAME, Wanted

SCENARIO_BYTES, WRITING = 6_000, 3_000
"""Room for a scenario in the requests that carry it; token limit of one that is written, or of
distractors."""
GUIDE_BYTES, COMPARED_BYTES = 4 * WRITING, 4 * TEXT_BYTES
ROUNDS = 2.0
"""Drafts of a prompt that are expected."""
ANSWERED = 0.82
"""Share of the problems for which the target writes a question: next to all of those it is asked
for one."""
JUDGED = 0.9
"""Share of the answers in words that are not the reference to the letter, so that the judge
compares them."""


class Step(NamedTuple):
    """One step of a problem."""

    role: Role
    purpose: str
    share: float
    """Of the problems, those for which it is expected to come about; 1: it follows no check."""
    room: int = SCENARIO_BYTES
    """Bytes beyond the problem's own."""
    limit: int | None = None
    """Tokens of a reply; None: as the spec says of solutions."""


SOLUTION, ACCEPTED, ALONE = (
    Step("target", "solution", 1.0),
    Step("target", "solution", 0.83),
    Step("evaluator", "independent_solution", 0.93),
)
SCENARIO = {
    "scenario": Step("generator", "scenario", 1.0, GUIDE_BYTES, WRITING),
    "scenario@check": Step("evaluator", "scenario_check", 0.98, GUIDE_BYTES, LIMIT),
    "distractors": Step("generator", "distractors", 0.98, GUIDE_BYTES, WRITING),
}
INSTRUCTION = {
    "instruction": Step("generator", "instruction", 1.0, GUIDE_BYTES, LIMIT),
    "instruction@check": Step("evaluator", "instruction_check", 0.98, GUIDE_BYTES, LIMIT),
}
CREATED = {
    "q2i": Step("target", "created_question", ACCEPTED.share, TEXT_BYTES),
    "q2i@solved": Step("evaluator", "independent_solution", ANSWERED),
    "q2i@met": Step("evaluator", "instruction_met", ANSWERED, COMPARED_BYTES, LIMIT),
    **dict.fromkeys(
        ("q2i@first", "q2i@second"), Step("judge", "comparison", 0.5, COMPARED_BYTES, LIMIT)
    ),
}
BASELINE = dict.fromkeys(
    ("baseline@first", "baseline@second"), Step("judge", "comparison", 1.0, COMPARED_BYTES, LIMIT)
)


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
        parts = (*first, *range(len(self.problems.problems)))
        return [(part, ONCE) for part in parts]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if part == PROMPT:
            yield from self._drafting(done)
            return
        problem = self.problems.problems[part]
        for where, due in self.steps(part).items():
            if not done.has(f"{done.short_id}/{problem.id}@{where}"):
                yield due

    def steps(self, part: int) -> dict[str, PlannedCall]:
        """All steps of a problem, by their place in it."""
        if part not in self._steps:
            named_steps = self._steps_of(part).items()
            self._steps[part] = {
                where: replace(due, shared=self._key(part, where)) for where, due in named_steps
            }
        return self._steps[part]

    def _steps_of(self, part: int) -> dict[str, PlannedCall]:
        spec, problem = self.spec, self.problems.problems[part]
        prepared = given_texts(spec, self.problems.given.get(problem.id)) if spec.given else None
        rows = {"original": SOLUTION}
        rows |= self._q2s(prepared) if "q2s" in spec.kinds else {}
        rows |= self._q2i(prepared) if "q2i" in spec.kinds else {}
        rows |= BASELINE if part in self.pairs else {}
        size, shown_size = _bytes(problem), dict.fromkeys(rows, len(shown(problem)))
        shown_size |= (
            {load: len(text) for load, text in prepared.scenarios.items()} if prepared else {}
        )
        steps = {
            where: PlannedCall(
                step.role,
                step.purpose,
                self._number(where, step),
                size + step.room,
                step.limit or spec.answer_tokens,
                shown_size[where],
            )
            for where, step in rows.items()
        }
        return steps | self._judged(problem, steps)

    def _q2s(self, prepared: Accepted | None) -> dict[str, Step]:
        if prepared:
            return dict.fromkeys(prepared.scenarios, SOLUTION)
        loads = self.spec.distractors
        bare = not max(DISTRACTORS[load] for load in loads)
        writing = {
            where: step for where, step in SCENARIO.items() if not (bare and where == "distractors")
        }
        return (
            writing | {f"{load}@solved": ALONE for load in loads} | dict.fromkeys(loads, ACCEPTED)
        )

    def _q2i(self, prepared: Accepted | None) -> dict[str, Step]:
        if prepared is None:
            return INSTRUCTION | CREATED
        share = {
            where: step._replace(share=step.share / ACCEPTED.share)
            for where, step in CREATED.items()
        }
        return share if prepared.instruction else {}

    def _number(self, where: str, step: Step) -> Spread:
        """Certain is only what passes no check, and needs no draft that is good enough."""
        kinds = (
            self.spec.kinds
            if where == "original"
            else ("q2s",)
            if where == "scenario"
            else ("q2i",)
        )
        sure = (
            self.spec.use_best or self.spec.single_pass or not set(kinds) <= set(self.spec.drafted)
        )
        return ONCE if sure and step.share == 1.0 else Spread(0.0, step.share, 1.0)

    def _key(self, part: int, where: str) -> Hashable:
        """None for what depends on the target."""
        of_target = where.removesuffix(SAME) in (
            "original",
            *self.spec.distractors,
        ) or where.startswith("q2i")
        return None if of_target else (self._same, part, where)

    def _judged(self, problem: Problem, steps: Mapping[str, PlannedCall]) -> dict[str, PlannedCall]:
        """The judge's word on each solution whose answer is in words."""
        in_words, open_in_words = (
            answer_kind(problem) == "text",
            Wanted.open(problem).kind == "text",
        )
        solved = {
            where: due.number for where, due in steps.items() if due.purpose.endswith("solution")
        }
        room = _bytes(problem) + SCENARIO_BYTES + 4 * self.spec.answer_tokens
        due = PlannedCall("judge", "verdict", room=room, known=len(shown(problem)))
        return {
            f"{where}{SAME}": replace(due, number=Spread(0.0, number.mid * JUDGED, number.high))
            for where, number in solved.items()
            if (open_in_words if where == "q2i@solved" else in_words)
        }

    @property
    def drafts(self) -> Spread:
        """Of each prompt that is drafted."""
        most = 1 if self.spec.single_pass else self.spec.rounds
        return Spread(1.0, min(ROUNDS, most), most)

    def _drafting(self, done: FinishedItems) -> Iterator[PlannedCall]:
        redrafts, room = (
            self.drafts.plus(fixed(-1.0)),
            6 * TEXT_BYTES + 2 * sum(map(_bytes, self.problems.problems[:1])),
        )
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
                ("generator", "prompt_redraft", redrafts, max(0, drafts - 1)),
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
        return [*self._chain_of_drafts(), *self.chain_of_a_problem()]

    def _chain_of_drafts(self) -> list[CallStage]:
        if not self.spec.drafted:
            return []
        return [
            CallStage("generator", "prompt_draft"),
            CallStage("generator", "prompt_redraft", self.drafts.plus(fixed(-1.0))),
            CallStage("evaluator", "prompt_score", self.drafts),
        ]

    def chain_of_a_problem(self) -> list[CallStage]:
        """Scenario → its check beside distractors → independent solution → solution; or instruction
        → check → question → independent solution → comparison."""
        prepared, alone = self.spec.given, CallStage("evaluator", "independent_solution")
        if "q2i" in self.spec.kinds:
            writing = [
                CallStage("generator", "instruction"),
                CallStage("evaluator", "instruction_check"),
            ]
            return [
                *([] if prepared else writing),
                CallStage("target", "created_question"),
                alone,
                CallStage("judge", "comparison"),
            ]
        writing = [
            CallStage("generator", "scenario"),
            CallStage("evaluator", "scenario_check"),
            alone,
        ]
        return [*([] if prepared else writing), CallStage("target", "solution")]


def _bytes(problem: Problem) -> int:
    texts = (problem.question, problem.answer, problem.solution, *problem.options)
    return sum(len(text.encode()) for text in texts)
