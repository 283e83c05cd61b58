"""The pictures of DepthQA runs show their numbers, load nothing, cut nothing off, and are not made of nothing."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fathom.reports.page.chart.panels import MOST_TARGETS, figure, named
from fathom.reports.views.depthqa.plots import DISCREPANCIES, MIN_K, MODES, QUARTILE_GAPS, SCORES, save_plots
from fathom.reports.views.depthqa.plots.discrepancies import discrepancies_picture
from fathom.reports.views.depthqa.plots.min_k import min_k_picture
from fathom.reports.views.depthqa.plots.scores import scores_picture, signed
from fathom.state.depthqa.result import DepthQAResult, DiscrepancyRow
from fathom.state.errors import UsageError

from ...support.depthqa.pictures import SVG, description, marks, spans, texts
from ...support.depthqa.synthetic import result

LONG = "openai@https://inference.example.com:8443/v1:meta-llama/Llama-3.3-70B-Instruct-Turbo-of-2026"
EIGHT = ("openai:gpt-5", LONG, "模型" * 30, "d", "e", "f", "g", "h")
ALL = (SCORES, DISCREPANCIES, MODES, MIN_K, QUARTILE_GAPS)


def drawn(folder: Path, results: Sequence[DepthQAResult]) -> dict[str, str]:
    """File name → SVG."""
    return {path.name: path.read_text(encoding="utf-8") for path in save_plots(folder, results)}


def without_figures(row: DiscrepancyRow) -> DiscrepancyRow:
    nothing = ("average", "average_ci", "frequency", "frequency_ci", "intensity", "intensity_ci")
    return row.model_copy(update={"eligible": 0, **dict.fromkeys(nothing)})


def bare(run: DepthQAResult, *, scores: bool = True) -> DepthQAResult:
    """The run without discrepancies, and without scores unless told."""
    modes = []
    for numbers in run.modes:
        found = {
            way: {pair: without_figures(row) for pair, row in rows.items()}
            for way, rows in (("forward", numbers.discrepancies.forward), ("backward", numbers.discrepancies.backward))
        }
        no_score = {"mean": None, "ci": None, "scored": 0}
        accuracy = {
            level: row if scores else row.model_copy(update=no_score) for level, row in numbers.accuracy.items()
        }
        lost = numbers.discrepancies.model_copy(update=found)
        modes.append(numbers.model_copy(update={"accuracy": accuracy, "discrepancies": lost}))
    return run.model_copy(update={"modes": tuple(modes)})


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two simulated targets in two modes, with Min-K%."""
    return drawn(tmp_path_factory.mktemp("pair") / "not" / "there", PAIR)


PAIR = [result(target, ("zero-shot", "prompt-gold"), True, trees=4) for target in ("sim:a", "sim:b")]
ONE = result("openai:gpt-5", min_k=True, trees=3)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A single target in one mode over three trees: too few for quartiles."""
    return drawn(tmp_path_factory.mktemp("one"), [ONE])


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Eight targets with all kinds of names."""
    return drawn(tmp_path_factory.mktemp("crowd"), [result(target) for target in EIGHT])


def test_only_what_there_is_gets_drawn(pair: dict[str, str], one: dict[str, str], crowd: dict[str, str]) -> None:
    assert tuple(pair) == ALL
    assert tuple(one) == (SCORES, DISCREPANCIES, MIN_K)
    assert tuple(crowd) == (SCORES, DISCREPANCIES)


def test_without_any_figure_there_is_no_file(tmp_path: Path) -> None:
    assert save_plots(tmp_path, [bare(result(), scores=False)]) == []
    assert save_plots(tmp_path, []) == []
    assert list(tmp_path.iterdir()) == []
    assert list(drawn(tmp_path, [bare(result())])) == [SCORES]


@pytest.mark.parametrize("name", ALL)
def test_a_picture_loads_nothing_and_can_be_read_alone(pair: dict[str, str], name: str) -> None:
    svg = pair[name]
    root = ElementTree.fromstring(svg)
    assert re.findall(r'(?:xmlns|href|src)[^=\s]*="([^"]*)"|url\(', svg) == ["http://www.w3.org/2000/svg"]
    assert not [node for node in root.iter() if node.tag in {f"{SVG}{tag}" for tag in ("image", "script", "style")}]
    assert set(re.findall(r'font-family="([^"]*)"', svg)) == {"sans-serif"}
    written = " ".join(texts(svg))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") in texts(svg)
    for target in ("sim:a", "sim:b"):
        assert target in written
        assert target in description(svg)
    assert re.search("95% ?interval", written) or name == MIN_K
    assert "SIMULATED" in written
    assert "SIMULATED" in description(svg)


