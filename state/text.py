"""Text as Fathom compares it: normal forms, digests, content words."""

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
    folded = (
        text if text.isascii() else unicodedata.normalize("NFKC", text).translate(SAME_SIGN)
    )
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
    """A content word: one without which the text would say something else."""

    root: str
    """In one spelling: melts, melting and melted are one, and so are gas and gases; no case unless
    it tells something (CO, Co, mg, Mg)."""
    written: str
    first: bool
    """Whether its sentence begins with it, so that a capital says nothing."""


_FILLER_WORDS = (
    "a an the be is are was were am been being do does did has have had it its itself they them he "
    "she him this that these those their there here which who whom whose what where when how why "
    "called known termed answer at in on by for of with as and"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that only make a sentence of it. Not among them is what turns a sentence round: not, or,
from, to, only."""
_UP_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {word: str(number) for number, word in enumerate(_UP_TO_TWELVE.split(), start=1)}
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_POSSESSIVE = re.compile(r"(?<=[^\W\d_])'s\b")
_CELSIUS = re.compile(r"\s*(?:°|\bdegrees?)\s?c(?:elsius|entigrade)?\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w)\]])[-+]\s?)?(?:\d+(?:[.,:/]\d+)*|\.\d+)(?:\^[-+]?\d+)?'?)"
    r"|(?P<word>°[CF]\b|(?:\^[-+]?\d+)?[^\W\d]\w*(?:'[^\W\d_]+)*(?:\^[-+\d]+|[-+#*]+(?!\w)|(?<=\b\w)')?)"
    r"|(?P<sign>[%‰°$€£¥<>=×·*±^~+←-⋿])|(?P<pause>[^\w\s'\"])"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_PLURALS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
)
_VERB = re.compile(r"(?P<stem>\w*[aeiouy]\w*?[^\We])(?:ing|ied|ed|e)")


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[Word, ...]:
    """The content words of a text, in order: all its words if they are fillers only. Of another
    language than English its function words count too."""
    everything = tuple(_words(text))
    return tuple(word for word in everything if not _is_filler(word)) or everything


def _is_filler(word: Word) -> bool:
    """In (indium), As (arsenic) and the A of hepatitis A are names where no sentence begins; WHO
    and IT always are."""
    return word.root in _FILLERS and (
        word.first or word.written.islower() or len(word.written) > 2
    )


def _words(text: str) -> Iterator[Word]:
    raised = _RAISED.sub(lambda signs: "^" + signs[0], text)
    plain = unicodedata.normalize("NFKC", raised).translate(SAME_SIGN).replace("⁄", "/")
    plain = _CELSIUS.sub(" °C", _POSSESSIVE.sub(" ", plain))
    first, measured = True, False
    for token in _TOKEN.finditer(plain):
        kind, written = token.lastgroup, token.group()
        if kind == "pause":
            first = first or written in ".!?:"
            continue
        if kind == "number":
            root = _THOUSANDS.sub("", written.replace(" ", ""))
        else:
            is_unit = measured and len(written) < 4
            root = written if is_unit else _root(written, first=first)
        yield Word(root, written, first)
        first, measured = False, kind == "number"


@lru_cache(maxsize=16384)  # most words come again and again
def _root(written: str, *, first: bool) -> str:
    """Case goes where it says nothing: iron and Iron, not CO and Co, mg and Mg, pH, MeV, GIN."""
    root = written.casefold()
    says_nothing = len(written) > 2 or (first and root in _FILLERS)
    if not (written.islower() or (written.istitle() and written.isalpha() and says_nothing)):
        return written
    if root in _DIGITS:
        return _DIGITS[root]
    if root in _FILLERS or len(root) < 4 or not root.isalpha():
        return root
    singular = root[:-1] if root.endswith("s") and root[-2] not in "siu" else root
    for ending, plain in _PLURALS:
        if root.endswith(ending):
            singular = root.removesuffix(ending) + plain
    if singular.endswith("se"):  # gases are gas, bases base
        singular = singular[:-1]
    verb = _VERB.fullmatch(singular)
    return verb["stem"] if verb else singular


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
