"""Whether a wording holds the text of an option, and so says what only the options should say."""

from collections.abc import Iterable

from ...state.text import contains

TELLING_WORDS = 3
"""Words from which an option's text is told from a name or a term that a question may well hold."""


def holds_any(wording: str, options: Iterable[str]) -> bool:
    """Whether the wording holds the text of one of these options, of three words or more, word for word."""
    return any(len(option.split()) >= TELLING_WORDS and contains(wording, option) for option in options)
