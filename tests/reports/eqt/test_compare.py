"""Several targets side by side, and beside a benchmark: every cell where it belongs, at any
width."""

import re
from typing import Any

import pytest

from fathom.commands.print_results import Ended, compared, launch_document, print_launch
from fathom.reports.page.folding import folded
from fathom.reports.page.remarks import SIMULATED
from fathom.state.eqt.result import BenchmarkScore, EqtComparison
from fathom.stats.eqt.table import PAIRS_ALIKE, compare_eqt

from ...support.eqt import items as made
from ...support.reports import changed, flat, launched, plotted
from ...support.reports import compared as compared_text
from ...support.screen import active_characters, screen, written

CATEGORIES = ("math", "law", "health and medicine", "computer \x1b[2Jscience")
TARGETS = (
    "openai:gpt-5",
    "openrouter:meta/llama-4-maverick-instruct",
    "sim:student",
    "anthropic:claude-5",
    "google:超流動",
    "local@http://127.0.0.1:8080/v1:qwen3\x1b[31m-235b",
)
RIGHT = ((4, 2, 1, 3), (3, 4, 2, 2), (1, 1, 4, 4), (0, 3, 3, 1), (2, 2, 2, 2), (4, 0, 0, 1))
"""Of four questions, by target and category; each of the others has two different wrong answers."""
ACS = {4: "1.00", 3: ".88", 2: ".75", 1: ".62", 0: ".50"}


def run(place: int, **changes: Any) -> Any:
    spec = made.spec_of(*CATEGORIES, target=TARGETS[place], questions=4, paraphrases=1, **changes)
    questions = ([["a", "a"]] * count + [["b", "c"]] * (4 - count) for count in RIGHT[place])
    items = [item for nth, answers in enumerate(questions) for item in made.asked(nth, *answers)]
    result = made.result_of(spec, items, run_id=f"20261120T120000-eqt-x-{place:08}")
    return changed(result, simulated=TARGETS[place].startswith("sim"))


def scores(number: int) -> list[BenchmarkScore]:
    """The benchmark lacks the last category and has an overall score."""
    return [
        BenchmarkScore(model=target, category=category, score=0.25 + 0.1 * place + 0.05 * nth)
        for place, target in enumerate(TARGETS[:number])
        for nth, category in enumerate((*CATEGORIES[:3], "overall"))
    ]


def comparison(number: int, *, benchmark: bool = True) -> EqtComparison:
    return compare_eqt([run(place) for place in range(number)], scores(number) if benchmark else ())


def text_of(made_: EqtComparison, width: int = 120) -> str:
    return compared_text(made_, "eqt", width)


def report(number: int, width: int = 120, *, benchmark: bool = True) -> str:
    return text_of(comparison(number, benchmark=benchmark), width)


def cells(text: str, name: str) -> list[str]:
    """What stands behind a category, in all blocks of a table."""
    lines = [line for line in text.splitlines() if line.startswith(name)]
    return [part for line in lines for part in line.removeprefix(name).split()]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("number", [1, 2, 4, 6])
def test_every_number_is_there_at_any_width(number: int, width: int) -> None:
    text, *drops = report(number, width).split("Benchmark against EQT")
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    assert not active_characters("".join([text, *drops]))
    for nth, category in enumerate(CATEGORIES[:3]):
        wanted = [str(RIGHT[place][nth] * 25) for place in range(number)]
        assert [part.strip("*") for part in cells(text, category)[:number]] == wanted, "accuracy"
        assert [part.strip("*") for part in cells(text, category)[number:]] == [
            ACS[RIGHT[place][nth]] for place in range(number)
        ]
    assert len(cells(text, "computer ␛[2Jscience")) == 2 * number


def test_the_best_of_a_row_is_marked_without_colour_too() -> None:
    text = report(3, benchmark=False)
    assert cells(text, "math")[:3] == ["100*", "75", "25"]
    assert cells(text, "law")[:3] == ["50", "100*", "25"]
    assert cells(report(6, 200, benchmark=False), "math")[:6] == [
        "100*",
        "75",
        "25",
        "0",
        "50",
        "100*",
    ]
    assert cells(text, "law")[3:] == [".75", "1.00*", ".62"]
    styled = compared_text(comparison(3), "eqt", 120, colour=True)
    assert re.search(r"\x1b\[1m *100\*", styled)
    legend = "* best point estimate in the row (ties all marked)"
    own = f"{legend}; indicative only, because each model was examined on its own questions"
    assert own in flat(text)
    assert (
        "each target answered questions that it had written itself" in flat(text).split("Notes")[1]
    )
    same = compare_eqt([run(place, examiner="openai:gpt-5") for place in (0, 1)])
    assert legend in flat(text_of(same))
    assert "indicative" not in flat(text_of(same))


def test_one_target_has_no_best() -> None:
    text = report(1, 80, benchmark=False)
    assert "*" not in text
    assert "written itself" not in flat(text)
    assert "Benchmark" not in text
    assert text.splitlines()[0].strip() == "Accuracy in %"


def test_simulated_is_said_at_the_top() -> None:
    assert flat(report(3, 80)).startswith(SIMULATED)
    assert "SIMULATED" not in report(2, 80)


