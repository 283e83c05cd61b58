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
    asked = roots(question)
    return [word for word in content(reference) if word.root not in asked]


def roots(text: str) -> frozenset[str]:
    """The content words of a text, whatever their form."""
    return frozenset(word.root for word in content(text))


def same_in_code(question: str, reference: str, other: str) -> bool:
    """Whether two answers to a question are surely one, so that nobody has to be asked: the shorter
    stands in the longer, word for word and sign for sign, and around it only what the question
    says. False where there is doubt."""
    short, long = sorted((_tokens(reference), _tokens(other)), key=len)
    if short == long:
        return bool(short)
    asked = _tokens(question)
    if all(_is_asked(token, asked) for token in short):
        return False
    for start in range(len(long) - len(short) + 1):
        end = start + len(short)
        if long[start:end] == short:
            around = [*long[:start], *long[end:]]
            return all(_is_asked(token, asked) for token in around)
    return False


def _tokens(text: str) -> list[str]:
    """Words, numbers and signs. Case counts where it may tell something: CO and Co, mg and Mg, A
    and a."""
    plain = unicodedata.normalize("NFC", text).translate(SAME_SIGN).strip().rstrip(".").strip('"')
    tokens = [_THOUSANDS.sub("", token) for token in _TOKEN.findall(plain)]
    return [_without_case(token, first=place == 0) for place, token in enumerate(tokens)]


def _without_case(token: str, *, first: bool) -> str:
    plain = token.isalpha() and (token.islower() or token.istitle())
    return token.casefold() if plain and len(token) > (1 if first else _STEM - 1) else token


def _is_asked(token: str, asked: Sequence[str]) -> bool:
    """Whether the question has the token, or a word that begins like it."""
    return any(token == word or _begin_alike(token, word) for word in asked)


def _begin_alike(one: str, other: str) -> bool:
    words = one.isalpha() and other.isalpha() and min(len(one), len(other)) >= _STEM
    return words and one[:_STEM] == other[:_STEM] and abs(len(one) - len(other)) < _STEM


_AUXILIARIES = (
    "am is are was were be do does did can could may might must shall should will would has have "
    "had"
    " isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't "
    "hasn't haven't hadn't"
)
_ASKS = rf"(?:{'|'.join(_AUXILIARIES.split())})\b"
_BINARY = re.compile(
    r"(?:(?:and|but|or|so|then|if so|in that case|in general|in practice)[, ]+)?"
    rf"(?:{_ASKS}|(?:if|when|since|given|because|for|in|at|with|as|suppose)\b[^?]*,\s+{_ASKS})",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|or|so|but)\s+(?:if so,?\s+)?)(?:in |to |for |under |by |at )?"
    r"(?:what|which|why|how|when|where|who|whom|whose)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:can|could|will|would) "
    r"(?:you|someone|somebody|we)\b.*\b(?:explain|describe|tell|show|give|name|list|clarify|"
    r"outline|summari[sz]e|sum "
    r"up|compare|elaborate|help|define|state|write|illustrate|demonstrate|identify|provide|"
    r"derive|prove|calculate|walk)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:,\s*(?:right|correct|true|yes|no|isn't it|aren't they|is it|are they|doesn't it|don't "
    r"they)"
    r"|\b(?:true or false|yes or no))\s*\?*\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def form_tells(language: str) -> bool:
    """Whether a question's form tells if yes or no answers it: in English it does."""
    return language.split("-")[0] in ("en", "simple")


def is_binary(question: str, language: str = "en") -> bool:
    """Whether an English question can be answered by yes or no, as far as its form tells: its last
    sentence begins with an auxiliary verb, behind a condition or not, and nothing else is asked; or
    it ends in `right?`. A choice ("is it A or B?") and a request ("can you explain …") are open. No
    other language is found out by form."""
    if not form_tells(language):
        return False
    text = " ".join(question.replace("’", "'").split())
    if _TAG.search(text):
        return True
    sentences = [sentence.lstrip("\"'“‘(") for sentence in _SENTENCE.split(text)]
    last = sentences[-1]
    if not _BINARY.match(last) or _REQUEST.match(last):
        return False
    # "Is it so, and why?" still asks why, and so does another question in front
    asked = [sentence for sentence in sentences[:-1] if sentence.rstrip("\"'”’)").endswith("?")]
    return not any(map(_OPEN.search, [*asked, last])) and not re.search(
        r"\bor\b(?! not\b)", last, re.IGNORECASE
    )
