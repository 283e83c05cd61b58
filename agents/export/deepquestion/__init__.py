"""The skills of DeepQuestion for other people's apps: a one-node graph and a tool each, as in
`agents.export`.

What one writes is what the next reads, under the same name: the `guide` with its `score` and the
`feedback` on it; from a `problem` the `scenario` with `distractors`, or the `instruction`; the
`question` that a solver is to be asked, which is a scenario as one text or what was written by an
instruction; the `answer`. A problem's own answer is no channel: it stands in `problem`, which no
solver is shown. The prompt optimisation, a cycle of two of these, is in
`graphs.deepquestion.optimiser`; answers in words are compared by `agents.export.judge_graph`.
"""

from .. import doors
from .solving import (
    final_judge,
    independent_solver,
    instruction_met_checker,
    question_comparer,
    question_creator,
    solver,
)
from .writing import (
    distractor_writer,
    instruction_checker,
    instruction_writer,
    prompt_drafter,
    prompt_scorer,
    scenario_checker,
    scenario_writer,
)

EXPORTED = (
    prompt_drafter, prompt_scorer, scenario_writer, distractor_writer, scenario_checker, instruction_writer,
    instruction_checker, solver, independent_solver, final_judge, question_creator, instruction_met_checker,
    question_comparer,
)  # fmt: skip
prompt_drafter_graph, prompt_drafter_tool = doors(prompt_drafter)
prompt_scorer_graph, prompt_scorer_tool = doors(prompt_scorer)
scenario_writer_graph, scenario_writer_tool = doors(scenario_writer)
distractor_writer_graph, distractor_writer_tool = doors(distractor_writer)
scenario_checker_graph, scenario_checker_tool = doors(scenario_checker)
instruction_writer_graph, instruction_writer_tool = doors(instruction_writer)
instruction_checker_graph, instruction_checker_tool = doors(instruction_checker)
solver_graph, solver_tool = doors(solver)
independent_solver_graph, independent_solver_tool = doors(independent_solver)
final_judge_graph, final_judge_tool = doors(final_judge)
question_creator_graph, question_creator_tool = doors(question_creator)
instruction_met_checker_graph, instruction_met_checker_tool = doors(instruction_met_checker)
question_comparer_graph, question_comparer_tool = doors(question_comparer)
