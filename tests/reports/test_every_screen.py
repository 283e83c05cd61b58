"""What holds of whatever is shown of a run of any method: it fits, it cannot act, nothing that matters is missing."""

import re
from dataclasses import replace
from pathlib import Path

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.reports.live.display import TreeDisplay
from fathom.reports.live.progress import progress_of
from fathom.reports.page.remarks import SIMULATED
from fathom.state.events import EVENT, Notice, RunFinished, RunResumed

from ..goldens.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import (
    GAUGE,
    changed,
    events_of,
    flat,
    fragment,
    framed,
    hostile,
    interleaved,
    launched,
    lined,
    printed,
    real,
    result_of,
    rewritten_result,
    write_run,
)
from ..support.screen import active_characters, screen, written
from ..test_goldens import PARTS

by_method = pytest.mark.parametrize("method", METHODS)
WIDTHS = (40, 50, 60, 80, 96, 122, 140)
PROBES = dict.fromkeys(("drill", "replay", "rejudge"), "probe")
"""What runs of these methods consist of; of the others it is steps."""
HEADLINE = {
    "drill": "EVD ",
    "eqt": "accuracy ",
    "depthqa": "zero-shot: mean score ",
    "deepquestion": "original ",
}
"""How the line begins that says what was found, of the methods that put it where it is seen."""


def fits(text: str, width: int) -> None:
    """No line is wider than the screen, and nothing of it acts on the terminal."""
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert not active_characters(text)


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_a_summary_fits_whatever_others_have_written(method: str, kind: str) -> None:
    result = rewritten_result(method, kind, hostile)
    for width in WIDTHS:
        fits(printed(result, width), width)
    assert "[red]超流動[/red]" in printed(result), "markup is shown as it is"


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_no_number_of_a_summary_is_cut(method: str, kind: str) -> None:
    """Of texts words are cut, so theirs have no digits here."""
    result = rewritten_result(method, kind, lambda text: re.sub(r"[\d.]", "x", text))
    for width in WIDTHS[1:]:
        assert not re.search(r"[\d.%–]…", printed(result, width)), width


