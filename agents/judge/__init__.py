"""The Judge: compares, rates, decides."""

import sys

from ..agent import Agent

MAIN = "verdict:judge"
sys.modules[__name__].__class__ = Agent
