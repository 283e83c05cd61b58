"""Explain-Query-Tests beside a benchmark: what belongs together, ranks, drops and correlations."""

from random import Random
from statistics import correlation

import pytest
from scipy import stats as scipy_stats

from fathom.state.benchmark import BenchmarkComparison, BenchmarkScore
from fathom.state.eqt.result import EqtResult
from fathom.stats.benchmark import correlate, model_names
from fathom.stats.comparison import compare

from ..graphs.test_answers import answers_by_run
from ..support.eqt.items import run, run_as


def scores(*lines: tuple[str, str, float]) -> list[BenchmarkScore]:
    return [
        BenchmarkScore(model=model, category=category, score=score)
        for model, category, score in lines
    ]


def beside(results: list[EqtResult], benchmark: list[BenchmarkScore]) -> BenchmarkComparison:
    found = compare("eqt", results, answers_by_run(results), benchmark=benchmark).benchmark
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("target", "model"),
    [
        ("openai:GPT-5", "gpt-5"),
        ("ollama:llama3:8b", "llama3:8b"),
        ("openrouter:openai/gpt-5", "openai/gpt-5"),
        ("openai@https://h/v1:m", "m"),
        ("openai@http://127.0.0.1:8790/v1:m:8b", "m:8b"),
        ("openai@http://127.0.0.1:8790:m", "m"),
        ("openai@http://[::1]:8790:m", "m"),
        ("openai@https://h:m", "m"),
        ("openai@https://h/v1", "openai@https://h/v1"),
        ("sim", "sim"),
    ],
)
def test_what_a_benchmark_may_call_a_target(target: str, model: str) -> None:
    assert model_names(target) == (target.casefold(), model)


def test_ranks_drops_and_correlation_by_hand() -> None:
    # history: accuracies 1, .5, .5 → ranks 1, 2.5, 2.5; benchmark .9, .8, .7 → 1, 2, 3: only the
    # first agrees law:     accuracies 0, .25, .5 → ranks 3, 2, 1; benchmark .3, .5, .5 → 3, 1.5,
    # 1.5: only the first agrees
    results = [
        run("p:a", history=4, law=0),
        run("p:b", history=2, law=1),
        run("p:c", history=2, law=2),
    ]
    found = beside(
        results,
        scores(
            ("a", "history", 0.9), ("b", "history", 0.8), ("c", "history", 0.7),
            ("a", "law", 0.3), ("b", "law", 0.5), ("c", "law", 0.5),
            ("a", "Overall", 0.7), ("b", "Overall", 0.6), ("c", "Overall", 0.5),
        ),
    )  # fmt: skip
    rows = [(c.category, c.target, c.rank, c.benchmark_rank, c.match) for c in found.cells]
    assert rows == [
        ("history", "p:a", 1, 1, True),
        ("history", "p:b", 2.5, 2, False),
        ("history", "p:c", 2.5, 3, False),
        ("law", "p:a", 3, 3, True),
        ("law", "p:b", 2, 1.5, False),
        ("law", "p:c", 1, 1.5, False),
        # all: 4, 3 and 4 of 8 right
        ("all", "p:a", 1.5, 1, False),
        ("all", "p:b", 3, 2, False),
        ("all", "p:c", 1.5, 3, False),
    ]
    assert [c.drop for c in found.cells[:3]] == pytest.approx([-0.1, 0.3, 0.2])
    assert (found.ranked, found.matches) == (2, {"p:a": 2, "p:b": 0, "p:c": 0})
    assert found.notes == ()
    # x = 1, .5, .5, 0, .25, .5 (mean 11/24) and y = .9, .8, .7, .3, .5, .5 (mean 37/60): Σxy =
    # 2.025, Σx² = 1.8125, Σy² = 2.53, so Sxy = 2.025 − 6·(11/24)·(37/60) = .329167, Sxx = .552083,
    # Syy = .248333
    assert found.correlation.n == 6
    assert found.correlation.pearson == pytest.approx(
        0.329167 / (0.552083 * 0.248333) ** 0.5, abs=1e-5
    )
    # ranks from below: x 6, 4, 4, 1, 2, 4 and y 6, 5, 4, 1, 2.5, 2.5, both with mean 3.5: products
    # of deviations 6.25 + .75 + .25 + 6.25 + 1.5 − .5 = 14.5, squares 15.5 and 17
    assert found.correlation.spearman == pytest.approx(14.5 / (15.5 * 17) ** 0.5)
    # of 15 pairs three are tied in x and one in y, the other eleven go the same way
    assert found.correlation.kendall == pytest.approx(11 / ((15 - 3) * (15 - 1)) ** 0.5)


