"""A whole drill against aimock, an OpenAI-compatible server that nobody here wrote.

aimock's own recorder stands between Fathom and the simulated models once and writes down every
reply; from then on it serves them by itself. It matches on the model and on the last user message
(as a substring), which is the whole prompt.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support import aimock, mediawiki
from tests.support.drill.drills import sim_spec
from tests.support.world_wiki import DOMAIN, WORLD, wiki_pages

from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.sim.server import RunningWorld, start
from fathom.state.result import DrillResult
from fathom.state.tiers import TIERS, Tier
from fathom.tools.facts.plan import parse_facts

KEY = "sk-of-this-test-only"
Facts = dict[Tier, tuple[str, ...]]
Json = dict[str, Any]

pytestmark = [
    pytest.mark.xdist_group("drill_aimock"),  # one worker makes what all of them begin with
    pytest.mark.aimock,
    pytest.mark.skipif(aimock.missing() is not None, reason=aimock.missing() or ""),
]


@dataclass(frozen=True)
class Tape:
    """A drill as recorded: aimock's fixtures, the requests that were made, and what came out."""

    fixtures: Path
    requests: list[str]
    picture: list[object]


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    """The api.php of a MediaWiki with the world's articles; None where none is installed."""
    if mediawiki.missing() is not None:
        yield None
        return
    folder = tmp_path_factory.mktemp("wiki") / "w"
    mediawiki.install(folder, wiki_pages())
    with mediawiki.serve(folder) as address:
        yield address


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory, wiki: str | None) -> Tape:
    return asyncio.run(record(tmp_path_factory.mktemp("tape"), wiki))


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WORLD)
    yield running
    await running.aclose()


def facts(wiki: str | None, world: RunningWorld) -> Facts:
    if wiki is not None:
        return parse_facts(f"mediawiki:{wiki}", {}, simulated=False).facts
    return dict.fromkeys(TIERS, (f"sim@{world.base_url}",))


async def drill(address: str, facts: Facts, key: str = KEY) -> RunReport:
    """Four questions at each of two depths; all three roles at aimock."""
    evaluator = f"openai@{address}/v1:evaluator key=OPENAI_API_KEY"
    spec = sim_spec(
        domain=DOMAIN, target=f"openai@{address}/v1:novice key=OPENAI_API_KEY", evaluator=evaluator, judge=evaluator,
        facts=facts, n=4, passes=1, max_depth=2, world=None, seed=1,
    )  # fmt: skip
    (report,) = await Launch([spec], LaunchOptions(env={"OPENAI_API_KEY": key})).run()
    return report


async def record(folder: Path, wiki: str | None) -> Tape:
    (folder / "fixtures").mkdir()
    world = await start(WORLD)
    options = ("-f", str(folder / "fixtures"), "--record", "--provider-openai", world.base_url)
    with aimock.serve(folder, *options) as address:
        result = finished(await drill(address, facts(wiki, world)))
        entries = aimock.journal(address)
    await world.aclose()
    assert {entry["response"]["source"] for entry in entries} == {"proxy"}
    return Tape(folder / "fixtures" / "recorded", requests(entries), picture(result))


def finished(report: RunReport) -> DrillResult:
    assert (report.status, report.error) == ("complete", None)
    assert report.result is not None
    assert [row.scored for row in report.result.depths] == [4, 4]
    verdicts = {p.outcome.verdict for p in report.result.probes if p.outcome.status == "scored"}
    assert verdicts == {"correct", "wrong", "abstained"}
    return report.result


def picture(result: DrillResult) -> list[object]:
    """What a drill found out, probe by probe, without the names and times that differ between
    runs."""
    return [
        (
            probe.id.partition("/")[2],
            probe.chain,
            probe.question
            and (probe.question.text, probe.question.reference, probe.question.evidence.digest),
            probe.answer and (probe.answer.text, probe.answer.finish, probe.answer.usage),
            probe.outcome.model_dump(exclude={"judge"}),
            probe.concepts,
        )
        for probe in result.probes
    ]


