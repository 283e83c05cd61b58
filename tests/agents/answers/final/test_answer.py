"""Final answers: what is read from a solver's prose, and what counts as the reference."""

from fractions import Fraction

import pytest

from fathom.agents.answers.final.answer import answer_kind, final_stands_in, read_final, same_answer
from fathom.agents.answers.numbers.read import read_forms
from fathom.state.deepquestion.items import Problem

# a reply, and the number with its unit that it comes to; "-": none, or several. ¶ ends a line
REPLIES = r"""
18 | 18
$18. | 18
twelve | 12
Answer: 18 | 18
**Answer:** 18 | 18
**Answer: $18.00** | 18
ANSWER: 18 | 18
### Answer¶18 apples | 18 apples
Answer:¶¶18 | 18
> **Answer:** 18 | 18
Final Answer: $18 | 18
Final answer¶¶18 kg | 18 kg
Answer = 18 | 18
Answer -> 18 | 18
<answer>18</answer> | 18
The final answer is 42<|eot_id|> | 42
<think>Answer: 20</think>¶Answer: 18 | 18
Answer: 20¶Wait, that is wrong.¶Answer: 18 | 18
Answer: 20¶¶Hold on. So the answer is 18. | 18
Answer: 18¶¶Explanation: the answer is 18 since 9 × 2 = 18, not 20. | 18
Answer: 18¶Explanation: 16 - 3 - 4 = 9 eggs; 9 × 2 = 18 dollars. | 18
Answer: 18, since 16 - 3 = 13 and so on | 18
Answer: 18 apples (since 16 - 3 + 5 = 18) | 18 apples
Answer: 45.04 g (to 2 d.p.) | 45.04 g
Answer: 3 hours (180 minutes) | 3 hours
Answer: 18 eggs, one for each guest | 18 eggs
Answer: 18 eggs. They last 3 days. | 18 eggs
Answer: 5 more apples than Tom | 5 more apples
Answer: 18 Big Macs left | 18 Big
Answer: Janet makes $18 every day. | 18
Answer: She sells 9 eggs for $2 each, so she makes $18 | 18
Answer: Let's think step by step.¶Janet has 16 eggs.¶She makes 9 * 2 = $18. | 18
Answer: Janet has 16 eggs.¶She eats 3, leaving 13.¶She makes $26. | 26
Answer: 9 * 2 = 18 dollars | 18
Answer: 18 = 9 × 2 | 18
Answer: x = 3 | 3
Answer: \(x = 3\) | 3
Answer: m(NaCl) = 2 mol × 22.52 g¶mol = 45.04 g | 45.04 g
Answer: 5/9 ≈ 0.556 | 5/9
Answer: 2π ≈ 6.28 | 6.28
Answer: approximately 45.04 g of NaCl | 45.04 g of NaCl
Answer: 3/4 or 0.75 | 3/4
Answer: 90 minutes or 1.5 hours | 90 minutes
Answer: 2 hours, 30 minutes | 150 minutes
Answer: twelve | 12
Answer: She has twelve eggs left | 12 eggs
Answer: one and a half hours | 3/2 hours
Answer: 5 \frac{1}{2} cups | 11/2 cups
Answer: 2.5 \times 10^{-3}\ \text{mol/L} | 0.0025 mol/L
Answer: $0.5 \, \text{m/s}^2$ | 0.5 m/s^2
Answer: $\approx 18$ | 18
Answer: $\$1{,}250$ | 1250
Answer: ₹1,00,000 | 100000
Answer: 12.345,67 € | 12345.67
Answer: −5°C | -5 °C
Answer: 25% (or 0.25) | 25 %
Answer: 0.100 mol (5.84 g) | 0.1 mol
Answer: $1.8 \times 10^{-5}$ mol L$^{-1}$ | 0.000018 mol L^-1
Answer: 5 mol% | 5 %
Answer: 18. Wait, actually it's 20. | 20
Answer: 18, no wait, 20 | 20
Answer: 18 is wrong; it is 20 | 20
Answer: 20, not 18 | 20
Answer: not 18 but 20 | 20
Answer: actually 18 | 18
She has 20, not 18, eggs. | 20
Answer: 36.5 per cent | 36.5 %
Answer: 45.04 g.¶¶Note: this assumes 100% yield. | 45.04 g
Antwort: 18 Äpfel | 18 Äpfel
Réponse : 12,5 kg | 12.5 kg
La respuesta es 18. | 18
答案：18 | 18
答案是18。 | 18
So x = \boxed{\frac{3}{4}}. | 3/4
\[ \boxed{45.04 \, \text{g}} \] | 45.04 g
The mass is $\boxed{45.04}$ grams. | 45.04 grams
$\boxed{5}\text{ hours}$ | 5 hours
\boxed{\$18} | 18
\boxed{{18}} | 18
First \boxed{9} eggs.¶Then \boxed{18} dollars. | 18
Final Answer: The final answer is $\boxed{18}$. I hope it is correct. | 18
She makes 9 * 2 = $<<9*2=18>>18 every day.¶#### 18 | 18
She makes 9 * 2 = $<<9*2=18>>18 every day. | 18
#### $1,250.50 | 1250.5
#### Step 2: 3 + 4¶The sum is 7. | 7
So the answer is 18. | 18
The answer is 18 because 9 × 2 = 18. | 18
The answer to the problem is therefore 18 km. | 18 km
Therefore, the mass is **45.04 g**.¶¶Let me know if you have questions! | 45.04 g
Step 1: 16 - 3 = 13¶Step 2: 13 - 4 = 9¶Step 3: 9 × $2 = $18 | 18
There are 5 apples and 7 pears. In total there are 12 fruits. | 12 fruits
So he has 20 - 5 = 15 apples left after 3 days. | 15 apples
It takes 3 hours and 20 minutes. | 200 minutes
She has twelve eggs left. | 12 eggs
The total is:¶¶$$ 9 \times 2 = 18 $$ | 18
1. First, 3.¶2. Then 4.¶¶**18** | 18
{"answer": 18} | 18
{"working": "9*2 = 18 {eggs}", "answer": "18 dollars"} | 18
Here it is: {"final_answer": "\\frac{3}{4}"} | 3/4
```json¶{"why": "x", "Final Answer": -2.5}¶``` | -2.5
Answer: 18 or 20 | -
Answer: not 18 | -
Answer: it is not equal to 18 | -
Answer: 18, actually | -
Answer: 18. Wait, that assumes 3 days and 2 eggs. | -
Answer: 18¶¶Wait, it is 20. | -
Answer: 12.3 ± 0.1 g | -
Answer: either 18 or maybe 20 | -
Answer: between 5 and 7 | -
Answer: 5-7 | -
Answer: 5 to 7 g | -
Answer: x = 3 and y = 4 | -
Answer: x = 3, y = 4 | -
so x=\boxed{3} and y=\boxed{4} | -
Answer: 3 apples and 4 pears | -
Answer: 1, 2, 3 | -
\boxed{3, 4} | -
Answer: 10:30 | -
Answer: 3:4 | -
Answer: 3 out of 5 | -
Answer: at least 5 | -
Answer: > 5 | -
Answer: 16 - 3 | -
Answer: 2√3 | -
Answer: 3x + 2 | -
Answer: 3D | -
Answer: 5 June | -
Answer: the 5th | -
Answer: cannot be determined | -
Answer: 20¶Answer: 18 or 19 | -
Answer: | -
I cannot solve this. | -
So there are 3 + 4 eggs. | -
{"answer": null} | -
{"answer": true} | -
| -
"""


