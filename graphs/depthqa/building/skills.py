"""What the agents of the building of a graph are asked to do, each with its prompt."""

from ....agents.explainer.reference import write_reference
from ....agents.judge.rating import rate_relation
from ....agents.paraphraser.open_question import ask_openly
from ....agents.questioner.deconstruction import augment, classify, deconstruct

SKILLS = (classify, write_reference, deconstruct, ask_openly, augment, rate_relation)
