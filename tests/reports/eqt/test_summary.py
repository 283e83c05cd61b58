"""An Explain-Query-Test's result on the screen: the headline, what must stand beside it, and its
tables."""

import re
from pathlib import Path
from typing import Any

import pytest

from fathom.reports.page.usage import cache_words
from fathom.state.result import RoleUsage
from fathom.state.spec import Concept

from ...support.eqt import items as made
from ...support.reports import changed, flat, printed, result_of

BEST = (
    "accuracy 92% (95% interval 31–100) · ACS .92 (.57–1.00) · 3 concepts, 6 questions, 12 answers"
)
SHUFFLED = "Options were shuffled each time: ACS compares options, not letters."
UNREAD = (
    "closed-book answers were unreadable or refused: they count as wrong and are excluded from ACS."
)
WHOLE = "numbers__all__"
ACS = "numbers__consistency__"
NAMES = ("Iron\x1b[2J", "Gold", "Argon", "Neon")
NOTHING = "no question that can be asked came about; the first reason of 3: it has no option"
FIELDS = {
    f"{WHOLE}accuracy": 0.712,
    f"{WHOLE}scored": 5600,
    f"{WHOLE}ci": (0.7, 0.72),
    "numbers__questions": 1400,
}
CONCEPTS = tuple(Concept(name=f"Concept {n}") for n in range(70))

REMARKS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, [SHUFFLED]),
    (
        {"spec__shuffle_options": False},
        ["Options kept their original order: ACS also rewards a favourite letter."],
    ),
    (
        {"spec__paraphrases": 0, "spec__shuffle_options": False},
        [
            (
                "Without paraphrases each question has one answer and ACS would always be 1: it "
                "is not shown."
            ),
            "Options kept their original order.",
        ],
    ),
    (
        {f"{ACS}uninformative": 1},
        ["1 question with a single readable answer stays out of ACS.", SHUFFLED],
    ),
    (
        {f"{ACS}uninformative": 2},
        ["2 questions with a single readable answer stay out of ACS.", SHUFFLED],
    ),
    ({f"{ACS}unread": 1}, ["1 question without a readable answer has no ACS.", SHUFFLED]),
    ({f"{ACS}unread": 8}, ["8 questions without a readable answer have no ACS.", SHUFFLED]),
    # one in twenty may pass; an answer that no option is right has been read
    ({"numbers__format_failures": 4, "numbers__refusals": 1, f"{WHOLE}scored": 100}, [SHUFFLED]),
    (
        {
            "numbers__format_failures": 4,
            "numbers__refusals": 2,
            "numbers__none_chosen": 50,
            f"{WHOLE}scored": 100,
        },
        [f"6 of 100 (6%) {UNREAD}", SHUFFLED],
    ),
    (
        {"numbers__format_failures": 12, "spec__paraphrases": 0},
        [
            (
                "Without paraphrases each question has one answer and ACS would always be 1: it "
                "is not shown."
            ),
            "Options were shuffled each time.",
        ],
    ),
    (
        {
            "numbers__dropped": 1,
            "numbers__paraphrases_dropped": 2,
            "numbers__unscored": {"judge": 1, "answer": 2},
        },
        [
            "1 question and 2 paraphrases dropped because sim:student wrote them malformed; "
            "lost to faults and excluded: answer 2, judge 1.",
            SHUFFLED,
        ],
    ),
    ({"numbers__unscored": {"answer": 1}}, ["Lost to faults and excluded: answer 1.", SHUFFLED]),
    (
        {
            "status": "partial",
            "stop_reason": "budget",
            "stop_detail": "USD 1 is used up.",
            "spec__concepts": CONCEPTS,
            "open_concepts": NAMES,
        },
        [
            "Stopped by budget (USD 1 is used up).",
            "4 of 70 concepts are not finished and excluded from all figures but the cost: "
            "Iron␛[2J, Gold, Argon and 1"
            " more.",
            SHUFFLED,
        ],
    ),
    (
        {"open_concepts": ("Gold",)},
        [
            "1 of 3 concepts is not finished and excluded from all figures but the cost: Gold.",
            SHUFFLED,
        ],
    ),
    (
        {"status": "interrupted", "stop_reason": "interrupted", "stop_detail": "interrupted"},
        ["Interrupted.", SHUFFLED],
    ),
    (
        {"status": "failed", "stop_reason": "no_questions", "stop_detail": NOTHING},
        [
            "Failed: no usable question was written (the first reason of 3: it has no option).",
            SHUFFLED,
        ],
    ),
    (
        {"notes": ("Resumed by force: it differs.", "other")},
        [SHUFFLED, "Resumed by force: it differs."],
    ),
]
"""What is changed of the recorded result, and the remarks below its headline."""
HEADLINES: list[tuple[dict[str, Any], str]] = [
    (
        {
            **FIELDS,
            f"{WHOLE}ci_clustered": (0.68, 0.74),
            "numbers__concepts": 70,
            "spec__concepts": CONCEPTS,
        },
        (
            "accuracy 71% (95% interval 68–74) · ACS .92 (.57–1.00) · 70 concepts, 1,400 "
            "questions, 5,600 answers"
        ),
    ),
    (
        {**FIELDS, f"{WHOLE}ci_clustered": None, "numbers__concepts": 2, f"{ACS}acs_ci": None},
        (
            "accuracy 71% (95% interval 70–72) · ACS .92 · 2 of 3 concepts, 1,400 questions, "
            "5,600 answers"
        ),
    ),
    (
        {f"{ACS}acs": None, f"{ACS}missing": "no answer is readable"},
        "accuracy 92% (95% interval 31–100) · ACS not measured (no answer is readable) · 3 "
        "concepts, 6 questions,"
        " 12 answers",
    ),
    (
        {f"{ACS}acs": None, f"{ACS}missing": "no paraphrases", "spec__paraphrases": 0},
        (
            "accuracy 92% (95% interval 31–100) · ACS not measured · 3 concepts, 6 questions, 12 "
            "answers"
        ),
    ),
    (
        {
            f"{WHOLE}accuracy": None,
            f"{WHOLE}scored": 0,
            "numbers__concepts": 0,
            "numbers__questions": 0,
        },
        "nothing was measured · 0 of 3 concepts, 0 questions, 0 answers",
    ),
]


