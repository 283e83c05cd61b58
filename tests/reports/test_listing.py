"""`fathom list`: what the runs of each method found, alone and beside others, and runs that cannot be read."""

import json

import pytest

from ..goldens.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import changed, events_of, result_of, write_run

HEADS = {
    "drill": "EVD|95% CI",
    "replay": "EVD|95% CI",
    "rejudge": "EVD|95% CI",
    "depthqa_build": "EVD|95% CI",
    "eqt": "accuracy|95% CI|ACS|95% CI",
    "depthqa": "mean|95% CI|D3|95% CI",
    "deepquestion": "original|95% CI|Q2S|95% CI|Q2I|95% CI",
}
"""The columns of what was measured when runs of one method are listed alone, on a wide screen."""
FOUND = {
    "drill": ("≥3.08", "2.11–4.00"),
    "eqt": ("92%", "31–100", ".92", ".57–1.00"),
    "depthqa": ("2.79", "1.02–4.97", "1.00", "1.00–3.63"),
    "deepquestion": ("100%", "44–100", "67%", "21–94", "33%", "6–79"),
}
NARROWER = {"drill": (59, ["EVD"]), "eqt": (80, ["accuracy", "95%", "CI", "ACS"]), "depthqa": (59, ["mean", "D3"])}
"""A width at which fewer of them have room."""
BESIDE = {
    "drill": "EVD ≥3.08",
    "eqt": "92% ACS .92",
    "depthqa": "mean 2.79 D3 1.00",
    "deepquestion": "100% Q2S 67% many Q2I 33%",
}


def listed(call: Caller, monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return call("list").out.splitlines()


def put(call: Caller, *methods: str) -> None:
    for method in methods:
        recordings(method)["complete"].write(call.folder / "runs")


@pytest.mark.parametrize("method", METHODS)
def test_the_columns_of_one_method(call: Caller, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    put(call, method)
    head, _, row = listed(call, monkeypatch, 200)
    assert "|".join(part.strip() for part in head.split("  ") if part.strip()).endswith(f"status|{HEADS[method]}")
    assert all(number in row.split() for number in FOUND.get(method, ()))
    assert "SIMULATED" in row
    if method in NARROWER:
        width, columns = NARROWER[method]
        assert listed(call, monkeypatch, width)[0].split("status")[1].split() == columns


def test_runs_of_several_methods(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two each has columns of its own where there is room; else they share theirs."""
    put(call, "drill", "eqt")
    wide, narrow = (listed(call, monkeypatch, width) for width in (130, 129))
    assert wide[0].split("status")[1].split() == ["EVD", "95%", "CI", "accuracy", "95%", "CI", "ACS", "95%", "CI"]
    assert narrow[0].split("status")[1].split() == ["result", "95%", "CI"]
    assert "–" in next(row for row in wide if "eqt" in row).split()
    put(call, "depthqa", "deepquestion")
    rows = listed(call, monkeypatch, 200)
    for method, said in BESIDE.items():
        assert any(said in row for row in rows if recordings(method)["complete"].short in row)
    assert any("mean 2.79" in row and "D3" not in row for row in listed(call, monkeypatch, 59))


@pytest.mark.parametrize("method", FOUND)
def test_a_run_without_a_result_or_figures(call: Caller, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    recordings(method)["cut"].write(call.folder / "runs")
    (row,) = listed(call, monkeypatch, 200)[2:]
    assert "interrupted" in row
    assert not any(number in row for number in FOUND[method][:2])
    real = changed(result_of(method), run_id="20261123T150000-x-real0001", simulated=False, status="failed")
    write_run(call.folder / "runs", real, events_of(method), {})
    assert ["SIMULATED" in line for line in listed(call, monkeypatch, 200)[2:]] == [True, False]


def test_what_cannot_be_read_is_named_and_does_not_hide_the_others(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(call, "eqt", "drill")
    folder = call.folder / "runs" / recordings("eqt")["complete"].name
    text = (folder / "result.json").read_text(encoding="utf-8")
    for broken, why in (
        (text.replace('"by_category":', '"categories":', 1), "by_category: Field required"),
        ("[]", "JSON object"),
    ):
        (folder / "result.json").write_text(broken, encoding="utf-8")
        said = call("show", folder.name)
        assert said.code != 0
        assert why in said.err
    assert sorted(entry["status"] for entry in json.loads(call("list", "--json").out)) == ["complete", "unreadable"]
    (folder / "result.json").unlink()
    (folder / "spec.json").write_text('{"method":"eqt","concepts":[]}', encoding="utf-8")
    assert [entry["domain"] for entry in json.loads(call("list", "--json").out)] == ["Chemical elements", ""]
