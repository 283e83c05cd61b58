"""What programs do with runs, by public names only."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import Unpack

import fathom


def drill(target: str, **options: Unpack[fathom.DrillOptions]) -> fathom.DrillSpec:
    return fathom.spec(
        "Noble gases", target=target, evaluator="sim:evaluator", facts="sim", **options
    )


def small(target: str) -> fathom.DrillSpec:
    return drill(target, n=4, max_depth=2)


def test_a_spec_has_the_defaults_of_the_command_line() -> None:
    spec = drill("sim:student", passes=2)
    assert (spec.n, spec.max_depth, spec.judge) == (30, 10, "sim:evaluator")
    assert [one.seed for one in fathom.repeats(drill("sim:student", repeats=2))] == [42, 43]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 0}, "-n cannot be 0"),
        ({"n": 20_000}, "at most 10000"),
        ({"threshold": 2.0}, "--threshold"),
    ],
)
def test_a_spec_that_cannot_be_is_refused_in_a_sentence(
    options: dict[str, float], said: str
) -> None:
    with pytest.raises(fathom.UsageError, match=said):
        drill("sim:student", **options)  # type: ignore[arg-type]


def test_sources_of_ones_own_are_refused_where_they_cannot_be_kept() -> None:
    with pytest.raises(fathom.UsageError, match="embed_drill"):
        fathom.spec("Gold", target="sim:student", evaluator="sim:evaluator", facts={})  # type: ignore[arg-type]


async def test_launches_of_a_session_share_connections_cache_and_budget(tmp_path: Path) -> None:
    most = 0

    def look(_: fathom.Event) -> None:
        nonlocal most
        most = max(most, session.clients.meter.in_flight)

    async with fathom.session(
        max_connections=3, max_calls=400, runs=tmp_path, cache=tmp_path / "c.sqlite"
    ) as session:
        launches = [session.run(small(t), [look]) for t in ("sim:student", "sim:expert")]
        (student,), (expert,) = await asyncio.gather(*launches)
        calls = session.spent[1]
        (again,) = await session.run(small("sim:student"))
        assert session.spent[1] == calls  # from the cache
    assert student.status == expert.status == again.status == "complete"
    assert 0 < most <= 3
    assert 0 < calls <= 400

    runs = fathom.runs(tmp_path)
    assert len(runs) == 3
    run = runs.open(student.run_id)
    assert run.result == student.result
    (*_, last) = run.events()
    assert [event.seq for event in run.events(after=last.seq - 2)] == [last.seq - 1, last.seq]
    assert {model.label for model in fathom.compare([student, expert]).models} == {
        "sim:student",
        "sim:expert",
    }
    assert fathom.decide([student, expert], margin=0.5).exit_code in (0, 4, 5)
    assert len(fathom.export([run])) == len(run.answers) > 0
    page = fathom.report(runs, tmp_path / "page.html")
    assert "sim:student" in page.read_text()
    with pytest.raises(fathom.UsageError, match="exists"):
        fathom.report(runs, page, sheet=True)


async def test_a_budget_holds_for_all_launches_of_a_session_and_each_can_be_resumed(
    tmp_path: Path,
) -> None:
    async with fathom.session(max_calls=60, runs=tmp_path) as session:
        reports = [
            r for t in ("sim:student", "sim:expert") for r in await session.run(small(t))
        ]
        assert session.spent[1] <= 60
    assert "partial" in {report.status for report in reports}
    cut = next(report for report in reports if report.status == "partial")
    assert cut.folder is not None
    async with fathom.session(runs=tmp_path) as session:
        (whole,) = await session.resume([cut.folder])
    assert whole.status == "complete"


@pytest.mark.parametrize(
    "options",
    [
        *({"max_calls": value} for value in (0, -5)),
        *({"budget": value} for value in (0, float("nan"))),
        {"max_connections": -1},
        {"prices": "1/2"},
    ],
)
async def test_a_session_refuses_what_is_no_limit(
    options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(fathom.UsageError):
        async with fathom.session(runs=tmp_path / "runs", cache=tmp_path / "c", **options):
            pass
    assert not os.listdir(tmp_path)


async def test_what_is_no_run_or_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    async with fathom.session(runs=tmp_path) as session:
        for folders in ([], [tmp_path / "photos"]):
            with pytest.raises(fathom.UsageError) as refused:
                await session.resume(folders)
            assert "remove" not in str(refused.value)
    assert not os.listdir(tmp_path / "photos")
    with pytest.raises(fathom.UsageError):
        fathom.decide([])


async def test_a_session_that_is_left_interrupts_its_runs_and_takes_no_more(
    tmp_path: Path,
) -> None:
    begun = asyncio.Event()
    async with fathom.session(runs=tmp_path) as session:
        launch = await session.launch(small("sim:student"))
        work = session.run(drill("sim:student", n=30), [lambda _: begun.set()])
        task = asyncio.create_task(work)
        await begun.wait()
    (report,) = await task
    assert report.status == "interrupted"
    for late in (launch.run(), session.run(small("sim:student"))):
        with pytest.raises(fathom.UsageError):
            await late
    with pytest.raises(fathom.UsageError):
        session.model("sim:student")


def test_a_plan_calls_nobody() -> None:
    assert fathom.plan(small("sim:student")).calls.mid > 10