def head(result: Any) -> list[str]:
    """The headline and the remarks."""
    return printed(result, 300).split("\n\n")[0].splitlines()[2:]


@pytest.mark.parametrize(("changes", "said"), REMARKS)
def test_what_must_stand_beside_the_headline(changes: dict[str, Any], said: list[str]) -> None:
    assert head(result_of("eqt", **changes))[1:] == said


@pytest.mark.parametrize(("changes", "said"), HEADLINES)
def test_the_headline(changes: dict[str, Any], said: str) -> None:
    assert head(result_of("eqt"))[0] == BEST
    result = result_of("eqt", **changes)
    assert head(result)[0] == said
    assert ("Over all concepts" in printed(result)) == ("nothing" not in said)


def test_who_examines_and_what_a_cache_saves() -> None:
    other = result_of(
        "eqt", spec__examiner="openai:gpt-5", spec__judge="a:b", spec__open_book=False
    )
    title = printed(other, 300).splitlines()[0]
    assert title == (
        "Iron, Gold, Argon · sim:student · examiner openai:gpt-5 · judge a:b"
        " · 2 questions, 4 options, 1 paraphrase · seed 42"
    )
    usage = RoleUsage(
        calls=9, cached=9, failed=0, attempts=0, input_tokens=0, output_tokens=0, cost_usd=0.0,
        cached_input_tokens=4000, cached_output_tokens=635, saved_usd=None,
    )  # fmt: skip
    served = "9 of 9 calls served from the cache: 4,635 tokens"
    assert cache_words([usage]) == f"{served} not paid again, their price is unknown"
    assert cache_words([changed(usage, saved_usd=0.5)]) == f"{served}, USD 0.50 not paid again"
    assert cache_words([changed(usage, cached=0)]) == ""


# by category, by concept


def exam(*right: int, categories: tuple[str, ...] = (), of: int = 4) -> Any:
    """A result of a concept for each number, which is how many of its questions were answered
    right."""
    names = categories or ("",) * len(right)
    spec = made.spec_of(*names, questions=of)
    questions = ([["a", "a"]] * count + [["b", "b"]] * (of - count) for count in right)
    return made.result_of(
        spec, [item for n, each in enumerate(questions) for item in made.asked(n, *each)]
    )


def test_few_concepts_have_a_line_each_and_of_many_the_weakest() -> None:
    few, many = (printed(exam(*[3] * (number - 2), 4, 0), 120) for number in (12, 13))
    assert len(re.findall(r"^c0\d\d ", few, re.MULTILINE)) == 12
    assert "The weakest" not in few
    assert "The weakest 12 of 13 concepts" in many
    assert re.findall(r"^(c0\d\d) ", many, re.MULTILINE)[0] == "c013"
    assert "c012" not in re.findall(r"^(c0\d\d) ", many, re.MULTILINE)


