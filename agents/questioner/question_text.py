"""What a question, its reference and two answers tell by their words alone, in any language. Pure."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from ...state.records import Probe, Question
from ...state.text import SAME_SIGN, Word, content

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


# which fact a question asks for

Fact = tuple[str, str]
"""The words of the value, and those of the subject: what else question and reference say. Each
once, in one order."""

_KINDS = roots(
    "temperature point value number name year type kind sort term word title figure amount "
    "quantity date"
)
"""Words for the kind of thing asked for: "the year 1911" says no more than "1911"."""
_VAGUE = _KINDS | roots("first many much take place use")
_NUMBER = re.compile(r"[-+]?\d")
_YEAR = re.compile(r"1\d\d\d|20\d\d")
_APART = re.compile(
    r".*[\d_]|.$|[^a-z]+$|(?:not|no|never|without|second|third|fourth|fifth|last|next|after|before)$"
)
_FORMS = "s y ed er or ing ion ation ment al ance ence ive ative"
_ENDINGS = frozenset(("", *_FORMS.split()))


@lru_cache(maxsize=4096)  # each is compared with all that come after it
def fact_of(question: str, reference: str) -> Fact:
    """The fact that a question with its reference is about."""
    value = _value(added(question, reference) or content(reference))
    return " ".join(sorted(value)), " ".join(
        sorted((roots(question) | roots(reference)) - value)
    )


def is_duplicate(fact: Fact, ledger: Iterable[Fact | None]) -> bool:
    """Whether the ledger holds the same fact: an equal value alone is not enough ("Period 4"
    answers many)."""
    value, subject = fact
    asked_before = [about for same, about in filter(None, ledger) if same == value]
    return any(_same_subject(subject, about) for about in asked_before)


def _value(words: Iterable[Word]) -> set[str]:
    """The numbers with their units, else all."""
    new = [word for word in words if word.root not in _KINDS] or list(words)
    measured = [
        word.root
        for before, word in zip([None, *new], new, strict=False)
        if _NUMBER.match(word.root)
        or (before and _NUMBER.match(before.root) and len(word.root) < 4)
    ]
    return set(measured or [word.root for word in new])


def _same_subject(subject: str, about: str) -> bool:
    """Whether the subjects differ by additions or word forms only.

    Likeness of letters would not do: chlorate and chlorite, mitosis and meiosis, the period of
    sodium and of argon are more alike than two wordings of one question. So a word that stands in
    one place of each but differs is a difference, and one that only one of them has is none, unless
    it tells one thing from another, as numbers do; but a year may be told in addition.
    """
    one, other = set(subject.split()), set(about.split())
    years = set(filter(_YEAR.fullmatch, one ^ other))
    differences = one - other - years, other - one - years
    fewer, more = sorted(differences, key=lambda words: len(words - _VAGUE))
    if not one & other or not (years <= one or years <= other):
        return False
    if any(map(_APART.match, fewer | more)):
        return False
    if not fewer - _VAGUE:
        return not (fewer and more - _VAGUE)  # the atomic number is not the atomic weight
    return all(any(_forms_of_one(word, longer) for longer in more) for word in fewer - _VAGUE)


@lru_cache(maxsize=4096)
def _forms_of_one(word: str, form: str) -> bool:
    """Discovery and discovered, found and foundation; not chlorate and chlorite."""
    shared = [end for end in range(len(word) + 1) if form.startswith(word[:end])]
    stem = word[: shared[-1]]
    endings = word.removeprefix(stem), form.removeprefix(stem)
    return len(stem) > 3 and all(ending in _ENDINGS for ending in endings)


def first_question(probe: Probe, shown: Collection[str]) -> Fact | None:
    """The fact that the first reply of a finished probe's Questioner put to the target; None where
    nothing came of that reply. `shown`: the digests of what it was written from."""
    written = [
        each for each in (*probe.rejected, probe.question) if each is not None and each.text
    ]
    if not written:
        return None
    first = written[0]
    passage = first.evidence if isinstance(first, Question) else first.passage
    is_asked = isinstance(first, Question) or first.asked
    if not is_asked or passage is None or passage.digest not in shown:
        return None
    return fact_of(first.text, first.reference)
