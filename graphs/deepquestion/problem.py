"""One problem of a benchmark: the original, its scenario, an instruction made from it, and
comparisons, side by side.

A step begins as soon as what it needs is there, and each is journalled as it finishes. What was
written is put to the target only when it has passed every check.
"""

from collections.abc import Mapping

from ...state.deepquestion.result import Mark
from ...state.events import PartMark, ProblemClosed
from ...state.problems import Kind, Load, ProblemSet, Transformed
from ...stats.deepquestion.checks import (
    Accepted,
    Pending,
    Rejected,
    Verdict,
    created_mark,
    given_texts,
    instruction_verdict,
    scenario_text,
    scenario_verdict,
)
from ...stats.deepquestion.marks import Solved, solution_mark
from ..run.deps import together
from .creating import Creator
from .solving import Place, Solver, Wanted
from .writing import Writer


class ProblemRun:
    """Plays one problem."""

    def __init__(
        self, place: Place, problems: ProblemSet, guides: Mapping[Kind, str], partner: int | None
    ) -> None:
        """`guides`: kinds that go on, with their transformation prompts (empty where what was
        written is given). `partner`: the problem that this one is compared with, to see how the judge
        leans; None: none."""
        self.place, self.spec, self.problem = place, place.spec, place.problem
        self.problems, self.guides, self.other = problems, guides, partner
        self.solver, self.writer, self.creator = Solver(place), Writer(place), Creator(place)
        self._marks: dict[str, PartMark] = {}

    async def play(self) -> ProblemClosed:
        """Everything about the problem but its closing event, which is returned."""
        work = [self._original(), self._baseline()]
        if "q2s" in self.guides:
            work.append(self._q2s(self.guides["q2s"]))
        if "q2i" in self.guides:
            work.append(self._q2i(self.guides["q2i"]))
        await together(*work)
        columns = ["original", *(f"q2s-{load}" for load in self.spec.distractors), "q2i"]
        marks = {column: self._marks[column] for column in columns if column in self._marks}
        index, problem = self.place.index, self.problem.id
        return ProblemClosed(
            run_id=self.place.steps.run_id, index=index, problem=problem, marks=marks
        )

    async def _original(self) -> None:
        solved = await self.solver.by_target("original", "original", self.problem.question)
        self._mark("original", solution_mark(*solved)[0])

    async def _baseline(self) -> None:
        if self.other is None:
            return
        orders = (
            self.creator.baseline(self.problems, self.other, original_first=first)
            for first in (True, False)
        )
        await together(*orders)

    async def _q2s(self, guide: str) -> None:
        verdict = (
            given_texts(self.spec, self._prepared())
            if self.spec.given
            else await self._scenario(guide)
        )
        scenarios = verdict.scenarios if isinstance(verdict, Accepted) else {}
        for load in self.spec.distractors if not isinstance(verdict, Accepted) else ():
            self._mark(f"q2s-{load}", "rejected" if isinstance(verdict, Rejected) else "unscored")
        await together(*(self._solve(load, text) for load, text in scenarios.items()))

    async def _solve(self, load: Load, text: str) -> None:
        solved = await self.solver.by_target(load, "scenario", text, load)
        self._mark(f"q2s-{load}", solution_mark(*solved)[0])

    async def _scenario(self, guide: str) -> Verdict:
        """The scenario at every load, written and checked."""
        draft = await self.writer.scenario(guide)
        verdict = scenario_verdict(draft, None, None, {}, self.spec)
        if not isinstance(verdict, Pending):
            return verdict
        check, distractors = await together(
            self.writer.scenario_check(draft), self.writer.distractors(draft)
        )
        verdict = scenario_verdict(draft, check, distractors, {}, self.spec)
        if not isinstance(verdict, Pending):
            return verdict
        texts = {load: scenario_text(draft, distractors, load) for load in self.spec.distractors}
        solutions: list[Solved] = await together(
            *(self._check(load, text) for load, text in texts.items())
        )
        return scenario_verdict(
            draft, check, distractors, dict(zip(texts, solutions, strict=True)), self.spec
        )

    async def _check(self, load: Load, text: str) -> Solved:
        return await self.solver.by_evaluator(
            f"{load}@solved", "check", text, Wanted.of(self.problem), load
        )

    async def _q2i(self, guide: str) -> None:
        verdict = (
            given_texts(self.spec, self._prepared())
            if self.spec.given
            else await self._instruction(guide)
        )
        instruction = verdict.instruction if isinstance(verdict, Accepted) else ""
        if not isinstance(verdict, Accepted):
            self._mark("q2i", "rejected" if isinstance(verdict, Rejected) else "unscored")
        if not instruction:
            return
        created = await self.creator.create(instruction)
        if created.fault is not None or not created.text:
            self._mark("q2i", created_mark(created, None, None, None).mark)
            return
        solving = self.solver.by_evaluator(
            "q2i@solved", "created", created.text, Wanted.open(self.problem)
        )
        (solved, same_answer), met = await together(
            solving, self.creator.met(instruction, created.text)
        )
        self._mark("q2i", created_mark(created, solved, same_answer, met).mark)
        if solution_mark(solved, same_answer)[0] == "right":  # answerable, with the required answer
            orders = (
                self.creator.compared(instruction, created.text, original_first=first)
                for first in (True, False)
            )
            await together(*orders)

    async def _instruction(self, guide: str) -> Verdict:
        draft = await self.writer.instruction(guide)
        verdict = instruction_verdict(draft, None)
        if not isinstance(verdict, Pending):
            return verdict
        return instruction_verdict(draft, await self.writer.instruction_check(draft))

    def _prepared(self) -> Transformed | None:
        return self.problems.given.get(self.problem.id)

    def _mark(self, column: str, mark: Mark | PartMark) -> None:
        self._marks[column] = mark
