"""The options of a question as an answer is compared with them, and what an answer chooses of
them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ....state.eqt.items import Reading
from ..lines import one_comma, plain

_EDGES = (" \"'([{<$", " \"')]}>$.")


@dataclass(frozen=True, slots=True)
class Selection:
    """What an answer chooses. `places` counts from 0 = A in the order shown; empty unless `reading`
    is `letters`."""

    reading: Reading
    places: frozenset[int] = frozenset()


UNREADABLE = Selection("unreadable")
Place = Literal["bare", "clause", "label", "listed"]
"""Where a line stands: by itself, behind "the answer is", behind "Answer:", or in a list below it.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The options as an answer is compared with them."""

    count: int
    own: tuple[str, ...]
    longest_first: tuple[tuple[str, int], ...]
    """Each text with its place; without empty ones and those that two options share."""

    @classmethod
    def of(cls, options: Sequence[str]) -> "Options":
        texts = list[str]()
        for option in options:
            words = one_comma(plain(option)).split()
            texts.append(core(folded(" ".join(words))))
        single = [
            (text, place) for place, text in enumerate(texts) if text and texts.count(text) == 1
        ]
        longest_first = sorted(single, key=lambda entry: -len(entry[0]))
        return cls(len(texts), tuple(texts), tuple(longest_first))

    def text_at(self, said: str, at: int) -> tuple[int, int] | None:
        """The option whose text stands at a position, and where it ends."""
        return next(
            (
                (place, at + len(text))
                for text, place in self.longest_first
                if stands(said, text, at)
            ),
            None,
        )


def folded(text: str) -> str:
    """In small letters, sign by sign."""
    if text.isascii():
        return text.lower()
    return "".join(sign.casefold() if len(sign.casefold()) == 1 else sign for sign in text)


def core(said: str) -> str:
    """A text without the signs around it."""
    return said.lstrip(_EDGES[0]).rstrip(_EDGES[1])


def stands(said: str, text: str, at: int) -> bool:
    """Whether a text stands at a position, and not as the beginning of a word."""
    end = at + len(text)
    return said.startswith(text, at) and not said[end : end + 1].isalnum()
