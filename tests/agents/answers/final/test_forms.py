"""Final answers: whatever way a number is written in is read back, and no text takes long."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fathom.agents.answers.final.answer import answer_kind, final_stands_in, read_final, same_answer
from fathom.agents.answers.numbers.read import read_forms, read_number
from fathom.state.deepquestion.items import Problem

# answers in which no number is surely the answer, one each between " ¦ "
UNREAD = r"""
\sqrt[3]{7} ¦ \sqrt[n]{7} ¦ 3\sqrt[3]{7} ¦ ∛7 ¦ sqrt(5) ¦ sqrt[3](7) ¦ cube root of 7 ¦ √3 or 5 ¦ 5/\sqrt{2}
5! ¦ n! ¦ 5!! ¦ 5\,! ¦ 5!/3! ¦ 10!/(3!7!) ¦ 5 \cdot 3! ¦ 5 factorial
0.\overline{3} ¦ 0.\bar{3} ¦ 0.\dot{3} ¦ \dot{3} ¦ 0.(3) ¦ 0.1(6) ¦ 0.333… ¦ 0.333... ¦ 0.333\ldots ¦ 0.3̇
\binom{5}{2} ¦ \dbinom{5}{2} ¦ {5 \choose 2} ¦ C(5,2) ¦ _5C_2 ¦ {}_5C_2 ¦ 5C2 ¦ P(5,2) ¦ 5 choose 2
\log_2 8 ¦ \log_{2}8 ¦ \ln 2 ¦ \lg{2} ¦ log_2(8) ¦ ln 5 ¦ \sin 30^\circ ¦ \exp(2) ¦ \gcd(5, 10) ¦ 5 \pmod{7} ¦ 5 mod 7
\lfloor 3.7 \rfloor ¦ ⌈3.2⌉ ¦ |-5| ¦ \left|-5\right| ¦ \lvert -5\rvert ¦ \vert 5 \vert ¦ \|5\| ¦ abs(-5)
\frac{3}{-4} ¦ \tfrac{-3}{-4} ¦ -\frac{-3}{4} ¦ 2\frac{-1}{2} ¦ \frac3{-4} ¦ 3/-4 ¦ \frac123 ¦ \frac{1}{2}3
\nicefrac{5}{6}
5; 6 ¦ 5 (or 6) ¦ 5 (or six) ¦ 5 (6) ¦ 5 or 6 ¦ x = 5; y = 6 ¦ x = 5 (x = 6) ¦ between 5 and 6 ¦ 5 \\ 6 ¦ 5 \lor 6
5 & 6 ¦ [5,6)
±5 ¦ \pm 5 ¦ \mp 5 ¦ +-5 ¦ +/-5 ¦ -(-5) ¦ \neq 5 ¦ x != 5 ¦ \not= 5 ¦ 5 \le x ¦ 5 + x ¦ 5 for x = 2 ¦ 5 if n is even
12K ¦ 12k ¦ 3M ¦ 2B ¦ 2bn ¦ 2 bn ¦ 12K people ¦ 3+4 ¦ 3 \times 4 ¦ 3(4) ¦ (3)(4) ¦ 2^{10} ¦ 2^{-1} ¦ 5 squared
1011_{2}
\begin{pmatrix}5\\6\end{pmatrix} ¦ \overset{.}{5} ¦ \unknown{5}
"""
READ = r"""
\frac{-3}{4} = -3/4 ¦ -\frac{3}{4} = -3/4 ¦ \tfrac34 = 3/4 ¦ \frac{1}{23} = 1/23 ¦ \frac{12}{3} = 4 ¦ 2\frac12 = 5/2
{5} = 5 ¦ \text{5} = 5 ¦ (5) = 5 ¦ \{5\} = 5 ¦ 5\text{ cm } = 5 ¦ 60^{\circ} = 60 ¦ 10^{3} = 1000
3 \times 10^{5} = 300000
1{,}000 = 1000 ¦ 1,\!000 = 1000 ¦ \$12K = 12000 ¦ 12 thousand = 12000 ¦ 300 K = 300 ¦ 3 M = 3 ¦ 5 (five) = 5
5! = 120 = 120 ¦ \log_2 8 = 3 = 3 ¦ |-5| = 5 = 5 ¦ \binom{5}{2} = 10 = 10 ¦ C(5, 2) = 10 = 10 ¦ x = 5 = 5
5 apples! = 5
"""
ASKED = ("Answer: {}", "So it is $\\boxed{{{}}}$.", "So the final answer is {}", '{{"answer": {}}}')


def forms(table: str) -> list[str]:
    return [form for line in table.strip().splitlines() for form in line.split(" ¦ ")]


@pytest.mark.parametrize("form", forms(UNREAD))
def test_what_is_not_surely_read_is_not_read(form: str) -> None:
    assert answer_kind(Problem(id="p", question="How much?", answer=form)) == "text"
    assert same_answer(form, form, "text") is True
    for around in ASKED:
        reply = around.format(orjson.dumps(form).decode() if around[0] == "{" else form)
        assert same_answer(read_final(reply, "number"), "5", "number") is None, reply


@pytest.mark.parametrize("form", forms(READ))
def test_what_is_surely_read_is_read_still(form: str) -> None:
    written, _, value = form.rpartition(" = ")
    for around in ASKED:
        reply = around.format(orjson.dumps(written).decode() if around[0] == "{" else written)
        assert [number.value for number in read_forms(read_final(reply, "number"))] == [Fraction(value)], reply


# the same expression, but for braces and blanks
SAME = r"""
{5} ~ 5 ¦ {x+1} ~ x + 1 ¦ x^{2} ~ x^2 ¦ x^{10} ~ x¹⁰ ¦ x^{-3} ~ x⁻³ ¦ x_{1} ~ x_1 ¦ 90^{\circ} C ~ 90^\circ C
2\sqrt{12} ~ 2√12
\{1,2\} ~ \{ 1, 2 \} ¦ \{1,2\} ~ {1,2} ¦ (1,2) ~ \left( 1, 2 \right) ¦ [0,\infty) ~ [0, \infty )
x \in [0,1] ~ x\in[0, 1]
\text{ cm } ~ cm ¦ \text{Paris} ~ Paris! ¦ \mathrm{CO}_{2} ~ CO_2 ¦ \frac12 x ~ \dfrac{1}{2}x
\frac1{23}x ~ \frac{1}{23} x
\frac{\pi}{2} ~ \frac{ \pi }{2} ¦ \frac{\sqrt{3}}{2} ~ \tfrac{\sqrt 3}{2} ¦ \log_{2} 8 ~ log_2 8 ¦ 2 \pi r ~ 2\pi r
"""
DIFFERENT = r"""
\frac{1}{23}x ~ \frac{12}{3}x ¦ \frac{1}{2}3x ~ \frac{1}{23}x ¦ \frac{\sqrt{3}}45 ~ \frac{\sqrt{3}}{45}
\frac{3}45x ~ \frac{3}{45}x
\binom{1}{23} ~ \binom{12}{3} ¦ x^{23} ~ x^{2}3 ¦ x_{12} ~ x_{1}2 ¦ \sqrt{12}3 ~ \sqrt{123} ¦ \sqrt{x}y ~ \sqrt{xy}
x^{a}b ~ x^{ab}
\{1,2\} ~ (1,2) ¦ \{1,2\} ~ 1,2 ¦ (1,2) ~ 1,2 ¦ (1,2] ~ [1,2) ¦ a b ~ ab ¦ 1 23 ~ 12 3 ¦ v 1. 2 ~ v 1.2
1,5 x ~ 1, 5 x ¦ {1}{2}x ~ {12}x
5! ~ 5 ¦ n! ~ n ¦ 5!! ~ 5! ¦ |5| ~ 5 ¦ 0.\overline{3} ~ 0.3 ¦ 0.\overline{3}1 ~ 0.\overline{31}
\sqrt[3]{7} ~ \sqrt{37} ¦ f' ~ f ¦ .5x ~ 5x
\log_{2} 38 ~ \log_{23} 8 ¦ x^2 ~ x2 ¦ x \neq 5 ~ x = 5 ¦ X ~ x
"""


@pytest.mark.parametrize(("pair", "same"), [*((p, True) for p in forms(SAME)), *((p, None) for p in forms(DIFFERENT))])
def test_braces_and_blanks_count_where_they_part_something(pair: str, same: bool | None) -> None:
    one, _, other = pair.partition(" ~ ")
    for around in ("{}", *ASKED[:2]):
        read = read_final(around.format(one), "text")
        assert same_answer(read, one, "text") is True
        assert same_answer(read, other, "text") is same


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
        return minus * (self.number < 0) + f"{int(whole):,}".replace(",", group) + (point + rest) * bool(rest)

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
    *("{}", "Answer: {}", "**Answer:** {}", "**Answer: {}**", "Answer: about {}.", "### Answer\n{}", "Answer: ${}$"),
    *(r"So it is \boxed{{{}}}.", r"$$x = \boxed{{{}}}$$", "#### {}", "So the answer is {}.", "<answer>{}</answer>"),
    *("We had 7 on day 3.\n\nIn the end it comes to {}.", "2 + 5 = 7, so x = {}", "<think>Answer: 7</think>It is {}"),
)
UNITS = ("", " g", " apples", r"\,\text{kg}", " km/h", " mol L⁻¹")


@settings(max_examples=100)
@given(
    st.builds(Decimal, st.integers(-(10**9), 10**9), st.integers(0, 4)),
    st.sampled_from(FORMS),
    st.sampled_from((*AROUND, None)),
    st.sampled_from(UNITS),
)
def test_a_number_is_read_back_however_it_is_written(
    number: Decimal, form: Callable[[Decimal], str], around: str | None, unit: str
) -> None:
    assume(form is not COMMA or number.places != 3)  # 1,234 is more than a thousand
    written = form(number)
    written += "" if written.endswith(("%", "percent")) else unit
    reply = around.format(written) if around else orjson.dumps({"steps": "1 + 1", "answer": written}).decode()
    read = read_number(read_final(reply, "number"))
    assert read is not None, reply
    assert read.value / (100 if read.percent else 1) == number.value, reply


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for said in (text, f"Answer: {text}", f"\\boxed{{{text}", f'{{"answer": {text}}}', f"1 {text} 2"):
        read = read_final(said, "number")
        assert not read or read_forms(read)
        read_final(said, "text")
        final_stands_in(said, "18 g")


@pytest.mark.parametrize(
    "piece",
    [
        "1,",
        "B. ",
        "not 1 ",
        "wait 1 ",
        "(1 g) ",
        "1 g of ",
        "$1$",
        "\\boxed{",
        "\\frac{",
        "( 1 ",
        "x = 1, ",
        "1 kg/",
        "a ",
        "{,",
        "({",
        "5! ",
        "\\log ",
        "1 (or 2) ",
    ],
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = "Answer: " + piece * (100_000 // len(piece)) + "x"
    started = time.process_time()
    read_final(text, "number")
    read_final(text, "text")
    read_final(text, "choice", ("1 g", "2 g", "x"))
    same_answer(text, text, "text")
    assert time.process_time() - started < 5.0  # a fifth of a second; minutes where a step goes back over the text
