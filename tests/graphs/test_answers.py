"""The table of answers, and that measures over it are the figures of the results."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from fathom.graphs.answers import estimate, measures_of, rows_of
from fathom.graphs.drill.measures import survival_of
from fathom.graphs.drill.ruler import ruler_of
from fathom.graphs.method import result_of
from fathom.graphs.run.record import record_of
from fathom.state.events import EVENT
from fathom.state.records import AnchorAnswer, AnswerError, QuestionCheck, Scored
from fathom.state.rows import AnswerRow, Estimate

from ..contracts.recordings import KINDS, recordings

each_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def answers(method: str, kind: str) -> tuple[Any, list[AnswerRow]]:
    """The result and the rows that a recorded journal amounts to."""
    record = record_of([EVENT.validate_json(line) for line in recordings(method)[kind].journal])
    result = result_of(record)
    return result, rows_of(result)


def answers_by_run(results: Sequence[Any]) -> dict[str, list[AnswerRow]]:
    """The rows of results that are no DepthQA's."""
    return {result.run_id: rows_of(result) for result in results}


def assert_same(estimate: Estimate, value: float | None, interval: Any = None) -> None:
    assert estimate.value == pytest.approx(value, abs=1e-12)
    if interval is not None:
        assert estimate.interval == pytest.approx(interval, abs=1e-12)


@each_kind
def test_a_drill(kind: str) -> None:
    result, rows = answers("drill", kind)
    evd = estimate(rows, "evd")[None]
    assert_same(evd, result.evd, result.evd_ci)
    assert evd.at_least == (result.censored is not None)
    assert_same(estimate(rows, "accuracy")[None], result.accuracy)
    by_depth = estimate(rows, "accuracy", "depth")
    for row in result.depths:
        assert_same(
            by_depth[row.depth], row.accuracy
        )  # a journal keeps the interval of its own time
        assert by_depth[row.depth].n == row.scored
    left = survival_of(rows)
    for row in result.depths:
        assert_same(left[row.depth], row.survival, row.survival_ci)
    by_tier = estimate(rows, "hallucination_rate", "tier")
    for tier, of_tier in result.by_tier.items():
        missed = of_tier.wrong + of_tier.abstained
        assert_same(by_tier[tier.value.lower()], of_tier.wrong / missed if missed else None)
    assert {row.item for row in rows} >= {probe.id for probe in result.probes}


def checked() -> Any:
    """A drill whose questions were checked and put to an anchor as well."""
    result, _ = answers("drill", "complete")
    probes = []
    for place, probe in enumerate(result.probes):
        step = ("deeper", "level")[place % 2] if probe.parent else None
        level, doubtful = ("common", "textbook")[place % 3 % 2], place % 4 == 3
        update: dict[str, Any] = {
            "check": QuestionCheck(level=level, step=step, doubtful=doubtful)
        }
        if probe.outcome.status == "scored":
            verdict = ("correct", "correct", "wrong")[place % 3]
            anchor = AnchorAnswer(
                model="sim:expert", text="It is.", outcome=Scored(verdict=verdict)
            )
            update["anchors"] = (anchor,)
            update["confidence"] = 0.7
            update["error"] = None if probe.outcome.correct else AnswerError(kind="partial")
        probes.append(probe.model_copy(update=update))
    rows = []
    for row in result.depths:
        marks = [
            probe.anchors[0].outcome.correct for probe in probes if counts(probe, row.depth)
        ]
        rows.append(
            row.model_copy(update={"anchors": {"sim:expert": (sum(marks), len(marks))}})
        )
    ruler = ruler_of(rows, probes, result.spec, result.stop_reason)
    return result.model_copy(
        update={"depths": tuple(rows), "probes": tuple(probes), "ruler": ruler}
    )


def counts(probe: Any, depth: int) -> bool:
    return probe.depth == depth and probe.outcome.status == "scored" and probe.excluded is None


def test_what_the_check_and_the_anchors_say_of_a_drill() -> None:
    result = checked()
    rows = rows_of(result)
    ruler = result.ruler
    assert_same(estimate(rows, "evd_without_doubtful")[None], ruler.evd_without_doubtful)
    assert_same(estimate(rows, "anchors_evd")[None], ruler.anchors_evd)
    for name in ("at_level", "deeper"):
        part = getattr(ruler.overall, name)
        assert_same(estimate(rows, name)[None], part.share, part.interval)
        by_tier = estimate(rows, name, "tier")
        for tier, row in ruler.by_tier.items():
            assert_same(by_tier[tier.value.lower()], getattr(row, name).share)
    assert_same(estimate(rows, "evd")[None], result.evd, result.evd_ci)


def test_what_repeats_share() -> None:
    """Of two repeats with the passages {a, b, c, d} and {c, d}: 2/2; either with {e}: 0. Over three
    pairs 1/3; another domain is no repeat."""
    _, rows = answers("drill", "complete")
    asked = [row for row in rows if row.verdict == "right"]

    def run(name: str, passages: str, domain: str = "X") -> list[AnswerRow]:
        texts = [{"passage": passage} for passage in passages]
        return [replace(asked[0], run=name, domain=domain, texts=text) for text in texts]

    repeats = [*run("1", "abcd"), *run("2", "cd"), *run("3", "e")]
    assert_same(estimate([*repeats, *run("4", "e", "Y")], "shared_passages")[None], 1 / 3)
    assert estimate(run("1", "ab"), "shared_passages")[None].value is None