def test_a_model_is_found_by_its_whole_name_first_and_without_regard_to_case() -> None:
    results = [
        run("openai:GPT-5", law=2),
        run("azure:gpt-5", law=1),
        run("openai@https://h/v1:m", law=1),
    ]
    found = beside(
        results, scores(("gpt-5", "law", 0.1), ("OpenAI:gpt-5", "law", 0.2), ("M", "law", 0.3))
    )
    assert {cell.target: cell.benchmark for cell in found.cells} == {
        "openai:GPT-5": 0.2,
        "azure:gpt-5": 0.1,
        "openai@https://h/v1:m": 0.3,
    }


def test_two_runs_of_a_target_share_its_benchmark() -> None:
    one, two = (run_as("openai:a", str(seed), {"law": seed}, seed=seed) for seed in (1, 2))
    found = beside([one, two], scores(("a", "law", 0.5)))
    assert [(c.target, c.benchmark_rank, c.rank) for c in found.cells] == [
        ("openai:a (seed 1)", 1.5, 2),
        ("openai:a (seed 2)", 1.5, 1),
    ]


def test_categories_match_however_they_are_joined() -> None:
    result = run_as("openai:a", "1", {"computer_science": 2, "Law": 1})
    found = beside(
        [result],
        scores(("a", "Computer Science", 0.5), ("a", "LAW", 0.4), ("a", "average", 0.6)),
    )
    assert [(c.category, c.benchmark) for c in found.cells] == [
        ("computer_science", 0.5),
        ("Law", 0.4),
        ("all", 0.6),
    ]


def test_one_target_has_no_ranks_to_compare() -> None:
    found = beside(
        [run("openai:a", law=2, history=1)], scores(("a", "law", 0.5), ("a", "history", 0.5))
    )
    assert (found.ranked, found.matches) == (0, {"openai:a": 0})
    assert found.correlation.n == 2
    assert found.correlation.pearson is found.correlation.kendall_p is None


def test_ranks_are_counted_where_all_known_targets_have_both_numbers() -> None:
    results = [
        run(f"p:{name}", law=law, history=law)
        for name, law in (("a", 4), ("b", 3), ("c", 2), ("d", 1))
    ]
    lines = [(name, "law", share) for name, share in (("a", 0.9), ("b", 0.8), ("c", 0.7))]
    found = beside(results, scores(*lines, ("a", "history", 0.7), ("b", "history", 0.6)))
    # d is not in the benchmark at all; c lacks history, whose ranks go over two
    assert (found.ranked, found.matches) == (1, {"p:a": 1, "p:b": 1, "p:c": 1})
    assert [(c.category, c.target, c.rank) for c in found.cells] == [
        ("law", "p:a", 1),
        ("law", "p:b", 2),
        ("law", "p:c", 3),
        ("history", "p:a", 1),
        ("history", "p:b", 2),
    ]
    assert found.notes == (
        "the benchmark has no score for p:d",
        "the benchmark has no score for p:c in history",
    )


def test_correlations_are_scipys() -> None:
    rng = Random(3)
    xs = [rng.randrange(8) / 8 for _ in range(40)]
    ys = [round(x + rng.gauss(0, 0.5), 1) for x in xs]
    found = correlate(xs, ys)
    assert (found.pearson, found.pearson_p) == pytest.approx(
        tuple(scipy_stats.pearsonr(xs, ys))
    )
    assert (found.spearman, found.spearman_p) == pytest.approx(
        tuple(scipy_stats.spearmanr(xs, ys))
    )
    assert (found.kendall, found.kendall_p) == pytest.approx(
        tuple(scipy_stats.kendalltau(xs, ys))
    )
    assert found.pearson == pytest.approx(correlation(xs, ys))
    assert found.n == 40


@pytest.mark.parametrize(
    ("xs", "ys"),
    [
        ([], []),
        ([0.1, 0.2], [0.2, 0.1]),
        ([0.1 + 0.2, 0.3, 0.3], [0.1, 0.2, 0.3]),
        ([0.1, 0.2, 0.3], [0.5, 0.5, 0.5]),
    ],
)
def test_a_correlation_that_is_undefined(xs: list[float], ys: list[float]) -> None:
    assert correlate(xs, ys).model_dump(exclude={"n"}) == dict.fromkeys(
        ("pearson", "pearson_p", "spearman", "spearman_p", "kendall", "kendall_p")
    )


def test_three_pairs_are_enough() -> None:
    assert correlate([0.1, 0.2, 0.3], [0.2, 0.4, 0.6]).pearson == pytest.approx(1)
    assert correlate([0.1, 0.2, 0.3], [0.6, 0.4, 0.2]).kendall == pytest.approx(-1)
