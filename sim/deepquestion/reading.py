"""Reading a problem: what a text states and asks for, whoever wrote it, and which of its sentences do not belong to it.

Only what stands in the text counts. A quantity belongs to the problem when it is said of what: "12.5 g of water (H2O)",
"250 mL of solution", "a concentration of 0.2 mol/L"; every other number is a distractor.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from .. import foreign
from ..values import show
from .core import Core, Quantity, Unit
from .data import FORMULA, atoms_in

_DIGITS = r"(?:\d{1,3}(?:[, ]\d{3}){1,4}(?!\d)|\d{1,15})(?:\.\d{1,15})?"
_TIMES = r"\s?(?:×|x|\*|·|⋅|\\times)\s?"
_POWER = r"10\s?\^\s?[{(]?[+−-]?\d{1,2}[})]?"
_SIGN = r"(?:[+−–-]|[Mm]inus )?"
_NUMBER = rf"{_SIGN}(?:(?:{_DIGITS}{_TIMES})?{_POWER}|{_DIGITS}(?:[eE][+−-]?\d{{1,2}})?)"
"""Also with a sign, thousands set apart, or a power of ten."""
_ALONE = r"(?<![\w.^/±+−–-])(?<!\d,)(?<!± )"
"""Before a number that is no part of another, of a range or of a fraction: such a one is not read at all."""
_NAME = r"(?:the )?(?:[a-z]+(?:\([IVX,]+\))? ){1,3}"
_SUBSTANCE = rf"(?:{_NAME}\(({FORMULA})\)|({FORMULA})(?![\w(]))"
_TERM = rf"(?:\d+ ?)?{FORMULA}"
_TERMS = rf"{_TERM}(?: ?\+ ?{_TERM})*+"
_EQUATION = re.compile(rf"(?<!\w){_TERMS} ?(?:→|⟶|->|⇌) ?{_TERMS}")
_AMOUNT = re.compile(rf"{_ALONE}({_NUMBER})\s?(kg|mg|g|grams?|mol|moles?)\s+of\s+{_SUBSTANCE}")
_VOLUME = re.compile(rf"{_ALONE}({_NUMBER})\s?(mL|ml|L|litres?)\s+of\s+(?:a |the |this )?solution\b")
_STRENGTH = re.compile(rf"\bconcentration\s+(?:of|is|has to be|must be)\s+({_NUMBER})\s?mol/L")
_MENTION = re.compile(rf"(?<=\s)\(({FORMULA})\)")
_EXCESS = re.compile(r"\bexcess\b")
_BETWEEN = r"(?:[^\w.;:,!?]+\w+){0,5}?[^\w.;:,!?]+"
_NO_EXCESS = re.compile(
    rf"(?:\b(?:no|not|never|without|neither|nor|none|nothing)|n['’]t){_BETWEEN}excess\b"
    rf"|\bexcess{_BETWEEN}(?:is|are|was|were)(?: not\b| never\b|n['’]t\b)",
    re.IGNORECASE,
)
"""An excess that is denied, within a clause."""
_PRECISE = re.compile(r"\bsignificant (?:digits|figures)\b")
_HINT = re.compile(r"\b(?:molar mass (?:is|of [^?]* is)|g/mol\b|(?:divide|multiply) )", re.IGNORECASE)
_OTHER = re.compile(rf"{_ALONE}(?<!,)({_NUMBER})(?![\w,]*\d)\s?(g/mol|mol/L|kg|mg|g|mol|mL|L|%)?(?!\w)")
_ASKED: tuple[tuple[Unit, re.Pattern[str]], ...] = (
    ("g/mol", re.compile(rf"\bmolar mass\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
    ("%", re.compile(rf"\bpercentage of (?:the|its) mass\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
    ("mol/L", re.compile(rf"\bwhat is the concentration\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
    ("g", re.compile(rf"\bhow many grams\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
    ("mol", re.compile(rf"\bhow many moles\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
    ("molecules", re.compile(rf"\bhow many molecules\b(?: of {_SUBSTANCE})?", re.IGNORECASE)),
)
_DUE_TO = re.compile(rf"\bis due to {_SUBSTANCE}")
_IN_BASE: dict[str, tuple[Unit, float]] = {
    "kg": ("g", 1000.0), "mg": ("g", 0.001), "g": ("g", 1.0), "gram": ("g", 1.0), "grams": ("g", 1.0),
    "mol": ("mol", 1.0), "mole": ("mol", 1.0), "moles": ("mol", 1.0),
    "mL": ("mL", 1.0), "ml": ("mL", 1.0), "L": ("mL", 1000.0), "litre": ("mL", 1000.0), "litres": ("mL", 1000.0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Distractor:
    """A sentence with a number that does not belong to the problem."""

    text: str
    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A problem as it was read."""

    core: Core
    distractors: tuple[Distractor, ...] = ()
    """In the order of the text."""
    story: tuple[str, ...] = ()
    """Sentences that neither belong to the problem nor have a number."""
    hints: tuple[str, ...] = ()
    """Sentences that give a molar mass or a step of the solution."""
    precise: bool = False
    """Whether it says how many digits the answer is to have."""
    asks: str = ""
    """The sentence that asks."""


