"""The judge's error by people's labels, and shares without it."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from fathom.state.rows import AnswerRow, Tag
from fathom.stats.correction import (
    ENOUGH_OF_KIND,
    LOWER,
    Labelled,
    corrected_share,
    errors_of,
    estimate_of,
    faulty,
    judge_error,
    ppi_mean,
    rate,
    refusal,
    shared_errors,
    with_labels,
)

from ..support.reviewed import answer, answers


def test_equal_weights_give_jeffreys() -> None:
    found = rate([2.0] * 9, [2.0], 2.0, 2.0)
    assert (found.value, found.hits, found.misses) == pytest.approx((0.9, 9.5, 1.5))


def test_answers_weigh_by_the_chance_with_which_they_were_drawn() -> None:
    """19 accepted drawn with 1/2, of 2 rejected both: 38 of 40. Of se's variance Σw²(z − p)²/(Σw)²
    the rejected bring most, and 21 equal weights would have made it larger."""
    rows = [answer(place, judged=True, chance=0.5) for place in range(19)]
    rows += [answer(place, judged=False, chance=1.0) for place in range(19, 21)]
    found = judge_error(rows).sensitivity
    assert found.value == pytest.approx(38 / 40)
    assert found.answers == pytest.approx(40)
    assert 21 < found.hits + found.misses < 60


@pytest.mark.parametrize(
    "tags",
    [
        {"review_probability": 0.0},
        {"human": "cannot say"},
        {"human": "raters differ"},
        {"human": None},
    ],
)
def test_what_takes_no_part(tags: dict[str, Tag]) -> None:
    rows = answers(right=(9, 1), wrong=(2, 8))
    out = replace(rows[0], tags={**rows[0].tags, **tags})
    assert judge_error([*rows, out]) == judge_error(rows)


def test_refused_with_few_labels_and_a_judge_that_guesses() -> None:
    assert "few" in refusal(errors_of(answers(right=(20, 2), wrong=(2, 20))))
    assert "few" in refusal(errors_of(answers(right=(90, 2), wrong=(2, 3))))
    assert "chance" in refusal(errors_of(answers(right=(33, 27), wrong=(30, 30))))
    assert not refusal(errors_of(answers(right=(57, 3), wrong=(6, 34))))


def test_tiers_have_an_error_of_their_own_where_labels_are_enough() -> None:
    many = ENOUGH_OF_KIND
    lower = answers(right=(many, 0), wrong=(0, many), tier="common")
    deeper = answers(right=(many, many), wrong=(0, many), tier="specialist")
    errors = errors_of([*lower, *deeper])
    assert errors[LOWER].sensitivity.value == 1
    assert errors[""].sensitivity.value == pytest.approx(2 / 3)
    assert [*errors_of([*lower[1:], *deeper])] == [""]


@pytest.mark.parametrize(("other", "unequal"), [((95, 5), []), ((60, 40), ["sensitivity"])])
def test_models_share_the_judge_unless_it_treats_them_otherwise(
    other: tuple[int, int], unequal: list[str]
) -> None:
    sides = {
        "a": answers(right=(95, 5), wrong=(10, 50), model="a"),
        "b": answers(right=other, wrong=(10, 50), model="b"),
    }
    found = shared_errors(sides)
    assert list(found.unequal) == unequal
    se = {label: of[""].sensitivity.value for label, of in found.by_model.items()}
    sp = {of[""].specificity.value for of in found.by_model.values()}
    assert [*sp] == pytest.approx([100 / 120]), "what does not differ is shared"
    assert (se["a"] == se["b"]) is (not unequal)
    if unequal:
        assert se == pytest.approx({"a": 0.95, "b": 0.6})


def test_the_test_of_equal_judges_holds_its_level() -> None:
    """Both rates tested by Holm at .05; Monte Carlo error of 80 draws: .024."""
    rng, rejected = Random(1), 0
    for _ in range(80):
        sides = {}
        for model in "ab":
            right = sum(rng.random() < 0.9 for _ in range(60))
            wrong = sum(rng.random() < 0.85 for _ in range(60))
            sides[model] = answers((right, 60 - right), (60 - wrong, wrong), model=model)
        rejected += bool(shared_errors(sides).unequal)
    assert rejected / 80 < 0.125


def test_the_share_of_faulty_questions() -> None:
    rows = answers(right=(80, 0), wrong=(0, 20))
    asked = [
        replace(row, tags={**row.tags, "question_sound": "ambiguous" if place < 5 else "sound"})
        for place, row in enumerate(rows)
    ]
    share, right = faulty(asked)
    assert (share.value, right.value) == (0.05, 1.0)
    low, high = estimate_of(share).interval or (0, 0)
    assert (low, high) == pytest.approx((0.0193, 0.1061), abs=1e-4)  # Jeffreys, 5 of 100


# shares


def sample(number: int, clusters: int) -> tuple[list[Labelled], list[tuple[int, float]]]:
    rng = Random(3)
    truth = [float(rng.random() < 0.7) for _ in range(number)]
    judged = [value if rng.random() < 0.85 else 1 - value for value in truth]
    places = range(number // 5)
    labelled = [Labelled(place % clusters, truth[place], judged[place]) for place in places]
    return labelled, [(1000 + n % clusters, judged[n]) for n in range(number // 5, number)]


@pytest.mark.parametrize("clusters", [10_000, 25])
def test_ppi_is_that_of_truescore(clusters: int) -> None:
    oracle = pytest.importorskip("truescore").ppi_estimate
    labelled, judged = sample(800, clusters)
    value, error = ppi_mean(labelled, judged)
    verdicts = [one.judged for one in labelled] + [verdict for _, verdict in judged]
    groups = [one.cluster for one in labelled] + [cluster for cluster, _ in judged]
    found = oracle(
        verdicts,
        [one.truth for one in labelled],
        range(len(labelled)),
        clusters=groups if clusters == 25 else None,
    )
    assert value == pytest.approx(found.point, abs=1e-6)
    assert error == pytest.approx(found.standard_error, abs=1e-6)


def test_a_share_that_people_judged_wholly_is_theirs() -> None:
    rows = answers(right=(60, 20), wrong=(5, 35))
    found = corrected_share(rows)
    assert found.value == pytest.approx(80 / 120)
    low, high = found.interval or (0, 0)
    assert low < 80 / 120 < high
    unseen = [replace(row, tags={}, item=f"x{row.item}") for row in rows]
    assert corrected_share(unseen).value is None
    assert corrected_share([*rows, *unseen]).value == pytest.approx(80 / 120)


def test_more_labels_are_surer_as_far_as_there_are_answers() -> None:
    def size(rows: Sequence[AnswerRow], times: float) -> float:
        known = with_labels(errors_of(rows), times)[""].sensitivity
        return known.hits + known.misses

    half = answers(right=(57, 3), wrong=(6, 34), chance=0.5)
    assert size(half, 1.5) == pytest.approx(1.5 * size(half, 1))
    assert size(half, 100) == pytest.approx(120)
