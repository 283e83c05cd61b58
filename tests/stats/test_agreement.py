"""How far judges agree."""

import pytest

from fathom.stats.agreement import alpha, kappa


def kappa_of(table: list[list[int]]) -> float | None:
    """Of counts, one judge by row, the other by column."""
    return kappa(
        [
            (row, column)
            for row, counts in enumerate(table)
            for column, n in enumerate(counts)
            for _ in range(n)
        ]
    )


def test_kappa_vector() -> None:
    # pₒ = 35/50, pₑ = (25·30 + 25·20)/50² = .5, κ = .2/.5
    assert kappa_of([[20, 5], [10, 15]]) == pytest.approx(0.4)


@pytest.mark.parametrize("table", [[[50, 0], [0, 0]], [[0, 0], [0, 7]], [[0, 0], [0, 0]]])
def test_kappa_is_undefined_with_one_shared_label(table: list[list[int]]) -> None:
    assert kappa_of(table) is None


@pytest.mark.parametrize(
    ("table", "value"),
    [([[25, 0], [0, 25]], 1.0), ([[0, 25], [25, 0]], -1.0), ([[30, 0], [20, 0]], 0.0)],
)
def test_kappa_at_its_ends_and_of_a_judge_who_never_varies(
    table: list[list[int]], value: float
) -> None:
    assert kappa_of(table) == value


# Krippendorff (2011), four observers on twelve units, of which some are not labelled
OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


def test_alpha_of_the_published_table() -> None:
    rows = [row.split() for row in OBSERVERS]
    units = [[label for label in unit if label != "."] for unit in zip(*rows, strict=True)]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize("units", [[], [[1, 1], [1, 1]], [[1], [2]]])
def test_alpha_is_undefined_with_one_label_or_without_pairs(units: list[list[int]]) -> None:
    assert alpha(units) is None
