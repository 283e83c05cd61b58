"""What a result tells of each answer and each attribution, and journals from which it cannot be
told."""

import pytest

from fathom.graphs.eqt.figures import tables_of
from fathom.graphs.eqt.items import wrong_choices
from fathom.state.eqt.items import EqtItem
from fathom.state.errors import RunFailed

from ...support.eqt import items as made
from ...support.eqt.items import asked, spec_of


def test_rows_tell_every_answer() -> None:
    items: list[EqtItem] = [
        made.explanation(),
        made.question(1, "ac"),
        made.paraphrase(1, 1),
        made.choice("ca", 1, 1, right="ac", order="dcba"),
        made.choice("-", 1, 0, right="ac", order="bacd"),
        made.choice(None, 1, open_book=True),
        made.question(2, dropped="two options are the same"),
        made.question(3, fault=made.lost("question")),
    ]
    (row,) = tables_of(spec_of(open_book=True), items, {0}).concepts
    assert (row.id, row.explanation, row.unscored) == (
        "7f3a9c01/c001",
        "All about concept 1.",
        None,
    )
    first, second, third = row.questions
    assert (first.acs, first.acs_normalised, first.informative) == (0.5, 0.0, True)
    original, reworded = first.answers
    assert (original.asked, original.letters, original.reading, original.correct) == (
        "Question 1?",
        (),
        "none",
        False,
    )
    assert (reworded.asked, reworded.letters) == ("Question 1 in wording 1?", ("B", "D"))
    assert (reworded.chosen, reworded.correct, reworded.said) == ((0, 2), True, "Answer: B, D")
    assert first.open_book is not None
    assert (first.open_book.correct, first.open_book.unscored) == (
        None,
        "no answer within 60 s",
    )
    assert (second.dropped, second.unscored, second.acs) == (
        "two options are the same",
        None,
        None,
    )
    assert (third.dropped, third.unscored, third.informative) == (
        None,
        "no question within 60 s",
        False,
    )


def test_a_target_that_says_nothing_is_wrong_and_the_row_says_so() -> None:
    silent = made.choice("?").model_copy(update={"answer": None})
    tables = tables_of(spec_of(), [made.explanation(), made.question(), silent], {0})
    assert (
        tables.numbers.all.scored,
        tables.numbers.all.correct,
        tables.numbers.format_failures,
    ) == (1, 0, 1)
    assert tables.numbers.unscored == {}
    (row,) = tables.concepts[0].questions[0].answers
    assert (row.said, row.reading, row.correct, row.letters, row.unscored) == (
        "",
        "unreadable",
        False,
        (),
        None,
    )


@pytest.mark.parametrize("missing", ["c001", "c001.q2", "c001.q1.p1", "c001.q1.a1"])
def test_a_journal_that_lacks_what_others_refer_to_is_refused(missing: str) -> None:
    items = [*asked(0, ["a", "b"], ["a", "b"]), made.attribution(1, 1, cause="answer")]
    left = [item for item in items if item.id != f"{made.RUN}/{missing}"]
    assert len(left) == len(items) - 1
    with pytest.raises(RunFailed, match=rf"lacks the item {made.RUN}/{missing},"):
        tables_of(spec_of(attribute=1), left, {0})
    assert tables_of(spec_of(attribute=1), left, set()).concepts == (), (
        "what does not count is not looked at"
    )


def test_the_question_of_an_answer_may_be_what_is_missing() -> None:
    for answer in (made.choice("a"), made.choice("a", open_book=True)):
        with pytest.raises(
            RunFailed,
            match=r"lacks the item 7f3a9c01/c001\.q1, to which .* refers, so that no result",
        ):
            tables_of(spec_of(), [made.explanation(), answer], {0})


def test_a_concept_without_an_explanation_says_why() -> None:
    (row,) = tables_of(
        spec_of(), [made.explanation(fault=made.lost("explanation"))], {0}
    ).concepts
    assert (row.explanation, row.unscored, row.questions) == (
        "",
        "no explanation within 60 s",
        (),
    )


def test_attributions() -> None:
    items = asked(
        0, ["a", "b", "-"], ["b", "?", "a"]
    )  # what could not be read is not drawn from
    items += [
        made.attribution(1, 1, cause="question"),
        made.attribution(1, 2, cause="answer"),
        made.attribution(2, 0, cause=None),
    ]
    row = tables_of(spec_of(attribute=3), items, {0}).attribution
    assert row is not None
    assert (row.wrong, row.sampled, row.unscored) == (3, 3, 1)
    assert row.causes == {"explanation": 0, "question": 1, "answer": 1}
    assert [(case.id, case.cause) for case in row.cases] == [
        ("7f3a9c01/c001.q1.a1", "question"),
        ("7f3a9c01/c001.q1.a2", "answer"),
    ]
    assert [c.id.split(".", 1)[1] for c in wrong_choices(items, [0])] == [
        "q1.a1",
        "q1.a2",
        "q2.a0",
    ]
