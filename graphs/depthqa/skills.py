"""What the agents of DepthQA are asked to do, each with its prompt."""

from ...agents.judge.rating import rate
from ...agents.prober.answer import answer_in_depth, answer_with_context

SKILLS = (answer_in_depth, answer_with_context, rate)
