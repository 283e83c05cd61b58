"""The final summary: the headline says what was found, and everything that limits it stands beside it."""

import re
from pathlib import Path

import pytest

from fathom.reports.live.progress import progress_of
from fathom.reports.page.remarks import ACROSS_DOMAINS, SIMULATED
from fathom.reports.views.drill.summary import combined, headline, print_results, remarks, summary
from fathom.reports.views.unfinished import unfinished
from fathom.state.events import RunFinished
from fathom.state.result import DrillResult

from ...support.drill.synthetic import Plan, events_of
from ...support.drill.synthetic_result import result_of
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

DEEP = Plan(n=30, accuracies=(0.93, 0.9, 0.87, 0.9, 0.8, 0.9, 0.7, 0.5))
REAL = Plan(
    run_id="20261120T130000-drill-chemical-elements-b1b1b1b1",
    target="openrouter:meta/llama-4-instruct",
    judge="openai:gpt-5",
    simulated=False,
    cost=None,
    seed=5,
    stop_reason="max_depth",
)


@pytest.mark.parametrize("width", [50, 60, 78, 80, 96, 122])
def test_no_number_is_cut(width: int) -> None:
    deep = result_of(Plan(n=100, accuracies=(1.0,) * 14 + (0.1,), cost=0.011))
    deep = deep.model_copy(update={"probes": ()})  # of the wrong answers words are cut, no numbers
    text = shown(summary(deep, width=width), width)
    assert "…" not in text.split("By depth")[1].split("deviates")[0]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_summary(width: int) -> None:
    text = shown(summary(result_of(DEEP), width=width, kept=Path("runs/some-run")), width)
    assert_snapshot(f"summary_{width}", text)
    assert max(len(line) for line in text.splitlines()) <= width
    assert not active_characters(text)


def test_up_to_three_wrong_answers_stand_in_the_result() -> None:
    result = result_of(DEEP)
    text = shown(summary(result, width=100, kept=Path("runs/some-run")), 100)
    assert text.count("✗ depth") == 3
    assert re.search(r"Wrong answers: 3 of \d+; `fathom show \w+ --wrong` shows them in full", text)
    right = result.model_copy(update={"probes": ()})
    assert "Wrong answers" not in shown(summary(right, width=100), 100)


def test_headline_of_a_stop_by_threshold() -> None:
    result = result_of(DEEP).model_copy(update={"evd": 4.62, "evd_ci": (3.1, 6.89), "depth_reached": 6})
    assert headline(result) == "EVD 4.62 (95% CI 3.10–6.89) of at most 15 · stopped at depth 6: survival fell below 20%"
    assert remarks(result) == []


def test_a_censored_result_says_at_least() -> None:
    result = result_of(REAL)
    assert headline(result).startswith("EVD at least 2.30 (95% CI ")
    assert headline(result).endswith("stopped at depth 4: the depth limit was reached")
    assert remarks(result) == [
        "EVD is a lower limit: the drill ended before survival fell below 20% "
        "(depth 4 is the deepest this run was allowed to go)."
    ]


def test_an_interrupted_result_does_not_pass_for_a_complete_one() -> None:
    update = {"status": "interrupted", "stop_reason": "interrupted", "censored": "interrupted", "stop_detail": ""}
    result = result_of(DEEP).model_copy(update=update)
    assert headline(result).endswith("of at most 15 · interrupted at depth 8")
    assert "EVD at least" in headline(result)


def test_a_note_on_the_interval_stands_beside_the_headline() -> None:
    result = result_of(DEEP).model_copy(update={"evd_note": "one root only: no generalising interval"})
    assert remarks(result) == ["One root only: no generalising interval."]


def test_everything_a_reader_needs_is_there() -> None:
    result = result_of(REAL)
    text = shown(summary(result, width=140, kept=Path("runs/x")), 140)
    low, high = result.evd_bounds
    for piece in (
        f"{low:.2f}–{high:.2f}",
        f"{result.evd_no_evidence_wrong:.2f}",
        "unknown",
        result.conformance[0],
        result.notes[0],
        "Results: runs/x",
        "judge openai:gpt-5",
    ):
        assert piece in text
    for row in result.depths:
        numbers = next(cells for line in text.splitlines() if (cells := line.split())[:1] == [str(row.depth)])
        assert [str(row.asked), str(row.scored), str(row.correct), str(row.abstained)] == numbers[3:7]
        assert f"{row.survival * 100:.1f}" in numbers
        assert numbers[-1] == f"{row.effective_roots:.1f}"


