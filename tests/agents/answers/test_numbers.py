"""Numbers as final answers give them: what is read, alone and out of a reply, and what is not."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import orjson
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fathom.agents.answers.figures import lost_figure, lost_figures, number_in_words
from fathom.agents.answers.final.answer import answer_kind, final_stands_in, read_final, same_answer
from fathom.agents.answers.numbers.compare import equal_quantity, same_quantity
from fathom.agents.answers.numbers.read import Quantity, numbers_in, read_forms, read_number
from fathom.agents.answers.numbers.text import plain_math
from fathom.agents.answers.numbers.units import Scale, conversion
from fathom.state.deepquestion.items import Problem

from ...support.corpora import of_kinds, surrounded

ALONE, ASKED, BOTH, REPLIES, WORDS = of_kinds(
    "numbers.tsv", "alone", "asked", "both", "reply", "words"
)
"""Texts, each with the number that it says, its currency and unit, and how it is written."""
Said = tuple[Fraction | None, str]
NOTHING: Said = (None, "")


def said(quantity: Quantity | None) -> Said:
    """A number and what stands at it, as the table has them."""
    if quantity is None:
        return NOTHING
    return quantity.value, " ".join(
        filter(None, (quantity.currency, quantity.unit, "%" * quantity.percent))
    )


def from_reply(reply: str) -> list[Said]:
    """The forms of the number that a whole reply comes to; nothing is kept of one that says
    none."""
    read = read_final(reply, "number")
    forms = read_forms(read)
    assert bool(forms) == bool(read), reply
    return [said(form) for form in forms] or [NOTHING]


def expected(value: str, unit: str) -> Said:
    return (None if value == "-" else Fraction(value)), unit


def test_every_way_to_write_a_number_alone_is_read_and_nothing_else_is_one() -> None:
    for text, value, unit, precision in (*ALONE, *BOTH):
        quantity = read_number(text)
        assert said(quantity) == expected(value, unit), text
        problem = Problem(id="p", question="How much?", answer=text or "none")
        assert answer_kind(problem) == ("number" if quantity else "text"), text
        if precision:
            assert quantity is not None
            assert (
                f"{quantity.digits} {quantity.step}{' decimal' * quantity.decimal}" == precision
            ), text


def test_words_say_numbers_together() -> None:
    for text, value, *_ in WORDS:
        assert number_in_words(text.split()) == expected(value, "")[0], text


def test_a_reply_is_read_for_the_number_that_it_comes_to_whatever_stands_around() -> None:
    for text, value, unit, _ in REPLIES:
        for reply in (
            *surrounded(text),
            f"{text}\n\nI hope this helps.",
            text.replace("Answer", "ANSWER"),
        ):
            assert from_reply(reply)[0] == expected(value, unit), reply


ANSWERS = ("Answer: {}", "So it is $\\boxed{{{}}}$.", "So the final answer is {}")


def test_what_is_asked_for_is_read_whatever_stands_around_or_not_at_all() -> None:
    for text, value, unit, _ in (*ASKED, *BOTH):
        assert same_answer(text, text, "text") is True, text
        for reply in (
            *(answer.format(text) for answer in ANSWERS),
            orjson.dumps({"answer": text}).decode(),
        ):
            assert from_reply(reply) == [expected(value, unit)], reply


@dataclass(frozen=True)
class Decimal:
    """number / 10^places, to be written in many ways."""

    number: int
    places: int

    @property
    def value(self) -> Fraction:
        return Fraction(self.number, 10**self.places)

    def grouped(self, group: str, point: str = ".", minus: str = "-") -> str:
        digits = f"{abs(self.number):0{self.places + 1}d}"
        whole, rest = digits[: len(digits) - self.places], digits[len(digits) - self.places :]
        return (
            minus * (self.number < 0)
            + f"{int(whole):,}".replace(",", group)
            + (point + rest) * bool(rest)
        )

    def power(self, form: str) -> str:
        return form.format(self.number, -self.places)

    def percent(self, sign: str) -> str:
        return Decimal(self.number * 100, self.places).grouped("") + sign

    def fraction(self, form: str) -> str:
        """As a mixed number where it has a whole and a rest."""
        over, under = abs(self.value.numerator), self.value.denominator
        whole = f"{over // under} " if over > under > 1 else ""
        return "-" * (self.number < 0) + whole + form.format(over % under if whole else over, under)


COMMA = partial(Decimal.grouped, group="\u202f", point=",")
POWERS = ("{}e{}", "{} × 10^{}", r"{} \times 10^{{{}}}", "{}·10^({})", "{}*10**{}")
FORMS: tuple[Callable[[Decimal], str], ...] = (
    *(partial(Decimal.grouped, group=group) for group in ("", ",", " ", "'", "{,}")),
    COMMA,
    partial(Decimal.grouped, group="", minus="−"),
    *(partial(Decimal.power, form=form) for form in POWERS),
    *(partial(Decimal.percent, sign=sign) for sign in ("%", " %", r"\%", " percent")),
    *(partial(Decimal.fraction, form=form) for form in ("{}/{}", "{} / {}", r"\frac{{{}}}{{{}}}")),
)
AROUND = (
    *(
        "{}",
        "Answer: {}",
        "**Answer:** {}",
        "**Answer: {}**",
        "Answer: about {}.",
        "### Answer\n{}",
        "Answer: ${}$",
    ),
    *(
        r"So it is \boxed{{{}}}.",
        r"$$x = \boxed{{{}}}$$",
        "#### {}",
        "So the answer is {}.",
        "<answer>{}</answer>",
    ),
    *(
        "We had 7 on day 3.\n\nIn the end it comes to {}.",
        "2 + 5 = 7, so x = {}",
        "<think>Answer: 7</think>It is {}",
    ),
)
UNITS = ("", " g", " apples", r"\,\text{kg}", " km/h", " mol L⁻¹", " USD")


@settings(max_examples=120)
@given(
    st.builds(Decimal, st.integers(-(10**12), 10**12), st.integers(0, 6)),
    st.sampled_from(FORMS),
    st.sampled_from((*AROUND, None)),
    st.sampled_from(UNITS),
)
def test_a_number_is_read_back_however_it_is_written(
    number: Decimal, form: Callable[[Decimal], str], around: str | None, unit: str
) -> None:
    assume(form is not COMMA or number.places != 3)  # 1,234 is more than a thousand
    written = form(number)
    unit = "" if written.endswith(("%", "percent")) else unit
    written += unit
    reply = (
        around.format(written)
        if around
        else orjson.dumps({"steps": "1 + 1", "answer": written}).decode()
    )
    plain = read_number(number.power("{}e{}") + unit)
    assert plain is not None
    for text in (written, read_final(reply, "number")):
        quantity = read_number(text)
        assert quantity is not None, reply
        assert quantity.value / (100 if quantity.percent else 1) == plain.value == number.value, (
            reply
        )
        assert same_quantity(quantity, plain)
        assert equal_quantity(plain, quantity)


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for reply in (
        text,
        f"Answer: {text}",
        f"\\boxed{{{text}",
        f'{{"answer": {text}}}',
        f"1 {text} 2",
    ):
        assert from_reply(reply)
        read_final(reply, "text")
        final_stands_in(reply, "18 g")


def test_units_that_no_final_answer_means_are_words() -> None:
    # a registry of units knows them as centi-at-s, a nit in millionths, a printer's point and a
    # hand's breadth
    for word in ("cats", "units", "points", "hands", "k", "c"):
        assert conversion(word, "kg") == Scale(Fraction(1), Fraction(0), sure=False)
    assert conversion("kg", "mol") is None
    assert conversion("KG", "g") == Scale(Fraction(1000), Fraction(0))
    # nothing is calculated that a text could inflate
    assert conversion("m**999999999", "km") == Scale(Fraction(1), Fraction(0), sure=False)


def test_all_lost_figures_are_found_each_once() -> None:
    text = "12 eggs, 30 % of 12 and 7 in 1990; 30 % again"
    assert lost_figures(text, "a dozen, 1990") == ["30", "7"]
    assert lost_figure(text, "a dozen, 1990") == "30"
    assert lost_figures(text, text) == []


def test_numbers_in_a_text_know_their_places() -> None:
    text = plain_math("From \\frac{1}{2} kg of it, 3 h 20 min later, 2√3 and twelve eggs.")
    read = numbers_in(text, words=True)
    found = [(text[each.start : each.end], each.quantity and each.quantity.value) for each in read]
    expected = [
        ("1/2 kg", Fraction(1, 2)),
        ("3 h 20 min later", 200),
        ("2", None),
        ("twelve eggs", 12),
    ]
    assert found == expected