@pytest.mark.parametrize("name", [SCORES, DISCREPANCIES])
def test_real_numbers_are_not_called_simulated(crowd: dict[str, str], name: str) -> None:
    assert "SIMULATED" not in crowd[name]


def test_nothing_is_cut_off_at_the_sides(pair: dict[str, str], one: dict[str, str], crowd: dict[str, str]) -> None:
    for svg in (*pair.values(), *one.values(), *crowd.values()):
        root = ElementTree.fromstring(svg)
        width = float(root.get("width", "0"))
        written = list(spans(root))
        assert len(written) > 10
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert width < 1250
        assert [line for start, end, line in written if start < 0 or end > width] == []


def test_scores_stand_beside_their_marks_and_at_their_height(one: dict[str, str]) -> None:
    rows = ONE.modes[0].accuracy
    means = [row.mean for row in rows.values() if row.mean is not None]
    assert len(means) == 4
    assert [text for text in texts(one[SCORES]) if re.fullmatch(r"\d\.\d\d", text)] == [figure(m) for m in means]
    heights = [y for _, y, _, _ in marks(one[SCORES])]
    # the axis runs from 5.35 at 0 to 1 at 250 pixels
    assert heights == pytest.approx([(5.35 - mean) / 4.35 * 250 for mean in means], abs=0.01)
    assert f"D1{rows['D1'].questions}" in texts(one[SCORES])
    ci = rows["D3"].ci
    assert ci is not None
    assert f"D3 {figure(rows['D3'].mean)} ({figure(ci[0])} to {figure(ci[1])}) over 3 of 3" in description(one[SCORES])


def test_changes_have_signs_and_a_line_at_zero(pair: dict[str, str]) -> None:
    changes = [change for run in PAIR for change in run.changes]
    assert sorted(signed(change.difference) for change in changes) == sorted(
        text for text in texts(pair[MODES]) if re.fullmatch(r"[+−]?\d\.\d\d", text)
    )
    assert "stroke-dasharray" in pair[MODES]
    assert [signed(value) for value in (0.126, -0.5, 0.001, -0.001, None)] == ["+0.13", "−0.50", "0.00", "0.00", "–"]


def test_an_average_is_the_product_along_each_curve(one: dict[str, str]) -> None:
    rows = ONE.modes[0].discrepancies
    for row in (*rows.forward.values(), *rows.backward.values()):
        assert f"average {figure(row.average, 3)}" in description(one[DISCREPANCIES])
        assert f"frequency {figure(row.frequency, 3)}" in description(one[DISCREPANCIES])
    top = max(float(text) for text in texts(one[DISCREPANCIES])[-60:] if re.fullmatch(r"0\.\d|1\.0", text))
    curves = re.findall(r'<path d="(M[^"]*)" stroke="#b0b0b0"', one[DISCREPANCIES])
    levels = set()
    for curve in curves:
        points = [(float(x) / 170, (1 - float(y) / 170)) for x, y in re.findall(r"([\d.]+),([\d.]+)", curve)]
        products = [x * y for x, y in points if y < 1]
        assert products == pytest.approx([products[-1]] * len(products), abs=0.005)
        levels.add(round(products[-1] * top, 2))
    assert len(levels) > 2
    assert {f"{level:g}" for level in levels} <= set(texts(one[DISCREPANCIES]))


def test_where_nothing_counts_there_is_no_panel(pair: dict[str, str]) -> None:
    # the prompt modes ask no D1: D1 → D2 is empty in both directions, and overall is D2 → D3 once more
    headings = [text for text in texts(pair[DISCREPANCIES]) if text.startswith(("zero-shot, ", "prompt-gold, "))]
    for way in ("forward", "backward"):
        assert [text for text in headings if text.startswith(f"prompt-gold, {way}")] == [
            f"prompt-gold, {way}{name}" for name in ("average", "D2 → D3")
        ]
        assert sum(text.startswith(f"zero-shot, {way}") for text in headings) == 4
    assert "D1 → D2 none counts" in description(pair[DISCREPANCIES])


def test_a_frequency_of_zero_is_explained(tmp_path: Path) -> None:
    run = result(trees=2)
    (numbers,) = run.modes
    row = numbers.discrepancies.forward["overall"]
    never = row.model_copy(update={"average": 0.0, "frequency": 0.0, "intensity": None, "intensity_ci": None})
    found = numbers.discrepancies.model_copy(update={"forward": {"overall": never}})
    changed = run.model_copy(update={"modes": (numbers.model_copy(update={"discrepancies": found}),)})
    path = discrepancies_picture(tmp_path / DISCREPANCIES, named([changed]), [])
    assert path is not None
    svg = path.read_text(encoding="utf-8")
    assert any("Marks at intensity 0" in text for text in texts(svg))
    assert "forwardD2 → D3" not in texts(svg)
    assert "forwardoverall" in texts(svg)


