"""Benchmarks in the shapes of their data cards are asked as published: question, options, and the
right answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.handed_over import in_file

from fathom.state.errors import UsageError
from fathom.tools.files.benchmark import read_benchmark

Rows = list[dict[str, Any]]
PHYSICS = {
    "Pre-Revision Correct Answer": "10^-8 eV",
    "Correct Answer": "10^-4 eV",
    "Subdomain": "Physics",
}
WRONG = {f"Incorrect Answer {n}": f"10^{n} eV" for n in (1, 2, 3)}
MCQA = {
    "opa": "Hyperplasia",
    "opb": "Hyperophy",
    "opc": "Atrophy",
    "opd": "Dysplasia",
    "choice_type": "single",
}
PUBLISHED: dict[str, tuple[Rows, Sequence[str], str]] = {
    "mmlu": (
        [
            {
                "question": "1+1?",
                "subject": "algebra",
                "choices": ["0", "1", "2", "3"],
                "answer": 2,
            },
            {
                "question": "1-1?",
                "subject": "algebra",
                "choices": ["0", "1", "2", "3"],
                "answer": 0,
            },
        ],
        ("0", "1", "2", "3"),
        "2",
    ),
    "mmlu_pro": (
        [
            {
                "question_id": 70,
                "question": "Ads?",
                "options": ["Safe", "Fear", "N/A"],
                "answer": "B",
                "answer_index": 1,
            }
        ],
        ("Safe", "Fear"),
        "Fear",
    ),
    "gpqa": (
        [{"Question": "Energy?", **PHYSICS, **WRONG}],
        ("10^-4 eV", *WRONG.values()),
        "10^-4 eV",
    ),
    "medmcqa": (
        [
            {
                "id": "a",
                "question": "Nephrectomy?",
                **MCQA,
                "cop": 2,
                "exp": "Ans. B",
                "subject_name": "Pathology",
            },
            {
                "id": "b",
                "question": "Uterus?",
                **MCQA,
                "cop": 0,
                "exp": None,
                "subject_name": "Pathology",
            },
        ],
        ("Hyperplasia", "Hyperophy", "Atrophy", "Dysplasia"),
        "Atrophy",
    ),
    "sciq": (
        [
            {
                "question": "Cheese?",
                "distractor3": "viruses",
                "distractor1": "protozoa",
                "distractor2": "gymnosperms",
                "correct_answer": "mesophilic",
                "support": "Mesophiles grow best at moderate temperature.",
            }
        ],
        ("mesophilic", "viruses", "protozoa", "gymnosperms"),
        "mesophilic",
    ),
    "arc": (
        [
            {
                "id": "Mercury_1",
                "question": "Moon?",
                "choices": {"text": ["sun", "rock"], "label": ["1", "2"]},
                "answerKey": "2",
            }
        ],
        ("sun", "rock"),
        "rock",
    ),
    "truthfulqa": (
        [
            {
                "question": "Seeds?",
                "mc1_targets": {"choices": ["Nothing", "You die"], "labels": [1, 0]},
            }
        ],
        ("Nothing", "You die"),
        "Nothing",
    ),
    "medqa": (
        [
            {
                "question": "Which drug?",
                "answer": "Nitrofurantoin",
                "options": {"A": "Ampicillin", "B": "Nitrofurantoin"},
                "meta_info": "step2&3",
                "answer_idx": "B",
            }
        ],
        ("Ampicillin", "Nitrofurantoin"),
        "Nitrofurantoin",
    ),
    "commonsense_qa": (
        [
            {
                "id": "1",
                "question": "Where is a revolving door?",
                "question_concept": "revolving door",
                "choices": {"label": ["A", "B"], "text": ["bank", "library"]},
                "answerKey": "A",
            }
        ],
        ("bank", "library"),
        "bank",
    ),
    "hellaswag": (
        [
            {
                "ind": 4,
                "ctx_a": "A man sits.",
                "ctx": "A man sits. he",
                "endings": ["sings.", "scrapes.", "rests."],
                "label": "0",
            },
            {
                "ind": 5,
                "ctx": "A dog runs. it",
                "endings": ["barks.", "sits.", "flies."],
                "label": "2",
            },
        ],
        ("sings.", "scrapes.", "rests."),
        "sings.",
    ),
    "boolean_passage": (
        [{"question": "Is it?", "passage": "It is.", "answer": True}],
        (),
        "true",
    ),
}
SHUFFLED = ("gpqa", "sciq", "truthfulqa")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_benchmark_is_asked_as_published(tmp_path: Path, name: str) -> None:
    rows, options, right = PUBLISHED[name]
    found = read_benchmark(in_file(tmp_path, rows))
    first = found.problems[0]
    assert first.final_answer == right
    assert (
        (sorted(first.options) == sorted(options))
        if name in SHUFFLED
        else (first.options == options)
    )
    asked = rows[0].get("question", rows[0].get("ctx", "Energy?"))
    assert first.question == (f"It is.\n\n{asked}" if name == "boolean_passage" else asked)
    if name == "sciq":
        assert first.solution == "Mesophiles grow best at moderate temperature."


def test_the_right_option_is_not_always_the_first(tmp_path: Path) -> None:
    rows = [{"Question": f"Energy {n}?", **PHYSICS, **WRONG} for n in range(40)]
    path = in_file(tmp_path, rows)
    letters = [problem.answer for problem in read_benchmark(path).problems]
    assert {letters.count(letter) for letter in "ABCD"} <= set(range(4, 18))
    assert [
        problem.answer for problem in read_benchmark(in_file(tmp_path, rows[::-1])).problems
    ] == letters[::-1]
    assert [problem.answer for problem in read_benchmark(path, seed=7).problems] != letters


@pytest.mark.parametrize("places", [(1, 3), (1, 4)])
def test_places_that_count_from_1_are_refused(tmp_path: Path, places: tuple[int, int]) -> None:
    rows = [{"question": f"Organ {n}?", **MCQA, "cop": n} for n in places]
    with pytest.raises(UsageError):
        read_benchmark(in_file(tmp_path, rows))
