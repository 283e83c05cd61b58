"""What the agents of a replay are asked to do, each with its prompt."""

from ...agents.paraphraser.restatement import restate
from ..drill.skills import SKILLS as OF_DRILL

SKILLS = (*OF_DRILL, restate)