def requests(entries: list[Json]) -> list[str]:
    """The request bodies, in an order of their own."""
    return sorted(json.dumps(entry["body"], sort_keys=True) for entry in entries)


def calls_and_attempts(result: DrillResult) -> tuple[int, int]:
    return sum(u.calls for u in result.usage.values()), sum(
        u.attempts for u in result.usage.values()
    )


async def test_a_recorded_drill_is_the_same_when_aimock_plays_it(
    tape: Tape, wiki: str | None, world: RunningWorld, tmp_path: Path
) -> None:
    with aimock.serve(tmp_path, "-f", str(tape.fixtures), "--strict", key=KEY) as address:
        result = finished(await drill(address, facts(wiki, world)))
        entries = aimock.journal(address, KEY)
    assert picture(result) == tape.picture
    assert requests(entries) == tape.requests
    assert all(e["response"]["status"] == 200 and e["response"]["fixture"] for e in entries)
    assert calls_and_attempts(result) == (len(entries), len(entries))
    assert not any(entry["body"].get("stream") for entry in entries)
    assert not [
        served for served in world.log if served.kind in ("chat", "structured")
    ]  # aimock was alone
    if wiki is not None:
        assert {p.question.evidence.source for p in result.probes if p.question} == {
            f"mediawiki:{wiki}"
        }


async def test_a_429_and_a_500_cost_one_more_call_each(
    tape: Tape, wiki: str | None, world: RunningWorld, tmp_path: Path
) -> None:
    question = next(
        json.loads(r)["messages"][-1]["content"] for r in tape.requests if '"novice"' in r
    )
    busy = {
        "error": {"message": "Slow down.", "type": "rate_limit_error"},
        "status": 429,
        "retryAfter": 1,
    }
    broken = {"error": {"message": "Something broke.", "type": "server_error"}, "status": 500}
    once = [
        {
            "match": {"model": "evaluator", "userMessage": "<named>", "sequenceIndex": 0},
            "response": busy,
        },
        {
            "match": {"model": "novice", "userMessage": question, "sequenceIndex": 0},
            "response": broken,
        },
    ]
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps({"fixtures": once}))
    options = ("-f", str(faults), "-f", str(tape.fixtures), "--strict")
    with aimock.serve(tmp_path, *options, key=KEY) as address:
        result = finished(await drill(address, facts(wiki, world)))
        entries = aimock.journal(address, KEY)
    assert picture(result) == tape.picture
    assert sorted(entry["response"]["status"] for entry in entries) == [200] * len(
        tape.requests
    ) + [429, 500]
    assert calls_and_attempts(result) == (len(tape.requests), len(tape.requests) + 2)
    assert {role: usage.attempts - usage.calls for role, usage in result.usage.items()} == {
        "target": 1,
        "evaluator": 1,
        "judge": 0,
    }
    assert waited_s(entries, 429) >= 1.0  # its Retry-After
    assert waited_s(entries, 500) >= 0.25  # the shortest first wait
    assert [call.attempts for p in result.probes for call in p.calls if call.attempts > 1] == [2]


def waited_s(entries: list[Json], status: int) -> float:
    """Seconds between the fault and the next arrival of the same request; the body must be the same
    to the letter."""
    (place,) = [
        index for index, entry in enumerate(entries) if entry["response"]["status"] == status
    ]
    again = next(entry for entry in entries[place + 1 :] if entry["body"] == entries[place]["body"])
    return float(again["timestamp"] - entries[place]["timestamp"]) / 1000.0


async def test_a_key_that_aimock_refuses_is_named_by_its_variable_and_never_shown(
    tape: Tape, wiki: str | None, world: RunningWorld, tmp_path: Path
) -> None:
    with aimock.serve(tmp_path, "-f", str(tape.fixtures), "--strict", key=KEY) as address:
        report = await drill(address, facts(wiki, world), key="sk-another-one")
    assert (report.status, report.result, report.exit_code) == ("failed", None, 1)
    assert report.error is not None
    assert "OPENAI_API_KEY" in report.error
    assert "another-one" not in report.error
