"""Explain-Query-Tests on disk: read back, and listed beside drills."""

from pathlib import Path

import pytest

from fathom.reports.page.listing import runs_listing
from fathom.state.errors import RunFailed
from fathom.tools.runs.folders import list_runs, read_events, read_outcome, read_result

from ...support.eqt.synthetic import EqtPlan, many
from ...support.eqt.synthetic_result import events_of, result_of
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot
from ...tools.runs.test_folders import FIRST, write_run

DONE = EqtPlan(run_id="20261123T120000-eqt-6-concepts-sim-student-e1e1e1e1")
REAL = EqtPlan(
    run_id="20261123T130000-eqt-9-concepts-openai-gpt-5-e2e2e2e2",
    target="openai:gpt-5",
    concepts=many(9, ("math", "law")),
    simulated=False,
    faults=False,
)
HALF = EqtPlan(run_id="20261123T140000-eqt-6-concepts-sim-student-e3e3e3e3")
EMPTY = EqtPlan(run_id="20261123T150000-eqt-6-c-e4e4e4e4", done=0, status="failed", stop_reason="no_questions")


def write(runs: Path, plan: EqtPlan, *, result: bool = True, cut: int | None = None) -> Path:
    folder = runs / plan.run_id
    folder.mkdir(parents=True)
    (folder / "spec.json").write_text(plan.spec.model_dump_json(), encoding="utf-8")
    lines = [event.model_dump_json() + "\n" for event in events_of(plan)[:cut]]
    (folder / "events.jsonl").write_text("".join(lines), encoding="utf-8")
    if result:
        (folder / "result.json").write_text(result_of(plan).model_dump_json(), encoding="utf-8")
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for plan in (DONE, REAL, EMPTY):
        write(tmp_path, plan)
    write(tmp_path, HALF, result=False, cut=40)
    return tmp_path


def test_a_result_comes_back_as_it_was_written(runs: Path) -> None:
    folder = runs / DONE.run_id
    assert read_outcome(folder) == result_of(DONE)
    assert list(read_events(folder)) == events_of(DONE)
    assert read_result(folder) is None, "it is no drill"
    assert read_outcome(runs / HALF.run_id) is None


def test_a_broken_result_is_named(runs: Path) -> None:
    file = runs / DONE.run_id / "result.json"
    file.write_text(file.read_text().replace('"by_category":', '"categories":', 1))
    with pytest.raises(
        RunFailed, match=r"result\.json is no result of this version of Fathom: by_category: Field required"
    ):
        read_outcome(file.parent)
    file.write_text("[]")
    with pytest.raises(RunFailed, match="it is not a JSON object"):
        read_outcome(file.parent)


def test_entries(runs: Path) -> None:
    done, real, half, empty = list_runs(runs)
    numbers = result_of(DONE).numbers
    assert (done.method, done.domain, done.target) == ("eqt", "6 concepts in 4 categories", "sim:student")
    assert (done.accuracy, done.accuracy_ci) == (numbers.all.accuracy, numbers.all.ci_clustered)
    assert (done.acs, done.acs_ci) == (numbers.consistency.acs, numbers.consistency.acs_ci)
    assert (done.evd, done.evd_ci, done.censored, done.status) == (None, None, False, "complete")
    assert (done.simulated, real.simulated) == (True, False)
    assert (half.status, half.accuracy, half.acs, half.domain) == (
        "interrupted",
        None,
        None,
        "6 concepts in 4 categories",
    )
    assert (empty.status, empty.accuracy, empty.accuracy_ci, empty.acs) == ("failed", None, None, None)


def test_an_unreadable_spec_does_not_hide_the_others(runs: Path) -> None:
    (runs / HALF.run_id / "spec.json").write_text('{"method":"eqt","concepts":[]}')
    assert [entry.domain for entry in list_runs(runs)] == [DONE.spec.domain, REAL.spec.domain, "", EMPTY.spec.domain]


@pytest.mark.parametrize("width", [80, 120])
def test_list(runs: Path, width: int) -> None:
    text = shown(runs_listing(list_runs(runs), width=width), width)
    assert_snapshot(f"eqt_list_{width}", text)
    assert "EVD" not in text, "no run of the list can have one"
    assert not active_characters(text)


@pytest.mark.parametrize("width", [80, 120])
def test_list_with_a_drill(runs: Path, width: int) -> None:
    write_run(runs, FIRST)
    text = shown(runs_listing(list_runs(runs), width=width), width)
    assert_snapshot(f"eqt_list_mixed_{width}", text)
    accuracy = result_of(REAL).numbers.all.accuracy
    assert accuracy is not None
    row = next(line for line in text.splitlines() if line.startswith("e2e2e2e2"))
    assert f"{accuracy * 100:.0f}%" in row
    assert "2.30" not in row


def test_a_list_of_drills_has_no_further_column(tmp_path: Path) -> None:
    write_run(tmp_path, FIRST)
    head = shown(runs_listing(list_runs(tmp_path), width=200), 200).splitlines()[0]
    assert head.split()[-3:] == ["EVD", "95%", "CI"]
