"""A drill without the errors of its judge, and without its faulty questions."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from fathom.graphs.answers import estimate, expected_half_width
from fathom.graphs.drill.corrected import (
    CorrectedDrill,
    corrected_drill,
    corrected_scatter,
    drill_of,
    judge_line,
)
from fathom.graphs.drill.measures import evd
from fathom.graphs.drill.paired import paired_difference
from fathom.state.review import JudgeError, JudgeErrors, Rate
from fathom.state.rows import AnswerRow, Estimate, Tag
from fathom.state.tiers import tier_of
from fathom.stats.accuracy import Count
from fathom.stats.correction import errors_of, with_shared_errors

N = 30


def judge(se: float, sp: float, labels: float = 1e9) -> JudgeErrors:
    """A judge whose errors are as sure as so many labels make them."""

    def known(share: float) -> Rate:
        return Rate(share, share * labels, (1 - share) * labels + 1e-6, 99)

    return {"": JudgeError(known(se), known(sp))}


def rows_of(
    counts: Sequence[Count], *, errors: JudgeErrors | None = None, reason: str = "threshold"
) -> list[AnswerRow]:
    """A drill with so many right answers of so many at each depth."""
    settings: dict[str, Tag] = {
        "n": N,
        "threshold": 0.2,
        "max_depth": 15,
        "stop_reason": reason,
        "seed": 42,
    }
    rows = []
    for depth, (correct, scored) in enumerate(counts, 1):
        tier = tier_of(depth, 3)[0].value.lower()
        for slot in range(scored):
            row = AnswerRow(
                run="r",
                method="drill",
                model="m",
                domain="d",
                group=f"root {slot}",
                item=f"d{depth}.{slot}",
                condition=f"depth {depth}",
                score=float(slot < correct),
                verdict="right" if slot < correct else "wrong",
                tags={"depth": depth, "tier": tier, "parent": None},
                settings=settings,
                judge=errors,
            )
            rows.append(row)
    return rows


def corrected(counts: Sequence[Count], errors: JudgeErrors) -> CorrectedDrill:
    drill = drill_of(rows_of(counts))
    return corrected_drill(drill, judge_line(errors, drill.tiers))


def test_the_vector_of_rogan_and_gladen() -> None:
    """q = .8 at .95/.90: A = (.8 + .9 − 1)/(.95 + .9 − 1) = .8235; three depths, then q = .1, which
    is no right answer at all: S = .8235, .678, .558, 0."""
    found = corrected([(24, 30)] * 3 + [(3, 30)], judge(0.95, 0.9))
    share = 0.7 / 0.85
    assert found.evd == pytest.approx(share + share**2 + share**3)
    assert not found.cut


def test_a_depth_is_not_clipped_and_survival_is() -> None:
    """q = 1: A = .9/.85 > 1, S(1) = 1; q = .8: S(2) = .9/.85·.8235 = .8720, not .8235."""
    found = corrected([(30, 30), (24, 30), (3, 30)], judge(0.95, 0.9))
    assert found.evd == pytest.approx(1 + 0.9 * 0.7 / 0.85**2)


def test_the_stop_rule_holds_of_the_corrected_survival() -> None:
    """A lenient judge went on below the threshold: q = .5, .5, .5 at sp = .7 is A = .2/.7 each, so
    that S(2) = .08 is the last that counts."""
    found = corrected([(15, 30)] * 3, judge(1.0, 0.7))
    assert found.evd == pytest.approx(0.2 / 0.7 + (0.2 / 0.7) ** 2)


def test_a_drill_that_a_strict_judge_stopped_goes_on_at_its_last_accuracy() -> None:
    """q = .6 three times is .216, four times .13. At se = .7 A = .857, and S(4) = .54: below, with
    the pooled q = (54 + .5)/(90 + 1), A = .8556, S falls below .2 at depth 11."""
    rows = rows_of([(18, 30)] * 4, errors=judge(0.7, 1.0))
    found = estimate(rows, "corrected_evd")[None]
    assert (found.extrapolated, found.at_least) == (True, False)
    asked, beyond = 0.6 / 0.7, 54.5 / 91 / 0.7
    deeper = sum(asked**4 * beyond**depth for depth in range(1, 8))
    assert found.value == pytest.approx(sum(asked**depth for depth in range(1, 5)) + deeper)


def test_a_judge_that_never_errs_leaves_evd_as_it_is() -> None:
    counts = [(27, 30), (24, 30), (15, 30), (9, 30)]
    rows = rows_of(counts, errors=judge(1.0, 1.0))
    found, plain = estimate(rows, "corrected_evd")[None], evd(rows)
    assert found.value == pytest.approx(plain.value)
    assert found.interval == pytest.approx(plain.interval, rel=0.1)


def test_fewer_labels_are_less_sure_and_too_few_bring_no_figure() -> None:
    counts = [(27, 30), (24, 30), (15, 30), (9, 30)]

    def width(labels: float) -> float:
        rows = rows_of(counts, errors=judge(0.95, 0.9, labels))
        low, high = estimate(rows, "corrected_evd")[None].interval or (0, 0)
        return high - low

    assert width(50) > width(200) > width(1e6)
    for errors in (None, judge(0.6, 0.55)):
        found = estimate(rows_of(counts, errors=errors), "corrected_evd")[None]
        assert found == Estimate(None)


def test_what_the_judge_does_to_both_models_takes_nothing_from_their_difference() -> None:
    def pair(errors: JudgeErrors, other: JudgeErrors) -> float:
        drills = [drill_of(rows_of([(27, 30), (24, 30), (15, 30), (9, 30)])) for _ in range(2)]
        scatters = [
            corrected_scatter(drill, Fraction(1, 5), 15, judge_line(of, drill.tiers))
            for drill, of in zip(drills, (errors, other), strict=True)
        ]
        mean = paired_difference([[(scatters[0], scatters[1])]])
        assert mean.value == pytest.approx(0.0)
        return mean.se

    shared = pair(judge(0.95, 0.9, 50), judge(0.95, 0.9, 50))
    sure = pair(judge(0.95, 0.9), judge(0.95, 0.9))
    assert shared == pytest.approx(sure)
    assert pair(judge(0.95, 0.9, 50), judge(0.95, 0.9, 49)) > 1.2 * sure


def reviewed(rows: Sequence[AnswerRow], wrongly: int = 12, faulty: int = 20) -> list[AnswerRow]:
    """People have judged all, and disagree with the judge on every so many-th; every so many-th
    question is faulty."""
    tagged = []
    for place, row in enumerate(rows):
        right = (row.verdict == "right") != (place % wrongly == 0)
        sound = "sound" if place % faulty else "outdated"
        tags = {"human": "right" if right else "wrong", "question_sound": sound}
        tagged.append(replace(row, tags={**row.tags, **tags, "review_probability": 1.0}))
    return tagged


def test_labels_of_rows_correct_evd_and_each_tier() -> None:
    rows = reviewed(rows_of([(27, 30), (24, 30), (21, 30), (15, 30), (12, 30), (6, 30)]))
    errors = errors_of(rows)[""]
    found = estimate(rows, "corrected_evd")[None]
    by_hand = corrected(
        [(27, 30), (24, 30), (21, 30), (15, 30), (12, 30), (6, 30)], {"": errors}
    )
    assert found.value == by_hand.evd
    by_tier = estimate(with_shared_errors({"": rows})[""], "corrected_accuracy", "tier")
    q = 72 / 90
    assert by_tier["common"].value == pytest.approx(
        (q + errors.specificity.value - 1) / errors.informed
    )
    widths = expected_half_width(rows[:-60], 60)
    assert widths is not None
    assert widths[0] >= widths[1] > 0


def test_evd_without_faulty_questions() -> None:
    """Every 20th question is faulty, 9 of 180, and the judge calls the answers to r of them right:
    A = (q − .05·r/9)/.95."""
    counts = [(27, 30), (24, 30), (21, 30), (15, 30), (12, 30), (6, 30)]
    rows = reviewed(rows_of(counts))
    right = sum(row.verdict == "right" for row in rows[::20])
    shares = [(correct / 30 - 0.05 * right / 9) / 0.95 for correct, _ in counts]
    survival, total = 1.0, 0.0
    for share in shares:
        if survival >= 0.2:
            survival *= share
            total += survival
    assert estimate(rows, "evd_without_faulty")[None].value == pytest.approx(total)
    assert estimate(rows, "faulty_questions")[None].value == pytest.approx(0.05)
