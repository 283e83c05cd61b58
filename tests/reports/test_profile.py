"""`fathom profile`: the table, the document, and what is refused."""

import json
import re
from datetime import UTC, datetime
from typing import Any

from fathom.reports.views.profile.summary import profile_blocks
from fathom.state.profile import ProfileDocument
from fathom.stats.profile.figures import Run, profile_document

from ..contracts.recordings import recordings
from ..support.command_line import Caller, refused
from ..support.reports import events_of, flat, on_terminal, result_of, write_run
from ..support.screen import active_characters

DAY = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
HOSTILE = "\x1b[2J[bold]tea[/bold] \u202e" + "and a very long name of what it is about " * 3
REAL: dict[str, Any] = {"spec__target": "a:real", "simulated": False}
CUT: dict[str, Any] = {
    "status": "partial",
    "stop_reason": "budget",
    "stop_detail": "spent",
    "censored": "budget",
    "cost_usd": None,
}
SOLVED = {"n": 40, "count": 40, "share": 1.0, "ci": (0.91, 1.0)}
POSED = {"n": 40, "count": 12, "share": 0.3, "ci": (0.18, 0.45)}


def solver(**changes: Any) -> Any:
    """A DeepQuestion run with all problems solved and few posed."""
    numbers: dict[str, Any] = {f"original__{name}": value for name, value in SOLVED.items()}
    numbers |= {f"q2i__accuracy__{name}": value for name, value in POSED.items()}
    return result_of(
        "deepquestion", **numbers, q2i__distance=0.7, q2i__distance_ci=(0.53, 0.82), **changes
    )


def document(domain: str | None = None) -> ProfileDocument:
    """A simulated model with all four methods, and a real one with two drills, one of them cut
    off."""
    runs = [Run(result, DAY) for result in (*map(result_of, ("drill", "eqt", "depthqa")), solver())]
    cut = result_of("drill", **REAL, **CUT, run_id="drill-bbbb0002", spec__domain=HOSTILE)
    drill = result_of("drill", **REAL, run_id="drill-bbbb0001")
    return profile_document([*runs, Run(drill), Run(cut)], domain, ["An old run\x07 is gone."])


def test_the_table_has_every_figure_under_its_run_and_says_what_it_needs() -> None:
    wide, narrow = (
        on_terminal(profile_blocks(document()), 110),
        on_terminal(profile_blocks(document()), 60),
    )
    lines, told = [flat(line) for line in wide.splitlines()], flat(wide)
    assert not active_characters(wide + narrow)
    assert "[bold]tea[/bold]" in wide
    for line in (
        "drill · Chemical elements · a2bc086c · 2026-11-20 · USD 0 SIMULATED",
        "EVD of 4 ≥3.08 2.11–4.00 20 ████████▓▓▓▓░░░░",
        "original − Q2I +70 points +53 to +82 3 ████████▓▓▓░░",
        "cost of these runs: unknown · not measured: Explain-Query-Test, DepthQA, DeepQuestion",
        "· An old run␇ is gone.",
    ):
        assert line in lines, line
    assert "Contradictions: not checked (no two figures here" in told, (
        "the second model has drills alone"
    )
    assert "date unknown · cost unknown · partial" in told
    assert told.count("EVD compares models within a domain") == 1, (
        "the second model has EVDs of two domains"
    )
    assert (
        "Solves problems, cannot pose them: accuracy on originals 100% (91–100, at least 80%), Q2I "
        "accuracy 30%"
        " (18–45, at most 50%), original − Q2I +70 points (+53 to +82, at least +20 points)."
        in told
    )
    assert "Tango's paired score interval" in told
    assert "uses Newcombe's" in told
    assert "▓" not in narrow
    assert re.search(r"original − Q2I +\+70 points +\+53 to \+82", narrow)
    for width in (30, 44, 54):
        slim = [
            line.rstrip() for line in on_terminal(profile_blocks(document()), width).splitlines()
        ]
        assert any(line.split()[-5:] == ["+70", "points", "+53", "to", "+82"] for line in slim), (
            "no figure breaks"
        )
    assert "sim:student · Tea\n" in on_terminal(profile_blocks(document("Tea")), 110)


def test_runs_on_disk_become_one_document(call: Caller) -> None:
    runs = call.folder / "runs"
    for method, kind in (("drill", "complete"), ("depthqa_build", "complete"), ("eqt", "cut")):
        recordings(method)[kind].write(runs)
    drill, built, cut = (
        recordings(m)[k]
        for m, k in (("drill", "complete"), ("depthqa_build", "complete"), ("eqt", "cut"))
    )
    folder = write_run(runs, solver(), events_of("deepquestion"), {})
    words_ = (
        "profile",
        drill.short,
        str(folder),
        cut.short,
        built.short,
        drill.short,
        "--domain",
        " Chemistry ",
    )
    said = call(*words_, "--json")
    assert (said.code, said.err) == (0, "")
    found = ProfileDocument.model_validate_json(said.out)
    assert set(json.loads(said.out)) == set(json.loads(call("schema", "profile").out)["properties"])
    (profile,) = found.profiles
    started = events_of("drill")[0].at
    assert (found.domain, profile.rows[0].started, profile.rows[-1].run_ids) == (
        "Chemistry",
        started,
        (folder.name,),
    )
    assert found.notes[:2] == (
        f"{cut.name} has no result (unfinished): `fathom resume {cut.short}` goes on with it.",
        (
            f"{built.name} has no place in a profile: it builds a graph of questions and measures "
            "no model."
        ),
    )
    (folder / "events.jsonl").write_text("{}\n")
    without = call("profile", str(folder))
    assert (without.code, without.err) == (0, "")
    assert "DeepQuestion · problems · 2e2d9dca · date unknown · USD 0 SIMULATED" in without.out
    refused(call, ["profile", "zzzz"], "No run in runs is called 'zzzz'")
    refused(
        call,
        ["profile", cut.short, built.short],
        "nothing to make a profile of",
        "has no result",
        "has no place",
    )
    refused(call, ["profile", drill.short, "--domain", " "], "--domain is empty")
    (call.folder / "run.fathom").write_text("")
    refused(call, ["profile", "run.fathom"], "run.fathom is a bundle")
