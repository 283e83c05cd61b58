"""A run that fails says why, in its error, its notes and its journal, and does not go on in
vain."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fathom.graphs.method import result_of
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.record import record_of
from fathom.graphs.run.resume_check import is_over
from fathom.graphs.step import FIRST, require_hope
from fathom.state.depthqa.items import Rating
from fathom.state.errors import RunFailed
from fathom.state.events import EVENT, ItemFinished, RunResumed
from fathom.state.records import Unscored
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.state.tiers import Tier
from fathom.tools.runs.folders import read_events
from fathom.tools.runs.journal import RunMemory, note

from ...contracts.recordings import recordings
from ...support.drill.drills import sim_spec
from ...support.fact_server import serving
from ...support.resuming import resumed

KEY = "tvly-canary-0123456789"
ENV = {"TAVILY_API_KEY": KEY}
SMALL: dict[str, Any] = {"n": 4, "passes": 1, "max_depth": 3, "target": "sim:omniscient"}


async def launch(spec: DrillSpec, runs: Path) -> RunReport[DrillResult]:
    (report,) = await Launch[DrillResult]([spec], LaunchOptions(runs=runs, env=ENV)).run()
    return report


async def test_a_wrong_search_key_is_no_quiet_lower_limit(tmp_path: Path) -> None:
    cause = "answered with HTTP 401. It did not accept the key: check TAVILY_API_KEY."
    async with serving(
        lambda request, asked: web.Response(status=401, text=f"wrong key {KEY}")
    ) as server:
        facts = dict.fromkeys(Tier, ("sim",)) | {Tier.PROFESSIONAL: (f"tavily@{server.url}",)}
        report = await launch(sim_spec(**SMALL, facts=facts), tmp_path)
        assert report.folder is not None
        again = await resumed(report.folder, env=ENV)
    for each in (report, again):
        result = each.result
        assert result is not None
        assert (each.status, each.exit_code, result.censored) == ("failed", 1, "infrastructure")
        assert result.depth_reached == 2
        assert cause in (each.error or "")
        (told,) = (
            text for text in result.notes if text.startswith("PROFESSIONAL: look-ups failed")
        )
        assert told.endswith(cause)
    assert not is_over(report.folder)
    events = list(read_events(report.folder))
    assert result_of(record_of(events)) == again.result
    assert any(
        event.type == "look_up_failed" and cause in event.failure.message for event in events
    )
    assert all(
        KEY not in file.read_text()
        for file in report.folder.iterdir()
        if file.suffix != ".sqlite"
    )


async def test_a_judge_that_writes_garbage_ends_the_drill_after_one_round(
    tmp_path: Path,
) -> None:
    message = {"role": "assistant", "content": "well, well"}
    reply = {
        "model": "g",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }
    async with serving(lambda request, asked: web.json_response(reply)) as server:
        judge = f"openai@{server.url}/v1:some/model name=broken"
        report = await launch(sim_spec(**SMALL, judge=judge), tmp_path)
    assert report.folder is not None
    events = list(read_events(report.folder))
    assert [event.round for event in events if event.type == "depth_planned"] == [0]
    assert "commonest cause: 4 of 4 (judge, parse): broken gave no readable reply" in (
        report.error or ""
    )
    assert "some/model" not in (report.error or "")


def lost(number: int) -> Any:
    made: Any = Rating.model_construct
    fault = Unscored(stage="judge", kind="bad_request", message="no such model")
    item = made(id=f"r/{number}", type="rating", fault=fault)
    return event(ItemFinished, item=item)


def event(kind: Any, **fields: Any) -> Any:
    return kind.model_construct(run_id="r", **fields)


def test_steps_that_all_fail_alike_are_not_gone_on_with_until_the_run_is_resumed() -> None:
    memory = RunMemory()
    for number in range(FIRST - 1):
        note(memory, lost(number))
    require_hope(memory)
    note(memory, lost(FIRST))
    with pytest.raises(RunFailed, match="20 of 20 \\(judge, bad_request\\): no such model"):
        require_hope(memory)
    note(memory, event(RunResumed))
    require_hope(memory)


@pytest.mark.parametrize(
    ("reason", "over"), [("no_questions", True), ("infrastructure", False), ("failed", False)]
)
def test_what_asking_again_would_not_mend_is_over(
    reason: str, over: bool, tmp_path: Path
) -> None:
    recording = recordings("eqt")["complete"]
    recording.write(tmp_path)
    journal = tmp_path / recording.name / "events.jsonl"
    *lines, last = journal.read_text().splitlines()
    ended = EVENT.validate_json(last).model_copy(
        update={"status": "failed", "stop_reason": reason}
    )
    journal.write_text("\n".join([*lines, ended.model_dump_json()]) + "\n")
    assert is_over(journal.parent) is over
