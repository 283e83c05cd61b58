"""Text as Fathom compares it: normal forms and digests."""

import hashlib
import re
import unicodedata

_SPACE = re.compile(r"\s+")
_EDGE = " \t\n\"'“”‘’«»().,;:!?"
_SAME_SIGN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-", "\u00a0": " "})


def normalise(text: str) -> str:
    """One spelling of a text for comparing: NFKC, one kind of quote and dash, single spaces, no case, bare edges."""
    folded = unicodedata.normalize("NFKC", text).translate(_SAME_SIGN).casefold()
    return _SPACE.sub(" ", folded).strip(_EDGE)


def digest(text: str) -> str:
    """Sixteen hex digits of SHA-256 over the normalised text: the identity of a passage."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()[:16]


def contains(haystack: str, needle: str) -> bool:
    """Whether the normalised needle stands, as whole words, in the normalised haystack. An empty needle never does."""
    wanted = normalise(needle)
    if not wanted:
        return False
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", normalise(haystack)) is not None
