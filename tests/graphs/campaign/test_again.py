"""A study run again: what is finished is not asked, what was cut off goes on, what failed stays in
the table."""

import asyncio
import json
import signal
from collections import Counter
from datetime import date
from functools import partial
from itertools import count
from typing import Any

import pytest

from fathom.sim.server import RunningWorld, Served, Timing, _Service
from fathom.tools.models.limiter import Limiter, Limits
from fathom.tools.runs.index import open_index

from ...support.campaigns import DOMAINS, cells, chats, results, statuses, study, until, words
from ...support.command_line import Caller, assert_refused, on_a_thread, world
from ...support.killed import environment, persisted
from ...support.programs import PIPE, Programs

pytestmark = pytest.mark.xdist_group("campaigns")
SLOW = Timing(latency_s=0.03)


def test_what_was_added_runs_alone_and_as_of_the_first_day(
    call: Caller, at: RunningWorld
) -> None:
    async def began() -> None:
        (call.folder / "runs").mkdir()
        index = await open_index(call.folder / "runs", None)
        await index.began("study", date(2026, 1, 5))
        await index.aclose()

    asyncio.run(began())
    small: dict[str, Any] = {
        "domains": DOMAINS[:1],
        "target": f"sim@{at.base_url}/v1:student",
        "repeats": 2,
    }
    file = study(call.folder, at.base_url, **small, no_cache=True)
    assert call(*words(file)).code == 0
    before = {file: file.stat().st_mtime_ns for run in call.runs for file in run.iterdir()}
    asked = at.served
    again = call(*words(file))
    assert (again.code, at.served) == (0, asked)
    assert "Nothing to run: 2 of 2 cells complete." in again.err
    file = study(call.folder, at.base_url, domains=DOMAINS[:1], repeats=3, no_cache=True)
    assert call(*words(file)).code == 0
    assert statuses(call, file) == {"complete": 6}
    assert len(call.runs) == 6
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert {json.loads((run / "spec.json").read_text())["as_of"] for run in call.runs} == {
        "2026-01-05"
    }


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name
)
def test_cut_off_in_the_middle(
    number: signal.Signals, call: Caller, programs: Programs, undisturbed: dict[str, Any]
) -> None:
    with on_a_thread(lambda: world(timing=SLOW)) as at:
        file, env = study(call.folder, at.base_url), environment(call.folder)
        with programs.start(*words(file), stderr=PIPE, env=env) as program:
            until(lambda: len(chats(at.log)) > 40)
            program.send_signal(number)
            _, err = program.communicate()
        if number == signal.SIGINT:
            assert program.returncode == 130
            assert (
                f"of 4 cells are complete. Continue: fathom run {file}" in err.splitlines()[-1]
            )
        else:
            assert program.returncode == -signal.SIGKILL
        found = statuses(call, file)
        assert found["interrupted"]
        assert not found["running"]
        kept = [record for record in chats(at.log) if record.status == 200]
        lost = len(kept) - persisted(call.folder)
        said = programs.run(*words(file), env=env)
        assert said.returncode == 0, said.stderr
        assert statuses(call, file) == {"complete": 4}
        kept = [record for record in chats(at.log) if record.status == 200]
        assert len(kept) - persisted(call.folder) == lost
        assert results(call.folder / "runs", at.base_url) == undisturbed


def test_a_failure_stays_with_its_reason_until_it_is_to_be_retried(
    call: Caller, at: RunningWorld
) -> None:
    file = study(call.folder, at.base_url, domains=[DOMAINS[0], "Qwertyuiop", DOMAINS[1]])
    said = call(*words(file))
    assert said.code == 1
    words_on = f"fathom run {file} --runs {file.parent}/runs --engine local --retry-failed"
    assert said.err.endswith(f"4 of 6 cells are complete. Continue: {words_on}\n")
    assert "no page on 'Qwertyuiop'" in " ".join(call("status", str(file)).out.split())
    assert sum(cell["calls"] for cell in cells(call, file)) == len(chats(at.log))
    asked = at.served
    again = call(*words(file))
    assert (again.code, at.served) == (1, asked)
    assert "Nothing to run: 4 of 6 cells complete, 2 failed." in again.err
    assert call(*words(file), "--retry-failed").code == 1
    assert at.served > asked
    assert statuses(call, file) == {"complete": 4, "failed": 2}


