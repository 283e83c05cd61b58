"""The Explainer: names aspects and concepts, explains, writes reference answers."""

import sys

from ..agent import Agent

MAIN = "explain:explain"
sys.modules[__name__].__class__ = Agent
