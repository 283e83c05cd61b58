"""The figures of an Explain-Query-Test from its items."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.graphs.eqt.figures import numbers_of, tables_of
from fathom.state.eqt.result import EqtResult, ShareRow
from fathom.stats.accuracy import wilson
from fathom.stats.consistency import mean_interval_clustered

from ...support.eqt import items as made
from ...support.eqt.items import asked, spec_of


def test_one_concept() -> None:
    # right is option a; q1: a, ab, a → 2 of 3, two different sets of three; q2: b, a, b → 1 of 3,
    # likewise
    numbers = numbers_of(spec_of(), asked(0, ["a", "ab", "a"], ["b", "a", "b"]))
    assert (numbers.concepts, numbers.questions, numbers.paraphrases) == (1, 2, 4)
    assert (numbers.all.scored, numbers.all.correct, numbers.all.accuracy) == (6, 3, 0.5)
    assert (numbers.originals.scored, numbers.originals.correct) == (2, 1)
    assert (numbers.paraphrased.scored, numbers.paraphrased.correct) == (4, 2)
    assert numbers.all.ci == wilson(3, 6)
    # one concept: its two questions are the clusters
    answers = [(1, 1.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0), (2, 0.0)]
    assert numbers.all.ci_clustered == mean_interval_clustered(answers)
    row = numbers.consistency
    assert (row.questions, row.uninformative) == (2, 0)
    assert row.acs == pytest.approx(2 / 3)
    assert row.acs_normalised == pytest.approx(1 / 2)
    # both questions are alike: none of two clusters, in 1/3 … 1
    other = wilson(0, 2)[1]
    assert row.acs_ci == pytest.approx((2 / 3 - other / 3, 2 / 3 + other / 3))
    assert numbers.open_book is None
    assert (numbers.open_book_gap, numbers.open_book_gap_ci) == (None, None)
    assert numbers.unscored == {}


def test_many_concepts_are_the_clusters() -> None:
    items = [
        *asked(0, ["a", "a", "a"], ["a", "a", "a"]),
        *asked(1, ["b", "b", "b"], ["b", "c", "b"]),
    ]
    numbers = numbers_of(spec_of("x", "x"), items)
    values = [(0, 1.0)] * 6 + [(1, 0.0)] * 6
    assert numbers.all.ci_clustered == mean_interval_clustered(values)
    assert numbers.consistency.acs == pytest.approx((3 + 2 / 3) / 4)
    acs = [(0, 1.0), (0, 1.0), (1, 1.0), (1, 2 / 3)]
    assert numbers.consistency.acs_ci == pytest.approx(mean_interval_clustered(acs, low=1 / 3))


def test_a_concept_that_a_fault_took_is_no_cluster() -> None:
    """One of two concepts was lost: the answers there are share a concept, as in a run of that
    one."""
    held = asked(0, ["a", "ab", "a"], ["b", "a", "b"], with_book=["a", "b"])
    alone = numbers_of(spec_of(open_book=True), held)
    taken = [made.explanation(1, fault=made.lost("explanation"))]
    unanswered = asked(1, [None, None], with_book=[None])
    for other in (taken, unanswered):
        numbers = numbers_of(spec_of("x", "x", open_book=True), [*held, *other])
        assert numbers.concepts == 2
        for name in ("all", "originals", "paraphrased", "open_book"):
            share: ShareRow = getattr(numbers, name)
            assert share.model_copy(update={"bounds": None}) == getattr(alone, name)
        assert numbers.all.ci_clustered is not None
        assert numbers.consistency == alone.consistency
        assert numbers.consistency.acs_ci is not None
        assert numbers.open_book_gap_ci == alone.open_book_gap_ci is not None


def test_each_figure_has_the_clusters_of_its_own_answers() -> None:
    # of the second concept there is an original answer alone: accuracy has two concepts,
    # paraphrases and ACS have one
    held = asked(0, ["a", "ab", "a"], ["b", "a", "b"])
    numbers, alone = (
        numbers_of(spec_of("x", "x"), [*held, *more]) for more in (asked(1, ["a", None]), [])
    )
    assert numbers.all.ci_clustered == mean_interval_clustered(
        [(0, 1.0), (0, 0.0), (0, 1.0), (0, 0.0), (0, 1.0), (0, 0.0), (1, 1.0)]
    )
    assert numbers.paraphrased.model_copy(update={"bounds": None}) == alone.paraphrased
    assert numbers.consistency.acs_ci == alone.consistency.acs_ci


def test_what_cannot_be_read_is_wrong_and_not_in_acs() -> None:
    items = asked(0, ["-", "-", "!"], ["a", "b", "?"], ["?", "a", "!"], ["?", "!", None])
    numbers = numbers_of(spec_of(), items)
    assert (numbers.none_chosen, numbers.format_failures, numbers.refusals) == (2, 3, 3)
    assert (numbers.all.scored, numbers.all.correct) == (11, 2)
    row = numbers.consistency
    # {}, {}: 1; {a}, {b}: 1 − 1/2; of the others one answer and none are readable
    assert (row.questions, row.uninformative, row.unread) == (2, 1, 1)
    assert row.acs == pytest.approx((1 + 1 / 2) / 2)
    assert row.acs_normalised == pytest.approx((1 + 0) / 2)
    rows = tables_of(spec_of(), items, {0}).concepts[0].questions
    assert [(one.acs, one.informative, one.acs_missing) for one in rows] == [
        *[
            (1, True, None),
            (0.5, True, None),
            (1, False, None),
            (None, False, "no answer is readable"),
        ]
    ]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        (["?", "!"], "no answer is readable"),
        (["a", "!"], "no question has two readable answers"),
        ([None, None], "no answer was scored"),
        (["a", "a"], None),
    ],
)
def test_a_missing_acs_says_why(said: list[str | None], missing: str | None) -> None:
    row = numbers_of(spec_of(), asked(0, said)).consistency
    assert row.missing == missing
    assert (row.acs is None, row.acs_ci is None) == (missing is not None, True)


def test_faults_never_count_against_the_target() -> None:
    items = asked(0, ["a", None, None], [None, None, None], ["a", "b", "a"])
    items += [
        made.question(4, fault=made.lost("question")),
        made.question(5, dropped="no option is marked as correct"),
        made.paraphrase(1, 3, fault=made.lost("paraphrase")),
        made.paraphrase(1, 4, fault=made.lost("check")),
        made.paraphrase(1, 5, dropped="it is the question itself"),
        made.attribution(3, 1, cause=None),
    ]
    numbers = numbers_of(spec_of(), items)
    assert numbers.unscored == {"question": 1, "check": 1, "answer": 5, "paraphrase": 1}
    assert (numbers.questions, numbers.dropped) == (3, 1)
    assert (numbers.paraphrases, numbers.paraphrases_dropped) == (6, 1)
    assert (numbers.all.scored, numbers.all.correct) == (4, 3)
    # the first question has one scored answer, the second none: only the third can show
    # inconsistency
    assert (numbers.consistency.questions, numbers.consistency.uninformative) == (1, 1)
    assert numbers.consistency.acs == pytest.approx(2 / 3)
    assert numbers.consistency.acs_ci is None


def test_a_concept_without_an_explanation() -> None:
    numbers = numbers_of(spec_of(), [made.explanation(fault=made.lost("explanation"))])
    assert (numbers.concepts, numbers.questions, numbers.unscored) == (1, 0, {"explanation": 1})
    assert (numbers.all.accuracy, numbers.all.ci, numbers.all.ci_clustered) == (
        None,
        (0.0, 1.0),
        None,
    )
    assert (numbers.consistency.acs, numbers.consistency.acs_ci) == (None, None)


def test_nothing_at_all() -> None:
    numbers = numbers_of(spec_of(open_book=True), [])
    assert (numbers.concepts, numbers.all.scored, numbers.open_book_gap) == (0, 0, None)


def test_open_book_gap_is_paired() -> None:
    # q1 wrong → right, q2 right → right, q3 right → wrong, q4 lost closed-book, q5 lost open-book:
    # (1 − 1)/3; open-book accuracy itself is over the four answers there are
    questions = (["b"], ["a"], ["a"], [None], ["a"])
    items = asked(0, *questions, with_book=["a", "a", "b", "a", None])
    numbers = numbers_of(spec_of(open_book=True), items)
    assert numbers.open_book_gap == 0
    assert numbers.open_book is not None
    assert (numbers.open_book.scored, numbers.open_book.correct) == (4, 3)
    assert numbers.open_book_gap_ci is not None
    lower, upper = numbers.open_book_gap_ci
    assert -1 <= lower < 0 < upper <= 1
    assert lower == pytest.approx(-upper)
    assert numbers.unscored == {"answer": 2}
    # a paraphrase answered closed-book has no open-book counterpart
    assert numbers_of(spec_of(open_book=True), items + asked(1, ["a", "b"])).open_book_gap == 0


def test_gaps_that_are_all_the_same_count_once_per_concept() -> None:
    def gap(concepts: int, questions: int) -> tuple[float, float]:
        items = [
            item
            for c in range(concepts)
            for item in asked(c, *[["b"]] * questions, with_book=["a"] * questions)
        ]
        numbers = numbers_of(spec_of(open_book=True), items)
        assert numbers.open_book_gap == 1
        assert numbers.open_book_gap_ci is not None
        return numbers.open_book_gap_ci

    # ten of ten gained, t at 9 degrees of freedom for z: (n − t²)/(n + t²) with t = 2.2622
    assert gap(10, 1) == pytest.approx(((10 - 2.2622**2) / (10 + 2.2622**2), 1.0), abs=1e-4)
    assert gap(10, 5) == gap(10, 1)
    assert gap(1, 10) == gap(10, 1)  # a single concept: its questions


def test_gap_of_a_single_cluster_has_no_interval() -> None:
    numbers = numbers_of(spec_of(open_book=True), asked(0, ["b"], with_book=["a"]))
    assert (numbers.open_book_gap, numbers.open_book_gap_ci) == (1, None)


def test_an_item_that_was_asked_for_again_replaces_the_first() -> None:
    items = asked(0, [None, "a", "a"])
    numbers = numbers_of(spec_of(), [*items, made.choice("a")])
    assert (numbers.all.scored, numbers.unscored) == (3, {})


def test_tables_hold_closed_concepts_only() -> None:
    spec = spec_of("history", "law", "", "history")
    items = [
        *asked(0, ["a", "a"]),
        *asked(1, ["b", "b"]),
        *asked(2, ["a", "b"]),
        *asked(3, ["b", "a"]),
    ]
    tables = tables_of(spec, items, {0, 2, 3})
    assert tables.numbers == numbers_of(spec, [item for item in items if item.concept != 1])
    assert {name: (n.concepts, n.all.correct) for name, n in tables.by_category.items()} == {
        "history": (2, 3)
    }
    assert [row.concept for row in tables.concepts] == ["Concept 1", "Concept 3", "Concept 4"]
    assert [row.category for row in tables.concepts] == ["history", "", "history"]
    assert [row.numbers.all.correct for row in tables.concepts] == [2, 1, 1]
    assert tables.attribution is None
    assert tables_of(spec_of(), asked(0, ["a"]), {0}).by_category == {}
    assert tables_of(spec, items, set()).concepts == ()


def test_categories_keep_the_order_of_the_spec() -> None:
    spec = spec_of("law", "history", "law")
    items = [*asked(1, ["a"]), *asked(2, ["a"]), *asked(0, ["a"])]
    assert list(tables_of(spec, items, {0, 1, 2}).by_category) == ["law", "history"]


signs = st.sampled_from(["a", "b", "ab", "cd", "-", "?", "!", None])
concepts = st.lists(
    st.lists(st.lists(signs, min_size=1, max_size=4), max_size=3), min_size=1, max_size=4
)


@settings(max_examples=30)
@given(concepts, st.randoms(use_true_random=False))
def test_order_of_items_does_not_matter(
    answers: list[list[list[str | None]]], random: Random
) -> None:
    items = [
        item for place, questions in enumerate(answers) for item in asked(place, *questions)
    ]
    spec = spec_of(*["x"] * len(answers))
    tables, mixed = (
        tables_of(spec, own, range(9)) for own in (items, random.sample(items, len(items)))
    )
    assert mixed == tables  # to the last digit: a resumed run gives the same result


@settings(max_examples=30)
@given(concepts)
def test_counts_add_up(answers: list[list[list[str | None]]]) -> None:
    items = [
        item for place, questions in enumerate(answers) for item in asked(place, *questions)
    ]
    result = made.result_of(spec_of(*["x"] * len(answers)), items)
    numbers = result.numbers
    assert result.by_category == {"x": numbers}
    assert numbers.all.scored == numbers.originals.scored + numbers.paraphrased.scored
    assert numbers.all.correct == sum(row.numbers.all.correct for row in result.concepts)
    said = [answer for questions in answers for question in questions for answer in question]
    assert numbers.all.scored + numbers.unscored.get("answer", 0) == len(said)
    for row in (numbers.all, numbers.originals, numbers.paraphrased):
        if row.accuracy is not None and row.ci_clustered is not None:
            assert (
                0
                <= row.ci_clustered[0]
                <= row.ci[0]
                <= row.accuracy
                <= row.ci[1]
                <= row.ci_clustered[1]
                <= 1
            )
    assert EqtResult.model_validate(json.loads(result.model_dump_json())) == result
