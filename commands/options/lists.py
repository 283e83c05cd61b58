"""Options that take several words of a closed list, with commas between them or repeated; and those
of one model."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ...state.errors import UsageError
from ...state.spec import is_simulated

Word = TypeVar("Word", bound=str)


def several_of(flag: str, words: Iterable[str], known: Sequence[Word]) -> tuple[Word, ...]:
    """Those that are named, in the order in which they are known; none without any. Raises
    UsageError for an unknown or empty name, and one that stands there twice."""
    named = [part.strip().casefold() for word in words for part in word.split(",")]
    if "" in named:
        raise UsageError(
            f"{flag} has an empty name: choose among {', '.join(known)}, with commas between "
            "several."
        )
    for name in named:
        if name not in known:
            raise UsageError(f"{flag} {name!r} does not exist; choose among {', '.join(known)}.")
        if named.count(name) > 1:
            raise UsageError(f"{flag} {name} is named twice: name each once.")
    return tuple(word for word in known if word in named)


def models_in(text: str) -> list[str]:
    """The models named with commas between them. The settings of a simulated model have commas too,
    and so may what stands behind a model's name."""
    text = text.strip()
    comma = re.compile(r",\s*(?=\w+[:@])" if is_simulated(text) else r",\s*")
    first = comma.search(text)
    return comma.split(text) if first and first.start() < len(text.partition(" ")[0]) else [text]


def one_model(flag: str, text: str) -> str:
    """The model. Raises UsageError where several are named, and as `check_persona` does."""
    from ...graphs.run.checks import check_persona  # heavy: `fathom list` starts without it

    name, *more = models_in(text)
    if more:
        raise UsageError(
            f"{flag} takes one model, but {text.strip()!r} names {len(more) + 1}: give one of them."
        )
    check_persona(name)
    return name
