"""Problems in a story: what is needed stands in sentences of its own, and has to be found there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from ..draws import draw, pick, shuffled
from .core import Core, Quantity, Unit, Unsolvable, answer_of
from .data import atoms_in, element_named, name_of, named, sides_of, written


@dataclass(frozen=True, slots=True)
class Setting:
    """Where somebody needs an answer. No sentence has a number."""

    who: str
    """Who does something, at the start of a sentence."""
    story: tuple[str, ...]
    closing: str
    """What the answer is needed for."""


SETTINGS = (
    Setting(
        "The assistant",
        (
            "The laboratory of a water works is behind with its work after a week of heavy rain.",
            "An assistant has been asked to prepare the next test on her own.",
        ),
        "The result goes on the sheet that hangs beside the sink.",
    ),
    Setting(
        "The restorer",
        (
            "In the workshop of a museum a damaged stone figure is to be cleaned.",
            "The restorer tries out every step on a small sample before she touches the figure itself.",
        ),
        "Before she goes on, she wants to be sure of one number.",
    ),
    Setting(
        "The trainee",
        (
            "A factory for fertilisers trains its new people in a small hall beside the kilns.",
            "This morning a trainee is responsible for the first batch.",
        ),
        "The foreman will compare the trainee's result with his own.",
    ),
    Setting(
        "The teacher",
        (
            "A school is getting ready for its open day.",
            "The chemistry teacher plans an experiment that visitors can watch from the gallery.",
        ),
        "For the poster beside the table the teacher needs a single figure.",
    ),
    Setting(
        "The potter",
        (
            "A pottery on the coast mixes its own glazes, as it has done for generations.",
            "The potter no longer trusts the faded recipes and goes through them anew.",
        ),
        "Only with the right figure will the glaze come out as it did before.",
    ),
    Setting(
        "The student",
        (
            "A research ship has a narrow laboratory below deck, where everything has to be tied down.",
            "A student is preparing what will be needed at the next station.",
        ),
        "The head of the cruise is waiting for the figure on the bridge.",
    ),
    Setting(
        "The gardener",
        (
            "A botanical garden looks after plants that are particular about their soil.",
            "The head gardener mixes what they get in a shed behind the glasshouses.",
        ),
        "What comes out decides how the beds are treated this season.",
    ),
)
PLAIN = Setting("Somebody", ("Somebody has a substance at hand and looks at it more closely.",), "A number is missing.")
"""Nowhere in particular."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence that states one thing which the answer needs."""

    what: str
    """In a few words: `12.5 g of water (H2O)`, `the equation`."""
    text: str


def pieces(core: Core, who: str, *name: object) -> list[Piece]:
    """What a problem states, each thing in a sentence of its own."""
    # the volume comes behind what is dissolved, and in front of the concentration that is wanted
    given = sorted(core.given, key=lambda each: ("mL", "mol/L").index(each.unit) if not each.formula else -1)
    found = [Piece(told(each), _given(each, place, core, who, *name)) for place, each in enumerate(given)]
    if core.equation:
        happens = ("This is what happens: {e}.", "The reaction that follows is {e}.", "What takes place is {e}.")
        found.insert(0, Piece("the equation", pick(happens, *name, "equation").format(e=core.equation)))
    if core.excess:
        found.append(Piece("that there is an excess", "Of everything else that takes part there is an excess."))
    if not any(each.formula == core.formula for each in core.given) and not core.equation and not core.of("mL"):
        labels = ("The label on the jar says {s}.", "According to the label it is {s}.", "What stands there is {s}.")
        found.append(Piece(f"the formula {core.formula}", pick(labels, *name, "label").format(s=named(core.formula))))
    return found


def without_one(core: Core, who: str, *name: object) -> list[Piece]:
    """The same but for one thing, without which there is no answer: a quantity, else the formula."""
    there = pieces(core, who, *name)
    # without the part of a sample its formula would still tell
    needed = {told(each) for each in core.given if each.formula != core.element or not core.element}
    lost = pick([piece for piece in there if piece.what in needed or not needed], *name, "lost")
    return [piece for piece in there if piece is not lost]


def told(one: Quantity) -> str:
    """A quantity in a few words."""
    if one.unit == "mL":
        return f"{one} of solution"
    if one.unit == "mol/L":
        return f"the concentration {one}"
    return f"{one} of {of_what(one)}"


def of_what(one: Quantity) -> str:
    """What there is so much of: a substance, or an element in one."""
    return named(one.formula) if name_of(one.formula) != one.formula else element_named(one.formula)


_FIRST = ("{who} starts from {q}.", "{who} has {q} at hand.", "{who} takes {q}.")
_SECOND = ("To this come {q}.", "Into the same vessel go {q}.", "They are brought together with {q}.")
_SAMPLE_OF = {
    "g/mol": ("In the dish there are {q}.", "Counted as an amount of substance, these are {q}."),
    "%": ("The analysis has found {q}.", "It was made with {q}."),
}


def _given(one: Quantity, place: int, core: Core, who: str, *name: object) -> str:
    said = told(one)
    if one.unit == "mL":
        wanted = core.of("mol/L")
        return f"What is wanted is {said}." if wanted else f"With water this gives {said}."
    if one.unit == "mol/L":
        return f"It has to have a concentration of {one}."
    if len(core.given) > 1 and core.asks in ("g/mol", "%"):
        first, second = _SAMPLE_OF[core.asks]
        return (second if place else first).format(q=said)
    return pick(_SECOND if place else _FIRST, *name, "given", place).format(who=who, q=said)


