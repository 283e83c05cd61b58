"""What holds for every picture of runs, whichever method they are of: recorded results under other
names."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fathom.reports.page.picture import save
from fathom.reports.page.remarks import SIMULATED
from fathom.reports.views.pictures import MOST_RUNS
from fathom.state.errors import UsageError

from ..support.depthqa.pictures import SVG, description, marks, spans, texts
from ..support.reports import Drawn, changed, plotted, result_of

DRAWN: Mapping[str, Callable[[Path, Sequence[Any]], list[Path]]] = {
    "drill": lambda folder, runs: plotted(folder, "drill", runs),
    "eqt": lambda folder, runs: plotted(folder, "eqt", runs),
    "depthqa": lambda folder, runs: plotted(folder, "depthqa", runs),
    "deepquestion": lambda folder, runs: plotted(folder, "deepquestion", runs),
}
LONG = "openai@https://inference.example.com:8443/v1:meta-llama/Llama-3.3-70B-Instruct-Turbo-of-2026"
NAMES = {
    "openai:gpt-5": "openai:gpt-5",
    LONG: "openai@https://",
    "模型" * 10: "模型模型",
    "<script>\"&'": "<script>\"&'",
    "\x1b[2J\u202etegrat\uffff": "␛[2J<U+202E>tegrat<U+FFFF>",
    " ": "(no name)",
    "__proto__": "__proto__",
    "{'expr': '1'}": "{'expr': '1'}",
}
"""Name → what of it stands in a picture."""
by_method = pytest.mark.parametrize("method", DRAWN)


def run_of(
    method: str, target: str, number: int = 0, *, simulated: bool = False, modes: int = 1
) -> Any:
    run = result_of(method)
    run = changed(run, modes=run.modes[:modes]) if method == "depthqa" else run
    return changed(
        run, spec__target=target, run_id=f"{run.run_id[:-2]}{number:02d}", simulated=simulated
    )


def drawn(method: str, folder: Path, runs: Sequence[Any]) -> dict[str, str]:
    """File name → SVG."""
    return {path.name: path.read_text(encoding="utf-8") for path in DRAWN[method](folder, runs)}


@by_method
def test_a_picture_can_be_read_alone_whatever_its_targets_are_called(
    method: str, tmp_path: Path
) -> None:
    found = drawn(
        method,
        tmp_path / "not" / "there",
        [run_of(method, name, n, modes=2) for n, name in enumerate(NAMES)],
    )
    assert found
    for name, svg in found.items():
        root = ElementTree.fromstring(svg)
        assert re.findall(r'(?:xmlns|href|src)[^=\s]*="([^"]*)"|url\(', svg) == [
            "http://www.w3.org/2000/svg"
        ]
        assert not [
            node
            for node in root.iter()
            if node.tag in {f"{SVG}{tag}" for tag in ("image", "script", "style")}
        ]
        assert set(re.findall(r'font-family="([^"]*)"', svg)) == {"sans-serif"}
        assert not re.search("[\x00-\x08\x1b\u202e\uffff]", svg)
        assert root.get("role") == "img"
        assert root.findtext(f"{SVG}title") in texts(svg)
        said = " ".join(texts(svg))
        assert [words for words in NAMES.values() if words not in said] == []
        assert "<script>\"&'" in description(svg)
        assert SIMULATED not in said
        width, lines = float(root.get("width", "0")), list(spans(root))
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert len(lines) > 10
        assert width < 1250
        assert [line for start, end, line in lines if start < 0 or end > width] == []
        told_apart = {
            (re.sub(r"[\d.]+", "", shape), colour) for _, _, shape, colour in marks(svg)
        }
        assert len(told_apart) == len(NAMES), f"{name}: by colour or shape"


def test_simulated_numbers_say_so(tmp_path: Path) -> None:
    """Of a drill, where one of two runs is simulated; the other methods' pictures are goldens, of
    simulated runs."""
    found = drawn(
        "drill",
        tmp_path,
        [run_of("drill", "sim:a", 1, simulated=True), run_of("drill", "sim:b", 2)],
    )
    assert [
        name
        for name, svg in found.items()
        if SIMULATED not in " ".join(texts(svg)) + description(svg)
    ] == []
    assert [
        name
        for name, svg in found.items()
        if not re.search("95% ?interval", "".join(texts(svg)))
    ] == []


def test_the_same_numbers_give_the_same_bytes() -> None:
    runs = [run_of("deepquestion", "a", 1), run_of("deepquestion", "b", 2)]
    one, again = (Drawn("deepquestion", runs)["drop.svg"] for _ in range(2))
    assert one == again


@pytest.mark.parametrize("method", ["depthqa", "deepquestion"])
def test_of_many_targets_the_first_are_drawn(method: str) -> None:
    runs = [run_of(method, f"t{number:02d}", number) for number in range(MOST_RUNS + 1)]
    runs[0] = runs[0].model_copy(update={"status": "partial"})
    svg = next(iter(Drawn(method, runs).values()))
    said = " ".join(texts(svg))
    assert "The first 12 of 13 runs are drawn." in said
    assert "t00 is not finished." in said
    assert {"t00", "t11"} <= set(texts(svg))
    assert "t12" not in texts(svg)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    method, run = "drill", run_of("drill", "t")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        DRAWN[method](tmp_path / "file", [run])
    with pytest.raises(UsageError, match="cannot be written"):
        DRAWN[method](tmp_path / "file" / "below", [run])
    (first, *_) = DRAWN[method](tmp_path / "plots", [run])
    first.unlink()
    first.mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        DRAWN[method](tmp_path / "plots", [run])


def test_a_picture_is_written_as_its_suffix_says(tmp_path: Path) -> None:
    (one, *_) = Drawn("drill", [run_of("drill", "t")]).pictures.values()
    for name, begins in {"p.svg": b"<svg", "p.png": b"\x89PNG", "p.pdf": b"%PDF"}.items():
        (path,) = save(tmp_path / "new" / name, [one])
        assert path.name == name
        assert path.read_bytes().startswith(begins)
    assert [each.name for each in save(tmp_path / "p.svg", [one, one])] == [
        f"p-{one.name}.svg"
    ] * 2
