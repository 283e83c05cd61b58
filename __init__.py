"""Fathom measures how deep a language model's knowledge goes, in any domain, and says how sure it is."""

__version__ = "0.1.0"