def test_eight_targets_are_told_apart_by_colour_or_shape(crowd: dict[str, str]) -> None:
    for name in (SCORES, DISCREPANCIES):
        # sizes differ between the panel and the legend, the order of letters and signs does not
        assert len({(re.sub(r"[\d.]+", "", shape), colour) for _, _, shape, colour in marks(crowd[name])}) == 8
        legend = [text for text in texts(crowd[name]) if "…" in text]
        assert any(text.startswith("openai@https://") and text.endswith("Turbo-of-2026") for text in legend)
        assert any(text.startswith("模型") for text in legend)


def test_boxes_have_five_numbers_and_a_mean(pair: dict[str, str], one: dict[str, str]) -> None:
    held = ONE.modes[0].min_k
    assert held is not None
    spreads = [spread for spread in held.by_depth.values() if spread is not None]
    assert len(spreads) == 4
    for spread in spreads:
        assert f"median {figure(spread.median)}, quartiles {figure(spread.q1)} to" in description(one[MIN_K])
    boxes = re.findall(r'd="M[\d.]+,([\d.]+)h22v([\d.]+)h-22Z" fill="white"', one[MIN_K])
    top = max(spread.maximum for spread in spreads) * 1.05 + 0.01  # at 0 pixels; 0 stands at 230
    upper = [(1 - float(y) / 230) * top for y, _ in boxes]
    lower = [(1 - (float(y) + float(height)) / 230) * top for y, height in boxes]
    assert upper == pytest.approx([spread.q3 for spread in spreads])
    assert lower == pytest.approx([spread.q1 for spread in spreads])
    gaps = PAIR[0].modes[0].min_k
    assert gaps is not None
    assert [f"quartile {row.quartile}" in description(pair[QUARTILE_GAPS]) for row in gaps.quartiles] == [True] * 4
    assert {"backward", "forward", "1lowest", "4highest"} <= set(texts(pair[QUARTILE_GAPS]))
    assert signed(gaps.quartiles[0].mean) in description(pair[QUARTILE_GAPS])


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    runs = named(PAIR)
    for draw in (scores_picture, min_k_picture):
        first, second = (draw(tmp_path / name, runs, []) for name in ("one.svg", "two.svg"))
        assert first is not None
        assert second is not None
        assert first.read_bytes().replace(b"one-", b"two-") == second.read_bytes()


def test_names_are_text_whatever_they_hold(tmp_path: Path) -> None:
    targets = ["<script>\"&'", "\x1b[2J\u202etegrat\uffff", " ", "__proto__", "</text>", "007", "{'expr': '1'}"]
    runs = named([result(target, min_k=True, trees=2) for target in targets])
    for draw in (scores_picture, min_k_picture):
        path = draw(tmp_path / "p.svg", runs, [])
        assert path is not None
        svg = path.read_text(encoding="utf-8")
        written = " ".join(texts(svg))
        assert not re.search("[\x00-\x08\x1b\u202e\uffff]", svg)
        for name in (
            "<script>\"&'",
            "␛[2J<U+202E>tegrat<U+FFFF>",
            "(no name)",
            "__proto__",
            "</text>",
            "007",
            "{'expr': '1'}",
        ):
            assert name in written


def test_two_runs_of_one_target_have_names_of_their_own() -> None:
    first, second = result("openai:gpt-5"), result("openai:gpt-5", run_id="x-depthqa-elements-0badcafe")
    assert list(named([first, second, first]))[1] == "openai:gpt-5 (0badcafe)"
    assert len(named([first, second, first])) == 3
    assert list(named([first])) == ["openai:gpt-5"]


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    runs = [bare(result(f"t{number}")) for number in range(MOST_TARGETS + 1)]
    runs[0] = runs[0].model_copy(update={"open_trees": ("2_d3", "3_d3")})
    written = texts(drawn(tmp_path, runs)[SCORES])
    assert any(
        "The first 12 of 13 targets are drawn." in text and "t0: 1 of 3 trees are finished." in text for text in written
    )
    assert {"t0", "t11"} <= set(written)
    assert "t12" not in written


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a file has that name"):
        save_plots(tmp_path / "file", [])
    with pytest.raises(UsageError, match="cannot be made"):
        save_plots(tmp_path / "file" / "below", [])
    (tmp_path / "plots" / SCORES).mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot be written"):
        save_plots(tmp_path / "plots", [bare(ONE)])


def test_nothing_heavy_is_imported_before_a_picture_is_drawn() -> None:
    code = "import sys, fathom.reports.views.depthqa.plots; print({'altair', 'vl_convert'} & set(sys.modules) or [])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
