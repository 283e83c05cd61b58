"""The list of problems: their arithmetic, and how their texts are known again, whoever tells
them."""

import json
import re

import pytest
from tests.support.deepquestion.world_problems import problem_list

from fathom.sim.deepquestion.problems import exercises, read_problem
from fathom.sim.deepquestion.writing import stated_sentences

from ...support.paths import EXAMPLES

EXAMPLE = EXAMPLES / "deepquestion_chemistry.jsonl"


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
        assert own.alternative[1] != own.answer


def test_texts_are_known_again() -> None:
    for problem in problem_list():
        known = read_problem(problem.question)
        assert known is not None
        assert (known.exercise.id, known.answer, known.reason) == (problem.id, problem.answer, "")
        assert (known.distractors, known.story, known.hints, known.precise) == ((), 0, 0, True)
    for exercise in exercises().values():
        story = (
            f"A school has an open day. {' '.join(stated_sentences(exercise, 'The potter', 'any'))} "
            f"{exercise.asks[0]}"
        )
        known = read_problem(story)
        assert known is not None
        assert (known.answer, known.path, known.story) == (exercise.answer, exercise.path, 1)
