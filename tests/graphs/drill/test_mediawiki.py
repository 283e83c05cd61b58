"""Whole drills on a MediaWiki that nobody here wrote, whose articles are the simulated world's, so
that every verdict has a known right value."""

import asyncio
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, urlencode
from urllib.request import urlopen

import orjson
import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.sim.personas import PERSONAS
from fathom.state.records import Evidence, Probe, Scored
from fathom.state.result import DrillResult
from fathom.state.tiers import TIERS
from fathom.tools.facts.plan import parse_facts

from ...support import mediawiki
from ...support.drill.drills import sim_spec
from ...support.programs import Programs
from ...support.world_wiki import (
    AMBIGUOUS,
    ASPECTS,
    DOMAIN,
    MEANT,
    MOVED,
    MOVED_TO,
    UNKNOWN,
    WORLD,
    articles,
    prose,
    wiki_pages,
    world,
)

SEED = 43
"""Draws the subject without a page among the roots."""

pytestmark = [
    pytest.mark.xdist_group("drill_mediawiki"),  # one worker makes what all of them begin with
    pytest.mark.mediawiki,
    pytest.mark.skipif(mediawiki.missing() is not None, reason=mediawiki.missing() or ""),
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("wiki") / "w"
    mediawiki.install(folder, wiki_pages())
    with mediawiki.serve(folder) as address:
        yield address


async def drill(
    api: str, env: Mapping[str, str] = MappingProxyType({}), **changes: object
) -> RunReport:
    facts = parse_facts(f"mediawiki:{api}", {}, simulated=False).facts
    spec = sim_spec(domain=DOMAIN, facts=facts, n=6, passes=1, seed=SEED, world=WORLD, **changes)
    (report,) = await Launch([spec], LaunchOptions(env=env)).run()
    return report


def revisions(api: str, titles: set[str]) -> dict[str, str]:
    """The newest revision of each page, from the wiki itself."""
    asked = {
        "action": "query",
        "prop": "info",
        "titles": "|".join(sorted(titles)),
        "format": "json",
    }
    with urlopen(f"{api}?{urlencode(asked)}", timeout=10) as reply:
        pages = orjson.loads(reply.read())["query"]["pages"].values()
    return {page["title"]: str(page["lastrevid"]) for page in pages}


def check_evidence(api: str, evidence: Evidence) -> None:
    assert evidence.source == f"mediawiki:{api}"
    assert evidence.title in articles()  # an article: neither a redirect, nor a list of senses
    assert (
        evidence.url
        == f"{api.removesuffix('/api.php')}/index.php/{quote(evidence.title.replace(' ', '_'), '()')}"
    )
    assert evidence.text in prose(articles()[evidence.title])[evidence.section]


def check_probe(api: str, probe: Probe, target: str) -> None:
    assert probe.question is not None
    check_evidence(api, probe.question.evidence)
    assert probe.question.evidence.tier is probe.tier
    assert (probe.question.evidence.section is None) == (
        probe.depth == 1
    )  # COMMON is the lead, TEXTBOOK the body
    assert probe.question.quote in probe.question.evidence.text
    fact = world().fact_of(probe.question.text)
    assert fact is not None
    assert isinstance(probe.outcome, Scored)
    assert probe.outcome.correct == world().knows(PERSONAS[target], fact)


def check(api: str, result: DrillResult, target: str) -> None:
    """What must hold of every drill here, two depths of six probes."""
    assert [(row.tier, row.scored, row.unfilled) for row in result.depths] == [
        (TIERS[0], 6, 0),
        (TIERS[1], 6, 0),
    ]
    counted = [p for p in result.probes if p.excluded is None and p.outcome.status == "scored"]
    assert len(counted) == 12
    for probe in counted:
        check_probe(api, probe, target)
    evidence = [p.question.evidence for p in result.probes if p.question]
    assert {e.title: e.revision for e in evidence} == revisions(api, {e.title for e in evidence})
    assert set(result.aspects) == set(ASPECTS)
    by_concept = {
        p.concept: p.question.evidence.title for p in result.probes if p.question and p.depth == 1
    }
    assert (by_concept[MOVED], by_concept[AMBIGUOUS]) == (MOVED_TO, MEANT)
    assert not any(UNKNOWN in p.chain for p in result.probes)
    assert result.depths[0].no_evidence == 1


@pytest.fixture(scope="module")
def report(api: str) -> RunReport:
    """Of a drill that may go no deeper than the wiki can serve."""
    return asyncio.run(drill(api, target="sim:student", max_depth=2))


def test_a_drill_that_may_go_no_deeper(api: str, report: RunReport) -> None:
    assert (report.status, report.exit_code) == ("complete", 0)
    assert report.result is not None
    check(api, report.result, "student")
    assert (report.result.stop_reason, report.result.depth_reached) == ("max_depth", 2)
    assert {p.outcome.status == "scored" and p.outcome.verdict for p in report.result.probes} > {
        "correct"
    }


@pytest.mark.parametrize("connections", ["1", "40"])
async def test_the_same_drill_twice_is_the_same_drill(
    api: str, report: RunReport, connections: str
) -> None:
    def picture(report: RunReport) -> list[object]:
        assert report.result is not None
        return [
            (p.id.partition("/")[2], p.question and p.question.text, p.outcome)
            for p in report.result.probes
        ]

    env = {"FATHOM_FACT_CONNECTIONS": connections}
    assert picture(report) == picture(await drill(api, env, target="sim:student", max_depth=2))


def fathom(
    programs: Programs, folder: Path, api: str, domain: str
) -> "subprocess.CompletedProcess[str]":
    return programs.run(
        "drill", domain, "--target", "sim:omniscient", "--evaluator", "sim:evaluator",
        "--facts", f"mediawiki:{api}", "-n", "6", "--passes", "1", "--seed", str(SEED), "--sim", f"seed={WORLD.seed}",
        "--json", "--display", "lines", "--runs", str(folder / "runs"), cwd=folder,
    )  # fmt: skip


def test_from_the_command_line_a_wiki_has_nothing_for_professionals(
    programs: Programs, api: str, tmp_path: Path
) -> None:
    done = fathom(programs, tmp_path, api, DOMAIN)
    assert done.returncode == 0, done.stderr
    result = DrillResult.model_validate_json(done.stdout)
    check(api, result, "omniscient")
    assert (result.stop_reason, result.evd) == ("no_source", 2.0)
    assert "PROFESSIONAL" in done.stderr  # said before the run began
    (kept,) = tmp_path.glob("runs/*/result.json")
    assert DrillResult.model_validate_json(kept.read_bytes()) == result


@pytest.mark.parametrize(
    "domain", [UNKNOWN, "Medieval falconries"]
)  # the evaluator has aspects of the first only
def test_a_domain_without_a_page_ends_with_1_and_one_sentence(
    programs: Programs, api: str, tmp_path: Path, domain: str
) -> None:
    done = fathom(programs, tmp_path, api, domain)
    assert done.returncode == 1
    assert f"mediawiki:{api} has no page on '{domain}'" in done.stderr
    assert "Check the spelling" in done.stderr
    assert "Traceback" not in done.stderr
    assert orjson.loads(done.stdout)["status"] == "failed"
