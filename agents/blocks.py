"""Foreign text inside a prompt: one tagged block that no text can end, imitate or open another one in.

Whatever reads as a tag gets a backslash behind its first sign, `<\\/answer>`: a tag that closes anything, one that
opens anything, and the bars by which chat templates mark a turn (`<|im_start|>`), which some servers take for real
ones. That holds for other signs of the same look, for spaces and invisible signs between the parts, and for `<` as an
entity or a JSON escape. All else stays to the letter, and `restore` gives back what was put in.
"""

import re

# Unicode's default-ignorable signs, controls, and marks that sit on the sign before them
_HIDDEN = (
    r"\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufffb"
    r"\U000e0000-\U000e0fff"
)
_Z = f"[{_HIDDEN}]*+"
_GAP = rf"[\s{_HIDDEN}]*+"


def _parts(*parts: str) -> str:
    """The parts in a row, with anything invisible between them. Possessive, so that a long run costs its length."""
    return _Z.join(parts)


_ENCODED = "|".join(
    [
        _parts("&", f"(?:{_parts('a', 'm', 'p', ';', '')})*+(?:{_parts('l', 't')}|{_parts('#', '0*+', '6', '0')}"
               f"|{_parts('#', 'x', '0*+', '3', 'c')})", ";?+"),
        _parts(r"\\", "(?:u00|x)", "3", "c"),
    ]
)  # fmt: skip
_LESS = f"(?:[<\uff1c\ufe64]|{_ENCODED})"
_LESS_BY_LOOK = f"(?:{_LESS}|[\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008])"
_GREATER = r"(?:[>\uff1e\ufe65]|&|\\)"
_SLASH = r"(?:[/\uff0f\u2044\u2215\u29f8\u2571]|&(?:sol|frasl|#0*47|#x0*2f)|\\(?:u00|x)2f)"
_BAR = r"[|\uff5c\u00a6\u01c0]"
_WORD = rf"[^\W\d](?:[\w.:-]|[{_HIDDEN}])*+"
_REST = rf"(?:\s[^<>]{{0,200}}=[^<>]{{0,200}})?{_GAP}(?:{_SLASH}{_GAP})?"
_CLOSES = rf"{_LESS_BY_LOOK}(?=\\*+{_GAP}{_SLASH})"
_OPENS = rf"{_LESS}(?=\\*+{_GAP}(?:{_BAR}|{_WORD}{_REST}{_GREATER}))"
_TAG = re.compile(f"{_CLOSES}|{_OPENS}", re.IGNORECASE)
_DEFUSED = re.compile(rf"({_CLOSES}|{_OPENS})\\".replace(r"(?=\\*+", r"(?=\\++"), re.IGNORECASE)


def defuse(text: str) -> str:
    """The text with a backslash in every tag, however it is spelled."""
    return _TAG.sub(lambda tag: tag[0] + "\\", text)


def restore(text: str) -> str:
    """What was given to `defuse`."""
    return _DEFUSED.sub(lambda tag: tag[1], text)


def block(tag: str, text: str) -> str:
    """The text, bare at both ends, on lines of its own between `<tag>` and `</tag>`."""
    return f"<{tag}>\n{defuse(text).strip()}\n</{tag}>"
