"""Text as Fathom compares it: normal forms and digests."""

import hashlib
import re
import unicodedata
from functools import lru_cache

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_EDGE = " \t\n\"'“”‘’«»().,;:!?"
_SAME_SIGN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-", "\u00a0": " "})


@lru_cache(maxsize=4096)  # passages and answers are compared with many short texts
def normalise(text: str) -> str:
    """One spelling of a text for comparing: NFKC, one kind of quote and dash, single spaces, no case, bare edges."""
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_SAME_SIGN)
    return " ".join(folded.casefold().split()).strip(_EDGE)


def digest(text: str) -> str:
    """Sixteen hex digits of SHA-256 over the normalised text: the identity of a passage."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()[:16]


def contains(haystack: str, needle: str) -> bool:
    """Whether the normalised needle stands, as whole words, in the normalised haystack. An empty needle never does."""
    text, wanted = normalise(haystack), normalise(needle)
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not (_in_word(text[at - 1 : at]) or _in_word(text[end : end + 1])):
            return True
        at = text.find(wanted, at + 1)
    return False


def _in_word(sign: str) -> bool:
    """Whether a neighbouring sign makes a find part of a longer word; scripts that set no spaces have no such sign."""
    return (sign.isalnum() or sign == "_") and not _UNSPACED.match(sign)
