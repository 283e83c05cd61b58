"""One problem of a benchmark: the original, its scenario, an instruction made from it, and
comparisons, side by side.

A step begins as soon as what it needs is there, and each is journalled as it finishes. What was
written is put to the target only when it has passed every check.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

from ...agents.answers.final_answer import (
    answer_kind,
    final_stands_in,
    lost_figures,
    read_final,
    same_answer,
)
from ...agents.judge.comparison import ComparisonReply, compare_questions
from ...agents.judge.verdict import judge
from ...agents.prober.answer import with_options
from ...agents.prober.solver import (
    IndependentReply,
    create_question,
    solve,
    solve_independently,
)
from ...agents.questioner.choice_wording import usable
from ...agents.questioner.instruction import (
    check_instruction,
    copied_words,
    keeps_to,
    write_instruction,
)
from ...agents.questioner.scenario import (
    check_scenario,
    is_bare,
    write_distractors,
    write_scenario,
)
from ...agents.questioner.transformation import problem_text
from ...agents.skill import Skill
from ...state.deepquestion.items import (
    Compared,
    Created,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
    SolvedWhat,
)
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.events import ProblemClosed
from ...state.items import AnyItem
from ...state.problems import Distractor, Kind, Load, Problem, ProblemSet
from ...state.records import Answer
from ...tools.models.chat import Payer
from ..run.deps import together
from ..step import Step, Steps
from .checks import PENDING, SAME, Accepted, most_distractors, scenario_text, solution_mark
from .rows import problem_outcome, verdicts_of

I = TypeVar("I", bound=AnyItem)  # noqa: E741 - an item


class ProblemRun:
    """Plays one problem."""

    def __init__(
        self,
        steps: Steps,
        spec: DeepQuestionSpec,
        problems: ProblemSet,
        index: int,
        payer: Payer | None,
    ) -> None:
        self.steps, self.spec, self.problems, self.index = steps, spec, problems, index
        self.problem = problems.problems[index]
        self.prepared = problems.given.get(self.problem.id)
        """What was written is given."""
        self.payer = payer
        self.items: dict[str, Any] = {}
        """By place in the problem."""

    async def play(self, guides: Mapping[Kind, str], partner: int | None) -> ProblemClosed:
        """Everything about the problem but its closing event, which is returned. `guides`: kinds
        that go on, with their transformation prompts (empty where what was written is given).
        `partner`: the problem that this one is compared with, to see how the judge leans; None:
        none."""
        work: list[Awaitable[Any]] = [
            self._solve("original", "original", self.problem.question)
        ]
        if partner is not None and "q2i" in guides:
            other_text = problem_text(self.problems.problems[partner]).text
            work += self._compare("baseline", other_text, pair="baseline", other=partner)
        if "q2s" in guides:
            work.append(self._q2s(guides["q2s"]))
        if "q2i" in guides:
            work.append(self._q2i(guides["q2i"]))
        await together(*work)
        outcome = problem_outcome(self.spec, self.problem, self.items, self.prepared)
        return ProblemClosed(
            run_id=self.steps.run_id,
            index=self.index,
            problem=self.problem.id,
            marks=outcome.marks(self.spec),
        )

    async def _q2s(self, guide: str) -> None:
        if not self.spec.given:
            await self._write_scenario(guide)
        texts = self._accepted("q2s").scenarios
        await together(
            *(self._solve(load, "scenario", text, load) for load, text in texts.items())
        )

    async def _write_scenario(self, guide: str) -> None:
        """The scenario at every load, written and checked."""
        await self.ask("scenario", ScenarioWritten, write_scenario, self.problem, guide)
        if self._is_pending("q2s"):
            extra = [self._distractors()] if most_distractors(self.spec) else []
            await together(self._check_scenario(), *extra)
        if self._is_pending("q2s"):
            loads = self.spec.distractors
            texts = {load: scenario_text(self.items, load) for load in loads}
            await together(
                *(self._solve(f"{load}@solved", "check", texts[load], load) for load in loads)
            )

    async def _check_scenario(self) -> None:
        text = scenario_text(self.items, "none")
        obvious = {"bare": True, "reason": "it repeats the problem almost word for word"}
        await self.ask(
            "scenario@check",
            ScenarioChecked,
            check_scenario,
            self.problem,
            text,
            lost_figures(self.problem.question, text),
            obvious=obvious if is_bare(self.problem, text) else None,
        )

    async def _distractors(self) -> None:
        draft: ScenarioWritten = self.items["scenario"]

        def says(reply: list[Distractor]) -> dict[str, Any]:
            distractors, dropped = usable(self.problem, draft.sentences, draft.question, reply)
            return {"distractors": tuple(distractors), "dropped": tuple(dropped)}

        await self.ask(
            "distractors",
            DistractorsWritten,
            write_distractors,
            self.problem,
            draft.sentences,
            draft.question,
            most_distractors(self.spec),
            says=says,
        )

    async def _q2i(self, guide: str) -> None:
        if not self.spec.given:
            await self._write_instruction(guide)
        instruction = self._accepted("q2i").instruction
        if not instruction:
            return
        created = await self.ask(
            "q2i",
            Created,
            create_question.up_to(self.spec.answer_tokens),
            instruction,
            says=lambda answer: {
                "text": "" if answer.refusal else answer.text.strip(),
                "answer": answer,
            },
        )
        if not created.text:
            return
        meeting = self.ask("q2i@met", InstructionMet, keeps_to, instruction, created.text)
        await together(self._solve("q2i@solved", "created", created.text), meeting)
        # answerable, with the required answer
        if solution_mark(self.items, "q2i@solved")[0] == "right":
            await together(*self._compare("q2i", created.text, instruction, pair="created"))

    async def _write_instruction(self, guide: str) -> None:
        draft = await self.ask(
            "instruction",
            InstructionWritten,
            write_instruction,
            self.problem,
            guide,
            says=lambda text: {"text": text},
        )
        if not self._is_pending("q2i"):
            return
        obvious: dict[str, Any] | None = None
        if not final_stands_in(draft.text, self.problem.final_answer):
            obvious = {"complete": False, "reason": "the final answer does not stand in it"}
        elif copied := copied_words(self.problem, draft.text):
            obvious = {"gives_away": True, "reason": f"it repeats the problem: “{copied} …”"}
        await self.ask(
            "instruction@check",
            InstructionChecked,
            check_instruction,
            self.problem,
            draft.text,
            obvious=obvious,
        )

    def _is_pending(self, kind: Kind) -> bool:
        return verdicts_of(self.spec, self.items, None).get(kind) == PENDING

    def _accepted(self, kind: Kind) -> Accepted:
        verdict = verdicts_of(self.spec, self.items, self.prepared).get(kind)
        return verdict if isinstance(verdict, Accepted) else Accepted()

    # steps

    async def ask(
        self,
        place: str,
        kind: type[I],
        skill: Skill[..., Any],
        *about: Any,
        says: Callable[[Any], Mapping[str, Any]] = dict,
        obvious: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> I:
        """The item of a step, as the journal has it or made now. `says`: its fields by what comes of
        the skill; `obvious`: those of what can be seen without asking; `fields`: others."""

        async def make(step: Step) -> I:
            if obvious is not None:
                return kind(**step.fields(), **obvious)
            return step.item(kind, await step.ask(skill, *about), says, **fields)

        item_id = f"{self.steps.short_id}/{self.problem.id}@{place}"
        admission = partial(nullcontext, self.payer)
        item = await self.steps.do(item_id, make, admission, problem=self.index)
        self.items[place] = item
        return item

    async def _solve(
        self, place: str, what: SolvedWhat, text: str, load: Load | None = None
    ) -> None:
        """The target solves an original or a scenario, the evaluator what is being checked, without
        sight of the reference; the answer is read, and where no rule can tell the judge compares."""
        problem = self.problem.without_options if what == "created" else self.problem
        by_target = what in ("original", "scenario")
        skill: Skill[..., Any] = solve if by_target else solve_independently
        solved = await self.ask(
            place,
            Solution,
            skill.up_to(self.spec.answer_tokens),
            text,
            problem.options,
            says=partial(self._answered if by_target else self._worked_out, problem),
            what=what,
            load=load,
        )
        if solved.equal is not None or solved.fault is not None:
            return
        words = solved.answer.text if solved.answer else ""
        reference = problem.answer
        if problem.options:
            reference = f"{problem.answer}. {problem.final_answer}"
        await self.ask(
            f"{place}{SAME}",
            Same,
            judge,
            with_options(text, problem.options).text,
            reference,
            words if by_target else solved.read or words,
            says=lambda reply: {"equal": reply.correct, "reason": reply.reason},
            of=solved.id,
        )

    def _answered(self, problem: Problem, answer: Answer) -> dict[str, Any]:
        return self._read(problem, answer, None if answer.refusal else answer.text)

    def _worked_out(self, problem: Problem, reply: IndependentReply) -> dict[str, Any]:
        text = f"{reply.working}\n\n{reply.final or 'Not solvable.'}".strip()
        final = f"Answer: {reply.final}" if reply.final else None
        return self._read(problem, Answer(text=text, finish="stop"), final)

    def _read(self, problem: Problem, answer: Answer, final: str | None) -> dict[str, Any]:
        """The fields of a solution. `final`: where the final answer stands; None: there is none."""
        if final is None:
            return {"answer": answer, "equal": False}
        kind = answer_kind(problem)
        read = read_final(final, kind, problem.options)
        equal = same_answer(read, problem.answer, kind, tolerance=self.spec.tolerance)
        return {"answer": answer, "read": read, "equal": equal}

    def _compare(
        self, place: str, question: str, instruction: str = "", **fields: Any
    ) -> list[Awaitable[Any]]:
        """The original and another question, in both orders. `instruction`: empty for two
        originals."""
        original = problem_text(self.problem).text

        def says(reply: ComparisonReply) -> dict[str, Any]:
            preferences = reply.preferences(instructed=bool(instruction))
            return {"preferences": preferences, "reason": reply.reason}

        orders = {"first": (original, question), "second": (question, original)}
        return [
            self.ask(
                f"{place}@{order}",
                Compared,
                compare_questions,
                *texts,
                instruction,
                says=says,
                original_first=order == "first",
                **fields,
            )
            for order, texts in orders.items()
        ]
