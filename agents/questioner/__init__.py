"""The Questioner: writes questions, and takes them apart."""

import sys

from ..agent import Agent

MAIN = "question:write_question"
sys.modules[__name__].__class__ = Agent
