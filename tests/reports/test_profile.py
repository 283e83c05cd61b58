"""`fathom profile`: the table, the picture, the document, and what is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from fathom.reports.views.profile import words
from fathom.reports.views.profile.plot import save_profile_plot
from fathom.reports.views.profile.summary import profile_report
from fathom.state.events import RunStarted
from fathom.state.profile import Ground, ProfileDocument
from fathom.stats.profile.figures import Run, profile_document

from ..support.command_line import Caller, refused
from ..support.depthqa import synthetic as synthetic_depthqa
from ..support.depthqa.pictures import description, spans, texts
from ..support.screen import active_characters, shown
from ..support.synthetic_profile import DEEP, DRILL, deepquestion, depthqa, drill, eqt, load, row

DAY = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
HOSTILE = "\x1b[2J[bold]tea[/bold] \u202e" + "and a very long name of what it is about " * 3


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


def document(domain: str | None = None) -> ProfileDocument:
    """A simulated model with all four methods, and a real one with two drills, one of them cut off."""
    cut = drill("a:real", "drill-bbbb0002", {"domain": HOSTILE}, status="partial", censored="budget", cost_usd=None)
    late = deepquestion(q2s=(load("some", 2, 32, 40, (-0.22, 0.35)),))
    runs = [Run(result, DAY) for result in (drill(), eqt(), depthqa(), late)]
    return profile_document(
        [*runs, Run(drill("a:real", "drill-bbbb0001")), Run(cut)], domain, ["An old run\x07 is gone."]
    )


def test_the_table_has_every_figure_under_its_run_and_says_what_it_needs() -> None:
    wide, narrow = shown(profile_report(document(), width=110), 110), shown(profile_report(document(), width=60), 60)
    lines = [" ".join(line.split()) for line in wide.splitlines()]
    assert not active_characters(wide + narrow)
    assert "[bold]tea[/bold]" in wide
    for line in (
        "drill · Chemical elements · aaaa0001 · 2026-11-20 · USD 0.0558 SIMULATED",
        "EVD of at most 15 1.47 1.18–1.84 n 90 ██",
        "accuracy, common tier 60% 50–70 n 90 ██████████▓▓░░",
        "DeepQuestion · gsm8k · aaaa0004 · 2026-11-20 · USD 0.50 SIMULATED",
        "Q2S accuracy, 2 distractors 80% 65–90 n 40 █████████████▓▓▓░░",
        "original − Q2S, 2 distractors +20 points −22 to +35 n 40 ▓▓▓▓░░░",
        "EVD of at most 15 ≥1.47 1.18–1.84 n 90 ██",
        "cost of these runs: unknown · not measured: Explain-Query-Test, DepthQA, DeepQuestion",
        "No contradictions beyond the 95% intervals.",
        "· An old run␇ is gone.",
    ):
        assert line in lines, line
    assert "date unknown · cost unknown · partial" in " ".join(lines)
    assert wide.count("EVD compares models within a domain") == 1, "the second model has EVDs of two domains"
    told = " ".join(wide.split())
    assert (
        "Solves problems, cannot pose them: accuracy on originals 100% (91–100, at least 80%), Q2I accuracy 30%"
        " (18–45, at most 50%), original − Q2I +70 points (+53 to +82, at least +20 points)." in told
    )
    assert "Tango's score interval of a paired difference" in told
    assert "Newcombe's of two independent shares" in told
    assert "▓" not in narrow
    assert "original − Q2I                 +70 points  +53 to +82" in narrow
    for width in (30, 44, 56):
        slim = [line.rstrip() for line in shown(profile_report(document(), width=width), width).splitlines()]
        place = next(at for at, line in enumerate(slim) if "Q2S accuracy, 2" in line)
        assert slim[place : place + 2] == ["  Q2S accuracy, 2 distractors", "         80%  65–90"], "no row breaks"
        assert "  +20 points  −22 to +35" in slim
    assert "sim:student · Tea\n" in shown(profile_report(document("Tea"), width=110), 110)


def test_the_picture_has_a_mark_for_every_figure_and_cuts_nothing_off(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    made = document()
    svg = save_profile_plot(tmp_path / "p.svg", made).read_text(encoding="utf-8")
    rows = [row for profile in made.profiles for row in profile.rows]
    root = ElementTree.fromstring(svg)
    assert not active_characters(svg)
    figures = [text for text in texts(svg) if ("(" in text and "–" in text) or " to +" in text]
    assert len(figures) == len(rows)
    assert {"≥1.47 (1.18–1.84)", "+70 points (+53 to +82)", ".125 (.085–.165)"} <= set(texts(svg))
    assert {"Accuracy (higher is better)", "Gaps (lower is better)", "−20%", "a:real", "sim:student"} <= set(texts(svg))
    assert any(text.startswith("EVD of at most 15 · ") and "tea" in text for text in texts(svg))
    assert any(text.startswith("SIMULATED: the numbers of sim:student come from") for text in texts(svg))
    assert "SIMULATED: these" not in svg
    assert "bbbb0002 is partial" in description(svg)
    assert "sim:student: original − Q2I +70 points (+53 to +82)." in description(svg)
    assert [line for start, end, line in spans(root) if start < 0 or end > float(root.get("width", "0"))] == []


def test_what_is_simulated_and_what_differs_is_said_of_the_runs_it_is_of(tmp_path: Path) -> None:
    real, judged = drill("a:real", "drill-bbbb0001"), deepquestion("a:real")
    sim = judged.model_copy(update={"run_id": "deep-cccc0003", "simulated": True})
    other = sim.model_copy(update={"spec": sim.spec.model_copy(update={"judge": "sim:judge"})})
    made = profile_document([Run(real), Run(judged), Run(other)])
    told = " ".join(shown(profile_report(made, width=110), 110).split())
    assert "SIMULATED: the runs marked so come from the simulated world" in told
    assert "beside another run with other settings; here judge sim:judge" in told
    described = description(save_profile_plot(tmp_path / "p.svg", made).read_text(encoding="utf-8"))
    assert "SIMULATED: the numbers of a:real in cccc0003 come from the simulated world" in described
    assert "cccc0003 has judge sim:judge" in described


@pytest.mark.parametrize(
    ("measure", "side", "limit", "ends", "said"),
    [
        ("drop_some", "more than", 0.0, (0.004, 0.25), "lower end 0.4, more than 0 points"),
        ("drop_some", "more than", 0.0, (0.03, 0.25), "more than 0 points"),
        ("original", "at least", 0.8, (0.8004, 0.9), "lower end 80.04, at least 80%"),
        ("q2i", "at most", 0.5, (0.3, 0.496), "upper end 49.6, at most 50%"),
        ("evd", "at most", 3.0, (1.0, 2.9951), "upper end 2.995, at most 3.00"),
        ("backward", "at least", 0.1, (0.1, 0.3), "lower end on the limit"),
    ],
)
def test_no_limit_looks_like_the_end_that_is_beyond_it(
    measure: str, side: Any, limit: float, ends: tuple[float, float], said: str
) -> None:
    assert words.limit(Ground(row=row(measure, *ends), side=side, limit=limit)) == said


def keep(runs: Path, name: str, result: BaseModel | None, spec: BaseModel | None = None) -> Path:
    """A run folder with its beginning, and its result where there is one."""
    folder = runs / name
    folder.mkdir(parents=True)
    held = spec or getattr(result, "spec", None)
    start = {"run_id": name, "spec": held, "spec_digest": "0", "version": "0.1.0", "simulated": True}
    began = RunStarted.model_validate({**start, "seq": 1, "at": DAY})
    (folder / "events.jsonl").write_text(began.model_dump_json() + "\n", encoding="utf-8")
    if result is not None:
        (folder / "result.json").write_text(result.model_dump_json(by_alias=True), encoding="utf-8")
    return folder


def test_runs_on_disk_become_one_document(call: Caller) -> None:
    runs = call.folder / "runs"
    first, built = drill(), synthetic_depthqa.build_result()
    keep(runs, DRILL, first)
    folder = keep(runs, DEEP, deepquestion())
    keep(runs, "20261101-cut-cccc0001", None, first.spec)
    keep(runs, "20261102-built-cccc0002", built)
    words = ("profile", "aaaa0001", str(folder), "cccc0001", "cccc0002", "aaaa0001", "--domain", " Chemistry ")
    said = call(*words, "--json", "--plot", "profile.svg")
    assert (said.code, said.err) == (0, "The picture is written to profile.svg.\n")
    found = ProfileDocument.model_validate_json(said.out)
    schema = json.loads(call("schema", "profile").out)
    assert set(json.loads(said.out)) == set(schema["properties"])
    (profile,) = found.profiles
    assert (found.domain, profile.rows[0].started, profile.rows[-1].run_ids) == ("Chemistry", DAY, (DEEP,))
    assert found.notes[:2] == (
        "20261101-cut-cccc0001 has no result (unfinished): `fathom resume cccc0001` goes on with it.",
        "20261102-built-cccc0002 has no place in a profile: it builds a graph of questions and measures no model.",
    )
    assert "SIMULATED: these numbers" in description((call.folder / "profile.svg").read_text(encoding="utf-8"))
    (folder / "events.jsonl").write_text("{}\n")
    shown_ = call("profile", str(folder))
    assert (shown_.code, shown_.err) == (0, "")
    assert "DeepQuestion · gsm8k · aaaa0004 · date unknown · USD 0.50 SIMULATED" in shown_.out
    listed = call("list").out
    for line in ("drill", "EVD 1.47", "deepquestion", "gsm8k", "100% Q2S 80% Q2I 30%"):
        assert line in listed
    refused(call, ["profile", "zzzz"], "No run in runs is called 'zzzz'")
    refused(call, ["profile", "cccc0001", "cccc0002"], "nothing to make a profile of", "has no result", "has no place")
    refused(call, ["profile", "aaaa0001", "--domain", " "], "--domain is empty")
    refused(call, ["profile", "aaaa0001", "--plot", "profile.svg"], "exists already", "--force")
    refused(call, ["profile", "aaaa0001", "--plot", "no/p.svg"], "there is no folder no")
    (call.folder / "run.fathom").write_text("")
    refused(call, ["profile", "run.fathom"], "run.fathom is a bundle")
