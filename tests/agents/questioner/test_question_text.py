"""What a question, its reference and two answers tell by their words alone."""

from collections import Counter

from fathom.agents.questioner.question_text import added, same_in_code

from ...support.corpora import tsv


def test_what_a_reference_adds_to_its_question() -> None:
    for adds, question, reference in tsv("references.tsv"):
        assert " ".join(word.root for word in added(question, reference)) == adds, reference


def test_answers_that_mean_something_else_are_never_one_and_bare_ones_that_mean_the_same_are() -> (
    None
):
    counts = Counter[str]()
    for meaning, question, reference, other in tsv("agreement.tsv"):
        for pair in ((reference, other), (other, reference)):
            assert same_in_code(question, *pair) == (meaning == "same"), (question, *pair)
        counts[meaning] += 1
    assert counts["different"] >= 390
