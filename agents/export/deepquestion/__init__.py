"""The skills of DeepQuestion for other people's apps: a one-node graph and a tool each, as in `agents.export`.

What one writes is what the next reads, under the same name: the `guide` with its `score` and the `feedback` on it; from
a `problem` the `scenario` with `distractors`, or the `instruction`; the `question` that a solver is to be asked, which
is a scenario as one text or what was written by an instruction; the `answer`. A problem's own answer is no channel: it
stands in `problem`, which no solver is shown. The prompt optimisation, a cycle of two of these, is in
`graphs.deepquestion.optimiser`; answers in words are compared by `agents.export.judge_graph`.
"""

from langchain_core.tools import BaseTool

from ....tools.models.clients import Clients
from .. import Model, tool_of
from .solving import (
    final_judge_graph,
    independent_solver_graph,
    instruction_met_checker_graph,
    question_comparer_graph,
    question_creator_graph,
    solver_graph,
)
from .writing import (
    distractor_writer_graph,
    instruction_checker_graph,
    instruction_writer_graph,
    prompt_drafter_graph,
    prompt_scorer_graph,
    scenario_checker_graph,
    scenario_writer_graph,
)

__all__ = [
    "distractor_writer_graph",
    "distractor_writer_tool",
    "final_judge_graph",
    "final_judge_tool",
    "independent_solver_graph",
    "independent_solver_tool",
    "instruction_checker_graph",
    "instruction_checker_tool",
    "instruction_met_checker_graph",
    "instruction_met_checker_tool",
    "instruction_writer_graph",
    "instruction_writer_tool",
    "prompt_drafter_graph",
    "prompt_drafter_tool",
    "prompt_scorer_graph",
    "prompt_scorer_tool",
    "question_comparer_graph",
    "question_comparer_tool",
    "question_creator_graph",
    "question_creator_tool",
    "scenario_checker_graph",
    "scenario_checker_tool",
    "scenario_writer_graph",
    "scenario_writer_tool",
    "solver_graph",
    "solver_tool",
]


def prompt_drafter_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The drafting of a transformation prompt as a tool."""
    description = "Draft, or mend, the prompt by which the problems of a benchmark are rewritten."
    return tool_of(prompt_drafter_graph(model, clients), "draft_prompt", description)


def prompt_scorer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The scoring of a transformation prompt as a tool."""
    description = "Score a prompt by which problems are rewritten, from 1 to 10, with feedback."
    return tool_of(prompt_scorer_graph(model, clients), "score_prompt", description)


def scenario_writer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of a scenario as a tool."""
    description = "Write a realistic scenario around a problem that has the same answer."
    return tool_of(scenario_writer_graph(model, clients), "write_scenario", description)


def distractor_writer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of distractors as a tool."""
    description = "Put misleading sentences into a scenario that leave its answer as it is."
    return tool_of(distractor_writer_graph(model, clients), "write_distractors", description)


def scenario_checker_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The check of a scenario as a tool."""
    description = "Check whether a scenario keeps every quantity of its problem, is more than that and tells no answer."
    return tool_of(scenario_checker_graph(model, clients), "check_scenario", description)


def instruction_writer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of an instruction as a tool."""
    description = "Turn a problem into an instruction by which somebody who has not seen it writes a question."
    return tool_of(instruction_writer_graph(model, clients), "write_instruction", description)


def instruction_checker_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The check of an instruction as a tool."""
    description = "Check whether an instruction states path and answer and holds the problem back."
    return tool_of(instruction_checker_graph(model, clients), "check_instruction", description)


def solver_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The solving of a problem as a tool."""
    return tool_of(solver_graph(model, clients), "solve_problem", "Have the model under test solve a problem.")


def independent_solver_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The independent solution as a tool."""
    description = "Solve a problem without sight of its answer, or say that it determines none."
    return tool_of(independent_solver_graph(model, clients), "solve_independently", description)


def final_judge_tool(*, tolerance: float | None = None) -> BaseTool:
    """The comparison of final answers as a tool; `tolerance` as in `final_judge_graph`."""
    description = "Read the final answer of a solution and compare it with the right one, by rule."
    return tool_of(final_judge_graph(tolerance=tolerance), "judge_final_answer", description)


def question_creator_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of a question as a tool."""
    description = "Have the model under test write a question by an instruction."
    return tool_of(question_creator_graph(model, clients), "create_question", description)


def instruction_met_checker_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The check of a written question as a tool."""
    description = "Check whether a question keeps to the instruction by which it was written."
    return tool_of(instruction_met_checker_graph(model, clients), "check_created_question", description)


def question_comparer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The comparison of two questions as a tool."""
    description = "Compare a written question with the original by five criteria, in both orders."
    return tool_of(question_comparer_graph(model, clients), "compare_questions", description)
