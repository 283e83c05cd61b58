"""Concepts and formulas that steps with the elements need: questions of depth 1 that many share."""

from functools import cache

from .nodes import DeepQuestion, part


def concept(name: str) -> DeepQuestion:
    """The concept's question of depth 1."""
    return concepts()[name]


@cache
def concepts() -> dict[str, DeepQuestion]:
    """All concepts by name."""
    return {name: _concept(name, question, *said) for name, (question, *said) in _CONCEPTS.items()}


def _concept(name: str, question: str, *said: tuple[str, ...]) -> DeepQuestion:
    parts = tuple(part(*statement) for statement in said)
    first = parts[0].text.removesuffix(".")
    return DeepQuestion(
        id=f"d1.concept.{name}",
        depth=1,
        question=question,
        parts=parts,
        yes_no=f"Is it true that {first[:1].lower()}{first[1:]}?",
    )


_CONCEPTS: dict[str, tuple[str, *tuple[tuple[str, ...], ...]]] = {
    "neutrons": (
        "From which two numbers does the count of neutrons in a nucleus follow?",
        ("The count of neutrons is the mass number less {v}.", "the atomic number", "the group number", "the period"),
        ("The mass number counts {v}.", "protons and neutrons together", "protons and electrons together", "neutrons"),
    ),
    "liquid-range": (
        "What is understood by the liquid range of a substance?",
        ("The liquid range is the span of temperatures that leaves a substance {v}.", "liquid", "solid", "a gas"),
        ("It begins at the {v}.", "melting point", "boiling point", "critical point"),
        ("It ends at the {v}.", "boiling point", "melting point", "sublimation point"),
    ),
    "states": (
        "In what way do melting and boiling point divide the states of matter?",
        ("Below the melting point a substance is {v}.", "solid", "liquid", "a gas"),
        ("Between melting point and boiling point it is {v}.", "liquid", "solid", "a gas"),
        ("Above the boiling point it is {v}.", "a gas", "liquid", "solid"),
    ),
    "molar-mass": (
        "Which relation ties the mass of a sample to its amount of substance?",
        ("The mass is the amount of substance {v} the molar mass.", "multiplied by", "divided by", "added to"),
        ("In grams per mole the molar mass has the same figure as {v}.", "the atomic weight", "the atomic number",
         "the density"),
    ),
    "outer-shell": (
        "What do group and period tell about the outer electrons of main-group elements?",
        ("The period is the number of the {v} shell that holds electrons.", "outermost", "innermost", "second"),
        ("The last digit of the group is the number of {v}.", "electrons in that shell", "electrons in all",
         "neutrons in the nucleus"),
    ),
    "molar-volume": (
        "Of which two quantities is the molar volume the quotient?",
        ("The molar volume is the molar mass divided by the {v}.", "density", "atomic number", "heat capacity"),
        ("It is the space that {v} takes up.", "one mole", "one gram", "one atom"),
    ),
    "warming": (
        "Which product gives the heat needed to warm a body?",
        ("The heat is the product of mass, {v} and rise in temperature.", "specific heat capacity",
         "thermal conductivity", "heat of fusion"),
        ("That holds as long as the state of matter {v}.", "stays the same", "changes", "is that of a gas"),
    ),
    "fusion": (
        "What does the heat of fusion of a substance measure?",
        ("The heat of fusion is the energy that turns {v} into liquid at the melting point.", "solid", "gas", "plasma"),
        ("It is usually given per {v}.", "mole", "litre", "degree"),
    ),
    "density": (
        "What does the density of a material state?",
        ("Density is mass divided by {v}.", "volume", "amount of substance", "surface"),
        ("A cube with edges of ten centimetres has a volume of {v} cubic centimetres.", "1000", "100", "10000"),
    ),
    "oxidation": (
        "What does a positive oxidation state say about the electrons of an atom?",
        ("A positive oxidation state counts the electrons that an atom has {v}.", "given up", "taken in",
         "in its inner shells"),
        ("A neutral atom has as many electrons as its {v} says.", "atomic number", "mass number", "group number"),
    ),
    "bond": (
        "Which differences in electronegativity separate the kinds of chemical bond?",
        ("On the Pauling scale a bond counts as nonpolar covalent below a difference of about {v}.", "0.5", "1.1",
         "2.4"),
        ("It counts as ionic from a difference of about {v} on.", "1.7", "0.9", "3.2"),
        ("In between it counts as {v}.", "polar covalent", "metallic", "nonpolar covalent"),
    ),
}  # fmt: skip