@lru_cache(maxsize=8192)
def read_problem(text: str) -> Reading | None:
    """What a text states and asks; None for what is no problem of this world: without a question for a mass, an amount,
    a number of molecules, a molar mass, a percentage or a concentration, or without any formula."""
    if "?" not in text:
        return None
    sentences = foreign.sentences(_plain(text))
    asking = next((s for s in reversed(sentences) if "?" in s and any(form.search(s) for _, form in _ASKED)), None)
    if asking is None:
        return None
    core = _core(sentences, asking)
    if not (core.formula or core.equation or any(map(_mentioned, sentences))):
        return None
    others = [sentence for sentence in sentences if sentence != asking and not _belongs(sentence)]
    # a molar mass that is stated is a help, and no other number that leads astray
    hints = tuple(sentence for sentence in others if _HINT.search(sentence))
    rest = [sentence for sentence in others if sentence not in hints]
    numbers = {sentence: _numbers(sentence) for sentence in rest}
    return Reading(
        core=core,
        distractors=tuple(Distractor(s, *numbers[s][0]) for s in rest if numbers[s]),
        story=tuple(s for s in rest if not numbers[s] and not _PRECISE.search(s)),
        hints=hints,
        precise=any(_PRECISE.search(sentence) for sentence in sentences),
        asks=asking,
    )


_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉\u00a0\u202f\u2009", "0123456789   ")
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_RAISED = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")


def _plain(text: str) -> str:
    return _RAISED.sub(lambda found: f"^{found[0].translate(_SUPERSCRIPTS)}", text).translate(_SUBSCRIPTS)


_PARTS = re.compile(
    rf"(?P<sign>{_SIGN})(?P<digits>{_DIGITS})?(?:{_TIMES})?"
    r"(?:(?:10\s?\^\s?[{(]?|[eE])(?P<minus>[−-]?)\+?(?P<power>\d{1,2})[})]?)?"
)


def _decimal(number: str) -> str:
    """A number in plain digits; to the letter what was written, where that has no power of ten."""
    parts = _PARTS.fullmatch(number)
    assert parts is not None
    digits = re.sub("[, ]", "", parts["digits"] or "1")
    if parts["power"]:
        digits = show(float(f"{digits}e{'-' if parts['minus'] else ''}{parts['power']}"))
    return f"-{digits}" if parts["sign"] not in ("", "+") else digits


def _core(sentences: list[str], asking: str) -> Core:
    text = " ".join(sentences)
    equation = _EQUATION.search(text)
    rest = _EQUATION.sub(" ", text)
    given = tuple(_quantities(rest))
    asks, formula = _asked(asking)
    element = ""
    if asks == "%":
        due = _DUE_TO.search(asking)
        element = _formula(due[1], due[2]) if due else ""
    mentioned = _mentioned(rest) | {quantity.formula for quantity in given if quantity.formula}
    if asks == "g" and not equation and _is_part(formula, mentioned):
        element, formula = formula, ""
    if not formula and not equation:
        formula = _sole(mentioned - {element})
    return Core(asks, formula, element, given, equation[0] if equation else "", any(map(_says_excess, sentences)))


def _says_excess(sentence: str) -> bool:
    """Whether there is an excess that is not denied."""
    return bool(_EXCESS.search(_NO_EXCESS.sub(" ", sentence)))


def _mentioned(text: str) -> set[str]:
    """The formulas that stand behind a name."""
    return {found for found in _MENTION.findall(text) if atoms_in(found)}


def _quantities(text: str) -> list[Quantity]:
    """In the order of the text; what is said twice counts once."""
    found: list[tuple[int, Quantity]] = []
    found += [
        (match.start(), _quantity(match[1], match[2], formula))
        for match in _AMOUNT.finditer(text)
        if (formula := _formula(match[3], match[4]))
    ]
    found += [(match.start(), _quantity(match[1], match[2])) for match in _VOLUME.finditer(text)]
    found += [(match.start(), Quantity(_decimal(match[1]), "mol/L")) for match in _STRENGTH.finditer(text)]
    return list(dict.fromkeys(quantity for _, quantity in sorted(found, key=lambda pair: pair[0])))


def _quantity(value: str, unit: str, formula: str = "") -> Quantity:
    base, factor = _IN_BASE[unit]
    plain = _decimal(value)
    return Quantity(plain if factor == 1 else show(float(f"{float(plain) * factor:.12g}")), base, formula)


def _formula(*found: str | None) -> str:
    """The one that is a formula; empty when none is."""
    return next((formula for formula in found if formula and atoms_in(formula)), "")


def _asked(sentence: str) -> tuple[Unit, str]:
    for unit, form in _ASKED:
        if found := form.search(sentence):
            return unit, _formula(found[1], found[2])
    raise AssertionError


def _is_part(formula: str, mentioned: set[str]) -> bool:
    """Whether a formula is a single atom that another substance of the text contains."""
    return atoms_in(formula) == {formula: 1} and any(formula in atoms_in(other) for other in mentioned - {formula})


def _sole(formulas: set[str]) -> str:
    return next(iter(formulas)) if len(formulas) == 1 else ""


def _belongs(sentence: str) -> bool:
    """Whether a sentence states something that the problem is made of."""
    forms = (_EQUATION, _AMOUNT, _VOLUME, _STRENGTH, _MENTION, _EXCESS)
    return any(form.search(sentence) for form in forms)


def _numbers(sentence: str) -> list[tuple[str, str]]:
    return [(_decimal(match[1]).removeprefix("-"), match[2] or "") for match in _OTHER.finditer(sentence)]
