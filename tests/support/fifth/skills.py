"""What its agents are asked to do."""

from .calls import say_symbol

SKILLS = (say_symbol,)