def test_a_number_is_read_from_whatever_a_solver_writes() -> None:
    table = [line.rpartition("| ") for line in REPLIES.strip().splitlines()]
    assert len(table) > 100
    wrong = []
    for written, _, wanted in table:
        read = read_final(written.strip().replace("¶", "\n"), "number")
        quantity = next(iter(read_forms(read)), None)
        said = f"{quantity.value} {'%' if quantity.percent else quantity.unit}".strip() if quantity else "-"
        value, _, unit = wanted.partition(" ")
        expected = f"{Fraction(value)} {unit}".strip() if wanted != "-" else "-"
        if said.partition(" every ")[0] != expected or (read == "") != (wanted == "-"):
            wrong.append((written, read))
    assert wrong == []


def problem(answer: str, *options: str) -> Problem:
    return Problem(id="p", question="How much?", answer=answer, options=options)


NUMBERS = r"18|$18|1,250.50 USD|45.04 g|3/4|2.5 × 10^-3 mol/L|25 %|\frac{3}{4}|18 apples|1912|x = 3|2 h 30 min"
TEXTS = "Paris 2024|3 apples and 4 pears|10:30|2-3|5 May 1945|yes|2√3|(3, 4)|3:4|2-propanol|12 Angry Men|None|≥ 5"


def test_answers_are_compared_as_numbers_where_the_reference_is_nothing_else() -> None:
    assert [form for form in NUMBERS.split("|") if answer_kind(problem(form)) != "number"] == []
    assert [form for form in [*TEXTS.split("|"), "Seven Samurai"] if answer_kind(problem(form)) != "text"] == []
    assert answer_kind(problem("B", "18", "20")) == "choice"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Answer: B", "B"),
        ("It is not A.\n\n**Answer: (B)**", "B"),
        ("Answer: A, C", "AC"),  # several are none: the right letter among them does not make it right
        ("Answer: none of them", ""),
        ("I cannot say.", ""),
    ],
)
def test_of_multiple_choice_the_letters_are_read(reply: str, read: str) -> None:
    assert read_final(reply, "choice", ("18", "20", "22")) == read
    assert same_answer(read, "B", "choice") is (read == "B" if read else None)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Answer: Paris", "Paris"),
        ("Thinking of Rome.\n\n**Answer:** Paris.", "Paris."),
        ("Answer: Rome\n\nNo.\n\nAnswer: Paris\nIt lies on the Seine.", "Paris"),
        ("Answer:\n\nThese two:\n- Paris\n- Rome\n\nExplanation: none", "These two:\nParis\nRome"),
        ("Answer: these are\n\nExplanation: none", "these are"),
        ("Answer: the two are:\n- Paris\n- Rome", "the two are:\nParis\nRome"),
        ("Rome is not.\n\nThe capital is Paris.\nIt is old.", "The capital is Paris.\nIt is old."),
        ("Rome is not.\n\nSo the answer is Paris.", "Paris."),
        ('{"answer": "Paris"}', "Paris"),
        (r"\boxed{\text{Paris}}", "Paris"),
        ("Answer:", ""),
        (" \n", ""),
    ],
)
def test_of_a_text_the_last_label_or_the_last_paragraph_is_read(reply: str, read: str) -> None:
    assert read_final(reply, "text") == read


