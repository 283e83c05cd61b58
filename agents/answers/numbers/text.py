"""From LaTeX and typographic signs to the plain signs in which numbers are read.

Fractions become `3/4`, powers `10^-3`, products `3×10^5`; what only sets type is dropped, and what
is not known is marked, so that no number is read beside it. Takes time in proportion to the text.
"""

import re
import unicodedata

UNREAD = "\ue002"
"""Stands before the name of a command that is not known, and behind a number that is 5! or 0.33…"""
_CALCULATOR = re.compile(r"<<[^<>\n]*+>>")  # GSM8K's notes of what was calculated
_VULGAR = re.compile("([0-9]?)([¼-¾⅐-⅞↉])")
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_PLAIN_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_FRACTION = re.compile(
    r"\\[dtc]?frac\s*+(?:\{(?P<over>[^{}]*+)\}|(?P<upper>[0-9]))\s*+(?:\{(?P<under>[^{}]*+)\}|(?P<lower>[0-9]))"
)
_SIMPLE = re.compile(r"\s*+-?[0-9][0-9.,]*+\s*+")
_COMMAND = re.compile(r"\\([A-Za-z]++|[^A-Za-z0-9\n]) ?")
_SIGNED = (
    "times × cdot · div ÷ approx ≈ sim ≈ simeq ≈ le ≤ leq ≤ ge ≥ geq ≥ pm ± mp ∓ circ ° degree ° "
    "textdegree ° mu µ"
    " Omega Ω ohm Ω pi π infty ∞ sqrt √ euro € pounds £ textsterling £ percent % % % { ( } ) \\ ; "
    "ne ≠ neq ≠"
)
_SYMBOLS = _SIGNED.split()
# \$ is not the $ that sets mathematics; the last step makes it one
_COMMANDS = dict(zip(_SYMBOLS[::2], _SYMBOLS[1::2], strict=True)) | {"$": "＄", "!": ""}
_TYPE = re.compile(
    r"(?:text|math)(?:bf|rm|it|sf|tt|up|normal)?|text|operatorname|mbox|hbox|boldsymbol|emph|underline|bf|rm|num|unit|qty"
    r"|si|SI|ce|pu|left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits"
)
_SPACE = re.compile(r"[,:;> ~()\[\]]|quad|qquad|thinspace|space|enspace")
_UNEQUAL = re.compile(r"\\not ?=|!=")
_NOT_OVER = re.compile(r"(?<=[0-9)\]}])\s?(?=!|\.{3}|…)|(?<=\b[A-Za-z])(?=!)")
_EXPONENT = re.compile(r"\^\s*+\{\s*+([^{}]*+)\}")
_MATHEMATICS = re.compile(r"\$(?=[^\s$])([^$\n]*+)(?<=\S)\$(?![0-9])")
_POWER = re.compile(r"(?<![0-9.])10\s?\*\*\s?(\(?[+-]?[0-9])")
_PRODUCT = re.compile(r"(?<=[0-9])\s?\*\s?(?=[0-9])|(?<=\S) \* (?=\S)")
_SIGNS = str.maketrans("−‐‑‒–﹣º˚’‘′⋅∙•∼≃≅٫٬␣", "------°°'''···≈≈≈., ") | {ord("—"): " - "}
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")


def plain_math(text: str, *, grouped: bool = False) -> str:
    """The text with its numbers in plain signs; lines stay lines. ASCII digits only. `grouped`:
    fractions and braces stay, which set apart what belongs together; those of a set become ⦃ ⦄."""
    text = _CALCULATOR.sub("", text)
    if not text.isascii():
        text = _UNSEEN.sub("", raised(_VULGAR.sub(_vulgar, text))).translate(_SIGNS)
    text = _UNEQUAL.sub("≠", text)
    if grouped:
        text = text.replace(r"\{", "⦃").replace(r"\}", "⦄")
    if "\\" in text:
        text = _COMMAND.sub(_command, text if grouped else _FRACTION.sub(_fraction, text))
    text = _NOT_OVER.sub(UNREAD, text)
    if "{" in text and not grouped:
        text = _EXPONENT.sub(r"^\1", text).replace("{", "").replace("}", "")
    if "$" in text:
        text = _MATHEMATICS.sub(r"\1", text.replace("$$", " "))
    if "*" in text:
        text = _PRODUCT.sub("×", _POWER.sub(r"10^\1", text))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
        text = "".join(
            str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text
        )
    return text.replace("^°", "°").replace("^ °", "°")


def raised(text: str) -> str:
    """The text with x² as x^2, which other forms of it would make x2."""
    return _RAISED.sub(lambda found: f"^{found[0].translate(_PLAIN_RAISED)}", text)


def _vulgar(found: re.Match[str]) -> str:
    """½ as 1/2; behind a figure apart from it, as 2½ is a mixed number."""
    fraction = unicodedata.normalize("NFKC", found[2]).replace("⁄", "/")
    return f"{found[1]} {fraction}" if found[1] else fraction


def _fraction(found: re.Match[str]) -> str:
    over, under = found["over"] or found["upper"], found["under"] or found["lower"]
    goes_on = found.string[found.end() : found.end() + 1].isdigit()  # \frac123
    if goes_on or not (_SIMPLE.fullmatch(over or "") and _SIMPLE.fullmatch(under or "")):
        return f"({over or ''})/({under or ''})"
    mixed = found.string[max(found.start() - 1, 0) : found.start()].isdigit()
    return f"{' ' * mixed}{over.strip()}/{under.strip()}"


def _command(found: re.Match[str]) -> str:
    """What a LaTeX command says; its name, marked, where it sets no type and is not known."""
    name = found[1]
    if name in _COMMANDS:
        return _COMMANDS[name]
    if _SPACE.fullmatch(name):
        return " "
    return "" if _TYPE.fullmatch(name) else f"{UNREAD if name.isalpha() else ' '}{name} "
