"""Problems with real arithmetic: how they are made, solved and read, whoever wrote the text."""

import json
from dataclasses import replace

import pytest

from fathom.sim.corpus import corpus
from fathom.sim.deepquestion.core import Core, Quantity, Unsolvable, answer_of, misread, path_of, slips, value_of
from fathom.sim.deepquestion.data import (
    COMPOUNDS,
    REACTIONS,
    atoms_in,
    is_balanced,
    molar_mass,
    name_of,
    sides_of,
    written,
)
from fathom.sim.deepquestion.kinds import ASKED, KINDS, drawn, kind_with, others_with, with_answer
from fathom.sim.deepquestion.problems import original, stoich_problems
from fathom.sim.deepquestion.reading import Distractor, read_problem
from fathom.sim.deepquestion.tasks import prose_task
from fathom.sim.deepquestion.worked import worked
from fathom.sim.depthqa.questions import graph_of

from ...support.paths import EXAMPLES

EXAMPLE = EXAMPLES / "deepquestion_chemistry.jsonl"
WATER = "2 H2 + O2 → 2 H2O"


def grams(value: str, formula: str) -> Quantity:
    return Quantity(value, "g", formula)


@pytest.mark.parametrize(
    ("core", "answer"),
    [
        # 40.078 + 2 · (15.999 + 1.008) = 74.092
        (Core("g/mol", "Ca(OH)2"), "74.1 g/mol"),
        # .250 · (22.98977 + 35.45) = 14.61
        (Core("g", "NaCl", given=(Quantity("0.250", "mol", "NaCl"),)), "14.6 g"),
        # 9.00/(2 · 1.008 + 15.999) = .49958
        (Core("mol", "H2O", given=(grams("9.00", "H2O"),)), "0.500 mol"),
        # .49958 · 6.02214·10²³
        (Core("molecules", "H2O", given=(grams("9.00", "H2O"),)), "3.01 × 10^23 molecules"),
        # 2 · 14.007/(28.014 + 4 · 1.008 + 3 · 15.999) = 28.014/80.043 = .34999
        (Core("%", "NH4NO3", "N"), "35.0%"),
        (Core("g", "NH4NO3", "N", given=(grams("20.0", "NH4NO3"),)), "7.00 g"),
        # 12.5/2.016 = 6.2004 mol of H2 and of H2O; · 18.015 = 111.70
        (Core("g", "H2O", given=(grams("12.5", "H2"),), equation=WATER, excess=True), "112 g"),
        (Core("mol", "H2O", given=(grams("12.5", "H2"),), equation=WATER, excess=True), "6.20 mol"),
        # O2 runs out: 32.0/31.998 = 1.00006 mol against 4.960/2; 2.00013 · 18.015 = 36.03
        (Core("g", "H2O", given=(grams("10.0", "H2"), grams("32.0", "O2")), equation=WATER), "36.0 g"),
        # 5.85/58.43977 = .100103 mol in .250 L
        (Core("mol/L", "NaCl", given=(grams("5.85", "NaCl"), Quantity("250", "mL"))), "0.400 mol/L"),
        # .500 L · .200 mol/L · 39.99677 g/mol
        (Core("g", "NaOH", given=(Quantity("0.200", "mol/L"), Quantity("500", "mL"))), "4.00 g"),
        (Core("g/mol", "KBr", given=(grams("59.5", "KBr"), Quantity("0.500", "mol", "KBr"))), "119 g/mol"),
        (Core("%", "CO2", "C", given=(grams("3.00", "C"), grams("12.0", "CO2"))), "25.0%"),
    ],
)
def test_answers_are_worked_out_from_the_atomic_weights(core: Core, answer: str) -> None:
    assert answer_of(core) == answer
    assert worked(core)[-1].endswith(f"{answer}.")
    kind = kind_with(path_of(core))
    assert kind is not None
    assert kind.asks == core.asks
    wrong = slips(core)
    assert len(wrong) >= 2
    assert answer not in wrong