def test_concepts_without_a_scored_answer_are_not_weak() -> None:
    whole = exam(*range(18), of=17)
    (first, *others) = whole.concepts
    bare = changed(first, numbers__all__scored=0, numbers__all__accuracy=None)
    text = printed(changed(whole, concepts=(bare, *others)), 120)
    assert re.findall(r"^(c0\d\d) ", text, re.MULTILINE)[0] == others[0].id.rpartition("/")[2]


def row(text: str, name: str) -> list[str]:
    """The cells of a line of a table."""
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])


def test_what_was_lost_or_dropped_has_columns_of_its_own_where_there_is_room() -> None:
    faults = result_of("eqt", "faults")
    for width, tables in ((60, 0), (80, 1)):
        text = printed(faults, width)
        assert flat(text).count("? steps lost to faults, excluded") == tables
        assert (row(text, "c002")[-1] == "3") == (tables > 0)
    (first, *_) = faults.concepts
    dropped = changed(
        faults, concepts=(changed(first, numbers__dropped=3, numbers__paraphrases_dropped=5),)
    )
    assert row(printed(dropped, 90), "c001")[-3:-1] == ["3", "5"]
    assert "dropped: malformed questions · para.: paraphrases dropped · ?" in flat(
        printed(dropped, 90)
    )
    alone = flat(printed(changed(dropped, spec__paraphrases=0), 120))
    assert "para." not in alone


def test_the_open_book_gap_stands_in_table_and_figures() -> None:
    text = printed(
        result_of("eqt", numbers__open_book_gap=-0.25, numbers__open_book_gap_ci=(-0.4, 0.1)), 140
    )
    assert "−25 points (95% interval −40 to +10)" in text
    assert row(text, "all")[-4:] == ["−25", "−40", "to", "+10"]
    without = printed(result_of("eqt", numbers__open_book=None, numbers__open_book_gap=None), 140)
    assert "open %" not in without
    assert "minus closed book" not in without


def test_intervals_are_said_to_allow_for_what_they_allow_for() -> None:
    wide = "with fewer than five concepts intervals are wide"
    assert "clustered by concept, or by question where only one concept has answers" in flat(
        printed(exam(3, 2))
    )
    assert wide in flat(printed(exam(1, 2, 3, 4)))
    assert wide not in flat(printed(exam(1, 2, 3, 4, 3)))
    assert wide in flat(printed(exam(1, 2, 3, 4, 3, categories=("a", "a", "b", "b", "b")))), (
        "of a category"
    )


def test_categories_have_a_table_and_long_ones_are_broken_after_a_sign_only() -> None:
    names = ("computer_science", "engineering", "x" * 40)
    text = printed(exam(3, 2, 1, categories=names), 120)
    assert "By category" in text
    assert "Over all concepts" not in text
    words = text.split()
    assert "computer_science" in words
    assert words.count("engineering") == 2, "whole in both tables"
    assert words.count("x" * 24) == 2, "broken where there is no sign"
    result = exam(3, 2, 1, categories=names)
    book = changed(result, numbers__open_book=result.numbers.all)
    assert "computer_" in printed(book, 120).split(), (
        "where the figures of the open book leave so little room"
    )


def test_causes_of_wrong_answers() -> None:
    result = result_of("eqt")
    (case, *_) = result.attribution.cases
    causes = {"explanation": 3, "question": 0, "answer": 1}
    judged = {"wrong": 20, "sampled": 7, "unscored": 3, "causes": causes, "cases": (case,) * 7}
    text = printed(changed(result, attribution=changed(result.attribution, **judged)))
    for said in (
        "Causes of wrong answers, as attributed by sim:student\n",
        "7 of 20 wrong closed-book answers drawn by seed · 3 without a verdict\n",
        "a wrong explanation  3  75\n",
        "and 2 more in the result\n",
    ):
        assert said in text
    assert text.count(f"· c003.q2.a1 {case.cause}: ") == 5
    assert "Causes" not in printed(changed(result, attribution=None))


def test_where_a_concept_is_shown_in_full() -> None:
    pointer = "--path c001` shows a concept with all its questions and answers."
    assert pointer in printed(result_of("eqt"), kept=Path("runs/x"))
    assert pointer not in printed(result_of("eqt"))
