"""Kinds of problems: each is one path to an answer, and knows how to draw substances and amounts for it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..draws import draw, pick, shuffled
from .core import Core, Path, Quantity, Unit, Unsolvable, answer_of, path_of, value_of
from .data import COMPOUNDS, MOLECULAR, REACTIONS, SOLUBLE, Side, atoms_in, molar_mass, sides_of, written

VOLUMES = ("100", "150", "200", "250", "400", "500", "750", "800")
_TRIES = 60


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of problem."""

    name: str
    domain: str
    path: Path
    asks: Unit
    make: Callable[..., Core]
    """Takes the name of a draw."""
    scaled: int = 1
    """How many of the given quantities, from the first, the answer is proportional to, taken together; 0: it has the
    answers that there are compounds for."""


def _mass(*name: object) -> str:
    return written(10 ** (0.1 + 1.85 * draw(*name, "mass")))


def _amount(*name: object) -> str:
    return written(10 ** (-1.0 + 1.6 * draw(*name, "amount")))


def _compound(*name: object) -> str:
    return pick(tuple(COMPOUNDS), *name, "compound")


def _element_of(formula: str, *name: object) -> str:
    symbols = list(atoms_in(formula))
    return pick([symbol for symbol in symbols if symbol not in ("O", "H")] or symbols, *name, "element")


def _molar(*name: object) -> Core:
    return Core("g/mol", _compound(*name))


def _molar_of_sample(*name: object) -> Core:
    formula, amount = _compound(*name), _amount(*name)
    mass = written(float(amount) * molar_mass(formula), 4)
    return Core("g/mol", formula, given=(Quantity(mass, "g", formula), Quantity(amount, "mol", formula)))


def _to_mass(*name: object) -> Core:
    formula = _compound(*name)
    return Core("g", formula, given=(Quantity(_amount(*name), "mol", formula),))


def _to_amount(*name: object) -> Core:
    formula = _compound(*name)
    return Core("mol", formula, given=(Quantity(_mass(*name), "g", formula),))


def _particles(*name: object) -> Core:
    formula = pick(MOLECULAR, *name, "compound")
    return Core("molecules", formula, given=(Quantity(_mass(*name), "g", formula),))


def _particles_of_amount(*name: object) -> Core:
    formula = pick(MOLECULAR, *name, "compound")
    return Core("molecules", formula, given=(Quantity(_amount(*name), "mol", formula),))


def _percent(*name: object) -> Core:
    formula = _compound(*name)
    return Core("%", formula, _element_of(formula, *name))


def _percent_of_sample(*name: object) -> Core:
    core = _percent(*name)
    whole = _mass(*name)
    part = written(float(whole) * value_of(core) / 100, 4)
    return replace(core, given=(Quantity(part, "g", core.element), Quantity(whole, "g", core.formula)))


def _element(*name: object) -> Core:
    core = _percent(*name)
    return replace(core, asks="g", given=(Quantity(_mass(*name), "g", core.formula),))


def _sides(*name: object) -> tuple[str, Side, Side]:
    equation = pick(REACTIONS, *name, "reaction")
    sides = sides_of(equation)
    assert sides is not None
    return equation, *sides


def _reaction(asks: Unit, given: Unit) -> Callable[..., Core]:
    """One reactant beside an excess of the others."""

    def make(*name: object) -> Core:
        equation, before, after = _sides(*name)
        _, reactant = pick(before, *name, "reactant")
        _, product = pick(after, *name, "product")
        quantity = Quantity(_mass(*name) if given == "g" else _amount(*name), given, reactant)
        return Core(asks, product, given=(quantity,), equation=equation, excess=len(before) > 1)

    return make


def _limiting(*name: object) -> Core:
    equation, before, after = _sides(*name)
    _, product = pick(after, *name, "product")
    runs = float(_amount(*name)) / before[0][0]
    scarce = draw(*name, "scarce") < 0.5
    given = tuple(
        # what is not used up is there by 20 to 80 % more than is needed
        Quantity(written(runs * count * molar_mass(of) * (1 if first == scarce else 1.2 + 0.6 * draw(*name, "more"))),
                 "g", of)
        for first, (count, of) in zip((True, False), before, strict=True)
    )  # fmt: skip
    return Core("g", product, given=given, equation=equation)


def _volume(*name: object) -> Quantity:
    return Quantity(pick(VOLUMES, *name, "volume"), "mL")


def _concentration(given: Unit) -> Callable[..., Core]:
    def make(*name: object) -> Core:
        formula = pick(SOLUBLE, *name, "compound")
        quantity = Quantity(_mass(*name) if given == "g" else _amount(*name), given, formula)
        return Core("mol/L", formula, given=(quantity, _volume(*name)))

    return make


