"""The FactFinder: retrieves evidence."""

import sys

from ..agent import Agent

MAIN = "find:find_passages"
sys.modules[__name__].__class__ = Agent
