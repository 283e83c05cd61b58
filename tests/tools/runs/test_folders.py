"""Run folders on disk: found by what a person types, read whole or as far as they were written."""

from pathlib import Path

import pytest

from fathom.graphs.outcome import list_runs
from fathom.graphs.run.folder import RunFolder
from fathom.state.errors import RunFailed, UsageError
from fathom.state.events import EVENT, Event
from fathom.state.result import DrillResult
from fathom.tools.runs.folders import find_run, read_events, read_result

from ...support.drill.recorded import Plan, events_of, result_of, spec_of

FIRST = Plan(run_id="20261120T120000-drill-chemical-elements-sim-student-aaaa1111")
SECOND = Plan(run_id="20261121T120000-drill-art-sim-student-aaaa2222", domain="Art")


def write_run(
    runs: Path, plan: Plan, *, result: bool = True, cut: int | None = None, tail: str = ""
) -> Path:
    """A run folder as the runner leaves it: complete, or killed after `cut` events and `tail` of
    another."""
    folder = runs / plan.run_id
    folder.mkdir(parents=True)
    (folder / "spec.json").write_text(spec_of(plan).model_dump_json(), encoding="utf-8")
    lines = [event.model_dump_json() + "\n" for event in events_of(plan)[:cut]]
    (folder / "events.jsonl").write_text("".join(lines) + tail, encoding="utf-8")
    if result:
        (folder / "result.json").write_text(
            result_of(plan).model_dump_json(by_alias=True), encoding="utf-8"
        )
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_run(tmp_path, FIRST)
    write_run(tmp_path, SECOND)
    (tmp_path / "not-a-run").mkdir()
    (tmp_path / "a-file").write_text("x")
    return tmp_path


@pytest.mark.parametrize("text", [SECOND.run_id, "aaaa2222", "aaaa2", "2222", "last"])
def test_a_run_is_found_by(runs: Path, text: str) -> None:
    assert find_run(runs, text) == runs / SECOND.run_id


def test_a_run_is_found_by_its_path_wherever_it_is(runs: Path, tmp_path: Path) -> None:
    path = runs / FIRST.run_id
    assert find_run(tmp_path / "elsewhere", str(path)) == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("aaaa", "could be any of 2 runs .*aaaa1111.*aaaa2222"),
        ("zzzz", "No run in .* is called 'zzzz': `fathom list` shows"),
        ("drill", "No run in"),
        (" ", "No run is named"),
    ],
)
def test_what_cannot_be_found_is_refused(runs: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_run(runs, text)


def test_last_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no run in"):
        find_run(tmp_path / "missing", "last")


def test_results_and_events_come_back_as_they_were_written(runs: Path) -> None:
    folder = runs / FIRST.run_id
    assert read_result(folder) == result_of(FIRST)
    assert list(read_events(folder)) == events_of(FIRST)


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    events = events_of(FIRST)
    for length in (1, 40, 200):
        tail = events[20].model_dump_json()[:length]
        folder = write_run(tmp_path / str(length), FIRST, result=False, cut=20, tail=tail)
        assert list(read_events(folder)) == events[:20]


def test_a_cut_inside_a_character_is_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path, FIRST, result=False, cut=3)
    with (folder / "events.jsonl").open("ab") as file:
        file.write('{"type":"notice","message":"超'.encode()[:-1])
    assert len(list(read_events(folder))) == 3


def test_a_whole_last_line_counts_even_without_its_line_end(tmp_path: Path) -> None:
    events = events_of(FIRST)
    folder = write_run(tmp_path, FIRST, result=False, cut=20, tail=events[20].model_dump_json())
    assert list(read_events(folder)) == events[:21]


@pytest.mark.parametrize("line", ['{"type":"notice"', '{"type":"unheard_of"}', "", "null"])
def test_any_other_broken_line_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    folder = write_run(tmp_path, FIRST, result=False, cut=4, tail=f"{line}\n")
    with (folder / "events.jsonl").open("a", encoding="utf-8") as file:
        file.write(events_of(FIRST)[4].model_dump_json() + "\n")
    with pytest.raises(RunFailed, match=r"events\.jsonl, line 5, is no event"):
        list(read_events(folder))


def test_the_events_before_a_broken_line_can_be_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path, FIRST, result=False, cut=4, tail="broken\n")
    seen: list[Event] = []
    with pytest.raises(RunFailed):
        seen.extend(read_events(folder))
    assert len(seen) == 4


def test_no_result_yet_and_no_events_yet(tmp_path: Path) -> None:
    assert read_result(tmp_path) is None
    assert list(read_events(tmp_path)) == []


def test_a_broken_result_names_the_file_and_the_field(tmp_path: Path) -> None:
    folder = write_run(tmp_path, FIRST)
    text = (folder / "result.json").read_text().replace('"evd":', '"evdd":', 1)
    (folder / "result.json").write_text(text)
    with pytest.raises(
        RunFailed,
        match=r"result\.json is no result of this version of Fathom: evd: it is missing",
    ):
        read_result(folder)


def test_a_run_that_is_worked_on_is_running_and_one_that_was_killed_is_interrupted(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, FIRST, result=False, cut=30)
    held = RunFolder(folder)
    assert [entry.status for entry in list_runs(tmp_path)] == ["running"]
    with pytest.raises(UsageError, match="by another process"):
        RunFolder(folder)  # to look takes the lock from nobody
    held.release()
    assert [entry.status for entry in list_runs(tmp_path)] == ["interrupted"]


def test_list(runs: Path) -> None:
    unfinished = Plan(run_id="20261122T120000-drill-x-bbbb0001", domain="Half")
    write_run(runs, unfinished, result=False, cut=30, tail='{"typ')
    ended = Plan(run_id="20261123T120000-drill-x-bbbb0002", domain="Ended")
    write_run(runs, ended, result=False)
    broken = write_run(runs, Plan(run_id="20261124T120000-drill-x-bbbb0003"))
    (broken / "result.json").write_text("{")
    empty = runs / "20261125T120000-drill-x-bbbb0004"
    empty.mkdir()
    (empty / "spec.json").write_text(spec_of(FIRST).model_dump_json())
    entries = list_runs(runs)
    assert [entry.id for entry in entries] == [
        "aaaa1111",
        "aaaa2222",
        "bbbb0001",
        "bbbb0002",
        "bbbb0003",
        "bbbb0004",
    ]
    assert [entry.status for entry in entries] == [
        "complete",
        "complete",
        "interrupted",
        "complete",
        "unreadable",
        "interrupted",
    ]
    assert [entry.domain for entry in entries[:4]] == [
        "Chemical elements",
        "Art",
        "Half",
        "Ended",
    ]
    assert all(entry.simulated for entry in entries[:4])
    main = entries[0].main
    assert main is not None
    assert (main.value, main.interval) == (result_of(FIRST).evd, result_of(FIRST).evd_ci)
    assert entries[2].main is None
    assert entries[3].document()["evd"] == result_of(ended).evd
    assert str(entries[0].when) == "2026-11-20 12:00:00+00:00"


def test_listing_reads_what_results_write() -> None:
    written = DrillResult.model_validate_json(result_of(FIRST).model_dump_json(by_alias=True))
    assert written == result_of(FIRST)
    assert (
        EVENT.validate_json(EVENT.dump_json(events_of(FIRST)[-2], by_alias=True))
        == events_of(FIRST)[-2]
    )