def test_the_tables_hold_formulas_and_balanced_equations() -> None:
    assert all(atoms_in(formula) for formula in COMPOUNDS)
    assert atoms_in("Ca3(PO4)2") == {"Ca": 3, "P": 2, "O": 8}
    assert atoms_in("Xy2") == atoms_in("water") == {}
    for equation in REACTIONS:
        sides = sides_of(equation)
        assert sides is not None
        assert is_balanced(sides), equation
        assert all(name_of(formula) != formula for side in sides for _, formula in side)
    assert molar_mass("HCl", 1) == pytest.approx(1.0 + 35.5), "35.45 is 35.5, not 35.4"
    assert [written(x) for x in (18.015, 0.5, 99.96, 0.01234, 9.996e22)] == [
        "18.0", "0.500", "100", "0.0123", "1.00 × 10^23",
    ]  # fmt: skip


def test_problems_are_solvable_robust_and_read_as_they_were_meant() -> None:
    problems = stoich_problems(3, 60)
    assert len({problem.question for problem in problems}) == len({problem.id for problem in problems}) == 60
    assert problems[:20] == stoich_problems(3, 20)
    assert problems != stoich_problems(4, 60)
    for place, problem in enumerate(problems):
        known = read_problem(problem.question)
        assert known is not None
        assert answer_of(known.core) == problem.answer
        assert path_of(known.core) == ASKED[place % len(ASKED)].path
        assert (known.distractors, known.story, known.hints, known.precise) == ((), (), (), True)
        # rounded atomic weights, as other tables have them
        assert {written(value_of(known.core, decimals)) for decimals in (1, 2, None)} == {written(value_of(known.core))}
        assert problem.solution.endswith(f"{problem.answer}.")
        assert problem.domain


def test_the_example_is_what_the_world_makes() -> None:
    rows = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    fields = ("id", "question", "answer", "solution", "domain")
    assert rows == [{name: getattr(problem, name) for name in fields} for problem in stoich_problems(1, 60)]


def test_every_kind_is_read_and_can_be_made_to_have_an_answer() -> None:
    for kind in KINDS:
        for core in list(drawn(kind, "test"))[:4]:
            known = read_problem(original(core, "any"))
            assert known is not None
            assert known.core.key == core.key
            assert others_with(kind)
            for other in (kind, *(each for each in others_with(kind) if each.scaled)):
                made = with_answer(other, answer_of(core), "test")
                assert made is not None
                assert (answer_of(made), path_of(made)) == (answer_of(core), other.path)
    assert with_answer(KINDS[0], "1.23 g/mol", "test") is None


STATED = "12.5 g of hydrogen (H2) react with an excess of oxygen (O2): 2 H2 + O2 → 2 H2O. "


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"{STATED}How many grams of water (H2O) form?", "112 g"),
        ("0.0125 kg of H₂ react with an excess of O₂: 2 H₂ + O₂ -> 2 H₂O. How many grams of H₂O form?", "112 g"),
        ("How many moles of NaCl are in 5.85 g of NaCl?", "0.100 mol"),
        ("5.85 g of NaCl give 0.25 L of solution. What is the concentration of NaCl, in mol/L?", "0.400 mol/L"),
        # an answer, but not that of the first: a value was changed
        (f"{STATED}How many grams of water (H2O) form?".replace("12.5", "25.0"), "223 g"),
        (f"{STATED}How many grams of water (H2O) form?".replace("12.5 g of", "Some"), "how much reacts is not stated"),
        (f"{STATED}How many grams of water (H2O) form?".replace("an excess of ", ""), "other reactants is not stated"),
        (f"{STATED}How many grams of water (H2O) form?".replace("2 H2O", "H2O"), "not balanced"),
        (f"{STATED}Later 3 g of H2 are added. How many grams of water (H2O) form?", "as 12.5 g and as 3 g"),
        (f"{STATED}How many grams of ammonia (NH3) form?", "does not form"),
        ("5.85 g of NaCl are dissolved. What is the concentration of NaCl, in mol/L?", "volume is not stated"),
        ("The label says water (H2O). How many grams is that?", "how much there is of it is not stated"),
        (f"{STATED}How many grams of water (H2O) form?".replace("an excess", "no excess"), "other reactants is not"),
        (f"{STATED}None is in excess. How many grams of H2O form?".replace("an excess of ", ""), "other reactants"),
        (f"{STATED}None is lost, and how many grams of water (H2O) form?", "112 g"),
        ("Salt (NaCl) and water (H2O) stand there. What is its molar mass?", "the formula of the substance"),
    ],
)  # fmt: skip
def test_only_what_stands_in_a_text_counts(text: str, answer: str) -> None:
    known = read_problem(text)
    assert known is not None
    if answer[0].isdigit():
        assert answer_of(known.core) == answer
    else:
        with pytest.raises(Unsolvable, match=answer):
            answer_of(known.core)


