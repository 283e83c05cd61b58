"""Whole drills against the simulated world over real HTTP: the protocol holds, and only what
decides decides."""

import asyncio
from collections import Counter
from fractions import Fraction
from math import prod
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions, stream
from fathom.sim import server
from fathom.sim.drill import fact_of
from fathom.sim.personas import PERSONAS
from fathom.sim.server import Timing
from fathom.sim.world import World
from fathom.state.records import Probe
from fathom.state.result import DrillResult
from fathom.state.spec import FaultRates, WorldSpec
from fathom.state.text import contains, normalise
from fathom.state.tiers import TIERS
from fathom.tools.models.clients import Limits

from ...support.drill.drills import drill, lasting, sim_spec


async def test_the_protocol_holds_and_every_verdict_is_the_personas_bit() -> None:
    seed, n = 2, 12
    world_spec = WorldSpec(seed=seed)
    report = await drill(sim_spec(seed=seed, n=n, world=world_spec))
    result, world = report.result, World(world_spec)
    assert (report.exit_code, report.error) == (0, None)
    assert result is not None
    assert result.simulated
    accuracies = [Fraction(row.correct, row.scored) for row in result.depths]
    survivals = [prod(accuracies[: d + 1], start=Fraction(1)) for d in range(len(accuracies))]
    assert [row.scored for row in result.depths] == [n] * len(result.depths)
    assert [row.survival for row in result.depths] == [float(s) for s in survivals]
    assert result.evd == pytest.approx(float(sum(survivals)))
    assert result.stop_reason == "threshold"
    assert survivals[-1] < Fraction(1, 5) <= survivals[-2]
    counted = [p for p in result.probes if p.outcome.status == "scored" and p.excluded is None]
    assert len(counted) == n * len(result.depths)
    _check_evidence(counted)
    for probe in counted:
        assert probe.question is not None
        fact = fact_of(probe.question.text)
        assert fact is not None
        assert probe.outcome.status == "scored"
        assert probe.outcome.correct == world.knows(PERSONAS["student"], fact), probe.id


def _check_evidence(probes: list[Probe]) -> None:
    """No passage and no fact twice; quotes stand in their passage; every probe has an address."""
    passages, facts = Counter[str](), Counter[tuple[str, str]]()
    for probe in probes:
        question = probe.question
        assert question is not None
        passages[question.evidence.digest] += 1
        facts[normalise(question.text), normalise(question.reference)] += 1
        assert contains(question.evidence.text, question.quote)
        assert not contains(question.text, question.reference)
        assert question.evidence.url.startswith("sim://")
        assert question.evidence.tier == probe.tier
    assert max(passages.values()) == 1
    assert max(facts.values()) == 1


MODELS = {"target": "omniscient", "evaluator": "evaluator", "judge": "evaluator"}
SMALL: dict[str, Any] = {"n": 5, "passes": 1, "max_depth": 3}


@pytest.fixture(scope="module")
def plain() -> DrillResult:
    """A small drill that nothing disturbs."""
    result = asyncio.run(drill(sim_spec(**SMALL))).result
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("timing", "limits"),
    [
        (Timing(latency_s=0.01, jitter_s=0.03), Limits()),
        (Timing(), Limits(max_connections=1)),
    ],
    ids=["jitter", "one connection"],
)
async def test_only_what_decides_decides(
    plain: DrillResult, timing: Timing, limits: Limits
) -> None:
    other = await drill(sim_spec(**SMALL), timing=timing, limits=limits)
    assert other.result is not None
    assert lasting(other.result) == lasting(plain)


async def test_faults_are_never_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone who knows everything, under 429, 500, hangs and malformed replies: all right, and the
    rest unscored."""
    monkeypatch.setattr(server, "RETRY_AFTER_S", 0)
    faults = FaultRates(rate_limit=0.04, server_error=0.04, hang=0.02, malformed=0.03)
    spec = sim_spec(target="sim:omniscient", n=4, max_depth=4, world=WorldSpec(faults=faults))
    report = await drill(spec, limits=Limits(timeout_s=0.3, backoff_s=0.01))
    result = report.result
    assert result is not None
    assert (result.evd, result.stop_reason, result.censored) == (4, "max_depth", None)
    assert all(
        row.wrong == row.abstained == 0 and row.correct == row.scored == 4
        for row in result.depths
    )
    assert (
        sum(role.attempts - role.calls for role in result.usage.values()) > 3
    )  # faults did happen


async def test_every_unscored_probe_is_in_the_endpoints_own_log() -> None:
    """The endpoint says which requests it let fail; no probe is unscored at a stage whose requests
    all went well."""
    world = await server.start(WorldSpec(faults=FaultRates(server_error=0.2, malformed=0.2)))
    purposes = {
        "question": {"question"},
        "check": {"check", "verdict"},
        "answer": {"answer"},
        "judge": {"verdict"},
    }
    models = {role: f"sim@{world.api_url}:{name}" for role, name in MODELS.items()}
    spec = sim_spec(
        n=8,
        max_depth=2,
        world=None,
        facts=dict.fromkeys(TIERS, (f"sim@{world.base_url}",)),
        **models,
    )
    try:
        result = (await drill(spec, limits=Limits(attempts=2, backoff_s=0.01))).result
        failed = Counter(served.purpose for served in world.log if served.fault is not None)
    finally:
        await world.aclose()
    assert result is not None
    lost = [p.outcome for p in result.probes if p.outcome.status == "unscored"]
    assert lost
    for stage, count in Counter(outcome.stage for outcome in lost).items():
        # two attempts, or two readings, failed for each probe that was lost
        assert sum(failed[purpose] for purpose in purposes[stage]) >= 2 * count
    assert {outcome.kind for outcome in lost} <= {"server", "parse"}
    assert sum(row.wrong + row.abstained for row in result.depths) == 0


async def test_connections_reach_what_is_allowed_and_no_more() -> None:
    specs = [
        sim_spec(n=10, max_depth=1, domain=d)
        for d in ("Chemical elements", "Noble gases", "Lanthanides")
    ]
    launch = Launch(
        specs, LaunchOptions(limits=Limits(max_connections=40), timing=Timing(latency_s=0.1))
    )
    await launch.run()
    assert launch.clients is not None
    assert launch.clients.meter.peak == 40


async def test_leaving_the_stream_ends_the_runs() -> None:
    seen = 0
    events = stream(sim_spec(n=4, max_depth=2), LaunchOptions(timing=Timing(latency_s=0.05)))
    async for event in events:
        seen += 1
        if event.type == "probe_asked":
            break
    await events.aclose()
    assert seen > 1
