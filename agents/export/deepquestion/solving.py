"""Solving, reading final answers, creating questions and comparing them; see
`agents.export.deepquestion`."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from ....state.deepquestion.items import CRITERIA, Criterion, Preference, Problem
from ....state.errors import UsageError
from ....tools.files.deepquestion.fields import problem_of
from ...answers.final.answer import answer_kind, read_final, same_answer
from ...judge import comparison
from ...prober.solver import create_question, solve, solve_independently
from ...questioner import instruction as instructions
from ...questioner.transformation import shown
from ...skill import Ask
from .. import Answered, Refusal, answered, exported
from .writing import Instruction, Options, ProblemFields

Preferred = Literal["created", "original", "tie"]
"""Which of a written question and the original is the better one."""


@exported("solve_problem", "Have the model under test solve a problem.", "target")
async def solver(ask: Ask, question: str, options: Options = ()) -> Answered:
    """The target solves a problem, or a scenario made from it: its own answer, step by step.
    Nothing else of a host's state is shown to it."""
    return answered(await solve(ask, question, options or ()))


class Solved(TypedDict):
    """`answer`: the final answer alone, empty where the text determines none (`solvable` is
    false)."""

    answer: str
    solvable: bool
    working: str


@exported(
    "solve_independently",
    "Solve a problem without sight of its answer, or say that it determines none.",
    "evaluator",
    "question",
)
async def independent_solver(ask: Ask, question: str, options: Options = ()) -> Solved:
    """The evaluator solves a text without sight of any reference, or says that it determines no
    answer. Of a text without a word, which is what a refusal to write one leaves, nobody is asked.
    """
    if not question.strip():
        return {"answer": "", "solvable": False, "working": ""}
    said = await solve_independently(ask, question, options or ())
    return {"answer": said.final, "solvable": said.solvable, "working": said.working}


class FinalJudged(TypedDict):
    """`read`: the final answer as it was read, empty where there is none; `correct` is null where
    words have to be compared, which a judge can do."""

    correct: bool | None
    read: str


@exported(
    "judge_final_answer",
    "Read the final answer of a solution and compare it with the right one, by rule.",
)
async def final_judge(
    problem: ProblemFields,
    answer: str,
    options: Options = (),
    refusal: Refusal = False,
    *,
    tolerance: float | None = None,
) -> FinalJudged:
    """Is the final answer the right one? Code alone, no model: numbers by value, unit and
    precision, choices by letter. `options`: as the solver saw them; without any the answer of a
    multiple-choice problem is its option's text.

    `tolerance`: relative difference up to which two numbers are the same; None: bare numbers when
    equal, others by the precision with which they are written. What cannot be read for certain is
    neither right nor wrong: None. Raises UsageError when the options are not those of the problem.
    """
    given = _as_asked(problem_of(problem), options or ())
    if refusal or not answer.strip():
        return {"correct": False, "read": ""}
    kind = answer_kind(given)
    read = read_final(answer, kind, given.options)
    return {"correct": same_answer(read, given.answer, kind, tolerance=tolerance), "read": read}


class QuestionCreated(TypedDict):
    """`question` is empty when the model refused."""

    question: str
    finish: str
    refusal: bool


@exported(
    "create_question", "Have the model under test write a question by an instruction.", "target"
)
async def question_creator(ask: Ask, instruction: Instruction) -> QuestionCreated:
    """The target writes a question by an instruction. Nothing else of a host's state, such as the
    problem, is shown."""
    answer = await create_question(ask, instruction)
    text = "" if answer.refusal else answer.text.strip()
    return {"question": text, "finish": answer.finish, "refusal": answer.refusal}


@exported(
    "check_created_question",
    "Check whether a question keeps to the instruction by which it was written.",
    "evaluator",
    "question",
)
async def instruction_met_checker(
    ask: Ask,
    instruction: Instruction,
    question: Annotated[str, Field(description="The question that was written; empty: none was.")],
) -> instructions.MetReply:
    """Evaluator: does a written question keep to its instruction? Where none was written nobody is
    asked."""
    if not question.strip():
        return instructions.MetReply(met=False, reason="nothing was written")
    return await instructions.keeps_to(ask, instruction, question)


class Compared(TypedDict):
    """By criterion. A question is preferred where it is in both orders; `orders` are the
    comparisons themselves, the original first and then second."""

    preferences: dict[Criterion, Preferred]
    orders: list[dict[Criterion, Preferred]]
    reasons: list[str]


@exported(
    "compare_questions",
    "Compare a written question with the original by five criteria, in both orders.",
    "judge",
)
async def question_comparer(
    ask: Ask, problem: ProblemFields, question: str, instruction: Instruction = ""
) -> Compared:
    """The judge compares a written question with the original, which `problem` holds, by five
    criteria, in both orders: one that it prefers in one order only is not preferred. Two calls.
    Without an `instruction` the criterion instruction_following is left out, as for two originals.
    """
    original = shown(problem_of(problem))
    ahead, behind = await asyncio.gather(
        comparison.compare_questions(ask, original, question, instruction),
        comparison.compare_questions(ask, question, original, instruction),
    )
    orders = [
        _named(ahead.preferences(instructed=bool(instruction)), "original", "created"),
        _named(behind.preferences(instructed=bool(instruction)), "created", "original"),
    ]
    return {
        "preferences": _in_both(*orders),
        "orders": orders,
        "reasons": [ahead.reason, behind.reason],
    }


def _as_asked(problem: Problem, options: Sequence[str]) -> Problem:
    """The problem as the solver saw it: with its options, or open."""
    if not options:
        return problem.model_copy(update={"options": (), "answer": problem.final_answer})
    if tuple(options) != problem.options:
        raise UsageError(
            "The options are not those of the problem: give the same ones in the same order."
        )
    return problem


def _named(
    told: dict[Criterion, Preference], first: Preferred, second: Preferred
) -> dict[Criterion, Preferred]:
    """Preferences by what is preferred instead of by its place."""
    names: dict[Preference, Preferred] = {"first": first, "second": second, "tie": "tie"}
    return {criterion: names[preferred] for criterion, preferred in told.items()}


def _in_both(
    ahead: dict[Criterion, Preferred], behind: dict[Criterion, Preferred]
) -> dict[Criterion, Preferred]:
    return {
        each: ahead[each] if ahead[each] == behind[each] else "tie"
        for each in CRITERIA
        if each in ahead
    }
