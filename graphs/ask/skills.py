"""What the agents are asked to do where somebody brings questions, each with its prompt."""

from ...agents.explainer.explain import explain
from ...agents.factfinder.answer import find_answer
from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import check_question, same_answer

SKILLS = (answer_question, judge, check_question, same_answer, explain, find_answer)