@pytest.mark.parametrize("plan", [DEEP, REAL])
def test_simulated_numbers_are_labelled_and_others_are_not(plan: Plan) -> None:
    text = shown(summary(result_of(plan), width=100), 100)
    assert (SIMULATED in text) == plan.simulated
    table = shown(combined([result_of(plan)], width=120), 120)
    assert ("sim:student SIMULATED" in table) == plan.simulated


def test_several_runs() -> None:
    results = [result_of(DEEP), result_of(REAL)]
    text = shown(combined(results, width=120), 120)
    assert_snapshot("combined_120", text)
    assert ACROSS_DOMAINS not in " ".join(text.split()), "one domain: nothing to warn of"


def test_several_domains_are_not_to_be_compared() -> None:
    results = [result_of(DEEP), result_of(Plan(domain="Art [red]"))]
    text = shown(combined(results, width=120), 120)
    assert ACROSS_DOMAINS in " ".join(text.split())
    assert "Art [red]" in text


def test_a_few_runs_are_shown_in_full_and_many_by_their_headline() -> None:
    assert printed([result_of(DEEP)] * 2).count("By depth") == 2
    many = printed([result_of(DEEP)] * 5)
    assert many.count("By depth") == 0
    assert many.count("EVD 4.") == 5
    assert many.count("Results: runs/here") == 5


def test_a_long_path_is_printed_whole() -> None:
    console, path = screen(40), Path("runs") / ("x" * 90)
    print_results(console, [result_of(DEEP)], {DEEP.run_id: path})
    assert f"Results: {path}\n" in written(console)


def printed(results: list[DrillResult]) -> str:
    console = screen(120)
    print_results(console, results, {result.run_id: Path("runs/here") for result in results})
    return written(console)


def test_on_a_terminal_the_headline_comes_last_and_on_a_pipe_first() -> None:
    result = result_of(DEEP).model_copy(update={"conformance": ("first deviation", "second deviation")})
    plain, colourful = screen(100), screen(100, colour=True, environ={"NO_COLOR": "1"})
    for console in (plain, colourful):
        print_results(console, [result], {result.run_id: Path("runs/here")})
    piped, seen = (re.sub(r"\x1b\[[0-9;]*m", "", written(console)) for console in (plain, colourful))
    assert piped.splitlines()[2].rstrip() == headline(result)
    assert seen.splitlines()[-1].rstrip() == headline(result)
    order = [seen.index(part) for part in ("Calls and cost", "Notes", "2 deviations", "Results: ", "By depth", "●")]
    assert order == sorted(order)
    assert SIMULATED in "\n".join(seen.splitlines()[-3:])
    for text in (piped, seen):
        assert text.count(headline(result)) == 1
        assert "2 deviations from the published method: `fathom show 7f3a9c01` lists them" in text
        assert "second deviation" not in text
    assert "second deviation" in shown(summary(result, width=100), 100), "show has the list"


def test_the_table_of_several_runs_comes_last() -> None:
    text = shown(combined([result_of(DEEP), result_of(DEEP), result_of(Plan(domain="Art"))], width=120), 120)
    order = [text.index(part) for part in ("●", ACROSS_DOMAINS[:30], "All runs")]
    assert order == sorted(order)
    assert text.rindex("●") < text.index("All runs")


def test_the_last_depths_are_counted_as_they_are() -> None:
    text = shown(summary(result_of(Plan(n=4, accuracies=(0.75, 0.1))), width=100), 100)
    assert "product of the last 2 accuracies" in text


def test_nothing_is_said_twice_of_a_run_that_was_interrupted() -> None:
    ended = RunFinished(
        run_id="x-1", status="interrupted", stop_reason="interrupted", evd=None, evd_ci=None, cost_usd=0.0, wall_s=1.0
    )
    text = shown(unfinished(progress_of([ended]).runs["x-1"], width=80), 80)
    assert "NO RESULT: interrupted.\n" in re.sub(" +\n", "\n", text)


def test_unfinished_run() -> None:
    events = events_of(DEEP)
    progress = progress_of(events[:540]).runs[DEEP.run_id]
    text = shown(unfinished(progress, width=100, kept=Path("runs/x")), 100)
    assert_snapshot("unfinished_100", text)
    assert "INTERRUPTED" in text
    assert "SIMULATED" in text


def test_nothing_came_yet() -> None:
    progress = progress_of(events_of(DEEP)[:1]).runs[DEEP.run_id]
    assert "INTERRUPTED" in shown(unfinished(progress, width=80), 80)
