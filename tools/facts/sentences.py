"""Where one sentence ends and the next begins, in the scripts that mark it. Pure.

Rules and tables rather than a model: a cut must be the same on every machine and every day, because a passage's
identity is the digest of its text. Scripts that write no full stop (Thai, Lao) have no sentences here.
"""

import re

from .vocabulary import ALWAYS_GOES_ON, GOES_ON_BEFORE_NUMBER, MAY_END, ORDINAL_DOT, STARTERS

_END = re.compile(r"""(?:[。！？｡]+|[.!?…؟۔।॥։።။។]+)["'”’»›」』）)\]]*""")
_FULL_WIDTH = "。！？｡"
_CLOSERS = "\"'”’»›」』）)]"
_OPENERS = "\"'“‘«‹„(（[「『¿¡"
_INITIALISM = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_WORD_BEFORE = re.compile(r"\S+$")
_WORD_AFTER = re.compile(r"\w+")


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
    """A capital, a digit, a letter of a script without case, or a name such as pH or mRNA."""
    words = after.lstrip(_OPENERS).split(maxsplit=1)
    first = words[0][0] if words else ""
    return first.isdigit() or (first.isalpha() and (not first.islower() or words[0] != words[0].lower()))


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
