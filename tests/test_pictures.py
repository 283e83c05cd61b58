"""docs/ holds what the program draws from its recorded runs, and the README's figures are
theirs."""

import lzma
import re
from pathlib import Path

import pytest

from .support.benches import load_bench

bench = load_bench("pictures")
README = (bench.DOCS.parent / "README.md").read_text(encoding="utf-8")
PAGES = [README, *(page.read_text(encoding="utf-8") for page in bench.DOCS.glob("*.md"))]
WIDTH = 830
"""Pixels that a page gives a picture."""


def test_pictures_are_those_of_the_recorded_runs(tmp_path: Path) -> None:
    drawn = {path.name: path.read_bytes() for path in bench.draw(bench.recorded(), tmp_path)}
    stale = [name for name, svg in drawn.items() if svg != (bench.DOCS / name).read_bytes()]
    assert not stale, (
        f"{', '.join(stale)} in docs/ are not what the program draws: run `make pictures` and "
        "look at them."
    )
    assert (
        {path.name for path in bench.DOCS.glob("*.svg")}
        == {*drawn}
        == set(re.findall(r"\]\((?:docs/)?(\w+\.svg)\)", "\n".join(PAGES)))
    )
    for name, svg in drawn.items():
        text = svg.decode()
        assert {part.split('"')[0] for part in text.split('="http')[1:]} == {
            "://www.w3.org/2000/svg"
        }, name
        assert not re.search("@font-face|@import|<script", text), name
        box = re.search(r'viewBox="0 0 ([\d.]+) ', text)
        assert box is not None
        shrunk = min(1.0, WIDTH / float(box[1]))
        smallest = min(
            float(size) * shrunk for size in re.findall(r'font-size[=:]\s?"?([\d.]+)', text)
        )
        assert round(smallest, 1) >= 11, (
            f"{name} has text {smallest:.1f} pixels high on a page {WIDTH} wide"
        )
    assert not re.search(
        rb"/(tmp|home|root|work|Users)/", lzma.decompress(bench.RECORDING.read_bytes())
    )


def test_the_readme_tells_the_calls_of_the_recorded_drills() -> None:
    """Of a drill of nine depths, by those at each depth of the recorded ones."""
    found = re.search(
        r"A drill of depth 9 at N=30 makes about ([\d,]+) calls, most of them to the\s+evaluator",
        README,
    )
    assert found is not None
    told = int(found[1].replace(",", ""))
    drills = bench.recorded().of(bench.DrillResult)
    assert {drill.spec.n for drill in drills} == {30}
    for drill in drills:
        calls = {role: usage.calls for role, usage in drill.usage.items()}
        made = 9 * sum(calls.values()) / len(drill.depths)
        assert told == pytest.approx(made, abs=100), (
            f"the recorded drill makes {made:,.0f} calls: say so in README.md"
        )
        assert 2 * calls["evaluator"] > sum(calls.values())
