"""The Paraphraser: the same question in other words."""

import sys

from ..agent import Agent

MAIN = "paraphrase:paraphrase_question"
sys.modules[__name__].__class__ = Agent
