"""What a DeepQuestion asks: per prompt that is drafted 1 to `rounds` drafts, each scored; per problem a solution of the
original; of Q2S a scenario, its check, distractors (where a load has any), per load an independent solution and one by
the target; of Q2I an instruction, its check, a question by it, its independent solution, its check and two comparisons.
The judge also compares answers in words, and the baseline pairs in both orders.

What follows from what is written comes about only where that passes its checks, and nothing is written by a prompt of
which no draft is good enough. Texts that are given are neither written nor checked.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ...agents.answers.final.answer import answer_kind
from ...agents.questioner.transformation import shown
from ...state.deepquestion.items import DISTRACTORS, Kind, Problem, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.records import Role
from ...stats.deepquestion.checks import given_texts
from ..run.due import ALWAYS, LIMIT, ONCE, TEXT_BYTES, Done, Due, Link
from ..run.spread import Spread, fixed, total
from .creating import baseline_pairs
from .loop import PROMPT, TOKENS
from .solving import SAME, Wanted

WRITING = 3000
"""Token limit of a scenario or of distractors."""
GUIDE_BYTES = 4 * WRITING
SCENARIO_BYTES = 6_000
ROUNDS = 2.0
"""Drafts of a prompt that are expected."""
CHECKED, SOLVED, ACCEPTED, ANSWERED, COMPARED = 0.98, 0.93, 0.83, 0.83, 0.5
"""Shares expected of the problems: those whose text is checked, solved (of scenarios), asked of the target, answered
with a question, and compared."""
JUDGED = 0.9
"""Share of the answers in words that are not the reference to the letter, so that the judge compares them."""


class DeepQuestionCalls:
    """What one run asks. Its parts are the prompts that are drafted (all in one), then the problems."""

    def __init__(self, spec: DeepQuestionSpec, problems: ProblemSet) -> None:
        self.spec, self.problems = spec, problems
        self._same = spec.model_copy(update={"target": "", "world": None}).digest
        """Who is asked before the target has a say is asked the same by all runs with this one."""
        self._steps: dict[int, dict[str, Due]] = {}

    @cached_property
    def pairs(self) -> Mapping[int, int]:
        """Baseline pairs."""
        return baseline_pairs(self.spec, self.problems) if "q2i" in self.spec.kinds else {}

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        first = [PROMPT] if self.spec.drafted else []
        return [(part, ALWAYS) for part in (*first, *range(len(self.problems.problems)))]

    def due(self, part: int, done: Done) -> Iterator[Due]:
        if part == PROMPT:
            yield from self._drafting(done)
            return
        problem = self.problems.problems[part]
        for where, due in self.steps(part).items():
            if not done.has(f"{done.short_id}/{problem.id}@{where}"):
                yield due

    def steps(self, part: int) -> dict[str, Due]:
        """All steps of a problem, by their place in it."""
        if part not in self._steps:
            found = self._steps_of(part).items()
            self._steps[part] = {where: replace(due, shared=self._key(part, where)) for where, due in found}
        return self._steps[part]

    def _steps_of(self, part: int) -> dict[str, Due]:
        problem, kinds = self.problems.problems[part], self.spec.kinds
        asked = ONCE if any(self._certain(kind) for kind in kinds) else _up_to(1.0)
        steps = {"original": self._solution(problem, asked)}
        steps |= self._q2s(problem) if "q2s" in kinds else {}
        steps |= self._q2i(problem) if "q2i" in kinds else {}
        steps |= self._judged(problem, steps)
        return steps | (self._compared("baseline", problem, self._written("q2i")) if part in self.pairs else {})

    def _key(self, part: int, where: str) -> Hashable:
        """None for what depends on the target."""
        own = where.removesuffix(SAME) in ("original", *self.spec.distractors) or where.startswith("q2i")
        return None if own else (self._same, part, where)

    def _certain(self, kind: Kind) -> bool:
        """Whether there will be a prompt to write by."""
        return self.spec.use_best or self.spec.single_pass or kind not in self.spec.drafted

    def _written(self, kind: Kind) -> Spread:
        return ONCE if self._certain(kind) else _up_to(1.0)

    def _q2s(self, problem: Problem) -> dict[str, Due]:
        spec, steps = self.spec, dict[str, Due]()
        if spec.given:
            told = given_texts(spec, self.problems.given.get(problem.id)).scenarios
            asked = self._solution(problem, ONCE)
            return {load: replace(asked, known=float(len(text))) for load, text in told.items()}
        written = self._written("q2s")
        steps["scenario"] = self._writing("generator", "scenario", problem, written, WRITING)
        steps["scenario@check"] = self._writing("evaluator", "scenario_check", problem, _up_to(CHECKED))
        if max(DISTRACTORS[load] for load in spec.distractors):
            steps["distractors"] = self._writing("generator", "distractors", problem, _up_to(CHECKED), WRITING)
        for load in spec.distractors:
            steps[f"{load}@solved"] = self._alone(problem, SOLVED)
            steps[load] = self._solution(problem, _up_to(ACCEPTED))
        return steps

    def _q2i(self, problem: Problem) -> dict[str, Due]:
        spec, steps, accepted = self.spec, dict[str, Due](), _up_to(ACCEPTED)
        if spec.given:
            if not given_texts(spec, self.problems.given.get(problem.id)).instruction:
                return {}
            accepted = ONCE
        else:
            steps["instruction"] = self._writing("generator", "instruction", problem, self._written("q2i"))
            steps["instruction@check"] = self._writing("evaluator", "instruction_check", problem, _up_to(CHECKED))
        share = 1.0 if spec.given else ANSWERED
        steps["q2i"] = Due("target", "created_question", accepted, limit=spec.answer_tokens)
        steps["q2i@solved"] = self._alone(problem, share)
        steps["q2i@met"] = Due("evaluator", "instruction_met", _up_to(share), room=4 * TEXT_BYTES)
        return steps | self._compared("q2i", problem, _up_to(COMPARED))

    def _judged(self, problem: Problem, steps: Mapping[str, Due]) -> dict[str, Due]:
        """The judge's word on each solution whose answer is in words."""
        own, written = answer_kind(problem) == "text", Wanted.open(problem).kind == "text"
        solved = {where: due.number for where, due in steps.items() if due.purpose.endswith("solution")}
        room = _bytes(problem) + SCENARIO_BYTES + 4 * self.spec.answer_tokens
        due = Due("judge", "verdict", room=room, known=_length(problem))
        return {
            f"{where}{SAME}": replace(due, number=Spread(0.0, number.mid * JUDGED, number.high))
            for where, number in solved.items()
            if (written if where == "q2i@solved" else own)
        }

    def _solution(self, problem: Problem, number: Spread) -> Due:
        room = _bytes(problem) + SCENARIO_BYTES
        return Due("target", "solution", number, room, self.spec.answer_tokens, known=_length(problem))

    def _alone(self, problem: Problem, share: float) -> Due:
        room, limit = _bytes(problem) + SCENARIO_BYTES, self.spec.answer_tokens
        return Due("evaluator", "independent_solution", _up_to(share), room, limit, known=_length(problem))

    def _writing(self, role: Role, purpose: str, problem: Problem, number: Spread, limit: int = LIMIT) -> Due:
        known = _length(problem) + len(problem.answer)
        return Due(role, purpose, number, _bytes(problem) + GUIDE_BYTES, limit, known=known)

    def _compared(self, pair: str, problem: Problem, number: Spread) -> dict[str, Due]:
        due = Due("judge", "comparison", number, _bytes(problem) + 4 * TEXT_BYTES, known=_length(problem))
        return {f"{pair}@{order}": due for order in ("first", "second")}

    @property
    def drafts(self) -> Spread:
        """Of each prompt that is drafted."""
        most = 1 if self.spec.single_pass else self.spec.rounds
        return Spread(1.0, min(ROUNDS, most), most)

    @cached_property
    def scenarios(self) -> Spread:
        """That the target is asked at each load."""
        return self._asked(self.spec.distractors[0])

    @cached_property
    def instructions(self) -> Spread:
        """By which the target is asked to write."""
        return self._asked("q2i")

    @cached_property
    def words(self) -> int:
        """Problems whose answers are in words, so that the judge compares them."""
        return sum(answer_kind(problem) == "text" for problem in self.problems.problems)

    def _asked(self, where: str) -> Spread:
        every = (self.steps(part) for part in range(len(self.problems.problems)))
        return total(steps[where].number for steps in every if where in steps)

    def _drafting(self, done: Done) -> Iterator[Due]:
        again, room = self.drafts.plus(fixed(-1.0)), 6 * TEXT_BYTES + 2 * sum(map(_bytes, self.problems.problems[:1]))
        for kind in self.spec.drafted:
            drafts, scores = (
                sum(item_id.startswith(f"{done.short_id}/{kind}@{step}") for item_id in done.memory.item_ids)
                for step in ("draft", "score")
            )
            steps: tuple[tuple[Role, str, Spread, int], ...] = (
                ("generator", "prompt_draft", ONCE, min(drafts, 1)),
                ("generator", "prompt_redraft", again, max(0, drafts - 1)),
                ("evaluator", "prompt_score", self.drafts, scores),
            )
            for role, purpose, number, made in steps:
                left = Spread(*(max(0.0, each - made) for each in number))
                yield Due(role, purpose, left, room, TOKENS, shared=(self._same, kind, purpose))

    def chain(self, parts: Spread) -> list[Link]:
        """The drafts and scores, one after the other; then a problem, all of them beside one another."""
        return [*self._chain_of_drafts(), *self.chain_of_a_problem()]

    def _chain_of_drafts(self) -> list[Link]:
        if not self.spec.drafted:
            return []
        return [
            Link("generator", "prompt_draft"),
            Link("generator", "prompt_redraft", self.drafts.plus(fixed(-1.0))),
            Link("evaluator", "prompt_score", self.drafts),
        ]

    def chain_of_a_problem(self) -> list[Link]:
        """Scenario → its check beside distractors → independent solution → solution; or instruction → check → question
        → independent solution → comparison."""
        given, alone = self.spec.given, Link("evaluator", "independent_solution")
        if "q2i" in self.spec.kinds:
            written = [Link("generator", "instruction"), Link("evaluator", "instruction_check")]
            return [*([] if given else written), Link("target", "created_question"), alone, Link("judge", "comparison")]
        written = [Link("generator", "scenario"), Link("evaluator", "scenario_check"), alone]
        return [*([] if given else written), Link("target", "solution")]


def _up_to(share: float) -> Spread:
    """A step that comes about with this likelihood."""
    return Spread(0.0, share, 1.0)


def _length(problem: Problem) -> float:
    return float(len(shown(problem)))


def _bytes(problem: Problem) -> int:
    texts = (problem.question, problem.answer, problem.solution, *problem.options)
    return sum(len(text.encode()) for text in texts)
