"""Text as Fathom compares it."""

import pytest

from fathom.state.text import contains, digest, normalise


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("  “Gold”,\n is  YELLOW. ", "gold”, is yellow".replace("”", '"')),
        ("−7.2 °C", "-7.2 °c"),
        ("ﬁne–grained", "fine-grained"),
        ("Straße", "strasse"),
        ("(Au)", "au"),
        ("", ""),
    ],
)
def test_normal_form(written: str, normal: str) -> None:
    assert normalise(written) == normal
    assert normalise(normal) == normal
    assert digest(written) == digest(normal)


@pytest.mark.parametrize(
    ("text", "part", "found"),
    [
        ("The symbol is Au.", "au", True),
        ("The symbol is Aurum.", "au", False),
        ("It costs 14 dollars, or 4 more.", "4", True),
        ("It costs 14 dollars.", "4", False),
        ("noble gases and alkali metals", "Noble  Gases", True),
        ("iron_ore", "iron", False),
        ("金属のナトリウムは軟らかい", "ナトリウム", True),
        ("anything", " .", False),
    ],
)
def test_whole_words(text: str, part: str, found: bool) -> None:
    assert contains(text, part) is found
