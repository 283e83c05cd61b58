"""What a question, its reference and two answers tell by their words alone, in any language. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from ...state.text import SAME_SIGN, Word, content, listed

KINDS = listed(
    "temperature point value number name year type kind sort term word title figure amount "
    "quantity date"
)
"""Words for the kind of thing asked for: "the year 1911" says no more than "1911"."""
_TOKEN = re.compile(r"[-+]?\d+(?:[.,:]\d+)*|\w+|[^\w\s]")
_THOUSANDS = re.compile(r",(?=\d{3}\b)")
_STEM = 4
"""Letters that two forms of a word share: melt, melts, melting."""


def added(question: str, reference: str) -> list[Word]:
    """The content words that the reference adds to the question, with what stands around them."""
    question_roots = roots(question)
    return [word for word in content(reference) if word.root not in question_roots]


def roots(text: str) -> frozenset[str]:
    """The content words of a text, whatever their form."""
    return frozenset(word.root for word in content(text))


def same_in_code(question: str, reference: str, answer: str) -> bool:
    """Whether two answers to a question are surely one, so that nobody has to be asked: the shorter
    stands in the longer, word for word and sign for sign, and around it only what the question
    says. False where there is doubt."""
    short, long = sorted((_tokens(reference), _tokens(answer)), key=len)
    if short == long:
        return bool(short)
    in_question = _tokens(question)
    if all(_is_asked(token, in_question) for token in short):
        return False
    for start in range(len(long) - len(short) + 1):
        end = start + len(short)
        if long[start:end] == short:
            around = [*long[:start], *long[end:]]
            return all(_is_asked(token, in_question) for token in around)
    return False


def _tokens(text: str) -> list[str]:
    """Words, numbers and signs. Case counts where it may tell something: CO and Co, mg and Mg, A
    and a."""
    signs = unicodedata.normalize("NFC", text).translate(SAME_SIGN)
    plain = signs.strip().rstrip(".").strip('"')
    tokens = [_THOUSANDS.sub("", token) for token in _TOKEN.findall(plain)]
    return [_without_case(token, first=index == 0) for index, token in enumerate(tokens)]


def _without_case(token: str, *, first: bool) -> str:
    plain = token.isalpha() and (token.islower() or token.istitle())
    longest_sign = 1 if first else _STEM - 1
    return token.casefold() if plain and len(token) > longest_sign else token


def _is_asked(token: str, words: Sequence[str]) -> bool:
    """Whether the question has the token, or a word that begins like it."""
    return any(token == word or _begin_alike(token, word) for word in words)


def _begin_alike(first: str, second: str) -> bool:
    if not (first.isalpha() and second.isalpha()) or min(len(first), len(second)) < _STEM:
        return False
    return first[:_STEM] == second[:_STEM] and abs(len(first) - len(second)) < _STEM
