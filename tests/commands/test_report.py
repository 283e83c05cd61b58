"""`fathom report`: runs as one document that loads nothing and holds what the results hold."""

import base64
import hashlib
import json
import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from fathom.commands import report

from ..contracts.recordings import METHODS, Recording, recordings
from ..support.command_line import Caller, assert_refused
from ..support.hostile import ALL_AT_ONCE
from ..support.html_pages import held_in, texts_of
from ..support.screen import active_characters

KINDS = ("complete", "faults", "cut")
MARKUP = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"


class Tags(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    for method in METHODS:
        recordings(method)["complete"].write(tmp_path / "runs")
    return Caller(tmp_path, monkeypatch, capsys)


def made(call: Caller, *words: str) -> dict[str, Any]:
    said = call("report", *words, "-o", "r.html", "--force")
    assert said.code == 0, said.err
    return held_in(call.folder / "r.html")


def complete(method: str) -> Recording:
    return recordings(method)["complete"]


def test_the_page_loads_nothing_and_runs_no_script_but_its_own(call: Caller) -> None:
    made(call, *(complete(method).short for method in METHODS))
    page = (call.folder / "r.html").read_text()
    tags = Tags(page).found
    assert not [
        tag for tag, given in tags if {"src", "action", "data", "srcset"} & given.keys()
    ]
    assert all((given.get("href") or "#").startswith("#") for _, given in tags)
    assert not {tag for tag, _ in tags} & {"img", "iframe", "object", "embed", "link", "base"}
    assert [tag for tag, _ in tags].count("details") == len(METHODS)
    (policy,) = [given["content"] for _, given in tags if "http-equiv" in given]
    scripts = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts
    ]
    assert policy is not None
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert len(hashes) == 2
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_any_method_has_its_figures_its_steps_and_its_result(
    call: Caller, method: str, kind: str
) -> None:
    recording = recordings(method)[kind]
    recording.write(call.folder / "other")
    held = made(call, recording.name, "--runs", "other")
    run, (listed,) = held[f"run-{recording.short}"], held["overview"]["runs"]
    if "result.json" in recording.files:
        assert run["result"] == json.loads(
            call("show", recording.name, "--runs", "other", "--json").out
        )
        assert escape(listed["headline"]) in (call.folder / "r.html").read_text()
        assert not listed["failed"]
    else:
        assert run["result"] is None
        assert "no result" in listed["headline"]
    assert listed["simulated"]
    assert {step["group"] for step in run["steps"]} == set(range(len(run["groups"])))
    places = {
        json.loads(line).get("probe", json.loads(line).get("item", {})).get("id", "")
        for line in recording.journal
    }
    assert {step["place"] for step in run["steps"]} <= {
        place.partition("/")[2] for place in places
    }


def test_wrong_answers_lead_to_their_steps(call: Caller) -> None:
    run = made(call, complete("drill").short)[f"run-{complete('drill').short}"]
    page = (call.folder / "r.html").read_text()
    leads = re.findall(rf'href="#{complete("drill").short}/([^"]+)"', page)
    wrong = [step["place"] for step in run["steps"] if step["mark"] == "wrong"]
    assert leads
    assert set(leads) <= set(wrong)
    assert len(leads) == min(report.WORST, len(wrong))


def test_a_run_that_cannot_be_read_is_a_line_of_the_report(call: Caller) -> None:
    drill, eqt, depthqa = (complete(method) for method in ("drill", "eqt", "depthqa"))
    (call.folder / "runs" / drill.name / "result.json").write_text("{")
    (call.folder / "runs" / drill.name / "events.jsonl").write_text("{}\n{}\n")
    (call.folder / "runs" / eqt.name / "events.jsonl").write_text("{}\n{}\n")
    held = made(call, drill.short, eqt.short, depthqa.short)
    broken, cut, whole = held["overview"]["runs"]
    assert (
        broken["headline"]
        == "no result (unreadable: result.json is no result: it is not a JSON object)"
    )
    assert (broken["failed"], cut["failed"], whole["failed"]) == (True, False, False)
    page = (call.folder / "r.html").read_text()
    assert f"{broken['headline']}." in page
    assert "events.jsonl" in page.partition("cannot be shown")[2].partition("</p>")[0]
    assert str(call.folder) not in page + " ".join(texts_of(held))
    assert held[f"run-{depthqa.short}"]["steps"]


def test_foreign_text_is_data_and_is_made_harmless(call: Caller) -> None:
    drill = complete("drill")
    result = json.loads(drill.files["result.json"])
    probe = next(probe for probe in result["probes"] if probe["answer"])
    probe["answer"]["text"] = f"{MARKUP} {ALL_AT_ONCE} {'long ' * 200_000}"
    probe["question"]["evidence"]["url"] = "javascript:alert(1)"
    result["spec"]["domain"] = f"Domain {MARKUP}"
    result["spec"]["target"] = f"sim:{MARKUP}"
    (call.folder / "runs" / drill.name / "result.json").write_text(json.dumps(result))
    held = made(call, drill.short)
    page = (call.folder / "r.html").read_text()
    assert "<img src=x" not in page
    assert "<script>window.owned" not in page
    assert page.count("</script>") == 2 + len(held)
    assert "<title>Fathom: Domain &lt;/script&gt;" in page
    shown = held[f"run-{drill.short}"]
    markup = page.partition("<script>")[0].splitlines()
    for text in [*markup, *texts_of([shown["steps"], held["overview"]])]:
        assert not active_characters(text)
    assert any(
        "<img src=x onerror" in text and len(text) > 1_000_000
        for text in texts_of(shown["steps"])
    )
    said = call("report", drill.short, "--format", "md", "-o", "-")
    assert said.code == 0
    assert not re.search(r"(?<!\\)<", said.out)


def test_what_cannot_be_is_refused(call: Caller) -> None:
    short = complete("eqt").short
    (call.folder / "there.html").write_text("mine")
    assert_refused(call, ["report", "nothing"], "nothing")
    assert_refused(call, ["report", short, "--format", "docx"], "--format knows", "docx")
    assert_refused(
        call, ["report", short, "-o", "there.html"], "there.html exists already", "--force"
    )
    assert_refused(call, ["report", short, "-o", "no/r.html"], "there is no folder no")
    assert_refused(call, ["report", short, "-o", "runs"], "runs is a folder")
    assert (call.folder / "there.html").read_text() == "mine"
