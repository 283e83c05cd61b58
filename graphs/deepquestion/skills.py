"""What the agents of DeepQuestion are asked to do, each with its prompt."""

from ...agents.judge.comparison import compare_questions
from ...agents.judge.verdict import judge
from ...agents.prober.solver import create_question, solve, solve_independently
from ...agents.questioner.instruction import check_instruction, keeps_to, write_instruction
from ...agents.questioner.scenario import check_scenario, write_distractors, write_scenario
from ...agents.questioner.transformation import draft_prompt, redraft_prompt, score_prompt

SKILLS = (
    draft_prompt,
    redraft_prompt,
    score_prompt,
    write_scenario,
    write_distractors,
    check_scenario,
    write_instruction,
    check_instruction,
    solve,
    solve_independently,
    create_question,
    keeps_to,
    compare_questions,
    judge,
)