def _dissolved(asks: Unit) -> Callable[..., Core]:
    def make(*name: object) -> Core:
        formula = pick(SOLUBLE, *name, "compound")
        return Core(asks, formula, given=(Quantity(_amount(*name), "mol/L"), _volume(*name)))

    return make


KINDS: tuple[Kind, ...] = (
    Kind("molar mass", "molar mass", ("weights",), "g/mol", _molar, 0),
    Kind("mass", "amount of substance", ("weights", "to mass"), "g", _to_mass),
    Kind("amount", "amount of substance", ("weights", "to amount"), "mol", _to_amount),
    Kind("particles", "particles", ("weights", "to amount", "particles"), "molecules", _particles),
    Kind("percent", "composition", ("weights", "percent"), "%", _percent, 0),
    Kind("element", "composition", ("weights", "percent", "share"), "g", _element),
    Kind(
        "mass to mass", "stoichiometry", ("weights", "to amount", "ratio", "to mass"), "g", _reaction("g", "g")
    ),
    Kind("mass to amount", "stoichiometry", ("weights", "to amount", "ratio"), "mol", _reaction("mol", "g")),
    Kind("amount to mass", "stoichiometry", ("ratio", "weights", "to mass"), "g", _reaction("g", "mol")),
    Kind(
        "limiting", "limiting reagent", ("weights", "to amount", "limit", "ratio", "to mass"), "g", _limiting, 2
    ),
    Kind("concentration", "solutions", ("weights", "to amount", "dilute"), "mol/L", _concentration("g")),
    Kind("dissolved mass", "solutions", ("dissolved", "weights", "to mass"), "g", _dissolved("g")),
    Kind("molar mass of a sample", "molar mass", ("mass per mole",), "g/mol", _molar_of_sample),
    Kind("particles of an amount", "particles", ("particles",), "molecules", _particles_of_amount),
    Kind("percent of a sample", "composition", ("part of sample",), "%", _percent_of_sample),
    Kind("amount to amount", "stoichiometry", ("ratio",), "mol", _reaction("mol", "mol")),
    Kind("concentration of an amount", "solutions", ("dilute",), "mol/L", _concentration("mol")),
    Kind("dissolved amount", "solutions", ("dissolved",), "mol", _dissolved("mol")),
)  # fmt: skip
"""No two have the same path."""
ASKED = KINDS[:12]
"""Those that problems are made of; the others are written only where something else was wanted."""


def kind_with(path: Path) -> Kind | None:
    """The kind with this path; None where there is none."""
    return next((kind for kind in KINDS if kind.path == path), None)


def others_with(kind: Kind) -> list[Kind]:
    """Other kinds that ask for the same unit; at least one."""
    return [other for other in KINDS if other.asks == kind.asks and other is not kind]


def drawn(kind: Kind, *name: object) -> Iterator[Core]:
    """Problems of this kind, as long as they are solvable by its path."""
    for step in range(_TRIES):
        try:
            core = kind.make(*name, kind.name, step)
            fits = path_of(core) == kind.path
        except (Unsolvable, ValueError):  # two reactants are wanted, or what forms is no ordinary product
            continue
        if fits:
            yield core


def with_answer(kind: Kind, answer: str, *name: object) -> Core | None:
    """A problem of this kind with exactly this answer, as `answer_of` writes it; None where none is found."""
    if not kind.scaled:
        return next(iter(shuffled([c for c in _all(kind) if answer_of(c) == answer], *name)), None)
    wanted = number_of(answer)
    for core in drawn(kind, *name):
        for digits in (3, 4, 5, 6):
            scaled = _scaled(core, kind.scaled, wanted / value_of(core), digits)
            if scaled is not None and answer_of(scaled) == answer:
                return scaled
    return None


def _all(kind: Kind) -> Iterator[Core]:
    for formula in COMPOUNDS:
        if kind.asks == "g/mol":
            yield Core("g/mol", formula)
        else:
            yield from (Core("%", formula, symbol) for symbol in atoms_in(formula))


def _scaled(core: Core, count: int, factor: float, digits: int) -> Core | None:
    """The first `count` quantities times a factor; None where they would not be written as plain numbers."""
    values = [each.number * factor for each in core.given[:count]]
    if any(not 0.01 <= value < 10_000 for value in values):
        return None
    scaled = [replace(q, value=written(v, digits)) for q, v in zip(core.given, values, strict=False)]
    return replace(core, given=(*scaled, *core.given[count:]))


def number_of(answer: str) -> float:
    """The number of an answer as `answer_of` writes it."""
    return float(answer.split("%")[0].replace(" × 10^", "e").split()[0])