def test_an_endpoint_that_dies_and_comes_back(
    call: Caller, at: RunningWorld, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells that ask it fail, the others do not; a retry brings them to their end."""
    hasty = partial(Limits, attempts=2, backoff_s=0.0, max_wait_s=0.0)
    monkeypatch.setattr("fathom.tools.models.clients.Limits", hasty)
    with on_a_thread(world) as dying:
        port = int(dying.base_url.rpartition(":")[2])
        novice, student = f"sim@{dying.base_url}/v1:novice", f"sim@{at.base_url}/v1:student"
        file = study(call.folder, at.base_url, target=[student, novice], timeout=2)
        ending = list[Any]()

        def die(_: Served) -> None:
            if len(chats(dying.log)) == 4:
                ending.append(asyncio.ensure_future(dying.aclose()))

        dying.on_served = die
        assert call(*words(file)).code == 1
    assert ending
    assert statuses(call, file) == {"complete": 2, "failed": 2}
    with on_a_thread(lambda: world(port=port)) as back:
        assert call(*words(file), "--retry-failed").code == 0
        assert chats(back.log)
    assert statuses(call, file) == {"complete": 4}
    for file in (call.folder / "runs").glob("*/*.json"):
        file.write_text(file.read_text().replace(dying.base_url, at.base_url))
    found = results(call.folder / "runs", at.base_url)
    assert {
        cell: found[cell] for cell in undisturbed if "student" in cell
    }.items() <= undisturbed.items()
    assert found.keys() == undisturbed.keys()


def test_a_model_that_is_refused_slows_no_other(
    call: Caller, at: RunningWorld, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other call of one model is answered 429: it alone gives way, and no result is
    another."""
    respond, calls, fewest = _Service._respond, count(), dict[Limiter, int]()

    class Watched(Limiter):
        async def __aenter__(self) -> float:
            counted = await super().__aenter__()
            fewest[self] = min(fewest.get(self, self.capacity), self.allowed)
            return counted

    def refuse(
        service: _Service, kind: Any, body: Any, chat: Any, digest: str, fault: Any
    ) -> Any:
        turned = chat is not None and chat.model == "novice" and next(calls) % 2 == 0
        return respond(service, kind, body, chat, digest, "rate_limit" if turned else fault)

    monkeypatch.setattr(_Service, "_respond", refuse)
    monkeypatch.setattr("fathom.tools.models.limiter.Limiter", Watched)
    monkeypatch.setattr(
        "fathom.tools.models.clients.Limits", partial(Limits, backoff_s=0.0, max_wait_s=0.0)
    )
    assert call(*words(study(call.folder, at.base_url))).code == 0
    assert results(call.folder / "runs", at.base_url) == undisturbed
    answers = Counter((record.model, record.status) for record in chats(at.log))
    assert answers.keys() == {
        ("student", 200),
        ("evaluator", 200),
        ("novice", 200),
        ("novice", 429),
    }
    assert answers["novice", 429] - answers["novice", 200] in (0, 1)
    assert sorted(allowed < limiter.capacity for limiter, allowed in fewest.items()) == [
        False,
        False,
        True,
    ]


def test_calls_of_all_sessions_stay_below_the_limit(call: Caller, at: RunningWorld) -> None:
    file = study(call.folder, at.base_url)
    asked = [0]
    for limit in (30, 50, 50):
        said = call(*words(file), "--max-calls", f"{limit}")
        assert said.code == 3, said.err
        asked.append(len(chats(at.log)))
        assert asked[-1] <= limit
        assert "larger --budget or --max-calls: fathom run" in said.err
    assert 0 < asked[1] < asked[2]
    assert call(*words(file), "--max-calls", "400").code == 0
    assert sum(cell["calls"] for cell in cells(call, file)) == len(chats(at.log))


def test_two_programs_at_the_same_study(
    call: Caller, programs: Programs, undisturbed: dict[str, Any]
) -> None:
    """Neither asks what the other one has asked, and both come to the end."""
    with on_a_thread(lambda: world(timing=SLOW)) as at:
        file, env = study(call.folder, at.base_url, no_cache=True), environment(call.folder)
        with programs.start(*words(file), env=env) as one:
            until(lambda: len(chats(at.log)) > 20)
            with programs.start(*words(file), stderr=PIPE, env=env) as two:
                _, err = two.communicate()
                assert (one.wait(), two.returncode) == (0, 0), err
        assert results(call.folder / "runs", at.base_url) == undisturbed
        assert len(list((call.folder / "runs").glob("2*"))) == 4


def test_refused(call: Caller, at: RunningWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    file = study(call.folder, at.base_url)
    start = words(file)[:-1]
    assert_refused(call, [*start, "x"], "--engine cannot be 'x'")
    assert_refused(
        call, [*start, "dask", "--display", "events"], "--display events", "--engine local"
    )
    (call.folder / "runs").mkdir()
    monkeypatch.setattr("fathom.graphs.campaign.cluster.CONNECT_S", 0.3)
    for address in ("nonsense", "foo://here:1", "tcp://127.0.0.1:1"):
        said = call(*start, f"dask:{address}")
        assert (said.code, said.err.count("\n")) == (2, 1), said.err
        assert said.err.startswith(f"Error: No dask scheduler answers at {address}: start one")
    assert call.runs == []
    monkeypatch.setattr("fathom.commands.study.campaign.find_spec", lambda name: None)
    assert_refused(call, [*start, "dask"], "pip install -c constraints.txt '.[dask]'")
    student = f"sim@{at.base_url}/v1:student"
    twice = study(call.folder, at.base_url, target=[student, student])
    assert_refused(call, words(twice), "more than once")
    (call.folder / "runs" / ".cells.sqlite").write_text(
        "This is no index of cells, and nobody knows it."
    )
    assert_refused(call, words(study(call.folder, at.base_url)), ".cells.sqlite", "--runs")
    assert at.served == 0
