"""`fathom list`: what the runs of each method found, and runs that cannot be read."""

import json
import re

import pytest

from ..contracts.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import changed, events_of, result_of, write_run

FOUND = {
    "rejudge": "EVD ≥3.08 (2.11–4.00)",
    "drill": "EVD 3.08 (2.11–4.00)",
    "eqt": "accuracy 92% (31–100)",
    "depthqa": "mean score 2.79 (1.02–4.97)",
    "deepquestion": "accuracy 100% (44–100)",
}
"""Method → what was measured, as its line has it."""


def listed(call: Caller, monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return call("list").out.splitlines()


def put(call: Caller, *methods: str) -> None:
    for method in methods:
        recordings(method)["complete"].write(call.folder / "runs")


def test_what_each_method_has_measured(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    put(call, *METHODS)
    rows = {row.split()[0]: " ".join(row.split()) for row in listed(call, monkeypatch, 200)[2:]}
    for method in METHODS:
        row = rows[recordings(method)["complete"].short]
        assert re.search(f"SIM complete {re.escape(FOUND.get(method, '–'))}$", row), row


@pytest.mark.parametrize("method", [*FOUND])
def test_a_run_without_a_result_or_figures(
    call: Caller, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    recordings(method)["cut"].write(call.folder / "runs")
    (row,) = listed(call, monkeypatch, 200)[2:]
    assert "interrupted" in row
    assert row.split()[-1] == "–"
    real = changed(
        result_of(method), run_id="20261123T150000-x-real0001", simulated=False, status="failed"
    )
    write_run(call.folder / "runs", real, events_of(method), {})
    assert [" SIM " in line for line in listed(call, monkeypatch, 200)[2:]] == [True, False]


def test_what_cannot_be_read_is_named_and_does_not_hide_the_others(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(call, "eqt", "drill")
    folder = call.folder / "runs" / recordings("eqt")["complete"].name
    text = (folder / "result.json").read_text(encoding="utf-8")
    for broken, why in (
        (text.replace('"by_category":', '"categories":', 1), "by_category: it is missing"),
        ("[]", "JSON object"),
    ):
        (folder / "result.json").write_text(broken, encoding="utf-8")
        said = call("show", folder.name)
        assert said.code != 0
        assert why in said.err
    assert sorted(entry["status"] for entry in json.loads(call("list", "--json").out)) == [
        "complete",
        "unreadable",
    ]
    (folder / "result.json").unlink()
    (folder / "spec.json").write_text('{"method":"eqt","concepts":[]}', encoding="utf-8")
    assert [entry["domain"] for entry in json.loads(call("list", "--json").out)] == [
        "Chemical elements",
        "",
    ]