@each_kind
def test_an_examination(kind: str) -> None:
    result, rows = answers("eqt", kind)
    numbers = result.numbers
    shares = {
        "accuracy": numbers.all,
        "originals": numbers.originals,
        "paraphrased": numbers.paraphrased,
        "open_book": numbers.open_book,
    }
    for name, part in shares.items():
        if part is not None:
            assert_same(estimate(rows, name)[None], part.accuracy, part.wider)
            assert estimate(rows, name)[None].n == part.scored
    alike = numbers.consistency
    assert_same(estimate(rows, "acs")[None], alike.acs, alike.acs_ci)
    assert_same(
        estimate(rows, "acs_normalised")[None], alike.acs_normalised, alike.acs_normalised_ci
    )
    by_category = estimate(rows, "accuracy", "category")
    for category, own in result.by_category.items():
        assert_same(by_category[category], own.all.accuracy, own.all.wider)


@each_kind
def test_questions_at_three_depths(kind: str) -> None:
    result, rows = answers("depthqa", kind)
    scores, forward, backward = (
        estimate(rows, name, "mode") for name in ("score", "forward", "backward")
    )
    often = estimate(rows, "backward_frequency", "mode")
    for mode in result.modes:
        overall = mode.accuracy["overall"]
        assert_same(scores[mode.mode], overall.mean, overall.ci)
        assert scores[mode.mode].n == overall.scored
        part = mode.discrepancies.forward["overall"]
        assert_same(forward[mode.mode], part.average, part.average_ci)
        part = mode.discrepancies.backward["overall"]
        assert_same(backward[mode.mode], part.average, part.average_ci)
        assert_same(often[mode.mode], part.frequency, part.frequency_ci)
        within = [row for row in rows if row.condition == mode.mode]
        for depth, of_depth in estimate(within, "score", "depth").items():
            assert_same(
                of_depth, mode.accuracy[f"D{depth}"].mean, mode.accuracy[f"D{depth}"].ci
            )
    for name in ("score", "backward"):
        assert estimate(rows, name)[None] == estimate(rows, name, "mode")["zero-shot"]


@each_kind
def test_problems_and_scenarios(kind: str) -> None:
    result, rows = answers("deepquestion", kind)
    assert_same(estimate(rows, "original")[None], result.original.share, result.original.ci)
    for load in result.q2s:
        assert_same(
            estimate(rows, f"q2s_{load.load}")[None], load.accuracy.share, load.accuracy.ci
        )
        if load.drop is not None:
            assert_same(estimate(rows, f"drop_{load.load}")[None], load.drop.drop, load.drop.ci)
    if result.q2i is not None:
        assert_same(
            estimate(rows, "q2i")[None], result.q2i.accuracy.share, result.q2i.accuracy.ci
        )
        assert_same(
            estimate(rows, "distance")[None], result.q2i.distance, result.q2i.distance_ci
        )


@each_kind
def test_a_drill_put_to_another_model(kind: str) -> None:
    result, rows = answers("replay", kind)
    tally, paired = result.target_tally, result.paired
    assert_same(estimate(rows, "accuracy")[None], tally.accuracy, tally.accuracy_ci_clustered)
    assert_same(estimate(rows, "difference")[None], paired.difference, paired.difference_ci)
    by_tier = estimate(rows, "difference", "tier")
    for tier, part in result.by_tier.items():
        assert_same(by_tier[tier.value.lower()], part.difference, part.difference_ci)
    assert_same(estimate(rows, "wrong")[None], tally.wrong / tally.scored)
    assert {row.item for row in rows} <= {pair.id for pair in result.pairs}


def test_answers_that_were_judged_again() -> None:
    result, rows = answers("rejudge", "complete")
    assert len(rows) == len(result.probes)
    right = sum(row.correct for row in result.depths)
    assert sum(row.score or 0 for row in rows) >= right


@pytest.mark.parametrize(
    "method", ["drill", "eqt", "depthqa", "deepquestion", "replay", "rejudge"]
)
def test_every_measure_of_every_method(method: str) -> None:
    """Over all rows and by each of its tags: a value lies in its interval, and rows of nothing
    give none."""
    _, rows = answers(method, "complete")
    names = [measure.name for measure in measures_of(method)]
    assert len(set(names)) == len(names)
    for measure in measures_of(method):
        assert measure.of([]) == Estimate(None)
        for by in (None, *measure.by):
            for found in estimate(rows, measure.name, by).values():
                if found.value is not None and found.interval is not None:
                    assert found.interval[0] - 1e-9 <= found.value <= found.interval[1] + 1e-9
    assert len({(row.item, row.condition, row.tags.get("node")) for row in rows}) == len(rows)
    assert {row.verdict for row in rows if row.score is None} <= {"unscored"}
