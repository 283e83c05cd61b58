"""What holds of whatever is shown of a run of any method: it fits, it cannot act, nothing that
matters is missing."""

import re
from pathlib import Path

import pytest

from fathom.reports.page.remarks import SIMULATED
from fathom.state.events import EVENT

from ..contracts.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import (
    changed,
    events_of,
    fits,
    flat,
    fragment,
    framed,
    hostile,
    lined,
    printed,
    real,
    result_of,
    rewritten_result,
    write_run,
)
from ..test_goldens import PARTS

by_method = pytest.mark.parametrize("method", METHODS)
WIDTHS = {"complete": (40, 60, 140), "faults": (50, 122), "cut": (40, 80, 122)}


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_a_summary_fits_whatever_others_have_written(method: str, kind: str) -> None:
    result = rewritten_result(method, kind, hostile)
    for width in WIDTHS[kind]:
        fits(printed(result, width), width)
    assert "[red]超流動[/red]" in printed(result), "markup is shown as it is"


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_no_number_of_a_summary_is_cut(method: str, kind: str) -> None:
    """Of texts words are cut, so theirs have no digits here."""
    result = rewritten_result(method, kind, lambda text: re.sub(r"[\d.]", "x", text))
    for width in WIDTHS[kind][-2:]:
        assert not re.search(r"[\d.%–]…", printed(result, width)), width


@by_method
def test_a_part_in_full_fits_whatever_others_have_written(
    method: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    result, events = (
        rewritten_result(method, "complete", hostile),
        events_of(method, change=hostile),
    )
    write_run(tmp_path / "runs", result, events, recordings(method)["complete"].files)
    for path in PARTS[method]:
        for width in (60, 100):
            monkeypatch.setenv("COLUMNS", str(width))
            said = call("show", result.run_id, "--path", path)
            fits(said.out, width)
            assert "[red]超流動[/red]" in flat(said.out), said.err
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        fits(call("list").out, width)


@by_method
def test_what_there_is_of_a_run_without_a_result(method: str) -> None:
    """It fits, names what would go on with it, and says that it is simulated; of real models it
    does not."""
    events = events_of(method, "cut", change=hostile)
    for width in WIDTHS["cut"]:
        fits(fragment(events, width), width)
    text = fragment(events_of(method, "cut"))
    assert (
        f"INTERRUPTED: resume with `fathom resume {recordings(method)['cut'].short}`." in text
    )
    assert SIMULATED in text
    assert "EVD" not in text or method == "drill"
    assert "RUNNING: no result yet." in fragment(events, running=True)
    assert "INTERRUPTED" in fragment(events[:1]), "nothing came yet"
    assert "SIMULATED" not in fragment(real(method))


@by_method
def test_simulated_numbers_are_labelled_and_others_are_not(method: str) -> None:
    result = result_of(method)
    assert SIMULATED in printed(result)
    assert "SIMULATED" not in printed(changed(result, simulated=False))
    for shown in (framed, lined):
        assert "SIMULATED" in str(shown(events_of(method)))
        assert "SIMULATED" not in str(shown(real(method)))


@by_method
def test_an_unknown_price_is_said(method: str) -> None:
    result = result_of(method)
    assert "unknown" in printed(changed(result, cost_usd=None)).split("Calls and cost")[1]
    assert "USD 0" in framed(events_of(method))
    lines = recordings(method)["complete"].journal[:-1]
    place = next(
        n
        for n, line in enumerate(lines)
        if '"cost_usd":0.0' in line and '"cached":true' not in line
    )
    lines[place] = lines[place].replace('"cost_usd":0.0', '"cost_usd":null', 1)
    events = [EVENT.validate_json(line) for line in lines]
    assert "cost unknown" in framed(events), "one such call makes the sum unknown"
    assert "cost unknown" in fragment(events)


# the end of a launch
