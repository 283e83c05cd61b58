"""Numbers as final answers give them: what is read, what is not, and which two are the same answer."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.agents.answers.figures import lost_figure, lost_figures, number_in_words
from fathom.agents.answers.numbers.compare import equal_quantity, same_quantity
from fathom.agents.answers.numbers.measures import Scale, conversion
from fathom.agents.answers.numbers.read import Quantity, numbers_in, read_number
from fathom.agents.answers.numbers.text import plain_math

# form | value | unit, currency or %; the value is what the form says by the rules of writing numbers
READ = r"""
18 | 18
-5 | -5
− 5 | -5
+7 | 7
minus five | -5
.5 | 0.5
1,234 | 1234
1,234.5 | 1234.5
1 234,5 | 1234.5
1.234,5 | 1234.5
1.234.567 | 1234567
1'234 | 1234
1_000 | 1000
1,00,000 | 100000
0,5 | 0.5
12,5 | 12.5
0,125 | 0.125
1.234 | 1.234
1234,567 | 1234.567
3e5 | 300000
6.022e+23 | 602200000000000000000000
3 × 10^5 | 300000
3·10⁵ | 300000
3*10**5 | 300000
3 x 10^5 | 300000
1.2 · 10^(-5) | 0.000012
3 \times 10^{5} | 300000
10⁻³ | 0.001
3/4 | 3/4
\frac{3}{4} | 3/4
\tfrac34 | 3/4
-\frac{3}{4} | -3/4
2 1/2 | 5/2
2½ | 5/2
2\frac{1}{2} | 5/2
2 and a half hours | 5/2 | hours
twelve | 12
twenty-five | 25
one hundred and five dollars | 105 | dollar
two thirds | 2/3
half | 1/2
a dozen eggs | 12 | eggs
3 dozen eggs | 36 | eggs
3 million people | 3000000 | people
$2.5M | 2500000 | $
18 apples | 18 | apples
12 Apples. | 12 | Apples
45.04 g | 45.04 | g
45.04\,\text{g} | 45.04 | g
45.04g | 45.04 | g
5 \mathrm{m/s^2} | 5 | m/s^2
2.5 × 10^-3 mol/L | 0.0025 | mol/L
8.314 J/(mol·K) | 8.314 | J/(mol·K)
m_0 = 3 kg | 3 | kg
f(2) = 7 | 7
25 % | 25 | %
25\% | 25 | %
5‰ | 0.5 | %
ten percent | 10 | %
$18 | 18 | $
$-5 | -5 | $
\$18 | 18 | $
$18$ | 18
5,50 € | 5.5 | €
1,250.50 USD | 1250.5 | usd
18 US dollars per day | 18 | usd
50 cents | 50 | cent
Rs. 500 | 500 | rs
25°C | 25 | °C
3 hours and 20 minutes | 200 | minutes
5 ft 6 in | 66 | in
4 dollars and 50 cents | 4.5 | dollar
≈ 18 | 18
about 18 | 18
"(18)" | 18
**18**! | 18
18 (eighteen) | 18
１８ | 18
٣٫٥ | 3.5
18 米 | 18 | 米
1912 | 1912
"""

# no number, several, or a number that is a part of something else
UNREAD = r"""
Paris 2024|3 apples and 4 pears|10:30|2-3|2 to 3|5 or 6|two or three|between 5 and 7|3:4|3rd|21st century|1990s|1/2/2024
2024-05-01|1.2.3|1,2,3|(3, 4)|(3,4)|5 ± 2|> 5|at least 5|1 in 4|18 out of 20|2√3|3π|3 pi|3x|3 x|2^10|3 + 4|16 - 3 = 13
\frac{\sqrt{3}}{2}|\frac{3\pi}{4}|4x4|3D|0x1F|7 R 3|5'11"|5 May|June 5|500 BC|5 pm|12 o'clock|12 Angry Men|2-propanol
2,4-dinitrophenol|1s2 2s2|x = 3, y = 4|Type 2|none|a|second||3 5/4|5/0|1e4000|18 is not right|3.3̅|an hour and a half
18 is wrong|Seven Samurai|Twelve Angry Men
"""


def value_of(text: str) -> Fraction | None:
    quantity = read_number(text)
    return quantity.value if quantity else None


def test_every_way_to_write_a_number_is_read() -> None:
    wrong = []
    for line in READ.strip().splitlines():
        form, value, *unit = line.split(" | ")
        read = read_number(form)
        beside = (read.unit, read.currency, "%" * read.percent) if read else ()
        if read is None or read.value != Fraction(value) or not set(unit) <= set(beside) or any(beside) != bool(unit):
            wrong.append((form, read))
    assert wrong == []


def test_what_is_not_one_number_is_not_read() -> None:
    forms = UNREAD.strip().replace("\n", "|").split("|")
    assert [form for form in forms if read_number(form) is not None] == []
    assert read_number("1" * 61) is None
    assert read_number(f"18 {'very ' * 50}") is None


def test_digits_and_places_are_those_that_are_written() -> None:
    def written(text: str) -> tuple[int, Fraction, bool]:
        read = read_number(text)
        assert read is not None
        return read.digits, read.step, read.decimal

    assert written("45.0") == (3, Fraction(1, 10), True)
    assert written("0.045") == (2, Fraction(1, 1000), True)
    assert written("1500") == (4, Fraction(1), False)
    assert written("2.50e3") == (3, Fraction(10), True)
    assert written("3 × 10^5") == (1, Fraction(10**5), False)
    assert written("3/4") == (0, Fraction(0), False)


def test_units_that_no_final_answer_means_are_words() -> None:
    # a registry of units knows them as centi-at-s, a nit in millionths, a printer's point and a hand's breadth
    for word in ("cats", "units", "points", "hands", "k", "c"):
        assert conversion(word, "kg") == Scale(Fraction(1), Fraction(0), sure=False)
    assert conversion("kg", "mol") is None
    assert conversion("KG", "g") == Scale(Fraction(1000), Fraction(0))
    assert conversion("m**999999999", "km") == conversion("m", "km")  # nothing is calculated that a text could inflate


def test_words_say_numbers_together() -> None:
    def said(text: str) -> Fraction | None:
        return number_in_words(text.split())

    assert [said(text) for text in ("twenty five", "five hundred thousand", "two dozen")] == [25, 500_000, 24]
    assert [said(text) for text in ("three quarters", "a third", "three and a half")] == [
        Fraction(3, 4),
        Fraction(1, 3),
        Fraction(7, 2),
    ]
    assert {said(text) for text in ("twenty third", "two three", "second", "quarters", "a", "and five", "")} == {None}


def test_all_lost_figures_are_found_each_once() -> None:
    text = "12 eggs, 30 % of 12 and 7 in 1990; 30 % again"
    assert lost_figures(text, "a dozen, 1990") == ["30", "7"]
    assert lost_figure(text, "a dozen, 1990") == "30"
    assert lost_figures(text, text) == []


def test_numbers_in_a_text_know_their_places() -> None:
    text = plain_math("From \\frac{1}{2} kg of it, 3 h 20 min later, 2√3 and twelve eggs.")
    read = numbers_in(text, words=True)
    found = [(text[each.start : each.end], each.quantity and each.quantity.value) for each in read]
    expected = [("1/2 kg", Fraction(1, 2)), ("3 h 20 min later", 200), ("2", None), ("twelve eggs", 12)]
    assert found == expected


@settings(max_examples=40)
@given(st.integers(-(10**12), 10**12), st.integers(0, 6), st.sampled_from(["", " g", " apples", "%", " USD"]))
def test_a_decimal_number_is_equal_to_itself_in_every_spelling(number: int, places: int, unit: str) -> None:
    value = Fraction(number, 10**places)
    point = f"{abs(number):0{places + 1}d}"
    point = f"{'-' * (number < 0)}{point[: len(point) - places]}{'.' * bool(places)}{point[len(point) - places :]}"
    read, other = read_number(point + unit), read_number(f"{number}e{-places}{unit}")
    assert isinstance(read, Quantity)
    assert other is not None
    assert read.value == other.value == value
    assert same_quantity(read, other)
    assert equal_quantity(other, read)


@pytest.mark.parametrize("unit", ["g", "km/h", "°C"])
def test_equality_needs_the_value_itself(unit: str) -> None:
    one, other = read_number(f"45.04 {unit}"), read_number(f"45.0 {unit}")
    assert one is not None
    assert other is not None
    assert same_quantity(other, one)
    assert not equal_quantity(other, one)
