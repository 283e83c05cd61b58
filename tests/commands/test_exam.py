"""`fathom exam`: a page for people, and their answers taken in as those of a target."""

import asyncio
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.tools.runs.bundle import freeze

from ..support.command_line import Caller, assert_refused
from ..support.drill.drills import sim_spec


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examined")
    spec = sim_spec(target="sim:student", n=8, max_depth=4)
    (report,) = asyncio.run(Launch([spec], LaunchOptions(runs=folder / "runs")).run())
    assert report.folder is not None
    freeze(report.folder, folder / "d.fathom")
    return folder / "d.fathom"


@pytest.fixture
def call(
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    shutil.copy(bundle, tmp_path)
    return Caller(tmp_path, monkeypatch, capsys)


def exam_of(call: Caller, *words: str) -> Any:
    """What the page holds."""
    said = call("exam", "d.fathom", "-n", "12", "-o", "exam.html", "--force", *words)
    assert said.code == 0, said.err
    html = (call.folder / "exam.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in html
    held = re.search(r'id="exam">(.*?)</script>', html, re.DOTALL)
    assert held
    return json.loads(held[1])


def save(call: Caller, exam: Any, **answers: str) -> None:
    whole = {place: answers.get(place, "") for place, _ in exam["questions"]}
    document = {"format": "fathom-exam/1", "exam": exam["exam"], "answers": whole}
    (call.folder / "a.json").write_text(json.dumps(document))


def test_the_page_has_questions_of_all_depths_and_no_reference(call: Caller) -> None:
    exam = exam_of(call)
    depths = Counter(place.partition(".")[0] for place, _ in exam["questions"])
    assert set(depths.values()) <= {3, 4}
    assert sum(depths.values()) == 12
    assert exam == exam_of(call)
    html = (call.folder / "exam.html").read_text(encoding="utf-8")
    drill = json.loads(call("replay", "d.fathom", "--json").out)
    assert not [
        p for p in drill["probes"] if p["question"] and p["question"]["reference"] in html
    ]


def test_a_person_is_judged_beside_models_on_the_same_questions(call: Caller) -> None:
    exam = exam_of(call)
    drill = json.loads(call("replay", "d.fathom", "--json").out)
    right = {
        probe["id"].rpartition("/")[2]: probe["question"]["reference"]
        for probe in drill["probes"]
        if probe["question"]
    }
    known = dict.fromkeys([place for place, _ in exam["questions"]][:9])
    save(call, exam, **{place: right[place] for place in known})
    words = ["--answers", "a.json", "--name", "Dr. Ruiz", "--display", "none"]
    said = call("exam", "d.fathom", *words, "--json")
    assert said.code == 0, said.err
    result = json.loads(said.out)
    tally = result["target_tally"]
    assert (tally["model"], tally["correct"], tally["abstained"]) == ("human:Dr. Ruiz", 9, 3)
    assert result["usage"]["judge"]["calls"] == 9
    assert "target" not in result["usage"]
    assert call("replay", "d.fathom", "-t", "sim:expert", "--display", "none").code == 0
    shown = call("compare", *(str(run) for run in call.runs)).out
    assert "over the 12 questions that all of them were asked" in shown
    assert re.search(
        r"depth +sim:expert +human:Dr. Ruiz|depth +human:Dr. Ruiz +sim:expert", shown
    )


def test_answers_to_another_exam_and_what_is_none_are_refused(call: Caller) -> None:
    words = ["exam", "d.fathom", "--answers", "a.json", "--name", "X", "--display", "none"]
    (call.folder / "a.json").write_text("[1]")
    assert_refused(call, words, "does not hold answers")
    (call.folder / "a.json").write_text('{"format": "other"}')
    assert_refused(call, words, "format")
    save(call, {"exam": "0" * 16, "questions": [["d01.s00.r0", "?"]]})
    assert_refused(call, words, "another exam")
    save(call, exam_of(call))
    assert_refused(call, [*words[:4], "--display", "none"], "--name")
