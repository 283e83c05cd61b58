"""The pictures of DeepQuestion runs show every number, load nothing, and cut nothing off."""

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fathom.reports.page.chart.panels import named
from fathom.reports.views.deepquestion.plots import DROP, PLACES, WINS, save_plots
from fathom.reports.views.deepquestion.plots.judged import FILLS
from fathom.state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from fathom.state.errors import UsageError

from ...support.deepquestion.made import comparison, result, share
from ...support.depthqa.pictures import SVG, description, marks, spans, texts

LONG = "openai@https://inference.example.com:8443/v1:meta-llama/Llama-3.3-70B-Instruct-Turbo-of-2026"
PAIR = (result("sim:a"), result("sim:b", ("some",)))
CROWD = [result(name) for name in ("openai:gpt-5", LONG, "模型" * 30, "<script>\"&'\x1b[2J\u202e")]


def drawn(
    folder: Path, results: Sequence[DeepQuestionResult], compared: DeepQuestionComparison | None = None
) -> dict[str, str]:
    """File name → SVG."""
    return {path.name: path.read_text(encoding="utf-8") for path in save_plots(folder, results, compared)}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return drawn(tmp_path_factory.mktemp("one") / "not" / "there", PAIR[:1])


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return drawn(tmp_path_factory.mktemp("crowd"), CROWD, comparison(*CROWD, same_texts=False))


def test_a_picture_loads_nothing_and_can_be_read_alone(one: dict[str, str], crowd: dict[str, str]) -> None:
    assert tuple(one) == tuple(crowd) == (DROP, WINS, PLACES)
    for svg in (*one.values(), *crowd.values()):
        root = ElementTree.fromstring(svg)
        assert re.findall(r'(?:xmlns|href|src)[^=\s]*="([^"]*)"|url\(', svg) == ["http://www.w3.org/2000/svg"]
        assert not [node for node in root.iter() if node.tag in {f"{SVG}{tag}" for tag in ("image", "script", "style")}]
        assert root.findtext(f"{SVG}title") in texts(svg)
        assert re.search("95% ?interval", " ".join(texts(svg)))
    for svg in one.values():
        assert "SIMULATED" in " ".join(texts(svg))
        assert "SIMULATED" in description(svg)
        assert "sim:a" in description(svg)
    for svg in crowd.values():
        assert "SIMULATED" not in svg
        assert not re.search("[\x00-\x08\x1b\u202e]", svg)
        for name in ("openai:gpt-5", "<script>\"&'␛[2J<U+202E>"):
            assert name in " ".join(texts(svg))
            assert name in description(svg)


def test_nothing_is_cut_off_at_the_sides(one: dict[str, str], crowd: dict[str, str]) -> None:
    for svg in (*one.values(), *crowd.values()):
        root = ElementTree.fromstring(svg)
        width = float(root.get("width", "0"))
        found = list(spans(root))
        assert len(found) > 10
        assert width < 1250
        assert [line for start, end, line in found if start < 0 or end > width] == []


def test_accuracies_stand_at_their_height_and_fall_along_a_line(one: dict[str, str]) -> None:
    row = PAIR[0].q2i
    assert row is not None
    shares = [each.share for each in (PAIR[0].original, *(load.accuracy for load in PAIR[0].q2s), row.accuracy)]
    told = [f"{each:.0%}" for each in shares if each is not None]
    percents = [text for text in texts(one[DROP]) if re.fullmatch(r"\d+%", text)]  # first those of the axis
    assert percents[6:11] == told == ["92%", "92%", "80%", "65%", "49%"]
    heights = [y for _, y, _, _ in marks(one[DROP])]
    # the axis runs from 109 % at 0 to 0 at 280 pixels
    assert heights == pytest.approx([(1.09 - each) / 1.09 * 280 for each in shares if each is not None], abs=0.01)
    # beside each mark the originals of the same problems: 34 of 36, 33 of 35, 32 of 34, and 49 % + 44 points
    paired = [34 / 36, 33 / 35, 32 / 34, 36 / 39]
    assert percents[11:] == [f"{each:.0%}" for each in paired]
    lines = re.findall(r'<path d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)"[^>]* opacity="0.55"/>', one[DROP])
    held = list(zip(paired, shares[1:], strict=True))
    assert [(float(a), float(b)) for a, b in lines] == [
        pytest.approx([(1.09 - (end or 0)) / 1.09 * 280 for end in ends], abs=0.01) for ends in held
    ]
    assert one[DROP].count('stroke-dasharray="2,4"') == 1, "Q2I is another task"
    assert [text for text in texts(one[DROP]) if text.startswith("n ")] == ["n 39", "n 36", "n 35", "n 34", "n 37"]
    assert "drop with 5 distractors +29 points (+17 to +41) over 34, whose originals are 94% right" in description(
        one[DROP]
    )
    assert "distance to Q2I +44 points (+25 to +60)" in description(one[DROP])


