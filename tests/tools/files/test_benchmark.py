"""Benchmarks are read in the forms in which they are published; what cannot be right is refused by
its row."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.handed_over import in_file, refusal

from fathom.state.errors import UsageError
from fathom.tools.files.benchmark import ProblemRow, read_benchmark
from fathom.tools.files.problems import MAX_PROBLEMS, sample_of
from fathom.tools.files.rows import parse_columns

Rows = list[dict[str, Any]]
HENS = (
    "Each of 12 hens lays 4 eggs.\n12*4=<<12*4=48>>48 eggs in all.\nSold by the half dozen: "
    "<<48/6=8>>8.\n"
)
GSM8K: Rows = [
    {"question": "12 hens lay 4 eggs each. How many half dozens?", "answer": HENS + "#### 8"},
    {
        "question": "A ferry takes 260 cars, 5 times a day. How many?",
        "answer": "260*5=<<260*5=1300>>1300\n#### 1,300",
    },
]


@pytest.mark.parametrize("name", ["hens.jsonl", "hens.csv", "hens.json", "hens.parquet"])
def test_gsm8k_is_read_as_it_is(tmp_path: Path, name: str) -> None:
    found = read_benchmark(in_file(tmp_path, GSM8K, name))
    assert (found.name, found.notices, found.transformed) == ("hens", (), None)
    first, second = found.problems
    assert (first.id, first.question, first.answer) == ("p001", GSM8K[0]["question"], "8")
    assert (
        first.solution
        == "Each of 12 hens lays 4 eggs.\n12*4=48 eggs in all.\nSold by the half dozen: 8."
    )
    assert (second.id, second.answer, second.solution) == ("p002", "1,300", "260*5=1300")


def test_math_is_read_from_its_boxes(tmp_path: Path) -> None:
    solution = r"With $n=2$, \boxed{2} is too small. So it is $\boxed{\text{\frac{1}{2}} \}}$."
    rows: Rows = [
        {
            "problem": "Half of 1?",
            "unique_id": "test/algebra 1.json",
            "type": "Algebra",
            "solution": solution,
        },
        {"problem": "2+3?", "unique_id": "", "type": "Algebra", "solution": r"\boxed{5}"},
        {
            "problem": "Colour?",
            "unique_id": "x@1",
            "type": None,
            "solution": r"It is $\boxed{red}$.",
        },
    ]
    first, second, third = read_benchmark(in_file(tmp_path, rows)).problems
    assert (first.id, first.answer, first.solution, first.domain) == (
        "test-algebra-1.json",
        r"\text{\frac{1}{2}} \}",
        solution,
        "Algebra",
    )
    assert (second.id, second.answer, second.solution) == (
        "p002",
        "5",
        "",
    )  # nothing but the box: no way to it
    assert (third.id, third.answer, third.domain) == ("x-1", "red", "")


AB = {"question": "Sky?", "answer": "B"}
CHOICES: list[tuple[str, Rows | str, list[str]]] = [
    ("a list and a letter", [{**AB, "options": ["red", "blue"]}], ["B"]),
    ("an object", [{**AB, "options": {"A": "red", "B": "blue"}}], ["B"]),
    (
        "its text",
        [{**AB, "answer": "Blue", "options": {"A": "red", "B": "blue", "C": None}}],
        ["B"],
    ),
    (
        "text and label",
        [
            {
                "question": "Sky?",
                "choices": {"text": ["red", "blue"], "label": ["1", "2"]},
                "answerKey": "2",
            }
        ],
        ["B"],
    ),
    ("JSON in CSV", 'question,options,answer\nSky?,"[""red"", ""blue""]",B\n', ["B"]),
    (
        "an object in CSV",
        'question,options,answer\nSky?,"{""A"": ""red"", ""B"": ""blue""}",B\n',
        ["B"],
    ),
    ("columns", "Question;A;B;C;Answer\nSky?;red;blue;;B\nSea?;blue;red;grey;a\n", ["B", "A"]),
    (
        "places",
        [
            {**AB, "answer": 1, "options": ["1", "2"]},
            {**AB, "answer": 0, "options": ["x", "y"]},
        ],
        ["B", "A"],
    ),
    # the 1 of the first row is a place, although an option is called so, because the 0 of the
    # second can only be one
    (
        "places in CSV",
        'question,options,answer\nSky?,"[""1"", ""2""]",1\nSea?,"[""x"", ""y""]",0\n',
        ["B", "A"],
    ),
    ("an index", [{"question": "Sky?", "options": ["red", "blue"], "answer_index": 1}], ["B"]),
    ("numbers", [{**AB, "answer": 4, "options": [3, 4, 5]}], ["B"]),
    # letters serve both rows, texts only the first: letters they are
    (
        "letters as options",
        [
            {**AB, "options": ["B", "A"]},
            {"question": "Sea?", "answer": "A", "options": ["x", "y"]},
        ],
        ["B", "A"],
    ),
    # null keeps its letter and its place: C, or 2 counted from 0, is the third entry, which is
    # shown as B
    (
        "a letter behind null",
        [{"question": "Sky?", "answer": "C", "options": ["red", None, "blue"]}],
        ["B"],
    ),
    (
        "places behind null",
        [
            {**AB, "answer": 2, "options": ["red", None, "blue"]},
            {**AB, "answer": 0, "options": ["x", "y"]},
        ],
        ["B", "A"],
    ),
    (
        "places behind a blank",
        "question,A,B,C,answer\nSky?,red,,blue,2\nSea?,x,y,z,0\n",
        ["B", "A"],
    ),
    ("boxed", [{**AB, "answer": r"$\boxed{B}$", "options": ["red", "blue"]}], ["B"]),
]


FORMS = [case[0] for case in CHOICES]


@pytest.mark.parametrize(("form", "rows", "answers"), CHOICES, ids=FORMS)
def test_multiple_choice_in_every_form_becomes_a_letter(
    tmp_path: Path, form: str, rows: Rows | str, answers: list[str]
) -> None:
    found = read_benchmark(
        in_file(tmp_path, rows, "b.csv" if isinstance(rows, str) else "b.jsonl")
    )
    assert [problem.answer for problem in found.problems] == answers
    assert all(len(problem.options) >= 2 for problem in found.problems)
    assert found.problems[0].options in {
        *(("red", "blue"), ("1", "2"), ("3", "4", "5"), ("B", "A")),
    }


def test_fields_can_be_named(tmp_path: Path) -> None:
    rows = [
        {
            "question": "Part of it.",
            "Frage": "How many?",
            "Zahl": 1.0,
            "Wahl": ["one", "two"],
            "note": None,
        }
    ]
    rows += [{**rows[0], "Frage": "And then?", "Zahl": 0.0}]
    path = in_file(tmp_path, rows)
    found = read_benchmark(
        path,
        columns={"question": ("frage",), "answer": ("zahl",), "options": ("wahl",)},
        limit=2,
    )
    assert [(problem.question, problem.answer) for problem in found.problems] == [
        ("How many?", "B"),
        ("And then?", "A"),
    ]
    columns = parse_columns(["question=frage, answer=Zahl", "options=A+B"], ProblemRow)
    assert columns == {"question": ("frage",), "answer": ("zahl",), "options": ("a", "b")}
    for field in ("question", "answer", "options"):
        columns = {"answer": ("zahl",), field: ("wrong",)}
        said = refusal(partial(read_benchmark, columns=columns), path)
        assert "has no column wrong, only 'question', 'frage', 'zahl'" in said
        assert f"--columns {field}=COLUMN" in said


def test_a_blank_cell_is_not_filled_from_another_column(tmp_path: Path) -> None:
    rows: Rows = [
        {"question": "1+1?", "text": "A book.", "answer": "2"},
        {"question": None, "text": "A book.", "answer": "3"},
    ]
    assert "has no question" in refusal(read_benchmark, in_file(tmp_path, rows))


def test_ids_are_kept_and_the_same_problem_counts_once(tmp_path: Path) -> None:
    rows: Rows = [
        {"id": f"{number}", "question": f"{number}+0?", "answer": number} for number in range(3)
    ]
    rows += [
        {"id": "again", "question": " 2+0?\n", "answer": " 2"},
        {"question": "What of these?", "answer": "A"},
    ]
    rows[-1]["options"] = ["x", "y"]
    rows += [
        {"id": "own", "question": "What of these?", "answer": "B", "options": ["x", "z"]},
        {"question": "7?", "answer": 7.5},
    ]
    rows += [{"question": "8?", "answer": True, "rationale": "Yes, it is."}]
    found = read_benchmark(in_file(tmp_path, rows))
    assert [problem.id for problem in found.problems] == [
        "0",
        "1",
        "2",
        "p005",
        "own",
        "p007",
        "p008",
    ]
    assert [problem.answer for problem in found.problems][-2:] == ["7.5", "true"]
    assert [problem.solution for problem in found.problems][-2:] == ["", "Yes, it is."]
    assert found.notices == (
        (
            f"Problems of {tmp_path / 'b.jsonl'} that are the same as an earlier one, and asked "
            "once: 'again'."
        ),
    )
    keyed = in_file(
        tmp_path, json.dumps({"first": {"question": "1?", "answer": 1}, "p002": AB}), "b.json"
    )
    assert [problem.id for problem in read_benchmark(keyed).problems] == ["first", "p002"]


def test_a_draw_keeps_the_order_and_grows_with_its_limit(tmp_path: Path) -> None:
    rows: Rows = [{"question": f"{number}+0?", "answer": number} for number in range(1319)]
    path = in_file(tmp_path, rows)
    everything = read_benchmark(path)
    some, more, other = (
        sample_of(everything, *how, path) for how in ((60, 7), (61, 7), (60, 8))
    )
    ids = [problem.id for problem in some.problems]
    assert (len(ids), ids) == (60, sorted(ids))
    assert ids != [
        f"p{number:04}" for number in range(1, 61)
    ]  # they would be no sample of a sorted benchmark
    assert set(ids) < {problem.id for problem in more.problems}
    assert some.made == {"drawn": "60 of 1,319 problems, by seed 7"}
    assert some.notices == (f"60 of 1,319 problems of {path}, drawn by seed 7.",)
    assert read_benchmark(path, limit=60, seed=7) == some
    assert other.digest != some.digest
    assert (
        sample_of(everything, 1319, 7, path)
        == sample_of(everything, None, 7, path)
        == everything
    )
    with pytest.raises(UsageError, match="must be at least 1"):
        sample_of(everything, 0, 7, path)
    many = everything.model_copy(
        update={"problems": everything.problems * (MAX_PROBLEMS // 1319 + 1)}
    )
    with pytest.raises(UsageError, match="at most 20,000, with --limit"):
        sample_of(many, None, 7, path)


def test_letters_whose_options_are_lost_are_refused(tmp_path: Path) -> None:
    rows = [AB, {"question": "Sea?", "answer": "B"}]
    assert "no options were found" in refusal(read_benchmark, in_file(tmp_path, rows))
    inside = [{**row, "question": f"{row['question']} A. red B. blue"} for row in rows]
    assert len(read_benchmark(in_file(tmp_path, inside)).problems) == 2


def test_rows_that_cannot_be_asked_are_left_out_and_counted_up_to_one_in_twenty(
    tmp_path: Path,
) -> None:
    rows: Rows = [
        {"question": f"{n}?", "answer": "B", "options": ["x", "y"], "note": float("nan")}
        for n in range(80)
    ]
    rows[3]["options"] = ["x", "x"]
    rows[5]["options"], rows[7]["answer"] = ["z", "z"], float("nan")
    path = in_file(tmp_path, json.dumps(rows), "b.json")
    found = read_benchmark(path)
    assert [problem.id for problem in found.problems][:4] == ["p001", "p002", "p003", "p005"]
    assert found.notices[0].startswith(
        f"3 of 80 rows of {path} cannot be asked and are left out."
    )
    for row in rows[9:11]:
        del row["question"]
    said = refusal(read_benchmark, in_file(tmp_path, json.dumps(rows), "b.json"))
    assert "5 of 80 rows" in said
    assert "more than one in twenty. The first: Item" in said


def test_the_mark_that_other_rows_have_is_missed(tmp_path: Path) -> None:
    plain, bare = (
        {"question": "1+1?", "answer": "2"},
        {"question": "1+1?", "answer": "So it is\n#### "},
    )
    assert "Line 3 of" in refusal(read_benchmark, in_file(tmp_path, [*GSM8K, plain]))
    assert "has no final answer as ####" in refusal(
        read_benchmark, in_file(tmp_path, [GSM8K[0], bare])
    )
    csv = in_file(tmp_path, "Frage;Antwort\n1+1?;2\n", "b.csv")
    assert "only 'frage', 'antwort': name it with --columns question=COLUMN" in refusal(
        read_benchmark, csv
    )
