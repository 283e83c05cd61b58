"""Solving, reading final answers, creating questions and comparing them: a one-node graph each; see
`agents.export.deepquestion`."""

import asyncio

from ....state.deepquestion.items import CRITERIA, Criterion, Preference, Problem
from ....state.errors import UsageError
from ....tools.models.as_chat import as_chat
from ....tools.models.clients import Clients
from ...answers.final.answer import answer_kind, read_final, same_answer
from ...judge import comparison
from ...prober import solver
from ...questioner import instruction
from ...questioner.transformation import shown
from .. import AgentGraph, Model, one_node
from .inputs import problem_in, text_of
from .shapes import (
    FinalJudgeInput,
    FinalJudgeOutput,
    IndependentSolverOutput,
    InstructionMetCheckerInput,
    InstructionMetCheckerOutput,
    Preferred,
    QuestionComparerInput,
    QuestionComparerOutput,
    QuestionCreatorInput,
    QuestionCreatorOutput,
    SolverInput,
    SolverOutput,
)


def solver_graph(model: Model, clients: Clients | None = None) -> AgentGraph[SolverInput, SolverOutput]:
    """The target solves a problem, or a scenario made from it: its own answer, step by step."""
    chat = as_chat(model, clients)

    async def solve(state: SolverInput) -> SolverOutput:
        answer = await solver.solve(chat, text_of(state, "question"), _options(state))
        return {"answer": answer.text, "finish": answer.finish, "refusal": answer.refusal}

    return one_node("solver", solve, SolverInput, SolverOutput)


def independent_solver_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[SolverInput, IndependentSolverOutput]:
    """The evaluator solves a text without sight of any reference, or says that it determines no answer. Of a text
    without a word, which is what a refusal to write one leaves, nobody is asked."""
    chat = as_chat(model, clients)

    async def solve(state: SolverInput) -> IndependentSolverOutput:
        if not state["question"].strip():
            return {"answer": "", "solvable": False, "working": ""}
        said = await solver.solve_independently(chat, state["question"], _options(state))
        return {"answer": said.final, "solvable": said.solvable, "working": said.working}

    return one_node("independent_solver", solve, SolverInput, IndependentSolverOutput)


def final_judge_graph(*, tolerance: float | None = None) -> AgentGraph[FinalJudgeInput, FinalJudgeOutput]:
    """Is the final answer the right one? Code alone, no model: numbers by value, unit and precision, choices by letter.

    `tolerance`: relative difference up to which two numbers are the same; None: bare numbers when equal, others by the
    precision with which they are written. What cannot be read for certain is neither right nor wrong: None. The node
    raises UsageError when the options are not those of the problem.
    """

    async def mark(state: FinalJudgeInput) -> FinalJudgeOutput:
        problem = _as_asked(problem_in(state), _options(state))
        if state.get("refusal", False) or not state["answer"].strip():
            return {"correct": False, "read": ""}
        kind = answer_kind(problem)
        read = read_final(state["answer"], kind, problem.options)
        return {"correct": same_answer(read, problem.answer, kind, tolerance=tolerance), "read": read}

    return one_node("final_judge", mark, FinalJudgeInput, FinalJudgeOutput)


def question_creator_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[QuestionCreatorInput, QuestionCreatorOutput]:
    """The target writes a question by an instruction."""
    chat = as_chat(model, clients)

    async def create(state: QuestionCreatorInput) -> QuestionCreatorOutput:
        answer = await solver.create_question(chat, text_of(state, "instruction"))
        text = "" if answer.refusal else answer.text.strip()
        return {"question": text, "finish": answer.finish, "refusal": answer.refusal}

    return one_node("question_creator", create, QuestionCreatorInput, QuestionCreatorOutput)


def instruction_met_checker_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[InstructionMetCheckerInput, InstructionMetCheckerOutput]:
    """Evaluator: does a written question keep to its instruction? Where none was written nobody is asked."""
    chat = as_chat(model, clients)

    async def check(state: InstructionMetCheckerInput) -> InstructionMetCheckerOutput:
        if not state["question"].strip():
            return {"met": False, "reason": "nothing was written"}
        said = await instruction.keeps_to(chat, text_of(state, "instruction"), state["question"])
        return {"met": said.met, "reason": said.reason}

    return one_node("instruction_met_checker", check, InstructionMetCheckerInput, InstructionMetCheckerOutput)


def question_comparer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[QuestionComparerInput, QuestionComparerOutput]:
    """The judge compares a written question with the original by five criteria, in both orders: one that it prefers in
    one order only is not preferred. Two calls."""
    chat = as_chat(model, clients)

    async def compare(state: QuestionComparerInput) -> QuestionComparerOutput:
        original, created = shown(problem_in(state)), text_of(state, "question")
        told = state.get("instruction", "")
        ahead, behind = await asyncio.gather(
            comparison.compare(chat, original, created, told), comparison.compare(chat, created, original, told)
        )
        orders = [
            _named(ahead.preferences(instructed=bool(told)), "original", "created"),
            _named(behind.preferences(instructed=bool(told)), "created", "original"),
        ]
        return {"preferences": _in_both(*orders), "orders": orders, "reasons": [ahead.reason, behind.reason]}

    return one_node("question_comparer", compare, QuestionComparerInput, QuestionComparerOutput)


def _options(state: SolverInput | FinalJudgeInput) -> tuple[str, ...]:
    return tuple(state.get("options") or ())


def _as_asked(problem: Problem, options: tuple[str, ...]) -> Problem:
    """The problem as the solver saw it: with its options, or open."""
    if not options:
        return problem.model_copy(update={"options": (), "answer": problem.final_answer})
    if options != problem.options:
        raise UsageError("The options are not those of the problem: give the same ones in the same order.")
    return problem


def _named(told: dict[Criterion, Preference], first: Preferred, second: Preferred) -> dict[Criterion, Preferred]:
    """Preferences by what is preferred instead of by its place."""
    names: dict[Preference, Preferred] = {"first": first, "second": second, "tie": "tie"}
    return {criterion: names[preferred] for criterion, preferred in told.items()}


def _in_both(ahead: dict[Criterion, Preferred], behind: dict[Criterion, Preferred]) -> dict[Criterion, Preferred]:
    return {each: ahead[each] if ahead[each] == behind[each] else "tie" for each in CRITERIA if each in ahead}
