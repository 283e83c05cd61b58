"""DepthQA at the end of a launch: one run or several, targets side by side, and what people think of the judge."""

import re
from pathlib import Path

import pytest

from fathom.reports.page.figures import difference
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.depthqa.compare import agreement_table, comparison_tables
from fathom.reports.views.depthqa.figures import gap, gap_span, share, sign_of
from fathom.reports.views.depthqa.summary import depthqa_brief, depthqa_headline, print_depthqa
from fathom.state.depthqa.result import Agreement, AgreementRow, DepthQACell, DepthQAComparison, DepthQAResult, ScoreRow

from ...support.depthqa.synthetic import result
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

ONE = result(trees=5, min_k=True)


def flat(text: str) -> str:
    return " ".join(text.split())


def printed(results: list[DepthQAResult], *, colour: bool = False) -> str:
    console = screen(100, colour=colour, environ={"NO_COLOR": "1"} if colour else None)
    print_depthqa(console, results, {one.run_id: Path("runs/here") for one in results}, comparison(*results))
    return re.sub(r"\x1b\[[0-9;]*m", "", written(console))


def comparison(*results: DepthQAResult, left_out: int = 0) -> DepthQAComparison | None:
    if len(results) < 2:
        return None
    return DepthQAComparison(
        simulated=any(one.simulated for one in results),
        targets=tuple(one.spec.target for one in results),
        cells=tuple(
            DepthQACell(target=one.spec.target, run_id=one.run_id, numbers=one.modes[place])
            for place in range(len(results[0].modes))
            for one in results
        ),
        left_out=left_out,
        notes=("the targets were not asked alike",),
    )


def test_on_a_terminal_the_headline_comes_last_and_on_a_pipe_first() -> None:
    best = depthqa_headline(ONE)
    piped, seen = (flat(printed([ONE], colour=colour)) for colour in (False, True))
    assert seen.endswith(best)
    assert piped.index(best) < 250
    assert seen.index("Results: ") < seen.index("Backward discrepancy") < seen.index(SIMULATED)
    assert "1 deviation from the published method: `fathom show" in seen
    for text in (piped, seen):
        assert text.count(best) == 1


def test_many_runs_are_shown_by_their_headline_and_compared() -> None:
    results = [result(f"sim:{name}") for name in ("student", "expert", "novice", "guesser")]
    text = printed(results)
    assert "By type of reasoning" not in text
    assert all(flat(depthqa_headline(one)) in flat(text) for one in results)
    assert text.index("Targets side by side") > text.rindex("Results: ")
    assert printed(results[:2]).count("By type of reasoning") == 2
    assert depthqa_headline(results[0]) in flat(shown(depthqa_brief(results[0], width=100), 100))


TARGETS = ("openai:gpt-5", "sim:student", "given:llama3-8b", "local@http://127.0.0.1:8080/v1:qwen3\x1b[31m-235b")


@pytest.mark.parametrize("width", [40, 80, 140])
def test_targets_side_by_side(width: int) -> None:
    made = comparison(*(result(name, modes=("zero-shot", "prompt-gold")) for name in TARGETS), left_out=2)
    assert made is not None
    text = shown(comparison_tables(made, width=width), width)
    assert not active_characters(text)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert not re.search(r"[\d.]…|…[\d.]", text.replace("1 … 5", "").replace("0 … 1", ""))
    assert "2 trees left out" in flat(text)
    assert len(re.findall("prompt-gold", text)) == (1 if width == 140 else 3)
    if width == 140:
        assert_snapshot("depthqa_compare_140", text)


def test_the_best_of_a_column_is_the_highest_score_and_the_lowest_discrepancy() -> None:
    low, high = result("sim:a"), result("sim:b")
    numbers = []
    for one, score, value in ((low, 3.0, 0.1), (high, 4.0, 0.1)):
        row = one.modes[0].discrepancies.forward["overall"].model_copy(update={"average": value, "average_ci": None})
        held = one.modes[0].discrepancies.model_copy(update={"forward": {"overall": row}, "backward": {}})
        accuracy = {"overall": ScoreRow(questions=1, scored=1, mean=score, ci=None)}
        numbers.append(one.modes[0].model_copy(update={"accuracy": accuracy, "discrepancies": held}))
    cells = [DepthQACell(target=t, run_id="r-1", numbers=n) for t, n in zip(("a", "b"), numbers, strict=True)]
    made = DepthQAComparison(simulated=False, targets=("a", "b"), cells=tuple(cells))
    rows = [line.split() for line in shown(comparison_tables(made, width=140), 140).splitlines()]
    assert ["a", "3.00", "*.100"] in rows, "the higher score is better; equal discrepancies are both best"
    assert ["b", "*4.00", "*.100"] in rows
    alone = DepthQAComparison(simulated=False, targets=("a",), cells=tuple(cells[:1]))
    assert "*" not in shown(comparison_tables(alone, width=140), 140)


def test_agreement() -> None:
    made = Agreement(
        judge="openai:gpt-5\x1b[1m",
        raters=("a", "b", "c"),
        rows=(
            AgreementRow(level="D3", human_human=0.4848, human_human_n=3, human_judge=0.7064, human_judge_n=13),
            AgreementRow(
                level="overall",
                human_human=None,
                human_human_n=0,
                human_judge=-0.1,
                human_judge_n=100,
                note="all are alike",
            ),
        ),
        unmatched=tuple(f"x{n}" for n in range(7)),
    )
    text = shown(agreement_table(made, width=60), 60)
    assert "3 raters with each other and with openai:gpt-5␛[1m" in flat(text)
    rows = [line.split() for line in text.splitlines()]
    assert ["D3", ".48", "3", ".71", "13"] in rows
    assert ["overall", "–", "0", "−.10", "100"] in rows
    assert "overall: all are alike" in text
    assert "7 ids in the file without a score in this run: x0, x1, x2, x3, x4 and 2 more" in flat(text)


def test_numbers_as_they_are_written() -> None:
    assert [gap(v) for v in (None, 0.0, 0.0834, 1.0, -0.12, -0.0004)] == ["–", ".000", ".083", "1.000", "−.120", ".000"]
    assert gap_span((0.05, 0.11)) == ".050–.110"
    assert gap_span((-0.05, 0.11)) == "−.050 to .110"
    assert [share(v) for v in (0.414, 0.125, 0.29, 0.004, 0.0, 1.0)] == ["41.4", "12.5", "29", "0.4", "0", "100"]
    assert [difference(v) for v in (0.305, -0.05, -0.001)] == ["+0.30", "−0.05", "+0.00"]
    assert [sign_of(v)[0] for v in (5, 4.0, 3.5, 3, 2.9, 1, None)] == ["✓", "✓", "~", "~", "✗", "✗", "?"]
