"""What holds of whatever is shown of a run of any method: it fits, it cannot act, nothing that
matters is missing."""

import re
from pathlib import Path

import pytest

from fathom.reports.live.progress import progress_of
from fathom.reports.page.remarks import SIMULATED
from fathom.state.events import EVENT, RunFinished

from ..goldens.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import (
    changed,
    events_of,
    fits,
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
from ..test_goldens import PARTS

by_method = pytest.mark.parametrize("method", METHODS)
WIDTHS = {"complete": (40, 60, 140), "faults": (50, 122), "cut": (40, 80, 122)}
PROBES = dict.fromkeys(("drill", "replay", "rejudge"), "probe")
"""What runs of these methods consist of; of the others it is steps."""
HEADLINE = {
    "drill": "Expected valid depth (EVD) ",
    "eqt": "accuracy ",
    "depthqa": "zero-shot: mean score ",
    "deepquestion": "original ",
}
"""How the line begins that says what was found, of the methods that put it where it is seen."""


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
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
    assert f"INTERRUPTED: resume with `fathom resume {recordings(method)['cut'].short}`." in text
    assert SIMULATED in text
    assert "EVD" not in text or method == "drill"
    assert "RUNNING: no result yet." in fragment(events, running=True)
    assert "INTERRUPTED" in fragment(events[:1]), "nothing came yet"
    assert "SIMULATED" not in fragment(real(method))


@by_method
def test_a_run_that_ended_without_a_result_is_said_to_have_none(method: str) -> None:
    end = {
        "status": "failed",
        "stop_reason": "failed",
        "evd": None,
        "evd_ci": None,
        "cost_usd": None,
        "wall_s": 1.0,
    }
    (first, *_) = events_of(method)
    text = fragment([first, RunFinished.model_validate({"run_id": first.run_id, **end})])
    assert "NO RESULT: failed." in text
    assert "failed: failed" not in text, "nothing is said twice"
    faults = RunFinished.model_validate(
        {"run_id": first.run_id, **end, "stop_reason": "infrastructure"}
    )
    assert f"NO RESULT: failed: too many {PROBES.get(method, 'step')}s failed." in fragment(
        [first, faults]
    )


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


@pytest.mark.parametrize("kind", ["complete", "faults"])
@by_method
def test_what_was_spent_on_the_screen_is_what_the_result_says(method: str, kind: str) -> None:
    """What the cache has answered costs nothing again; two runs in one stream are kept apart; time
    stops at the end."""
    usage = result_of(method, kind).usage.values()
    other = events_of("drill", run="b1b1b1b1")
    runs = progress_of(interleaved(events_of(method, kind), other)).runs
    run = runs[result_of(method, kind).run_id]
    assert run.spend.calls == sum(role.calls - role.cached for role in usage)
    assert run.spend.input_tokens == sum(role.input_tokens for role in usage)
    assert runs[other[0].run_id].evd == result_of("drill").evd
    assert run.last is not None
    assert run.elapsed_s(run.last.replace(year=2030)) == result_of(method, kind).wall_s


# the end of a launch


@pytest.mark.parametrize("method", HEADLINE)
def test_the_headline_comes_first_and_on_a_terminal_again_at_the_end(method: str) -> None:
    kept = Path("runs") / ("long" * 60)
    piped, seen = (
        launched([result_of(method)], 150, colour=colour, kept=kept) for colour in (False, True)
    )
    whole = printed(result_of(method), 150, kept)
    best = next(line for line in whole.splitlines() if line.startswith(HEADLINE[method]))
    for text, places in ((piped, [slice(0, 5)]), (seen, [slice(0, 5), slice(-8, None)])):
        assert all(best in text.splitlines()[place] for place in places)
        assert text.count(best) == len(places)
        assert SIMULATED in "\n".join([*text.splitlines()[:5], *text.splitlines()[-11:]])
        assert text.count(f"Results: {kept}\n") == 1, (
            "never broken: a path that was cut cannot be copied"
        )
        short = re.search(
            r"(\d+ deviations?) from the published method: `fathom show (\w+)` lists them", text
        )
        assert short
        assert short[2] == recordings(method)["complete"].short
        listed = (
            whole.split("deviates from the published method\n")[1].split("\n\n")[0].splitlines()
        )
        assert short[1].split()[0] == str(len([line for line in listed if line.startswith("· ")]))
    assert "from the published method: the result lists them" in flat(launched([result_of(method)]))
    order = [seen.rindex(part) for part in ("Calls and cost", "Results: ", SIMULATED)]
    assert order == sorted(order)


@pytest.mark.parametrize(("method", "table"), [("drill", "By depth"), ("eqt", "By concept")])
def test_a_few_runs_are_shown_in_full_and_many_by_their_headline(method: str, table: str) -> None:
    result = result_of(method)
    kept = Path("runs") / ("long" * 60)
    best = next(
        line for line in printed(result, 150).splitlines() if line.startswith(HEADLINE[method])
    )
    for number, in_full in ((3, 3), (4, 0)):
        text = launched(
            [changed(result, run_id=f"x-{n:08}") for n in range(number)], 150, kept=kept
        )
        assert text.count(table) == in_full
        assert text.count(best) == number
        assert text.count(f"Results: {kept}\n") == number
