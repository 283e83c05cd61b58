"""Where one sentence ends and the next begins, in the scripts that mark it. Pure.

Rules and tables rather than a model: a cut must be the same on every machine and every day, because a passage's
identity is the digest of its text. Scripts that write no full stop (Thai, Lao) have no sentences here.
"""

import re

from .vocabulary import (
    ADVERBS,
    ALWAYS_GOES_ON,
    CONTINUES,
    DETERMINERS,
    FINITE,
    GOES_ON_BEFORE_NUMBER,
    MAY_END,
    ORDINAL_DOT,
    STARTERS,
)

_END = re.compile(r"""(?:[。！？｡]+|[.!?…؟۔।॥։።။។]+)["'”’»›」』）)\]]*""")
_FULL_WIDTH = "。！？｡"
_CLOSERS = "\"'”’»›」』）)]"
_OPENERS = "\"'“‘«‹„(（[「『¿¡"
_INITIALISM = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_WORD_BEFORE = re.compile(r"\S+$")
_WORD_AFTER = re.compile(r"\w+")
_HEADED = re.compile(r"\S{1,120}:\s|(?:[^:!?;.]|\.(?!\s)){1,125}:\s+[^a-zß-ÿ\s]")
"""A term before its definition: one word and a colon, or several when what follows does not go on in small letters."""
_NAME = re.compile(r"(?=.{3})(?:\D\d{2}|[α-ω]-|(?=(?:.*?[^\W\d_]){2}).+[\d_./(@=])\S*")
"""A word that no language has but as a name: p53, pg_dump, α-synuclein, os.path."""
_BEHIND_NAME = re.compile(r"(?:['’]s)?[,.;:)\]\"'”’]*$")
_PRESENT = re.compile(r"[a-z]{2,}[^\Wsui]s")


def sentences(paragraph: str, language: str = "en") -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of one paragraph, in order, without the white space between them.

    The last span may lack its end mark: the caller decides what an unfinished sentence is worth.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for mark in _END.finditer(paragraph):
        if _is_boundary(paragraph, mark, language):
            spans.append((start, mark.end()))
            start = mark.end()
    spans.append((start, len(paragraph)))
    return [trimmed for span in spans if (trimmed := _trim(paragraph, span))[0] < trimmed[1]]


def _trim(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_boundary(text: str, mark: re.Match[str], language: str) -> bool:
    after = text[mark.end() : mark.end() + 40]
    if not after.strip():
        return True
    if mark.group()[0] in _FULL_WIDTH:
        # 「…。」と言った: a quotation that the sentence goes on after
        return mark.group()[-1] not in _CLOSERS or after[0].isspace()
    if not after[0].isspace() or not _may_begin(after.lstrip()):
        return False
    if mark.group().rstrip(_CLOSERS) != ".":
        return True
    return not _goes_on(text[max(0, mark.start() - 30) : mark.start()], after, language)


def _may_begin(after: str) -> bool:
    """A capital, a digit, a letter of a script without case, or a name in small letters."""
    text = after.lstrip(_OPENERS)
    first = text[:1]
    return first.isdigit() or (first.isalpha() and (not first.islower() or begins_with_name(text)))


def begins_with_name(text: str) -> bool:
    """Whether a text that begins with a small letter begins as a sentence does that has a name (psql, p53, pH) for its
    subject or a term for its head, and not as the rest of a sentence."""
    words = text.split(maxsplit=4)
    name = _BEHIND_NAME.sub("", words[0]) if words else ""
    if name != name.lower() or _HEADED.match(text):
        return words[0].casefold().rstrip(":") not in CONTINUES or words[0][-1] == ":"
    if len(name) < 3 or name in CONTINUES or name.endswith("ly") or words[0].rstrip(".") in ALWAYS_GOES_ON:
        return False
    if _NAME.fullmatch(name):
        return True
    if len(words) > 2 and words[0][-1] == ",":
        return words[1] in ("if", "when", "which")
    if len(words) > 2 and words[1] in ADVERBS:
        return words[2] in FINITE or bool(_PRESENT.fullmatch(words[2]))
    return _is_finite(words[1:3]) or (len(words) > 2 and words[1] not in CONTINUES and _is_finite(words[2:3]))


def _is_finite(words: list[str]) -> bool:
    if not words:
        return False
    return words[0] in FINITE or (bool(_PRESENT.fullmatch(words[0])) and len(words) > 1 and words[1] in DETERMINERS)


def _goes_on(before: str, after: str, language: str) -> bool:
    """Whether the full stop between `before` and `after` marks an abbreviation inside a sentence."""
    found = _WORD_BEFORE.search(before)
    word = found.group().lstrip(_OPENERS) if found else ""
    folded = word.casefold()
    following = _WORD_AFTER.search(after)
    next_word = following.group() if following else ""
    if folded in ALWAYS_GOES_ON:
        return True
    if folded in GOES_ON_BEFORE_NUMBER and next_word[:1].isdigit():
        return True
    if folded in MAY_END or _INITIALISM.fullmatch(word):
        return next_word.casefold() not in STARTERS
    return language in ORDINAL_DOT and word.isdigit() and len(word) <= 2
