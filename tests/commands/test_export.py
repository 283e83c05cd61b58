"""`fathom export`: runs as tables that other programs read."""

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.finished import run_in
from fathom.graphs.answers import measures_of, rows_of
from fathom.reports.rows import answers_table
from fathom.state.review import Label, Review
from fathom.stats.review import with_review
from fathom.tools.files.logs import read_log

from ..contracts.recordings import recordings
from ..graphs.test_answers import checked
from ..support.command_line import Caller, assert_refused
from ..support.paths import EXAMPLES, ROOT
from ..support.screen import active_characters

PAGE = (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8")
LABEL = {
    "condition": "depth 1",
    "rater": "ann",
    "question": "sound",
    "answer": "right",
    "rule": "",
    "at": "2026-01-02T00:00:00Z",
}
METHODS = ("drill", "eqt", "depthqa", "deepquestion", "replay")


def documented(title: str) -> set[str]:
    """The columns that a section of the page describes."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    for method in METHODS:
        recordings(method)["complete"].write(tmp_path / "runs")
    return Caller(tmp_path, monkeypatch, capsys)


def name_of(method: str) -> str:
    return recordings(method)["complete"].short


def result_of(method: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(recordings(method)["complete"].files["result.json"])
    return held


def read_rows(call: Caller, run: str) -> list[dict[str, str]]:
    return read(call("export", run).out)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_for_each_probe(call: Caller) -> None:
    exported = call("export", name_of("drill"))
    assert exported.code == 0
    rows = read(exported.out)
    probes = {probe["id"]: probe for probe in result_of("drill")["probes"]}
    assert {row["item"] for row in rows} == set(probes)
    for row in rows:
        probe = probes[row["item"]]
        assert row["answer"] == (probe["answer"] or {}).get("text", "")
        assert row["human"] == ""
        right = {"correct": "1", "wrong": "0", "abstained": "0"}
        counts = probe["outcome"]["status"] == "scored" and probe["excluded"] is None
        assert row["right"] == (right[probe["outcome"]["verdict"]] if counts else "")


def test_the_page_describes_every_column(call: Caller) -> None:
    columns = {name for method in METHODS for name in read_rows(call, name_of(method))[0]}
    label = Label.model_validate({**LABEL, "item": rows_of(checked())[0].item})
    reviewed = with_review(rows_of(checked())[:1], Review(labels=(label,)))
    columns |= {
        name for rows in (rows_of(checked()), reviewed) for name in answers_table(rows)[0]
    }
    questions = str(EXAMPLES / "own_questions.csv")
    assert call("ask", questions, "-t", "sim:student", "-e", "sim:evaluator").code == 0
    columns |= read_rows(call, "last")[0].keys()
    assert columns == documented("Answers")
    names = [name_of(method) for method in METHODS]
    tables = [
        read(call("export", *names, "--table", name).out)[0] for name in ("depths", "runs")
    ]
    described = documented("Depths and runs") | {"run_id", "method", "simulated", "domain"}
    described |= {"target", "evaluator", "judge", "seed"}
    assert {name for table in tables for name in table} == described


def test_depths_and_runs_hold_the_figures_of_the_result(call: Caller) -> None:
    result = result_of("drill")
    depths = read(call("export", name_of("drill"), "--table", "depths").out)
    assert [float(row["survival_high"]) for row in depths] == [
        row["survival_ci"][1] for row in result["depths"]
    ]
    lines = call(
        "export", name_of("drill"), name_of("eqt"), "--table", "runs", "--to", "jsonl"
    ).out.splitlines()
    drill, eqt = map(json.loads, lines)
    assert (drill["evd"], drill["evd_low"], drill["cost_usd"]) == (
        result["evd"],
        result["evd_ci"][0],
        0.0,
    )
    assert eqt["evd"] is None
    assert 0 < eqt["accuracy_low"] < eqt["accuracy"] < eqt["accuracy_high"]
    assert list(drill) == list(eqt)


def test_parquet_holds_the_same(call: Caller) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    said = call("export", name_of("drill"), name_of("eqt"), "--to", "parquet", "-o", "tables")
    assert said.code == 0, said.err
    assert sorted(path.name for path in Path("tables").iterdir()) == [
        "answers.parquet",
        "depths.parquet",
        "runs.parquet",
    ]
    lines = call(
        "export", name_of("drill"), "--table", "depths", "--to", "jsonl"
    ).out.splitlines()
    assert parquet.read_table("tables/depths.parquet").to_pylist() == [
        json.loads(line) for line in lines
    ]


@pytest.mark.parametrize("method", METHODS)
def test_a_log_of_inspect_holds_the_answers_and_the_figures(call: Caller, method: str) -> None:
    log_of = pytest.importorskip("inspect_ai.log").read_eval_log
    assert call("export", name_of(method), "--to", "inspect", "-o", "run.eval").code == 0
    rows = run_in(next((call.folder / "runs").glob(f"*{name_of(method)}"))).rows
    log = read_log(Path("run.eval"))
    assert (log.model, log.simulated) == (rows[0].model, True)
    scores = {
        row.item: row.score for row in reversed(rows)
    }  # the target's stand before others'
    assert [row.score for row in log.answers] == list(reversed(scores.values()))
    headline = measures_of(method)[0]
    metrics = log_of("run.eval").results.scores[0].metrics
    assert metrics[headline.name].value == headline.of(rows).value


def test_what_cannot_be_exported_is_refused(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    drill = name_of("drill")
    assert call("export", drill, "-o", "tables").code == 0
    assert_refused(call, ["export", drill, "-o", "tables"], "exists already", "--force")
    assert call("export", drill, "-o", "tables", "--force").code == 0
    assert_refused(call, ["export", drill, "--to", "xls"], "csv, jsonl, parquet")
    assert_refused(call, ["export", drill, "--table", "probes"], "answers, depths, runs")
    assert_refused(call, ["export", drill, "--to", "parquet"], "-o")
    assert_refused(call, ["export", drill, "--to", "inspect"], "-o")
    monkeypatch.setitem(sys.modules, "fathom.graphs.embed.inspect_log", None)
    assert_refused(call, ["export", drill, "--to", "inspect", "-o", "run.eval"], "[inspect]")
    assert_refused(call, ["export", "zzzz"], "No run in runs is called 'zzzz'")


def test_what_a_model_wrote_acts_on_no_terminal_and_is_word_for_word_in_a_file(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = next((call.folder / "runs").glob(f"*{name_of('drill')}"))
    result = result_of("drill")
    result["probes"][0]["answer"]["text"] = hostile = '=cmd \x1b[2J\u202e,\n"quoted"'
    (run / "result.json").write_text(json.dumps(result))
    assert read(call("export", name_of("drill")).out)[0]["answer"] == hostile
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert not active_characters(call("export", name_of("drill")).out.replace("\n", ""))