@by_method
def test_a_part_in_full_fits_whatever_others_have_written(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    result, events = rewritten_result(method, "complete", hostile), events_of(method, change=hostile)
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
    """It fits, names what would go on with it, and says that it is simulated; of real models it does not."""
    events = events_of(method, "cut", change=hostile)
    for width in WIDTHS:
        fits(fragment(events, width), width)
    text = fragment(events_of(method, "cut"))
    assert f"INTERRUPTED: resume with `fathom resume {recordings(method)['cut'].short}`." in text
    assert SIMULATED in text
    assert "EVD" not in text or method == "drill"
    assert "RUNNING: no result yet." in fragment(events, running=True)
    assert "INTERRUPTED" in fragment(events[:1]), "nothing came yet"
    assert "SIMULATED" not in fragment(real(method))


@by_method
def test_a_run_that_ended_without_a_result_is_said_to_have_none(method: str) -> None:
    end = {"status": "failed", "stop_reason": "failed", "evd": None, "evd_ci": None, "cost_usd": None, "wall_s": 1.0}
    (first, *_) = events_of(method)
    text = fragment([first, RunFinished.model_validate({"run_id": first.run_id, **end})])
    assert "NO RESULT: failed." in text
    assert "failed: failed" not in text, "nothing is said twice"
    faults = RunFinished.model_validate({"run_id": first.run_id, **end, "stop_reason": "infrastructure"})
    assert f"NO RESULT: failed: too many {PROBES.get(method, 'step')}s failed." in fragment([first, faults])


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
    place = next(n for n, line in enumerate(lines) if '"cost_usd":0.0' in line and '"cached":true' not in line)
    lines[place] = lines[place].replace('"cost_usd":0.0', '"cost_usd":null', 1)
    events = [EVENT.validate_json(line) for line in lines]
    assert "cost unknown" in framed(events), "one such call makes the sum unknown"
    assert "cost unknown" in fragment(events)


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_what_was_spent_on_the_screen_is_what_the_result_says(method: str, kind: str) -> None:
    """What the cache has answered costs nothing again; two runs in one stream are kept apart; time stops at the end."""
    usage = result_of(method, kind).usage.values()
    other = events_of("drill", run="b1b1b1b1")
    runs = progress_of(interleaved(events_of(method, kind), other)).runs
    run = runs[result_of(method, kind).run_id]
    assert run.spend.calls == sum(role.calls - role.cached for role in usage)
    assert run.spend.input_tokens == sum(role.input_tokens for role in usage)
    assert runs[other[0].run_id].evd == result_of("drill").evd
    assert run.last is not None
    assert run.elapsed_s(run.last.replace(year=2030)) == result_of(method, kind).wall_s


# the live screen


@pytest.mark.parametrize("several", [False, True])
@by_method
def test_the_screen_fits_at_every_moment(method: str, several: bool) -> None:
    one = events_of(method, "faults", change=hostile)
    events = interleaved(one, events_of(method, run="b1b1b1b1")) if several else one

    @settings(max_examples=25)
    @given(st.integers(20, 210), st.integers(4, 70), st.integers(1, len(events)))
    def check(width: int, height: int, cut: int) -> None:
        text = framed(events[:cut], width, height)
        fits(text, width)
        lines = text.splitlines()
        assert 0 < len(lines) < height
        assert cell_len(lines[-1]) <= max(1, width - len("^C^C")), "what a terminal echoes there breaks no line"

    check()


@by_method
def test_each_frame_replaces_the_one_before(method: str) -> None:
    """On an emulated terminal, of two runs: nothing is pushed off the top."""
    width, height = 80, 24
    events = interleaved(events_of(method), events_of(method, "faults", change=hostile))
    console = screen(width, height, colour=True)
    display = TreeDisplay(console, lambda: GAUGE, lambda: events[-1].at)
    display.start()
    for number, event in enumerate(events):
        display.handle(event)
        if number % 25 == 0:
            display.refresh()
    display.stop()
    terminal = pyte.HistoryScreen(width, height, history=1000)
    terminal.set_mode(pyte.modes.LNM)  # a terminal driver adds the carriage return to each line feed
    pyte.Stream(terminal).feed(written(console))
    assert not terminal.history.top
    assert sum(row.startswith("  run ") for row in terminal.display) == 1
    assert any(row.startswith("calls in flight 3 of 8") for row in terminal.display)
    assert not terminal.cursor.hidden


@by_method
def test_a_stop_is_said_first_and_not_when_all_is_over(method: str) -> None:
    events = events_of(method)
    for width in (60, 200):
        last = framed(events[:-1], width, 24, replace(GAUGE, stopping=7)).splitlines()[-1]
        unit = PROBES.get(method, "step")
        assert last.startswith(f"stopping: 7 {unit}s in flight, Ctrl-C again to leave now")
        assert ("✓" in last) == (width == 200), "what the signs mean gives way"
    assert "stopping" not in framed(events, 120, 24, replace(GAUGE, stopping=0))


@by_method
def test_a_stream_without_its_start_and_a_run_that_has_not_begun(method: str) -> None:
    assert framed(events_of(method)[5:30])
    events = [*events_of(method)[:30], Notice(run_id="x-c1", level="info", message="waits")]
    row = next(line for line in framed(events, 100, 30).splitlines() if line.startswith("▸ c1 "))
    assert "–" in row


@by_method
def test_many_runs_are_counted_where_they_do_not_fit(method: str) -> None:
    whole = [events_of(method, run=f"{number:08}") for number in range(6)]
    begun = [events_of(method, run=f"{number:08}")[:8] for number in range(6, 30)]
    text = framed(interleaved(*whole, *begun), 100, 31)
    assert re.search(r"… \d+ more runs; 6 of 30 finished", text)
    assert "6 of 30 runs finished · " in text
    assert len(text.splitlines()) <= 30


@by_method
def test_the_newest_notices_stand_where_there_is_room(method: str) -> None:
    events = events_of(method)[:-1]
    told = [Notice(run_id=events[0].run_id, level="warning", message=f"notice {n}") for n in range(9)]
    for height, shown in ((40, 3), (14, 1), (7, 0)):
        text = framed([*events, *told], 100, height)
        assert re.findall(r"^warning: notice (\d)", text, re.MULTILINE) == [str(n) for n in range(9)][9 - shown :]


def test_nothing_yet() -> None:
    assert "waiting for the first run" in framed([], 80, 24)


# plain lines


@by_method
def test_each_milestone_is_one_line_whatever_others_have_written(method: str) -> None:
    events = events_of(method, "faults", change=hostile)
    lines = lined(events)
    assert not active_characters("\n".join(lines))
    assert all(re.match(r"\d\d:\d\d:\d\d \w{8} ", line) for line in lines)
    again = RunResumed(run_id=events[0].run_id, spec=events[0].spec, version="0.1.0", probes=120)
    assert lined([again])[0].endswith(f"resumed with 120 finished {PROBES.get(method, 'step')}s")


# the end of a launch


@pytest.mark.parametrize("method", HEADLINE)
def test_the_headline_comes_last_on_a_terminal_and_first_on_a_pipe(method: str) -> None:
    kept = Path("runs") / ("long" * 30)
    piped, seen = (launched([result_of(method)], 150, colour=colour, kept=kept) for colour in (False, True))
    whole = printed(result_of(method), 150, kept)
    best = next(line for line in whole.splitlines() if line.startswith(HEADLINE[method]))
    for text, place in ((piped, slice(0, 5)), (seen, slice(-4, None))):
        assert best in text.splitlines()[place]
        assert text.count(best) == 1
        assert SIMULATED in "\n".join([*text.splitlines()[:5], *text.splitlines()[-9:]])
        assert text.count(f"Results: {kept}\n") == 1, "never broken: a path that was cut cannot be copied"
        short = re.search(r"(\d+ deviations?) from the published method: `fathom show (\w+)` lists them", text)
        assert short
        assert short[2] == recordings(method)["complete"].short
        listed = whole.split("deviates from the published method\n")[1].split("\n\n")[0].splitlines()
        assert short[1].split()[0] == str(len([line for line in listed if line.startswith("· ")]))
    order = [seen.index(part) for part in ("Calls and cost", "Results: ", SIMULATED)]
    assert order == sorted(order)


@pytest.mark.parametrize(("method", "table"), [("drill", "By depth"), ("eqt", "By concept")])
def test_a_few_runs_are_shown_in_full_and_many_by_their_headline(method: str, table: str) -> None:
    result = result_of(method)
    best = next(line for line in printed(result, 150).splitlines() if line.startswith(HEADLINE[method]))
    for number, in_full in ((3, 3), (4, 0)):
        text = launched([changed(result, run_id=f"x-{n:08}") for n in range(number)], 150, kept=Path("runs/here"))
        assert text.count(table) == in_full
        assert text.count(best) == number
        assert text.count("Results: runs/here") == number
