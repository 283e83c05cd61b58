"""Problems as a program hands them over."""

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.state.errors import UsageError
from fathom.state.problems import Problem, ProblemSet, Transformed
from fathom.tools.files.problem_set import problem_set_of
from fathom.tools.files.transformed import write_transformed

ONE = {"question": "What is 2 + 2?", "answer": "4"}
TWO = {
    "question": "Which is a noble gas?",
    "answer": "B",
    "options": ["Zinc", "Argon"],
    "id": "gas",
}
SET = ProblemSet(
    name="benchmark", problems=(Problem(id="p001", **ONE), Problem.model_validate(TWO))
)
TEXTS = ProblemSet(
    name="texts",
    problems=SET.problems,
    transformed=(Transformed(problem="gas", instruction="Ask."),),
)


def test_problems_are_taken_in_any_form_a_program_has_them_in(tmp_path: Path) -> None:
    rows = [ONE, TWO]
    (tmp_path / "benchmark.jsonl").write_text(
        "\n".join(map(json.dumps, rows)), encoding="utf-8"
    )
    (tmp_path / "benchmark.csv").write_text(
        'id;question;answer\np001;"What is 2 + 2?";4\n', encoding="utf-8"
    )
    forms: list[Any] = [
        SET,
        SET.model_dump(mode="json"),
        SET.model_dump_json(),
        rows,
        json.dumps(rows),
    ]
    forms += [
        iter(SET.problems),
        tmp_path / "benchmark.jsonl",
        str(tmp_path / "benchmark.jsonl"),
    ]
    for form in forms:
        assert problem_set_of(form) == SET
    assert problem_set_of(tmp_path / "benchmark.csv").problems == SET.problems[:1]
    assert problem_set_of({"name": "own", "problems": rows}).name == "own"


@pytest.mark.parametrize("name", ["texts.jsonl", "texts.json"])
def test_a_file_of_texts_is_known_as_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    write_transformed(path, TEXTS, TEXTS.transformed or (), {})
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if name == "texts.json":  # as another tool writes it again
        (tmp_path / name).write_text(
            json.dumps([{**line, "format": line["format"]} for line in lines], indent=1)
        )
    assert problem_set_of(tmp_path / name) == TEXTS


@pytest.mark.parametrize(
    ("answer", "final", "solution"),
    [
        ("2 + 2 = <<2+2=4>>4\n#### 4", "4", "2 + 2 = 4"),
        (r"So it is $\boxed{4}$.", "4", r"So it is $\boxed{4}$."),
        ("4", "4", ""),
    ],
)
def test_an_answer_with_the_way_to_it_is_split(answer: str, final: str, solution: str) -> None:
    (problem,) = problem_set_of([{"question": "What is 2 + 2?", "answer": answer}]).problems
    assert (problem.answer, problem.solution) == (final, solution)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ([], "holds no problems"),
        ([5], "Item 1 of <problems> must be an object"),
        ([ONE, {"question": "Why?"}], "Item 2 of <problems> has no answer: fill it in"),
        ([{**ONE, "answer": " "}], "has no answer"),
        ([{**ONE, "answer": "x" * 1001}], "has 1,001 characters as its answer: use at most 1,000"),
        ([{**TWO, "answer": "C"}], "has the answer 'C', which stands for none of its options"),
        ([{**TWO, "options": ["Zinc"]}], "must have 2 to 26 different options"),
        ([TWO, {**ONE, "id": "gas"}], "have the same id, 'gas'"),
        ({"name": "x"}, "has no column question"),
        ({"problems": "ONE"}, "There is no file ONE"),
        (5, "The problems cannot be of type int"),
        (object(), "The problems cannot be of type object"),
        ([object()], "The problems cannot be written as JSON"),
        ("{", "<problems> is not valid JSON"),
        ("-", "cannot be read from the standard input"),
        ("nowhere.jsonl", "There is no file nowhere.jsonl"),
        (ProblemSet(name="x", problems=(SET.problems[1].model_copy(update={"answer": "C"}),)), "Problem 1 has the ans"),
        (TEXTS.model_copy(update={"problems": SET.problems[:1]}), "texts of a problem that is not there"),
        (TEXTS.model_copy(update={"transformed": (Transformed(problem="gas"),)}), "neither a scenario nor an instr"),
        (TEXTS.model_copy(update={"transformed": (*(TEXTS.transformed or ()),) * 2}), "or texts twice"),
        (
            TEXTS.model_copy(
                update={
                    "transformed": (
                        Transformed(problem="gas", scenarios={"none": "Who?"}),
                        Transformed(problem="p001", scenarios={"some": "Who?"}),
                    )
                }
            ),
            "for the same loads",
        ),
    ],
)  # fmt: skip
def test_what_is_no_problem_is_refused_in_words(given: Any, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        problem_set_of(given)