def test_the_total_has_intervals_and_no_answers_are_no_wrong_ones() -> None:
    whole = comparison(2, benchmark=False)
    total = next(cell for cell in whole.cells if cell.category == "all")
    known = changed(total, ci=(0.123, 0.789), acs_ci=(0.4, 0.987))
    nothing = {"accuracy": None, "acs": None, "best_accuracy": False, "best_acs": False}
    bare = [
        known if cell is total else changed(cell, **nothing) if cell.category == "law" else cell
        for cell in whole.cells
    ]
    text = text_of(changed(whole, cells=tuple(bare)))
    under = [
        line.split()[0]
        for line, above in zip(text.splitlines()[1:], text.splitlines(), strict=False)
        if above.startswith("all ")
    ]
    assert under == ["12–79", ".40–.99"]
    assert cells(text, "law") == ["–"] * 4
    assert "– no scored answer, which is not a wrong one" in text
    assert "no scored answer" not in report(2)


def test_drops() -> None:
    """Benchmark: 25, 30 and 35% of the first, 35, 40 and 45% of the second; here 100, 50 and 25,
    and 75, 100 and 50."""
    text = report(2)
    drops = text.split("Benchmark against EQT")[1]
    assert cells(drops, "math") == ["25", "(−75)", "35", "(−40)"]
    assert cells(drops, "law") == ["30", "(−20)", "40", "(−60)"]
    assert cells(drops, "health and medicine") == ["35", "(+10)", "45", "(−5)"]
    assert "Categories with the same rank in both: openai:gpt-5 2 of 3," in flat(text)
    assert "the benchmark has no category for computer" in text
    tied = changed(comparison(2).benchmark, cells=(), ranked=0)
    assert "same rank" not in text_of(changed(comparison(2), benchmark=tied))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"pearson": 0.36, "pearson_p": 0.003, "spearman": -0.41, "spearman_p": 0.0001}
            | {"kendall": 1.0, "kendall_p": 1.0},
            "Pearson r .36 (p .003), Spearman ρ −.41 (p < .001), Kendall τ 1.00 (p 1.000), n 7",
        ),
        (dict.fromkeys(("pearson", "spearman", "kendall")), "Pearson r –, Spearman ρ –, Kendall τ –, n 7"),
    ],
)  # fmt: skip
def test_the_line_of_correlations(changes: dict[str, Any], said: str) -> None:
    whole = comparison(2)
    assert whole.benchmark is not None
    row = changed(whole.benchmark.correlation, n=7, **changes)
    assert said in text_of(changed(whole, benchmark__correlation=row)).splitlines()


def test_what_p_values_rest_on_stands_beside_them_once() -> None:
    text = flat(report(3, 80))
    assert text.split(" n 9 ")[1].startswith(f"T{PAIRS_ALIKE[1:]}. Categories with the same rank")
    assert text.count(PAIRS_ALIKE[1:]) == 1
    assert PAIRS_ALIKE[1:] not in flat(report(3, 80, benchmark=False))
    assert PAIRS_ALIKE in comparison(3).notes


def test_names_are_folded_after_signs() -> None:
    assert folded("openrouter:meta/llama-4", 12) == ["openrouter:", "meta/llama-4"]
    assert folded("abcdefghijklmnop", 5) == ["abcde", "fghij", "klmno", "p"]
    assert folded("超流動ヘリウム", 6) == ["超流動", "ヘリウ", "ム"]


def test_what_only_some_have_finished_is_left_out_and_said_above_the_figures(tmp_path: Any) -> None:
    whole, cut = run(0), run(1)
    cut = changed(cut, concepts=cut.concepts[:3], open_concepts=("Concept 4",))
    both = compare_eqt([whole, cut])
    text = text_of(both)
    assert text.splitlines()[0].strip() == "Accuracy in % over 3 of 4 concepts"
    assert "over 3 concepts that all have finished" in flat(text)
    assert "1 that only some have finished" in flat(text)
    assert "Over 3 of 4 concepts" in plotted(tmp_path, "eqt", [whole, cut], both)[0].read_text(
        encoding="utf-8"
    )
    assert "finished" not in report(2)
    wide = "with fewer than five concepts intervals are wide"
    assert wide in flat(text)
    assert wide not in flat(text_of(changed(both, concepts=5)))


def test_stars_and_what_they_mean_are_left_out_together() -> None:
    other = made.run_as(TARGETS[1], "20261120T120000-eqt-x-1", {"art": 3})
    other = changed(other, concepts=tuple(changed(row, concept="Opera") for row in other.concepts))
    text = text_of(
        compare_eqt(
            [
                run(0),
                changed(other, spec__concepts=(changed(other.spec.concepts[0], name="Opera"),)),
            ]
        )
    )
    assert "*" not in text
    assert "best point estimate" not in text
    assert "no concept was finished by all targets" in text


def test_a_run_without_a_result_stands_in_the_comparison_of_a_launch() -> None:
    one = run(0)
    spec = run(3).spec.model_dump(mode="json")
    fragment = {
        "method": "eqt",
        "run_id": "b",
        "spec": spec,
        "status": "failed",
        "error": "No key is set.",
    }
    runs = [Ended(one.run_id, one, None), Ended("b", None, None, fragment)]
    why = "anthropic:claude-5 has no finished concept and so no figures (failed: No key is set)"
    assert why in launch_document(runs)["notes"]
    console = screen(120)
    print_launch(console, runs)
    text = written(console).split("Accuracy in %")[1]
    assert "claude-5" in text.split("Notes")[0]
    assert cells(text, "law") == ["50", "–", ".75", "–"]
    assert why in flat(text)
    again = compared(
        [runs[0], Ended("c", None, None, {"method": None, "spec": None, "status": "unfinished"})]
    )
    assert isinstance(again, EqtComparison)
    assert again.targets == (TARGETS[0],), "nothing is known of what it was to test"


def test_the_comparison_ends_a_launch() -> None:
    text = launched([run(0), run(1)], 100, colour=True)
    assert text.rindex("By concept") < text.index("Accuracy in %")
