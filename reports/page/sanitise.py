"""Text of models and pages is data: it must not move a cursor, set a colour or turn the reading
direction.

Nothing is hidden that could matter to a reader: a control character becomes a visible sign (ESC
becomes ␛), so an escape sequence is shown as what it is. Only marks without any reading of their
own are dropped.
"""

import re
import unicodedata

from ...state.worlds import label_of

_ACTIVE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: a lone \x9b opens an escape sequence too
    "\u202a-\u202e\u2066-\u206f"  # embeddings, overrides, isolates, deprecated format controls
    "\ud800-\udfff"  # lone surrogates cannot be written to any stream
    # interlinear annotation, no characters, invisible tag letters
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
    "]"
)
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff]")
_SPACE = re.compile(r"\s+")
_STACKED = 8
"""Marks kept on one sign: living scripts need fewer, and a heap of them runs over the lines above
and below."""
# beside what one_line shows: the separators that count as line ends to some readers of JSON lines
_UNESCAPED = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]"
)
_NEWLINE = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"


def _unstacked(text: str) -> str:
    """The text with heaps of combining marks cut down, and their number in place of what is left
    out."""
    if not any(
        unicodedata.category(sign) in ("Mn", "Me") for sign in set(text) if sign >= "\u0300"
    ):
        return text
    signs: list[str] = []
    heap = 0
    for sign in text:
        kind = unicodedata.category(sign)
        if kind in ("Mn", "Me"):
            heap += 1
            if heap > _STACKED:
                continue
        elif kind != "Cf":  # a joiner between marks makes no new heap
            if heap > _STACKED:
                signs.append(f"<+{heap - _STACKED} marks>")
            heap = 0
        signs.append(sign)
    return "".join(signs) + (f"<+{heap - _STACKED} marks>" if heap > _STACKED else "")


def model_name(model: str) -> str:
    """What people are shown of a model: its label, in one line."""
    return one_line(label_of(model))


def one_line(text: str) -> str:
    """The text on one line, harmless to a terminal; runs of white space, line ends included, become
    one space."""
    if (
        text.isascii() and text.isprintable()
    ):  # as most texts are: there is nothing to make harmless
        return " ".join(text.split())
    return _unstacked(_ACTIVE.sub(_visible, _INVISIBLE.sub("", _SPACE.sub(" ", text)))).strip()


def paragraphs(text: str) -> str:
    """The text with its line ends kept (as plain newlines), everything else harmless to a
    terminal."""
    visible = _INVISIBLE.sub("", text.replace("\t", "    "))
    lines = list[str]()
    for line in _NEWLINE.split(visible):
        visible = _ACTIVE.sub(_visible, line)
        lines.append(_unstacked(visible).rstrip())
    return "\n".join(lines).strip("\n")


def inert_json(document: str) -> str:
    """JSON that means the same and acts on no terminal: what JSON leaves as it is beyond ASCII, and
    a terminal obeys or a reader of lines trips over (C1 controls, direction overrides, line
    separators), is written as an escape."""
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", document)
