"""Which answers are drawn to be reviewed, and with which probability."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fathom.state.rows import AnswerRow, RowVerdict
from fathom.stats.sampling import allocate, draw, strata_of

SIZES = st.dictionaries(st.text(max_size=3), st.integers(1, 40), min_size=1, max_size=8)


def rows_of(run: str) -> list[AnswerRow]:
    """37 answers in five strata."""
    verdicts: list[tuple[str, RowVerdict, int]] = [
        ("common", "right", 20),
        ("common", "wrong", 6),
        ("textbook", "right", 7),
        ("textbook", "wrong", 3),
        ("textbook", "abstained", 1),
    ]
    texts = {"question": "What?", "answer": "That."}
    return [
        AnswerRow(
            *(
                run,
                "drill",
                "m",
                "d",
                "g",
                f"{tier} {verdict} {number}",
                "depth 1",
                1.0,
                verdict,
            ),
            tags={"tier": tier},
            texts=texts,
        )
        for tier, verdict, count in verdicts
        for number in range(count)
    ]


@given(SIZES, st.integers(0, 100), st.integers(0, 100))
def test_a_larger_sample_takes_no_less_of_any_stratum(
    sizes: dict[str, int], size: int, more: int
) -> None:
    smaller, larger = allocate(sizes, size), allocate(sizes, size + more)
    assert sum(smaller.values()) == min(size, sum(sizes.values()))
    assert all(smaller[name] <= larger[name] <= sizes[name] for name in sizes)
    if size >= len(sizes):
        assert min(smaller.values()) >= 1


@given(st.integers(0, 40), st.integers(0, 10))
def test_a_larger_sample_holds_the_smaller_one(size: int, more: int) -> None:
    strata = strata_of(rows_of("run"))
    assert draw(strata, size).keys() <= draw(strata, size + more).keys()


def test_every_answer_is_drawn_as_often_as_its_probability_says() -> None:
    runs, size = 800, 12
    times, probabilities = Counter[str](), dict[str, float]()
    for number in range(runs):
        strata = strata_of(rows_of(f"run {number}"))
        for sampled in draw(strata, size).values():
            times[sampled.item] += 1
            probabilities[sampled.item] = sampled.probability
    assert len(probabilities) == 37
    assert sum(probabilities.values()) > size - 1e-9
    for item, probability in probabilities.items():
        spread = (probability * (1 - probability) / runs) ** 0.5
        assert abs(times[item] / runs - probability) <= 4.5 * spread, item


def test_anchors_and_answers_without_words_or_score_are_not_reviewed() -> None:
    row = rows_of("run")[0]
    others = {"condition": "anchor m2"}, {"score": None}, {"texts": {"question": "What?"}}
    assert not strata_of([AnswerRow(**{**fields_of(row), **other}) for other in others])


def fields_of(row: AnswerRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__slots__}