@pytest.mark.parametrize(
    ("stated", "amount"),
    [
        *((written_, "69.4 mol") for written_ in ("1,250 g", "1 250 g", "1\u202f250.0 g", "1.25 × 10^3 g", "1.25e3 g")),
        *((written_, "69.4 mol") for written_ in ("125·10¹ g", "125 \\times 10^{-2} kg", "+1250 g")),
        ("10^3 g", "55.5 mol"),  # 1000/18.015
        *((written_, "no amount") for written_ in ("-5 g", "−5 g", "minus 5 g", "0 g", "-5 × 10^2 g")),
        # a part of a number, of a range or of a fraction is none
        *((other, "not stated") for other in ("12,5 g", "1,2500 g", "5–10 g", "1/2 kg", "5 ± 1 g", "10^100 g")),
    ],
)
def test_numbers_are_read_whole_or_not_at_all(stated: str, amount: str) -> None:
    known = read_problem(f"A jug holds {stated} of water (H2O). How many moles of water (H2O) is that?")
    assert known is not None
    if amount[0].isdigit():
        assert answer_of(known.core) == amount
    else:
        with pytest.raises(Unsolvable, match=amount):
            answer_of(known.core)


def test_what_does_not_belong_is_told_apart() -> None:
    text = (
        "A school has an open day. On the shelf there are 7 jars. Another jar is labelled 40.0 g. The potter takes"
        " 20.0 g of ammonium nitrate (NH4NO3). Its molar mass is 80.0 g/mol. Humidity is 55%.\n\nHow many grams of"
        " nitrogen (N) does it contain? Three significant digits are enough."
    )
    known = read_problem(text)
    assert known is not None
    assert known.core == Core("g", "NH4NO3", "N", given=(grams("20.0", "NH4NO3"),))
    assert known.distractors == (
        Distractor("On the shelf there are 7 jars.", "7", ""),
        Distractor("Another jar is labelled 40.0 g.", "40.0", "g"),
        Distractor("Humidity is 55%.", "55", "%"),
    )
    assert known.story == ("A school has an open day.",)
    assert known.hints == ("Its molar mass is 80.0 g/mol.",)
    assert known.precise
    # 7.00 · 7; 40.0 in the place of 20.0; 7.00 · .55
    wrong = [misread(known.core, each.value, each.unit) for each in known.distractors]
    assert wrong == ["49.0 g", "14.0 g", "3.85 g"]
    # a smaller amount of what is there in excess changes nothing, but the other one does
    limiting = Core("g", "H2O", given=(grams("10.0", "H2"), grams("32.0", "O2")), equation=WATER)
    assert misread(limiting, "16.0", "g") == "18.0 g"
    assert misread(replace(limiting, given=limiting.given[:1], excess=True), "10.0", "g") is None


def test_other_questions_are_none_of_these() -> None:
    grocer = "A grocer sells 16 eggs a day. How many grams of eggs, at 60 g each, is that? How many moles?"
    for text in ("", "How heavy is gold?", "Water (H2O) is wet.", grocer):
        assert read_problem(text) is None
    others = [fact.question for fact in corpus().facts[::80]] + [node.question for node in graph_of(5, 3).nodes]
    assert {prose_task({}, text, "Answer from memory.") for text in others} == {None}
