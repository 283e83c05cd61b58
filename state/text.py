"""Text as Fathom compares it: normal forms and digests."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_EDGE = " \t\n\"'“”‘’«»().,;:!?"
SAME_SIGN = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "–": "-",
        "—": "-",
        "−": "-",
        "\u00a0": " ",
    }
)


@lru_cache(maxsize=4096)  # passages and answers are compared with many short texts
def normalise(text: str) -> str:
    """One spelling of a text for comparing: NFKC, one kind of quote and dash, single spaces, no
    case, bare edges."""
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(SAME_SIGN)
    return " ".join(folded.casefold().split()).strip(_EDGE)


def digest(text: str) -> str:
    """Sixteen hex digits of SHA-256 over the normalised text: the identity of a passage."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()[:16]


def contains(haystack: str, needle: str) -> bool:
    """Whether the normalised needle stands, as whole words, in the normalised haystack. An empty
    needle never does."""
    text, wanted = normalise(haystack), normalise(needle)
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not (_in_word(text[at - 1 : at]) or _in_word(text[end : end + 1])):
            return True
        at = text.find(wanted, at + 1)
    return False


def _in_word(sign: str) -> bool:
    """Whether a neighbouring sign makes a find part of a longer word; scripts that set no spaces
    have no such sign."""
    return (sign.isalnum() or sign == "_") and not _UNSPACED.match(sign)


class Word(NamedTuple):
    """A content word of an English text: one without which the text would say something else."""

    key: str
    """In one spelling: no plural s, no case unless it tells something (CO, Co, mg, Mg); numbers as
    digits."""
    root: str
    """The key without the ending of a verb: melts, melting and melted are one."""
    written: str
    first: bool
    """Whether its sentence begins with it, so that a capital says nothing."""


def listed(words: str) -> frozenset[str]:
    """A list of words that is written as a text."""
    return frozenset(words.split())


_FILLERS = listed(
    "a an the be is are was were am been being do does did has have had it its itself they them he "
    "she him this that"
    " these those their there here which who whom whose what where when how why called known "
    "termed answer"
    " at in on by for of with as and"
)
"""Words that only make a sentence of it. Not among them is what turns a sentence round: not, or,
from, to, only."""
_UP_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {word: str(number) for number, word in enumerate(_UP_TO_TWELVE.split(), start=1)}
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_FRACTION = re.compile("(?=[¼½¾⅐-⅞])")
_RESPELLED = [
    (sign, re.compile(pattern, re.IGNORECASE), plain)
    for sign, pattern, plain in (
        ("can", r"\bcan(?:no|')t\b", "can not"),
        ("won't", r"\bwon't\b", "will not"),
        ("n't", r"n't\b", " not"),
        ("'s", r"(?<=[^\W\d_])'s\b", " "),
        (" one", r"\b(the|this|that|which) one\b", r"\1"),
        (" few", r"\ba (few)\b", r"some_\1"),
        (" little", r"\ba (little)\b", r"some_\1"),
        ("tive", r"\b((?-i:A|B|AB|O)) (positive|negative)\b", r"\1_\2"),
        ("°", r"\s*°\s?c\b", " °C"),
        ("degree", r"\s*\bdegrees? (?:celsius|centigrade|c)\b", " °C"),
        ("°", r"\s*°\s?f\b", " °F"),
        ("degree", r"\s*\bdegrees? (?:fahrenheit|f)\b", " °F"),
        ("cent", r"\bper ?cent\b", "%"),
        (
            "",
            r"(?:\b(?:approximately|roughly|around|about|circa|ca\.)\s*|[~≈]\s*)(?=[-+]?\d)",
            " about ",
        ),
        ("-", r"(?<=\d)\s*-\s*(?=\d)", " to "),
        ("/", r"(?<=\d)(\s*[^\W\d_]{1,4})/(?=[^\W\d_])", r"\1 per "),
    )
]
"""What each needs to be in the text, a pattern, and what comes in its place."""
_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w)\]])[-+]\s?)?(?:\d+(?:[.,:/]\d+)*|\.\d+)(?:(?:\^|\*\*)\(?[-+]?\d+\)?)?'?)"
    r"|(?P<word>°[CF]\b|(?:\^[-+]?\d+)?[^\W\d]\w*(?:'[^\W\d_]+)*(?:\^[-+\d]+|[-+#*]+(?!\w)|(?<=\b\w)')?)"
    r"|(?P<sign>[%‰°$€£¥<>=×·*±^~+←-⋿])|(?P<pause>[^\w\s'\"])"
)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SPELLINGS = [
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"is(e|ed|es|ing|er|ation|ations)$", r"iz\1"),
        (r"ys(e|ed|es|ing|er)$", r"yz\1"),
        (r"ae|oe|æ|œ", "e"),
        (r"ph", "f"),
        (r"our(?=$|s$|ed$|ing$|less|ful|able|ite)", "or"),
        (r"tre(s?)$", r"ter\1"),
        (r"(?<=\w{4})ll(?=(?:ed|ing|er)$)", "l"),
        (r"^aluminium", "aluminum"),
    )
]
_VOWEL = re.compile("[aeiouy]")


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[Word, ...]:
    """The content words of an English text, in order: all its words if they are fillers only. Of
    another language its function words count too."""
    everything = tuple(_words(text))
    return tuple(word for word in everything if not _is_filler(word)) or everything


