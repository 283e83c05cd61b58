"""Numbers as the screen writes them."""

import pytest

from fathom.reports.page import figures
from fathom.reports.page.plan import tokens


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "unknown"),
        (0.0, "USD 0"),
        (0.0123, "USD 0.0123"),
        (0.5, "USD 0.50"),
        (1234.5, "USD 1,234.50"),
    ],
)
def test_money_never_takes_an_unknown_price_for_nothing(usd: float | None, text: str) -> None:
    assert figures.money(usd) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.84, "0.8 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3725, "1 h 2 min"),
        (-1, "0.0 s"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert figures.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (59.6, "1 min"),
        (730, "12 min"),
        (12_000, "3 h 20 min"),
        (40_000, "11 h"),
        (180_000, "2 days"),
    ],
)
def test_a_guessed_time_is_not_told_to_the_second(seconds: float, text: str) -> None:
    assert figures.roughly(seconds) == text


def test_a_rare_success_does_not_read_as_none() -> None:
    assert figures.percent(0.003) == "0.3%"
    assert figures.percent(0.0) == "0%"
    assert figures.percent(0.8) == "80%"


def test_stop_words_name_the_threshold() -> None:
    assert figures.stop_words("threshold", 0.2) == "survival fell below 20%"
    assert figures.stop_words("threshold", 0.125) == "survival fell below 12.5%"
    assert figures.stop_words("max_depth", 0.2) == "the depth limit was reached"
    assert figures.stop_words("something new", None) == "something new"


def test_short_names() -> None:
    run = "20261120T120000-drill-chemical-elements-7f3a9c01"
    assert figures.short_id(run) == "7f3a9c01"
    assert figures.place(f"{run}/d03.s07.r0") == "d03.s07.r0"
    assert figures.stages({"judge": 1, "answer": 2, "facts": 0}) == "answer 2, judge 1"


@pytest.mark.parametrize(
    ("number", "text"),
    [(640, "640"), (53_000, "53 k"), (999_400, "999 k"), (1_250_000, "1.2 M")],
)
def test_tokens_of_a_plan_in_two_or_three_digits(number: float, text: str) -> None:
    assert tokens(number) == text
