"""Text in boxes of a drawing: how wide it will be, at most, and where its lines break."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

from ....page.sanitise import one_line

_WIDTHS: Mapping[float, str] = {
    0.29: "ijl'",
    0.34: " .,:;|I/\\J",
    0.42: "ft()[]r-!",
    0.56: 'szc"`?*_L',
    0.62: "kvxyaeTFPY",
    0.66: "0123456789$bdghnopquSE{}K",
    0.88: "wMOQG&+=<>#~^",
    1.02: "mW@%",
}
"""In font sizes, as DejaVu Sans and Verdana have them, the widest of the usual fonts."""
_WIDTH = {sign: width for width, signs in _WIDTHS.items() for sign in signs}
_USUAL = 0.78
"""Of all other signs of ASCII."""
_CAPITAL, _OTHER = 1.12, 1.02
"""Of letters beyond ASCII that are no accented ones of ASCII."""
_WIDE, _PICTURE = 1.05, 1.4
"""Of Chinese, Japanese and Korean signs, and of emoji."""
BOLD = 1.15
"""How much wider bold text is."""
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def plain(text: str) -> str:
    """The text on one line, of signs that may stand in a document; what is active is made visible."""
    return _NOT_IN_XML.sub("\ufffd", one_line(text))


def width_of(text: str, size: float) -> float:
    """Pixels that a line takes at most, by estimate: which font a viewer has is not known. `size`: of the font."""
    return sum(map(_width, text)) * size


@cache
def _width(sign: str) -> float:
    kind = unicodedata.category(sign)
    if kind in ("Mn", "Me", "Cf"):
        return 0.0
    if ord(sign) > 0x1F000:
        return _PICTURE
    if unicodedata.east_asian_width(sign) in "WF":
        return _WIDE
    base = unicodedata.normalize("NFD", sign)[0]
    if base.isascii():
        return _WIDTH.get(base, _USUAL)
    return _CAPITAL if kind == "Lu" else _OTHER


def wrapped(text: str, size: float, width: float, most: int | None = None) -> list[str]:
    """The text in lines of at most `width` pixels, broken at blanks, and inside a word only where that alone is too
    wide. The last of `most` lines ends with … where there is more. A text of blanks is one empty line."""
    lines = [""]
    for word in _fitting(plain(text), size, width):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width_of(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    if most is None or len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and width_of(last + "…", size) > width:
        last = last[:-1]
    return [*lines[: most - 1], last.rstrip() + "…"]


def _fitting(text: str, size: float, width: float) -> Iterator[str]:
    """The words, those that are wider than a line in pieces."""
    for word in text.split():
        piece = ""
        for sign in word:
            if piece and width_of(piece + sign, size) > width:
                yield piece
                piece = ""
            piece += sign
        yield piece
