"""Text of models and pages is data: it must not move a cursor, set a colour or turn the reading direction.

Nothing is hidden that could matter to a reader: a control character becomes a visible sign (ESC becomes ␛), so an
escape sequence is shown as what it is. Only marks without any reading of their own are dropped.
"""

import re

_ACTIVE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: a lone \x9b opens an escape sequence too
    "\u202a-\u202e\u2066-\u206f"  # embeddings, overrides, isolates, deprecated format controls
    "\ud800-\udfff"  # lone surrogates cannot be written to any stream
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # interlinear annotation, invisible tag letters
    "]"
)
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff]")
_SPACE = re.compile(r"\s+")
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


def one_line(text: str) -> str:
    """The text on one line, harmless to a terminal; runs of white space, line ends included, become one space."""
    return _ACTIVE.sub(_visible, _INVISIBLE.sub("", _SPACE.sub(" ", text))).strip()


def paragraphs(text: str) -> str:
    """The text with its line ends kept (as plain newlines), everything else harmless to a terminal."""
    lines = _NEWLINE.split(_INVISIBLE.sub("", text.replace("\t", "    ")))
    return "\n".join(_ACTIVE.sub(_visible, line).rstrip() for line in lines).strip("\n")
