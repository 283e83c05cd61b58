"""What a question and its reference tell by their words alone."""

from collections import Counter
from collections.abc import Callable

from fathom.agents.questioner.question_text import (
    adds,
    agrees,
    answered_by_title,
    asks_yes_or_no,
    gives_itself_away,
    offers_answers,
    points_outside,
    said_before,
)

from ...support.corpora import tsv

CHECKS: dict[str, Callable[[str, str, str], str | bool]] = {
    "adds": lambda question, reference, _: " ".join(adds(question, reference)),
    "gives_away": lambda question, reference, _: gives_itself_away(question, reference),
    "offers": lambda question, reference, _: offers_answers(question, reference),
    "yes_or_no": lambda question, reference, _: asks_yes_or_no(question, reference),
    "title": answered_by_title,
    "outside": lambda question, *_: points_outside(question),
    "said": lambda question, reference, text: said_before(question, reference, ["", text]),
}


def test_what_the_words_of_a_question_and_its_reference_tell() -> None:
    for check, expected, *texts in tsv("question_wording.tsv"):
        told = CHECKS[check](*texts)
        assert ({True: "yes", False: "no"}[told] if isinstance(told, bool) else told) == expected, (
            check,
            *texts,
        )


def test_answers_that_mean_something_else_never_agree_and_most_that_mean_the_same_do() -> None:
    counts = Counter[tuple[str, bool]]()
    for meaning, question, reference, other in tsv("agreement.tsv"):
        agreed = agrees(question, reference, other)
        assert agreed is agrees(question, other, reference)
        assert not (agreed and meaning == "different"), (question, reference, other)
        counts[meaning, agreed] += 1
    assert counts["different", False] >= 390
    assert counts["same", True] >= 0.75 * (counts["same", True] + counts["same", False]), counts
