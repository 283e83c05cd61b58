"""The Prober: puts questions and problems to the target."""

import sys

from ..agent import Agent

MAIN = "answer:answer_question"
sys.modules[__name__].__class__ = Agent
