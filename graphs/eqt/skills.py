"""What the agents of an Explain-Query-Test are asked to do, each with its prompt."""

from ...agents.answers.choice import read_selection
from ...agents.explainer.explain import explain_concept
from ...agents.judge.verdict import attribute
from ...agents.paraphraser.paraphrase import compare_wordings, paraphrase
from ...agents.prober.answer import choose, choose_open_book
from ...agents.questioner.choice_question import write_choice_question

SKILLS = (
    explain_concept,
    write_choice_question,
    paraphrase,
    compare_wordings,
    choose,
    choose_open_book,
    read_selection,
    attribute,
)