def asked(core: Core, *name: object) -> str:
    """The question at the end, without the sentence on rounding."""
    return pick(_ASKED[core.asks](core), *name, "asked")


def _asked_mass(core: Core) -> tuple[str, ...]:
    if core.element:
        return (
            f"How many grams of {element_named(core.element)} are in this sample?",
            f"How many grams of {element_named(core.element)} does it contain?",
        )
    if core.equation:
        most = " at most" if len(core.given) > 1 else ""
        return (
            f"How many grams of {named(core.formula)} will there be in the end{most}?",
            f"How many grams of {named(core.formula)} can be formed{most}?",
        )
    if core.of("mL"):
        return (f"How many grams of {named(core.formula)} have to be dissolved?",)
    return "How many grams is that?", "How many grams does this weigh?"


def _asked_amount(core: Core) -> tuple[str, ...]:
    if core.equation or core.of("mL"):
        return (
            f"How many moles of {named(core.formula)} does that make?",
            f"How many moles of {named(core.formula)} are there in the end?",
        )
    return "How many moles is that?", "How many moles are at hand there?"


def _asked_strength(core: Core) -> tuple[str, ...]:
    return (
        f"What is the concentration of {named(core.formula)} in this solution, in mol/L?",
        f"In mol/L, what is the concentration of {named(core.formula)}?",
    )


_ASKED: Mapping[Unit, Callable[[Core], tuple[str, ...]]] = {
    "g": _asked_mass,
    "mol": _asked_amount,
    "mol/L": _asked_strength,
    "molecules": lambda _: ("How many molecules is that?", "How many molecules does this consist of?"),
    "g/mol": lambda _: (
        "What is the molar mass of this substance, in g/mol?",
        "In g/mol, what is the molar mass of what is in the jar?",
    ),
    "%": lambda core: (
        f"What percentage of the mass of this substance is due to {element_named(core.element)}?",
        f"What percentage of its mass is due to {element_named(core.element)}?",
    ),
}
_ROUNDED = (
    "The answer is wanted to three significant digits.",
    "Three significant digits are enough.",
    "State it to three significant digits.",
)


def rounded(*name: object) -> str:
    """The sentence on rounding."""
    return pick(_ROUNDED, *name, "rounded")


def asks_otherwise(core: Core) -> Core:
    """The same given things with another question, which has another answer. Raises Unsolvable where there is none."""
    symbol = core.element or list(atoms_in(core.formula))[-1]
    units: tuple[Unit, ...] = ("mol", "g", "molecules", "%", "g/mol")
    turned = [replace(core, asks=unit, element=symbol if unit == "%" else "") for unit in units if unit != core.asks]
    if core.equation and (sides := sides_of(core.equation)):
        turned += [replace(core, formula=formula) for _, formula in sides[1]]
    for other in turned:
        try:
            if answer_of(other) != answer_of(core):
                return other
        except Unsolvable:
            continue
    raise Unsolvable("there is nothing else to ask")


_AMOUNTS = (
    "A second container, which stays closed, is labelled {v}.",
    "On the day before, a similar run had been started with {v}.",
    "The order sheet for next month lists {v}.",
    "According to an old notebook, somebody once used {v} for a demonstration.",
    "The largest portion ever prepared here came to {v}.",
    "In the store room there is a reserve of {v}, under lock and key.",
)
_SHARES = (
    "A cheaper grade, which is not bought here, has a purity of {v}%.",
    "In another building the yield of last year was {v}% on average.",
    "The hygrometer beside the door shows {v}%.",
    "The supplier grants a discount of {v}% on large orders.",
)
_COUNTS = (
    "On the shelf there are {v} further jars of it.",
    "In the afternoon a group of {v} visitors will be shown around.",
    "The catalogue offers it in boxes of {v}.",
    "The same has been done {v} times this year.",
    "The register has {v} entries for this cupboard.",
)


def distractors(core: Core | None, count: int, *name: object) -> list[str]:
    """So many sentences that state a number and change nothing: by turns amounts with a unit that the problem has, and
    shares and counts; without a problem of this world the latter alone."""
    others = [
        text.format(v=3 + int((90 if text in _SHARES else 9) * draw(*name, text)))
        for text in shuffled((*_SHARES, *_COUNTS), *name, "others")
    ]
    turns = zip_longest(_tempting(core, *name) if core is not None else (), others)
    return [text for turn in turns for text in turn if text][:count]


def _tempting(core: Core, *name: object) -> list[str]:
    """Amounts near those that are given, but not the same."""
    amounts = [each for each in core.given if each.unit != "mol/L"]
    texts = []
    for text in shuffled(_AMOUNTS, *name, "amounts") if amounts else ():
        one, less = pick(amounts, *name, text), draw(*name, text, "less") < 0.5
        factor = 0.3 + 0.55 * draw(*name, text) if less else 1.2 + 2 * draw(*name, text)
        texts.append(text.format(v=f"{written(one.number * factor)} {one.unit}"))
    return texts


def meddling(core: Core, *name: object) -> str:
    """A sentence that looks like a distractor and is none: with it there is no one answer any more."""
    if core.of("mL") and core.of("mol/L"):
        return f"Then {written(core.of('mL')[0].number * 1.5)} mL of solution are wanted after all."
    amounts = [each for each in core.given if each.formula]
    if not amounts:
        return f"On a second label it says {named('KBr' if core.formula != 'KBr' else 'NaCl')}."
    one = pick(amounts, *name, "meddles")
    return f"Shortly afterwards another {written(one.number * 0.4)} {one.unit} of {of_what(one)} are added."
