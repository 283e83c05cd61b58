"""`fathom export`: runs as tables that other programs read."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from ..contracts.recordings import recordings
from ..support.command_line import Caller, refused
from ..support.screen import active_characters

RUN = ["run_id", "method", "simulated", "domain", "target", "evaluator", "judge", "seed"]
PROBE = [
    *RUN,
    *(
        "id",
        "depth",
        "tier",
        "slot",
        "round",
        "root",
        "parent",
        "concept",
        "origin",
        "question",
        "reference",
    ),
    *(
        "passage",
        "source_title",
        "source_url",
        "answer",
        "status",
        "verdict",
        "reason",
        "unscored_stage",
    ),
    *("unscored_kind", "unscored_message", "excluded", "elapsed_s", "level", "step", "doubtful"),
]
DEPTH = [
    *RUN,
    *(
        "depth",
        "tier",
        "asked",
        "scored",
        "correct",
        "wrong",
        "abstained",
        "rejected",
        "duplicates",
        "no_evidence",
    ),
    *("unfilled", "replaced", "effective_roots", "accuracy", "accuracy_low", "accuracy_high"),
    *(
        "accuracy_clustered_low",
        "accuracy_clustered_high",
        "survival",
        "survival_low",
        "survival_high",
    ),
]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    for method in ("drill", "eqt", "depthqa", "deepquestion", "replay"):
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


def test_a_row_for_each_probe_with_columns_that_stay(call: Caller) -> None:
    said = call("export", name_of("drill"))
    assert said.code == 0
    rows = read(said.out)
    assert list(rows[0]) == PROBE
    probes = result_of("drill")["probes"]
    assert [(row["id"], row["depth"]) for row in rows] == [
        (probe["id"], str(probe["depth"])) for probe in probes
    ]
    assert [row["answer"] for row in rows] == [
        (probe["answer"] or {}).get("text", "") for probe in probes
    ]


def test_depths_and_runs_hold_the_figures_of_the_result(call: Caller) -> None:
    result = result_of("drill")
    depths = read(call("export", name_of("drill"), "--table", "depths").out)
    assert list(depths[0]) == DEPTH
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


@pytest.mark.parametrize("method", ["eqt", "depthqa", "deepquestion", "replay"])
def test_every_method_has_items(method: str, call: Caller) -> None:
    rows = read(call("export", name_of(method)).out)
    assert len(rows) > 5
    assert all(row["run_id"].endswith(name_of(method)) and row["id"] for row in rows)
    assert any(row["answer"] for row in rows)


def test_parquet_holds_the_same(call: Caller) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    said = call("export", name_of("drill"), name_of("eqt"), "--to", "parquet", "-o", "tables")
    assert said.code == 0, said.err
    assert sorted(path.name for path in Path("tables").iterdir()) == [
        "depths.parquet",
        "items.parquet",
        "runs.parquet",
    ]
    lines = call("export", name_of("drill"), "--table", "depths", "--to", "jsonl").out.splitlines()
    assert parquet.read_table("tables/depths.parquet").to_pylist() == [
        json.loads(line) for line in lines
    ]


def test_what_cannot_be_exported_is_refused(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    drill = name_of("drill")
    assert call("export", drill, "-o", "tables").code == 0
    refused(call, ["export", drill, "-o", "tables"], "exists already", "--force")
    assert call("export", drill, "-o", "tables", "--force").code == 0
    refused(call, ["export", drill, "--to", "xls"], "csv, jsonl, parquet")
    refused(call, ["export", drill, "--table", "probes"], "items, depths, runs")
    refused(call, ["export", drill, "--to", "parquet"], "-o")
    refused(call, ["export", "zzzz"], "No run in runs is called 'zzzz'")


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