def test_wins_stand_right_of_the_middle_and_losses_left(one: dict[str, str]) -> None:
    svg = one[WINS]
    bars = re.findall(
        r'<path d="M([\d.]+),([\d.]+)h([\d.]+)v[\d.]+h-[\d.]+Z" fill="(#[0-9a-f]{6})" stroke="white"', svg
    )
    kinds = dict(zip(FILLS.values(), ("loss", "tie", "win"), strict=True))
    held = {(float(y), kinds[fill]): (float(x), float(x) + float(wide)) for x, y, wide, fill in bars}
    tops = sorted({y for y, _ in held})
    assert len(held) == 15
    middle = 360 / 2.72  # 0 on an axis from −1 to 1.72
    ties = [held[top, "tie"] for top in tops]
    assert [(left + right) / 2 for left, right in ties] == pytest.approx([middle] * 5, abs=0.01)
    for top in tops:
        assert held[top, "loss"][1] == pytest.approx(held[top, "tie"][0], abs=0.01)
        assert held[top, "tie"][1] == pytest.approx(held[top, "win"][0], abs=0.01)
    # clarity: 9 wins of 28 pairs, 54 % with half of 12 ties
    left, right = held[tops[0], "win"]
    assert right - left == pytest.approx(9 / 28 / 2.72 * 360, abs=0.01)
    assert {"54 (40–68)", "16", "reasoning demand"} <= set(texts(svg))
    assert "clarity 9 wins, 12 ties, 7 losses, win rate 54% (40–68)" in description(svg)


def test_two_originals_stand_beside_written_questions(one: dict[str, str]) -> None:
    svg = one[PLACES]
    # five criteria and all; of two originals three criteria, since all of no giveaway is tied, and all
    assert [shape.count("A") for _, _, shape, _ in marks(svg)] == [2] * 6 + [0] * 4  # circles, then squares
    assert {"62% of 190", "57% of 40", "all criteria", "two originals"} <= set(texts(svg))
    assert "written question and original, all criteria 62% (53–71) of 190 preferences" in description(svg)
    assert "two originals, clarity 67% (58–76) of 12 preferences" in description(svg)


def test_several_runs_are_told_apart_and_compared(crowd: dict[str, str]) -> None:
    legend = [text for text in texts(crowd[DROP]) if "…" in text]
    assert any(text.startswith("openai@https://") and text.endswith("Turbo-of-2026") for text in legend)
    assert any(text.startswith("模型") for text in legend)
    assert len({(shape, colour) for _, _, shape, colour in marks(crowd[DROP])}) >= len(CROWD)
    said = " ".join(texts(crowd[DROP]))
    assert "Originals: the 39 problems that the runs have in common." in said
    assert "Scenarios and instructions differ between the runs." in said


def test_a_comparison_has_its_own_figures_and_names(tmp_path: Path) -> None:
    compared = comparison(*PAIR)
    cells = tuple(
        cell.model_copy(
            update={"original": share(3, 4), "label": f"way {place}", "q2s": (), "q2i": None, "distance": None}
        )
        for place, cell in enumerate(compared.cells)
    )
    bare = [one.model_copy(update={"q2i": None, "baseline": None}) for one in PAIR]
    made = drawn(tmp_path, bare, compared.model_copy(update={"cells": cells}))
    assert tuple(made) == (DROP,)
    assert {"75%", "way 0", "way 1"} <= set(texts(made[DROP]))
    assert "92%" not in texts(made[DROP])


def test_only_what_there_is_gets_drawn(tmp_path: Path) -> None:
    empty = {"original": share(0, 0), "q2s": (), "q2i": None, "baseline": None}
    assert save_plots(tmp_path, [PAIR[0].model_copy(update=empty)]) == []
    assert save_plots(tmp_path, []) == []
    assert list(tmp_path.iterdir()) == []
    again = PAIR[0].model_copy(update={"run_id": "x-deepquestion-gsm8k-0badcafe"})
    assert list(named([PAIR[0], again], {})) == [f"sim:a ({PAIR[0].run_id[-8:]})", "sim:a (0badcafe)"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a file has that name"):
        save_plots(tmp_path / "file", [])
    with pytest.raises(UsageError, match="cannot be made"):
        save_plots(tmp_path / "file" / "below", [])
