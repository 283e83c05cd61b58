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
        work: list[Awaitable[Any]] = [self._solve("original", "original", self.problem.question)]
        if partner is not None:
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
        solving = (self._solve(load, "scenario", text, load) for load, text in texts.items())
        await together(*solving)

    async def _write_scenario(self, guide: str) -> None:
        """The scenario at every load, written and checked."""
        await self.ask(
            "scenario",
            ScenarioWritten,
            write_scenario,
            self.problem,
            guide,
        )
        if self._is_pending("q2s"):
            extra = [self._distractors()] if most_distractors(self.spec) else []
            await together(self._check_scenario(), *extra)
        if self._is_pending("q2s"):
            texts = {load: scenario_text(self.items, load) for load in self.spec.distractors}
            solving = (
                self._solve(f"{load}@solved", "check", text, load) for load, text in texts.items()
            )
            await together(*solving)

    async def _q2i(self, guide: str) -> None:
        if not self.spec.given:
            await self._instruction(guide)
            if self._is_pending("q2i"):
                await self._check_instruction()
        instruction = self._accepted("q2i").instruction
        text = (await self._create(instruction)).text if instruction else ""
        if not text:
            return
        meeting = self.ask(
            "q2i@met",
            InstructionMet,
            keeps_to,
            instruction,
            text,
        )
        await together(self._solve("q2i@solved", "created", text), meeting)
        # answerable, with the required answer
        if solution_mark(self.items, "q2i@solved")[0] == "right":
            await together(*self._compare("q2i", text, instruction, pair="created"))

    def _is_pending(self, kind: Kind) -> bool:
        return verdicts_of(self.spec, self.items, None).get(kind) == PENDING

    def _accepted(self, kind: Kind) -> Accepted:
        verdict = verdicts_of(self.spec, self.items, self.prepared).get(kind)
        return verdict if isinstance(verdict, Accepted) else Accepted()

    # steps

    async def do(self, place: str, make: Callable[[Step], Awaitable[I]]) -> I:
        """The step's item, as the journal has it or made now."""
        item_id = f"{self.steps.short_id}/{self.problem.id}@{place}"
        admission = partial(nullcontext, self.payer)
        item = await self.steps.do(item_id, make, admission, problem=self.index)
        self.items[place] = item
        return item

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
        if solved.equal is None and solved.fault is None:
            words = solved.answer.text if solved.answer else ""
            answer = words if by_target else solved.read or words
            await self._judge(place, problem, text, answer, solved.id)

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

    async def _judge(
        self, place: str, problem: Problem, text: str, answer: str, solution_id: str
    ) -> None:
        """Whether an answer in words is the reference."""
        question, reference = text, problem.answer
        if problem.options:
            question = with_options(text, problem.options).text
            reference = f"{problem.answer}. {problem.final_answer}"
        await self.ask(
            f"{place}{SAME}",
            Same,
            judge,
            question,
            reference,
            answer,
            says=lambda reply: {"equal": reply.correct, "reason": reply.reason},
            of=solution_id,
        )

    async def _check_scenario(self) -> None:
        text = scenario_text(self.items, "none")

        async def make(step: Step) -> ScenarioChecked:
            if is_bare(self.problem, text):
                reason = "it repeats the problem almost word for word"
                return ScenarioChecked(**step.fields(), bare=True, reason=reason)
            lost = lost_figures(self.problem.question, text)
            reply = await step.ask(check_scenario, self.problem, text, lost)
            return step.item(ScenarioChecked, reply, dict)

        await self.do("scenario@check", make)

    async def _distractors(self) -> None:
        draft: ScenarioWritten = self.items["scenario"]

        def says(reply: list[Distractor]) -> dict[str, Any]:
            distractors, dropped = usable(self.problem, draft.sentences, draft.question, reply)
            return {"distractors": tuple(distractors), "dropped": tuple(dropped)}

        count = most_distractors(self.spec)
        about = (self.problem, draft.sentences, draft.question, count)
        await self.ask(
            "distractors",
            DistractorsWritten,
            write_distractors,
            *about,
            says=says,
        )

    async def _instruction(self, guide: str) -> None:
        await self.ask(
            "instruction",
            InstructionWritten,
            write_instruction,
            self.problem,
            guide,
            says=lambda text: {"text": text},
        )

    async def _check_instruction(self) -> None:
        text = self.items["instruction"].text

        async def make(step: Step) -> InstructionChecked:
            # what can be seen without asking is not asked
            if not final_stands_in(text, self.problem.final_answer):
                reason = "the final answer does not stand in it"
                return InstructionChecked(**step.fields(), complete=False, reason=reason)
            if copied := copied_words(self.problem, text):
                reason = f"it repeats the problem: “{copied} …”"
                return InstructionChecked(**step.fields(), gives_away=True, reason=reason)
            reply = await step.ask(check_instruction, self.problem, text)
            return step.item(InstructionChecked, reply, dict)

        await self.do("instruction@check", make)

    async def _create(self, instruction: str) -> Created:
        def says(answer: Answer) -> dict[str, Any]:
            return {"text": "" if answer.refusal else answer.text.strip(), "answer": answer}

        skill = create_question.up_to(self.spec.answer_tokens)
        return await self.ask(
            "q2i",
            Created,
            skill,
            instruction,
            says=says,
        )

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
