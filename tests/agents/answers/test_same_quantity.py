"""Which two numbers are the same answer: exactly, by their precision, across units, and where only
words differ."""

from collections.abc import Iterable

import pytest

from fathom.agents.answers.numbers import units as number_units
from fathom.agents.answers.numbers.compare import same_quantity
from fathom.agents.answers.numbers.read import read_number

from ...support.corpora import tsv

VERDICTS = {"right": True, "wrong": False, "judge": None}


def differing(cases: Iterable[tuple[str, str, bool | None]]) -> list[tuple[str, str]]:
    """The pairs of reference and answer about which the comparison says something else."""
    wrong = []
    for reference, answer, expected in cases:
        wanted, read = read_number(reference), read_number(answer)
        assert wanted is not None
        if (read is not None and same_quantity(read, wanted)) is not expected:
            wrong.append((reference, answer))
    return wrong


def test_bare_numbers_are_the_same_when_equal_others_by_their_written_precision() -> None:
    cases = [
        (reference, answer, VERDICTS[verdict])
        for verdict, reference, said, _ in tsv("same_quantities.tsv")
        for answer in said.split(" ; ")
    ]
    assert len(cases) > 200
    assert differing(cases) == []


def test_a_tolerance_is_a_relative_difference_besides() -> None:
    ten, more, point = (read_number(text) for text in ("10", "10.2", "45.04 g"))
    assert ten is not None
    assert more is not None
    assert point is not None
    assert not same_quantity(more, ten)
    assert same_quantity(more, ten, 0.02)  # 0.2 / 10
    assert not same_quantity(more, ten, 0.019)
    rounded = read_number("45.0")
    assert rounded is not None
    assert same_quantity(rounded, point, 0.0)


def test_the_unit_registry_is_asked_only_to_convert(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow() -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(number_units, "_registry", slow)
    number_units.conversion.cache_clear()
    pairs = (
        ("45.04 g", "45.0 g"),
        ("45.04 g", "45.0"),
        ("60 km/h", "60.0 km/h"),
        ("3 hours", "3 hour"),
        ("3 hours", "3"),
    )
    assert differing((*pair, True) for pair in pairs) == []
    with pytest.raises(AssertionError, match="loaded"):
        number_units.conversion("dam", "hm")
