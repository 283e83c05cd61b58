"""Solving: target and evaluator work on a text, the answer is read, and where it is words the judge
compares."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from ...agents.answers.final_answer import answer_kind, read_final, same_answer
from ...agents.judge.verdict import judge
from ...agents.prober.answer import with_options
from ...agents.prober.solver import IndependentReply, solve, solve_independently
from ...agents.skill import Skill
from ...state.deepquestion.items import Same, Solution, SolvedWhat
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.items import AnyItem
from ...state.problems import AnswerKind, Load, Problem
from ...state.records import Answer
from ...tools.models.chat import Payer
from ..run.deps import RunDeps
from ..step import Step, Steps

I = TypeVar("I", bound=AnyItem)  # noqa: E741 - an item
SAME = "@same"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The answer that a solution is compared with."""

    answer: str
    kind: AnswerKind
    options: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """As the judge is told: of multiple choice with the option's text."""
        place = ord(self.answer) - 65 if self.options else 0
        return f"{self.answer}. {self.options[place]}" if self.options else self.answer

    @classmethod
    def of(cls, problem: Problem) -> "Wanted":
        """The problem's own."""
        return cls(problem.answer, answer_kind(problem), problem.options)

    @classmethod
    def open(cls, problem: Problem) -> "Wanted":
        """That of a question which asks for it without options."""
        plain = problem.model_copy(update={"options": (), "answer": problem.final_answer})
        return cls(plain.answer, answer_kind(plain))


class Place:
    """Where the steps of one problem stand, and who pays for them."""

    def __init__(self, steps: Steps, spec: DeepQuestionSpec, index: int, problem: Problem) -> None:
        self.steps, self.spec, self.index, self.problem = steps, spec, index, problem
        self.payer: Payer | None = None

    @property
    def deps(self) -> RunDeps:
        return self.steps.deps

    def id_of(self, place: str) -> str:
        return f"{self.steps.short_id}/{self.problem.id}@{place}"

    async def ask(
        self,
        place: str,
        kind: type[I],
        skill: Skill[..., Any],
        *about: Any,
        says: Callable[[Any], Mapping[str, Any]] = dict,
        **fields: Any,
    ) -> I:
        """The item of a step that is one skill's. `says`: its fields by what comes of the skill;
        `fields`: others."""

        async def make(step: Step) -> I:
            return step.item(kind, await step.ask(skill, *about), says, **fields)

        return await self.do(place, make)

    async def do(self, place: str, make: Callable[[Step], Awaitable[I]]) -> I:
        """The step's item, as the journal has it or made now."""
        return await self.steps.do(
            self.id_of(place), make, lambda: nullcontext(self.payer), problem=self.index
        )


class Solver:
    """Solutions of one problem's texts."""

    def __init__(self, place: Place) -> None:
        self.place, self.spec = place, place.spec

    async def by_target(
        self, where: str, what: SolvedWhat, text: str, load: Load | None = None
    ) -> tuple[Solution, Same | None]:
        """The target solves the problem, or its scenario."""
        wanted = Wanted.of(self.place.problem)

        def says(answer: Answer) -> dict[str, Any]:
            return {"answer": answer} | (
                {"equal": False} if answer.refusal else self._read(answer.text, wanted)
            )

        skill = solve.up_to(self.spec.answer_tokens)
        solved = await self.place.ask(
            where, Solution, skill, text, wanted.options, says=says, what=what, load=load
        )
        answer_text = solved.answer.text if solved.answer else ""
        return solved, await self._compare(where, text, answer_text, wanted, solved)

    async def by_evaluator(
        self, where: str, what: SolvedWhat, text: str, wanted: Wanted, load: Load | None = None
    ) -> tuple[Solution, Same | None]:
        """The evaluator solves a text without sight of the reference."""

        def says(reply: IndependentReply) -> dict[str, Any]:
            answer = Answer(
                text=f"{reply.working}\n\n{reply.final or 'Not solvable.'}".strip(), finish="stop"
            )
            return {"answer": answer} | (
                self._read(f"Answer: {reply.final}", wanted) if reply.final else {"equal": False}
            )

        skill = solve_independently.up_to(self.spec.answer_tokens)
        solved = await self.place.ask(
            where, Solution, skill, text, wanted.options, says=says, what=what, load=load
        )
        answer_text = solved.read or (solved.answer.text if solved.answer else "")
        return solved, await self._compare(where, text, answer_text, wanted, solved)

    def _read(self, answer_text: str, wanted: Wanted) -> dict[str, Any]:
        """The final answer, and whether it is the wanted one: what no rule can read, or compare,
        the judge does."""
        read = read_final(answer_text, wanted.kind, wanted.options)
        equal = same_answer(read, wanted.answer, wanted.kind, tolerance=self.spec.tolerance)
        return {"read": read, "equal": equal}

    async def _compare(
        self, where: str, text: str, answer_text: str, wanted: Wanted, solved: Solution
    ) -> Same | None:
        """The judge's word, where no rule can tell."""
        if solved.equal is not None or solved.fault is not None:
            return None
        question = with_options(text, wanted.options) if wanted.options else text

        return await self.place.ask(
            f"{where}{SAME}",
            Same,
            judge,
            question,
            wanted.reference,
            answer_text,
            says=lambda reply: {"equal": reply.correct, "reason": reply.reason},
            of=solved.id,
        )
