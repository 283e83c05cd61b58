"""The list of problems: their arithmetic, and how their texts are known again, whoever tells
them."""

import json
import re

import pytest

from fathom.sim.corpus import corpus
from fathom.sim.deepquestion.problems import (
    exercises,
    misread,
    missing,
    problem_list,
    read_problem,
    written,
)
from fathom.sim.deepquestion.writing import told
from fathom.sim.evaluator import prose_task

from ...support.depthqa.elements import graph_of
from ...support.paths import EXAMPLES

EXAMPLE = EXAMPLES / "deepquestion_chemistry.jsonl"
ACID = problem_list(7)[6].question
"""51.8 g of sulfuric acid react with an excess: 19.0 g of water."""


def test_the_example_is_the_list() -> None:
    rows = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    fields = ("id", "question", "answer", "solution", "domain")
    assert rows == [{name: getattr(problem, name) for name in fields} for problem in problem_list()]
    assert len({problem.question for problem in problem_list()}) == len(rows) == 60
    assert problem_list(12) == problem_list()[:12]
    assert len({problem.domain for problem in problem_list(12)}) == 7


def test_every_step_of_every_solution_is_right() -> None:
    """`51.8 g ÷ 98.072 g/mol = 0.5282 mol`: each line is calculated again, to half a unit of its
    last digit."""
    checked = 0
    for line in (line for problem in problem_list() for line in problem.solution.splitlines()):
        left, equal, right = line.removesuffix(".").rpartition(" = ")
        if not equal:
            continue
        plain = re.sub(r" (?:g/mol|mol/L|mol|g|L|per mole)\b", "", left.rpartition(": ")[2])
        plain = plain.replace("×", "*").replace("÷", "/").replace("^", "**")
        assert re.fullmatch(r"[\d.*/+ ]+", plain), plain
        number = re.match(r"([\d.]+)(?: × 10\^(\d+))?", right)
        assert number is not None
        stated = float(number[1]) * 10 ** int(number[2] or 0)
        digits = len(number[1].replace(".", "").lstrip("0"))
        assert eval(plain) == pytest.approx(stated, rel=0.6 * 10 ** (1 - digits)), line
        checked += 1
    assert checked > 120


def test_twins_and_detours_come_to_the_same_answer() -> None:
    listed = exercises()
    assert len(listed) == 180
    for problem in problem_list():
        own, twin, detour = (listed[problem.id + more] for more in ("", ".twin", ".detour"))
        assert own.answer == twin.answer == detour.answer == problem.answer
        assert own.path == twin.path != detour.path
        assert len(own.slips) >= 2
        assert own.answer not in own.slips
        assert own.other[1] != own.answer


def test_texts_are_known_again() -> None:
    for problem in problem_list():
        known = read_problem(problem.question)
        assert known is not None
        assert (known.exercise.id, known.answer, known.reason) == (problem.id, problem.answer, "")
        assert (known.distractors, known.story, known.hints, known.precise) == ((), 0, 0, True)
    for exercise in exercises().values():
        story = (
            f"A school has an open day. {' '.join(told(exercise, 'The potter', 'any'))} "
            f"{exercise.asks[0]}"
        )
        known = read_problem(story)
        assert known is not None
        assert (known.answer, known.path, known.story) == (exercise.answer, exercise.path, 1)


@pytest.mark.parametrize(
    ("change", "answer", "reason"),
    [
        (("51.8 g", "Some"), "", "51.8 g of sulfuric acid (H2SO4) is not stated"),
        (("an excess of ", ""), "", "excess is not stated"),
        (
            (
                "2 H2O. ",
                "2 H2O. Shortly afterwards another 3 g of sulfuric acid (H2SO4) are added. ",
            ),
            "",
            "more is",
        ),
        (
            ("How many grams of water (H2O) form", "How many moles of water (H2O) does that make"),
            "1.06 mol",
            "",
        ),
        (("How many grams of water (H2O) form", "How heavy is it"), None, None),
        (("51.8 g of", "Yesterday it rained. 51.8 g of"), "19.0 g", ""),
    ],
)
def test_only_what_stands_in_a_text_counts(
    change: tuple[str, str], answer: str | None, reason: str | None
) -> None:
    known = read_problem(ACID.replace(*change))
    if answer is None or reason is None:
        assert known is None
    else:
        assert known is not None
        assert known.answer == answer
        assert known.reason.startswith(reason)


def test_what_does_not_belong_is_told_apart() -> None:
    jars = "On the shelf there are 7 jars."
    more = (
        f"A school has an open day. {jars} Another is labelled 103.6 g. Humidity is 55%. It has "
        "18.0 g/mol."
    )
    known = read_problem(f"{more} {ACID}")
    assert known is not None
    assert known.distractors == (jars, "Another is labelled 103.6 g.", "Humidity is 55%.")
    assert (known.story, known.hints, known.answer) == (1, 1, "19.0 g")
    # 19.0 · 7; twice what is there; 19.0 · .55
    assert [misread(known.exercise, each) for each in known.distractors] == [
        "133 g",
        "38.0 g",
        "10.5 g",
    ]
    assert misread(known.exercise, "A second one holds 51.8 g.") is None
    assert missing(known.exercise, "51.8 g of sulfuric acid (H2SO4)") == [
        "2 NaOH + H2SO4 → Na2SO4 + 2 H2O",
        "excess",
    ]


def test_other_questions_are_none_of_these() -> None:
    grocer = (
        "A grocer sells 16 eggs a day. How many grams of eggs, at 60 g each, is that? How many "
        "moles?"
    )
    for text in (
        "",
        "How heavy is gold?",
        "Water (H2O) is wet.",
        grocer,
        "How many grams of water (H2O) form?",
    ):
        assert read_problem(text) is None
    others = [fact.question for fact in corpus().facts[::80]] + [
        node.question for node in graph_of(5, 3).nodes
    ]
    assert {prose_task({}, [text], "Answer from memory.") for text in others} <= {
        "answer",
        "choice",
    }


def test_numbers_have_three_digits() -> None:
    assert [written(x) for x in (18.015, 0.5, 99.96, 0.01234, 9.996e22)] == [
        "18.0", "0.500", "100", "0.0123", "1.00 × 10^23",
    ]  # fmt: skip
