"""What the agents of a drill are asked to do, each with its prompt."""

from ...agents.explainer.explain import explain, name_aspects
from ...agents.explainer.titles import pick_titles
from ...agents.judge.error import classify_error
from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...agents.prober.confidence import state_confidence
from ...agents.questioner.question import check_question, same_answer, write_question

SKILLS = (
    name_aspects,
    write_question,
    check_question,
    same_answer,
    answer_question,
    judge,
    state_confidence,
    classify_error,
    explain,
    pick_titles,
)
