"""Which two numbers are the same answer: exactly, by their precision, across units, and where only words differ."""

import pytest

from fathom.agents.answers.numbers import units as number_units
from fathom.agents.answers.numbers.compare import same_quantity
from fathom.agents.answers.numbers.read import read_number

# the reference, and what meets it; each line holds by the rule that stands behind it
SAME = """
18 | 18.0 ; 18.00 ; $18 ; 18 dollars ; 18 apples ; eighteen ; 1.8e1 ; 36/2      (a whole number, exactly)
18 apples | 18 ; 18 more apples ; 18 apple                                      (a word that only one has)
45.04 g | 45.05 ; 45.03 g ; 45.0 g ; 0.04504 kg ; 45.04 grams ; 45.0392         (one unit of the last place; rounded)
5 | 5.0 ; 5.00                                                                  (a bare number, exactly)
0.5 | 1/2 ; 0.50 ; half ; 50%
1/3 | 2/6
12.50 | $12.50 ; 12.5 ; 12.5 g
2.5 g | 2.46 ; 2.54 g ; 5/2                                                     (two digits: what rounds to it)
0.5 g | 1/2 ; 0.50                                                              (one digit: exactly)
1/3 cup | 0.333 ; 0.3333 cups ; 2/6                                             (a fraction: from three digits)
1000/3 g | 333 ; 333.3
1234.56 g | 1235 ; 1,234.6
12.5 apples | 12.54 ; 12.46 ; 12.45                                             (what rounds to the last place)
33.3% | 33.33 ; 1/3
$4.17 | 4.1667 ; $4.1667
158 g/mol | 158.097 g/mol ; 158.4 g/mol
12.5 g | 12.4 ; 12.6 g                                                          (a measured quantity)
0.45 | 45 cents ; $0.45
45 cents | 0.45 ; 45
0.45 dollars | 45 cents
$18 | 18 per day ; 18 dollars per day
760 mmHg | 1 atm ; 1.00 atm ; 760 torr ; 760 mm Hg                              (equal but for a millionth)
5 ppm | 5000 ppb ; 0.0005 % ; 5
44.01 g/mol | 44.01 u ; 44.01 amu
25% | 25 ; 0.25 ; 1/4 ; 25 percent ; 25 % of the class                          (a percent sign may be left out)
0.25 | 25% ; 25.0 %
1.5 h | 90 min ; 1 h 30 min ; 5400 s ; 1.5
90 min | 1.5 h
100 min | 1.67 h                                                                (1.67 is 1.6666… to its last place)
45 mph | 72.42 km/h ; 45 miles per hour
5 km | 5,000 m ; 3.11 miles
25 °C | 298.15 K ; 298 K ; 77 °F ; 25 degrees ; 25 C
293 K | 20 °C ; 19.85 °C                                                        (273 or 273.15 may be added)
6.02 × 10^23 atoms | 6.022e23
$4.50 | 4 dollars and 50 cents ; 450 cents ; 4.5 USD ; US$4.50
£5 | 5 pounds ; 5 GBP
5 pounds | £5 ; 2.268 kg
8.314 J/(mol·K) | 8.314 J mol^-1 K^-1 ; 0.008314 kJ/mol K
0.250 mol/L | 250 mM ; 0.250 M ; 0.250 mol dm^-3 ; 0.250 mol L⁻¹ ; 0.250 mol L$^{-1}$ ; 0.250 mol NaCl/L
5 g/L | 5 g L⁻¹ ; 5 g of NaCl per L
8.31 J/(mol K) | 8.314 J mol^-1 K^-1
12 m2 | 120000 cm^2 ; 12 square meters
2 N m | 2 J
10 Nm | 10 J
45 g H2O | 0.045 kg ; 45 g of H2O
3 mol | 3 moles of HCl
8 fl oz | 1 cup
-40 °C | -40 °F
"""

DIFFERENT = """
158 g/mol | 158.6 g/mol ; 157 g/mol
45 minutes | 45.3 minutes
158 | 158.1
18 | 18.4 ; 17 ; -18 ; 18.01 ; 1.8
1234 | 1235 ; 1.23e3 ; 1.234
45.04 g | 45 g ; 45.06 ; 44.9 ; 45.04 mol ; 45.04 kg
3.14 | 3.14159 ; 3.1 ; 3.140001
3.14159 | 3.14 ; 3.1416
0.33 | 1/3 ; 33.3%
1/3 | 0.333 ; 0.3333 ; 33.3%
1000/3 | 333 ; 333.33
45.04 | 45.0 ; 45.05 ; 45.0 g
12.50 | 12.504 ; 12.49
6.02 × 10^23 | 6.022e23
2.5 g | 2.56 ; 2.6 ; 2
0.5 g | 0.6 ; 0.46 ; 5 ; 50
1/3 cup | 0.33 ; 0.3 ; 0.334
0.25 | 25 ; 2.5%
25% | 2.5 ; 25 g ; $25
12.5 apples | 12.4 ; 12.6 ; 12.56
100.0 | 99.9
12.50 apples | $12.49 ; 12.49 ; 12.51
$12.50 | $12.49 ; 12.49 ; $12.5061
$1234.56 | $1235 ; $1,234.6
$2.5 | $2.46
12.5 g | 12.3 g
12.5% | 12.4%
45 cents | 0.46
760 mmHg | 1.01 atm
5 ppm | 5 ppb ; 5 % ; 50 ppb ; 5 ppt
5 % | 5 ppm
5 g | 5 g L⁻¹ ; 5 g/mol
5 cal | 5 Cal
3 moles of NaCl | 4 moles of HCl
3 electrons | 4 protons
$18 | €18 ; 18 kg ; 17 dollars
£5 | $5
300 K | 300 °C
2 h | 119 min ; 2 min
100 cm | 1.004 m
60 km/h | 60 km ; 60 m/s
5 km | 5 miles
"""

# the numbers agree, but what they are numbers of is for somebody else to say
OPEN = """
18 apples | 18 pears ; 18 g ; $18
5 M | 5 molal ; 5 pH
5 ppm | 5 mg/L
5 % | 5 students
5 mol% | 5 wt%
5 mA | 5 Ma
3 moles of NaCl | 3 moles of HCl ; 3 mol KCl
45 g H2O | 45 g of water
2 mol of CO | 2 mol of Co
3 electrons | 3 protons
4 months | 4 monthly payments
Two oxygen atoms | two hydrogen atoms
$18 per day | $18 profit
"""


def differing(table: str, expected: bool | None) -> list[tuple[str, str]]:
    """The pairs of a table about which the comparison says something else."""
    wrong = []
    for line in table.strip().splitlines():
        reference, _, answers = line.partition("   ")[0].partition(" | ")
        for answer in answers.split(" ; "):
            wanted, read = read_number(reference), read_number(answer)
            assert wanted is not None
            if (read is not None and same_quantity(read, wanted)) is not expected:
                wrong.append((reference, answer))
    return wrong


def test_bare_numbers_are_the_same_when_equal_others_by_their_written_precision() -> None:
    assert differing(SAME, expected=True) == []
    assert differing(DIFFERENT, expected=False) == []
    assert differing(OPEN, expected=None) == []


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
    assert differing("45.04 g | 45.0 g ; 45.0\n60 km/h | 60.0 km/h\n3 hours | 3 hour ; 3", expected=True) == []
    with pytest.raises(AssertionError, match="loaded"):
        number_units.conversion("dam", "hm")
