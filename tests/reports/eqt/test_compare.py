"""Several targets side by side, and beside a benchmark: every cell where it belongs, at any width."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from fathom.reports.page.folding import folded
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.eqt.compare import comparison_report, correlation_words, rank_cell, score_cell
from fathom.reports.views.eqt.plots import save_plots
from fathom.reports.views.eqt.summary import print_eqt
from fathom.reports.views.eqt.tables import WIDE
from fathom.state.eqt.result import BenchmarkCell, BenchmarkScore, Correlation, EqtCell, EqtComparison
from fathom.stats.eqt.table import PAIRS_ALIKE, Absent, compare_eqt

from ...support.eqt.synthetic import EqtPlan, many
from ...support.eqt.synthetic_result import result_of
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

CATEGORIES = ("math", "law", "health and medicine", "computer \x1b[2Jscience")
TARGETS = (
    "openai:gpt-5",
    "openrouter:meta/llama-4-maverick-instruct",
    "sim:student",
    "anthropic:claude-5",
    "google:超流動",
    "local@http://127.0.0.1:8080/v1:qwen3\x1b[31m-235b",
)


def plan(place: int) -> EqtPlan:
    target = TARGETS[place]
    return EqtPlan(
        run_id=f"20261120T120000-eqt-x-{place:08}",
        target=target,
        concepts=many(8, CATEGORIES),
        accuracy=0.4 + 0.1 * place,
        seed=place,
        simulated=target.startswith("sim"),
        faults=False,
    )


def compared(number: int, *, benchmark: bool = True) -> EqtComparison:
    """The first so many targets; the benchmark lacks the last category and has an overall score."""
    rng = Random(4)
    scores = [
        BenchmarkScore(model=target, category=category, score=min(1.0, 0.5 + 0.07 * place + 0.2 * rng.random()))
        for place, target in enumerate(TARGETS[:number])
        for category in (*CATEGORIES[:3], "overall")
    ]
    return compare_eqt([result_of(plan(place)) for place in range(number)], scores if benchmark else ())


def report(number: int, width: int, *, benchmark: bool = True) -> str:
    return shown(comparison_report(compared(number, benchmark=benchmark), width=width), width)


@pytest.mark.parametrize(("number", "width"), [(6, 60), (6, 120), (2, 80)])
def test_comparison(number: int, width: int) -> None:
    assert_snapshot(f"eqt_compare_{number}_{width}", report(number, width))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("number", range(1, 7))
def test_every_number_is_there_at_any_width(number: int, width: int) -> None:
    text = report(number, width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    assert not active_characters(text)
    comparison = compared(number)
    lines = text.split("Benchmark against EQT")[0].splitlines()
    for category in CATEGORIES:
        cells = [cell for cell in comparison.cells if cell.category == category]
        found = [part for line in lines if line.startswith(category.replace("\x1b", "␛")) for part in numbers(line)]
        assert found == [part for cell in cells for part in score_cell(cell).plain.split()]


def numbers(line: str) -> list[str]:
    """What follows the category, which holds no digit but that of an escape sequence made harmless."""
    return [part for part in line.replace("␛[2J", "").split() if part.strip("*").replace(".", "").isdigit()]


def cell(accuracy: float | None, acs: float | None, *, best: bool) -> EqtCell:
    return EqtCell(
        target="t", run_id="r", category="c", accuracy=accuracy, ci=None, acs=acs, acs_ci=None,
        best_accuracy=best, best_acs=False,
    )  # fmt: skip


def test_the_best_is_marked_without_colour_too() -> None:
    best = score_cell(cell(0.71, 0.92, best=True))
    assert best.plain == "  71*  .92 "
    assert next(best.plain[span.start : span.end].strip() for span in best.spans if span.style == "bold") == "71"
    assert score_cell(cell(0.71, 0.92, best=False)).plain == "  71   .92 "
    assert score_cell(cell(None, None, best=False)).plain == "   –     – "
    assert score_cell(cell(1.0, 1.0, best=True)).plain == " 100* 1.00 "


def test_the_marked_cells_are_the_best() -> None:
    comparison = compared(6)
    lines = [line for line in report(6, 200).splitlines() if line.startswith("math ")]
    assert (
        lines[0].count("*") == sum(c.best_accuracy + c.best_acs for c in comparison.cells if c.category == "math") > 1
    )


def test_one_target_has_no_best() -> None:
    text = report(1, 80, benchmark=False)
    assert "*" not in text
    assert "Benchmark" not in text
    assert text.splitlines()[0].strip() == "Accuracy and ACS"


def test_simulated_is_said() -> None:
    assert SIMULATED in " ".join(report(3, 80).split())
    assert "SIMULATED" not in report(2, 80)


def test_the_total_has_intervals() -> None:
    lines = report(2, 120).splitlines()
    total = next(c for c in compared(2).cells if c.category == "all")
    assert total.ci is not None
    assert total.acs_ci is not None
    accuracy = next(line for line in lines if line.startswith("95% acc."))
    assert f"{total.ci[0] * 100:.0f}–{total.ci[1] * 100:.0f}" in accuracy
    acs = next(line for line in lines if line.startswith("95% ACS"))
    assert f"{total.acs_ci[0]:.2f}–".removeprefix("0") in acs


def test_drops_and_ranks_are_those_of_the_comparison() -> None:
    benchmark = compared(2).benchmark
    assert benchmark is not None
    text = report(2, 120)
    drops = next(line for line in text.split("Benchmark against EQT")[1].splitlines() if line.startswith("law"))
    expected = [c for c in benchmark.cells if c.category == "law"]
    signed = [f"{c.drop * 100:+.0f}".replace("-", "−") for c in expected]
    assert drops.split()[1:] == [
        p for c, d in zip(expected, signed, strict=True) for p in (f"{c.benchmark * 100:.0f}", d)
    ]
    ranks = next(line for line in text.split("Ranks by EQT")[1].splitlines() if line.startswith("law"))
    assert ranks.count("✓") == sum(c.match for c in expected)
    total = next(line for line in text.split("Ranks by EQT")[1].splitlines() if line.startswith("all"))
    assert f"{next(iter(benchmark.matches.values()))} of {benchmark.ranked}" in total
    assert "computer" not in text.split("Ranks by EQT")[1].split("Benchmark")[0], "the benchmark has it not"
    assert "the benchmark has no category for computer" in text


def test_a_rank() -> None:
    row = {"target": "t", "category": "c", "accuracy": 0.5, "benchmark": 0.6, "drop": 0.1}
    same = BenchmarkCell.model_validate(row | {"rank": 2.5, "benchmark_rank": 2.5, "match": True})
    other = BenchmarkCell.model_validate(row | {"rank": 1, "benchmark_rank": 2.5, "match": False})
    assert (rank_cell(same).plain, rank_cell(other).plain) == ("✓ 2.5", "· 1/2.5")


def test_the_line_of_correlations() -> None:
    row = Correlation(
        n=70, pearson=0.36, pearson_p=0.003, spearman=-0.41, spearman_p=0.0001, kendall=1.0, kendall_p=1.0
    )
    assert (
        correlation_words(row) == "Pearson r .36 (p .003), Spearman ρ −.41 (p < .001), Kendall τ 1.00 (p 1.000), n 70"
    )
    nothing = row.model_copy(update=dict.fromkeys(("pearson", "spearman", "kendall")) | {"n": 2})
    assert correlation_words(nothing) == "Pearson r –, Spearman ρ –, Kendall τ –, n 2"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_what_stands_out_among_different_exams_is_said_to_be_nominal() -> None:
    text, one = flat(report(3, 80)), flat(report(1, 80))
    assert "ties all marked); indicative only, because each model was examined on its own questions" in text
    assert "each target answered questions that it had written itself" in text.split("Notes")[1]
    assert "nominal" not in one
    assert "written itself" not in one
    alike = [plan(place) for place in (0, 1)]
    same = compare_eqt([result_of(replace(each, examiner="openai:gpt-5")) for each in alike])
    assert "nominal" not in shown(comparison_report(same, width=120), 120)


def test_what_p_values_rest_on_stands_beside_them_once() -> None:
    text = flat(report(3, 80))
    assert text.split(" n 9 ")[1].startswith(f"T{PAIRS_ALIKE[1:]}. Ranks by EQT")
    assert text.count("for independent") == 1
    assert "for independent" not in flat(report(3, 80, benchmark=False))
    assert PAIRS_ALIKE in compared(3).notes


def test_a_cell_without_a_scored_answer_is_no_cell_of_wrong_ones() -> None:
    comparison = compared(2, benchmark=False)
    cells = [
        c.model_copy(update={"accuracy": None, "acs": None}) if c.category == "law" else c for c in comparison.cells
    ]
    text = shown(comparison_report(comparison.model_copy(update={"cells": tuple(cells)}), width=120), 120)
    assert "– no scored answer, which is not a wrong one" in text
    assert "no scored answer" not in report(2, 120)


def test_names_are_folded_after_signs() -> None:
    assert folded("openrouter:meta/llama-4", 12) == ["openrouter:", "meta/llama-4"]
    assert folded("abcdefghijklmnop", 5) == ["abcde", "fghij", "klmno", "p"]
    assert folded("超流動ヘリウム", 6) == ["超流動", "ヘリウ", "ム"]


def test_what_is_left_out_is_said_above_the_figures(tmp_path: Path) -> None:
    whole = result_of(plan(0))
    cut = result_of(replace(plan(1), done=6))
    text = shown(comparison_report(compare_eqt([whole, cut]), width=120), 120)
    assert text.splitlines()[0].strip() == "Accuracy and ACS over 6 of 8 concepts"
    assert "accuracy in %, and ACS, over 6 concepts that all have finished" in flat(text)
    (picture, *_) = save_plots(tmp_path, [whole, cut], compare_eqt([whole, cut]))
    assert "Over 6 of 8 concepts" in picture.read_text(encoding="utf-8")
    assert "2 that only some have finished are left out" in flat(text)
    assert "finished" not in report(2, 120)


def test_stars_and_what_they_mean_are_left_out_together() -> None:
    apart = compare_eqt([result_of(plan(0)), result_of(replace(plan(1), concepts=many(9, ("law",))[8:]))])
    text = shown(comparison_report(apart, width=120), 120)
    assert "*" not in text
    assert "the best of a row" not in text
    assert "no concept was finished by all targets" in text


def test_a_target_without_figures_has_a_column_of_dashes() -> None:
    gone = Absent("20261120T120000-eqt-x-gone", plan(3).spec, "failed: the endpoint said 401")
    text = shown(comparison_report(compare_eqt([result_of(plan(0))], absent=[gone]), width=120), 120)
    assert "claude-5" in text.split("Notes")[0]
    assert numbers(next(line for line in text.splitlines() if line.startswith("law "))) != []
    assert next(line for line in text.splitlines() if line.startswith("law ")).split()[-2:] == ["–", "–"]
    assert "anthropic:claude-5 has no finished concept and so no figures (failed: the endpoint said 401)" in flat(text)


def test_why_intervals_of_few_concepts_are_wide_is_said() -> None:
    few = compare_eqt([result_of(replace(plan(place), concepts=many(4, CATEGORIES))) for place in (0, 1)])
    assert WIDE in flat(shown(comparison_report(few, width=80), 80))
    assert WIDE not in flat(report(2, 80))


def test_the_comparison_ends_a_launch() -> None:
    console = screen(100, colour=True, environ={"NO_COLOR": "1"})
    print_eqt(console, [result_of(plan(0)), result_of(plan(1))], None, compared(2))
    text = written(console)
    assert text.rindex("By concept") < text.index("Accuracy and ACS") < text.index("Pearson")