def test_texts_that_are_not_plainly_the_same_are_left_to_somebody_else() -> None:
    assert same_answer("“Paris”.", "paris", "text") is True
    assert same_answer(r"$2\sqrt{3}$", "2√3", "text") is True
    assert same_answer("the capital of France", "Paris", "text") is None
    assert same_answer("", "Paris", "text") is None


@pytest.mark.parametrize(
    ("read", "reference", "same"),
    [
        ("CO", "CO", True),
        ("$\\ce{CO2}$", "CO₂", True),
        ("Carbon Monoxide", "carbon monoxide", True),
        ("CO", "Co", None),
        ("nacl", "NaCl", None),
        ("ph", "pH", None),
        ("k", "K", None),
        ("N2 gas", "n2 gas", None),
    ],
)
def test_case_counts_in_formulas_and_symbols(read: str, reference: str, same: bool | None) -> None:
    assert same_answer(read, reference, "text") is same


def test_numbers_are_decided_where_they_are_read() -> None:
    assert same_answer("$18 per day", "18", "number") is True
    assert same_answer("45.0 g", "45.04 g", "number") is True
    assert same_answer("0.04504 kg", "45.04 g", "number") is True
    assert same_answer("45 g", "45.04 g", "number") is False
    assert same_answer("45 g", "45.04 g", "number", tolerance=0.001) is True  # 0.04 / 45.04 = 0.0009
    assert same_answer("", "18", "number") is None
    assert same_answer("18 or 20", "18", "number") is None
    assert same_answer("3 protons", "3 electrons", "number") is None
    assert same_answer("4 protons", "3 electrons", "number") is False


@pytest.mark.parametrize(
    ("reference", "same"),
    [("0.100 mol", True), ("5.84 g", True), ("0.00584 kg", True), ("6.84 g", False), ("5.84 mL", False)],
)
def test_an_answer_in_two_measures_is_either(reference: str, same: bool) -> None:
    assert same_answer("0.100 mol (5.84 g)", reference, "number") is same


def test_two_forms_that_contradict_each_other_are_left_to_somebody_else() -> None:
    assert same_answer("3 hours (180 minutes)", "180 minutes", "number") is True
    assert same_answer("2 hours (180 minutes)", "3 hours", "number") is None
    assert same_answer("18 dollars (16 glasses)", "16", "number") is None


STATED = (
    "must be 18.|must be eighteen|18 apples, no more|comes to (18)|18.00|$18$|$18|an 18-gram sample|36/2|from 3 to 18",
    "must be 18.5|-18|118|1.8|180|18x|18:30|18th|no number",
)


def test_a_final_answer_stands_in_a_text_in_any_form_and_with_its_own_value() -> None:
    assert [text for text in STATED[0].split("|") if not final_stands_in(text, "18")] == []
    assert [text for text in STATED[1].split("|") if final_stands_in(text, "18")] == []
    assert final_stands_in(r"the answer has to be \(\frac{3}{4}\) of it", "75 %")
    assert final_stands_in("so that 0.04504 kg result", "45.04 g")
    assert not final_stands_in("so that 45.0 g result", "45.04 g")  # near it is not it
    assert not final_stands_in("so that 45.04 mol result", "45.04 g")
    assert final_stands_in("The answer has to be Paris.", "Paris")
    assert not final_stands_in("The answer has to be Parisian.", "Paris")
