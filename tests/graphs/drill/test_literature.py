"""Whole drills whose upper tiers come from stand-ins for Europe PMC and OpenAlex, served beside the
models by one simulated world, so that every verdict has a known right value."""

from collections.abc import Iterator
from datetime import date
from functools import partial

import pytest

from fathom.graphs.drill.result import DEVIATIONS, chosen
from fathom.graphs.run.record import conformance
from fathom.sim.server import RunningWorld
from fathom.state.records import Probe
from fathom.state.result import DrillResult
from fathom.state.tiers import TIERS, Tier

from ...support.command_line import Caller, Said, on_a_thread, world
from ...support.drill.drills import TODAY, sim_spec
from ...support.literature import DOI_PREFIX, Record, records, serving
from ...support.world_library import check_verdicts

SIZE = [
    "-n",
    "3",
    "-q",
    "1",
    "--max-depth",
    "5",
    "--threshold",
    "0.001",
    "--as-of",
    TODAY.isoformat(),
    "--no-cache",
]
DRILL = ["drill", "Chemical elements", "--display", "none", "--json"]
SERVICES = ("europepmc", "openalex")


@pytest.fixture(scope="module")
def running() -> Iterator[RunningWorld]:
    with on_a_thread(world) as served:
        yield served


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[str, ...]]:
    """Sources that are asked at the stand-ins."""
    with on_a_thread(partial(serving, TODAY)) as address:
        yield tuple(f"{service}@{address}/{service}" for service in SERVICES)


def drill(call: Caller, running: RunningWorld, upper: str, *words: str) -> Said:
    models = ["-t", f"sim@{running.api_url}:expert", "-e", f"sim@{running.api_url}:evaluator"]
    facts = f"COMMON=sim@{running.base_url},TEXTBOOK=sim@{running.base_url},{upper}"
    return call(*DRILL, *SIZE, *models, "--facts", facts, *words)


def whole(said: Said) -> DrillResult:
    assert said.code == 0, said.err
    return DrillResult.model_validate_json(said.out)


def record_of(probe: Probe) -> Record:
    """The record behind a passage, found by its DOI."""
    assert probe.question is not None
    url = probe.question.evidence.url
    assert url.startswith(f"https://doi.org/{DOI_PREFIX}/")
    (found,) = [record for record in records() if url.endswith(record.doi)]
    return found


def check_upper(result: DrillResult, services: tuple[str, ...]) -> None:
    """Five tiers, all verdicts right; above TEXTBOOK nothing retracted, no preprint where none may
    be, new where the tier says so."""
    assert [row.tier for row in result.depths] == list(TIERS)
    assert all(row.scored == 3 for row in result.depths[:4])
    for probe in check_verdicts(result, 0, "expert"):
        if probe.tier in TIERS[:2]:
            continue
        record = record_of(probe)
        assert probe.question is not None
        evidence = probe.question.evidence
        assert evidence.source.partition("@")[0] in services
        assert record.standing == "sound"
        assert record.kind != "preprint" or probe.tier is Tier.CUTTING_EDGE
        assert record.document.tier is probe.tier
        if probe.tier is Tier.CUTTING_EDGE:
            assert evidence.published is not None
            assert date(TODAY.year - 2, TODAY.month, TODAY.day) <= evidence.published <= TODAY


def test_both_services_by_turns(
    call: Caller, running: RunningWorld, services: tuple[str, ...]
) -> None:
    europepmc, openalex = services
    upper = (
        f"PROFESSIONAL={europepmc},SPECIALIST={openalex}+{europepmc},CUTTING_EDGE={openalex}"
    )
    result = whole(drill(call, running, upper))
    check_upper(result, SERVICES)
    assert any(item.startswith("reviewed-by-record: ") for item in result.conformance)
    assert not any(item.startswith("reviewed-by-marks: ") for item in result.conformance)
    by_tier = {p.tier: p.question.evidence.source for p in result.probes if p.question}
    assert by_tier[Tier.PROFESSIONAL] == europepmc
    assert by_tier[Tier.CUTTING_EDGE] == openalex


def test_a_service_that_nobody_answers_at_ends_the_run_with_what_was_measured(
    call: Caller, running: RunningWorld, services: tuple[str, ...]
) -> None:
    said = drill(
        call,
        running,
        f"PROFESSIONAL={services[0]},SPECIALIST=openalex@{running.base_url}/none",
    )
    assert said.code == 1
    result = DrillResult.model_validate_json(said.out)
    assert result.stop_reason == "infrastructure"
    assert [row.tier for row in result.depths][:3] == list(TIERS[:3])
    check_verdicts(result, 0, "expert")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sim", set()),
        ("tavily", {"reviewed-by-marks"}),
        ("tavily@http://127.0.0.1:9", {"reviewed-by-marks"}),
        ("openalex", {"reviewed-by-record"}),
        ("europepmc@http://127.0.0.1:9", {"reviewed-by-record"}),
        ("folder:/notes/tavily", {"own-documents"}),
        ("folder:/notes/openalex:old", {"own-documents"}),
    ],
)
def test_a_result_says_what_its_tiers_mean(source: str, said: set[str]) -> None:
    spec = sim_spec(
        facts=dict.fromkeys(TIERS[:2], ("sim",))
        | {Tier.PROFESSIONAL: ("sim",), Tier.SPECIALIST: (source,)}
    )
    about = {
        "own-documents",
        "archived-encyclopedia",
        "reviewed-by-record",
        "reviewed-by-marks",
    }
    assert {
        item.partition(":")[0] for item in conformance(DEVIATIONS, chosen(spec), spec)
    } & about == said
    lower = sim_spec(facts=dict.fromkeys(TIERS[:2], ("zim:/wiki.zim",)))
    assert {
        item.partition(":")[0] for item in conformance(DEVIATIONS, chosen(lower), lower)
    } & about == {"archived-encyclopedia"}