def _is_filler(word: Word) -> bool:
    """In (indium), As (arsenic) and the A of hepatitis A are names where no sentence begins; WHO
    and IT always are."""
    return word.key in _FILLERS and (word.first or word.written.islower() or len(word.written) > 2)


def _words(text: str) -> Iterator[Word]:
    first, measured = True, False
    for token in _TOKEN.finditer(_plain(text)):
        kind, written = token.lastgroup, token.group()
        if kind == "pause":
            first = first or written in ".!?:"
            continue
        if kind == "number":
            number = written.replace(" ", "").replace("**", "^").replace("(", "").replace(")", "")
            key = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number
            key = f"0{key}" if key.startswith(".") else key
        else:
            key = written if measured and len(written) < 4 else _key(written, first=first)
        yield Word(key, _root(key), written, first)
        first, measured = False, kind == "number"


def _plain(text: str) -> str:
    text = (text if text.isascii() else _in_plain_signs(text)).replace("&", " and ")
    small = text.casefold()
    for sign, pattern, plain in _RESPELLED:
        text = pattern.sub(plain, text) if sign in small else text
    return text


def _in_plain_signs(text: str) -> str:
    text = _RAISED.sub(
        lambda found: "^" + unicodedata.normalize("NFKC", found.group()).replace("−", "-"), text
    )
    text = unicodedata.normalize("NFKC", _FRACTION.sub(" ", text).replace("—", " - "))
    return text.translate(SAME_SIGN).replace("⁄", "/").replace("′", "'")


@lru_cache(maxsize=16384)  # most words come again and again
def _key(written: str, *, first: bool) -> str:
    """Case goes where it says nothing: iron and Iron, not CO and Co, mg and Mg, pH, MeV, GIN."""
    key = written.casefold()
    title = (
        written.istitle()
        and written.isalpha()
        and (len(written) > 2 or (first and key in _FILLERS))
    )
    if not (written.islower() or title):
        return written
    if key in _FILLERS:
        return key
    if key in _DIGITS:
        return _DIGITS[key]
    if len(key) < 4 or not key.isalpha():
        return key
    for pattern, plain in _SPELLINGS if len(key) > 5 else ():
        key = pattern.sub(plain, key)
    if key.endswith("ies") and len(key) > 4:
        return key[:-3] + "y"
    if key.endswith(("sses", "xes", "zes", "ches", "shes")):
        return key[:-2]
    key = key[:-1] if key.endswith("s") and key[-2] not in "siu" else key
    return key[:-1] if key.endswith("se") else key  # gases are gas, bases base


@lru_cache(maxsize=16384)
def _root(key: str) -> str:
    for ending in ("ing", "ied", "ed", "e"):
        stem = key.removesuffix(ending)
        if (
            stem != key
            and len(stem) > 2
            and stem.isalpha()
            and not stem.endswith("e")
            and _VOWEL.search(stem)
        ):
            doubled = ending in ("ing", "ed") and stem[-1] == stem[-2] and stem[-1] not in "sl"
            return stem + "y" if ending == "ied" else stem[:-1] if doubled else stem
    return key


def in_turn(labels: Sequence[str], limit: int) -> list[int]:
    """Places of at most `limit` of the labelled, in their order: the first of each label, then the
    second of each, and so on."""
    seen: dict[str, int] = {}
    turns = []
    for place, label in enumerate(labels):
        turns.append((seen.get(label, 0), place))
        seen[label] = seen.get(label, 0) + 1
    order = {label: place for place, label in enumerate(seen)}
    turns.sort(key=lambda turn: (turn[0], order[labels[turn[1]]]))
    return sorted(place for _, place in turns[:limit])
