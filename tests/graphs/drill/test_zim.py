"""Whole drills on an offline encyclopedia that the test makes: articles of the simulated world, so
that every verdict has a known right value."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from fathom.state.records import Probe
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.state.tiers import TIERS, Tier

from ...support.command_line import Caller, Said
from ...support.drill.drills import TODAY, lasting
from ...support.world_library import check_verdicts, world_folder
from ...support.world_wiki import (
    ASPECTS,
    DOMAIN,
    MEANT,
    MOVED,
    MOVED_TO,
    UNKNOWN,
    WORLD,
    articles,
    prose,
)

pytestmark = pytest.mark.skipif(find_spec("libzim") is None, reason="libzim is not installed")

SEED = 43
"""Draws the subject without an article among the roots."""
DRILL = [
    "drill",
    DOMAIN,
    "-t",
    "sim:omniscient",
    "-e",
    "sim:evaluator",
    "--display",
    "none",
    "--json",
]
SIZE = [
    "-n",
    "6",
    "-q",
    "1",
    "--seed",
    str(SEED),
    "--as-of",
    TODAY.isoformat(),
    "--sim",
    f"seed={WORLD.seed}",
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`wiki.zim`, and a folder `library` for the tiers above it."""
    from ...support.zim_archive import world_zim

    folder = tmp_path_factory.mktemp("kept")
    world_zim(folder / "wiki.zim")
    world_folder(folder / "library", (Tier.PROFESSIONAL,))
    return folder


@pytest.fixture
def call(
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    monkeypatch.setenv("FATHOM_CACHE", str(kept / "cache.sqlite"))
    (tmp_path / "archive").symlink_to(kept)
    return Caller(tmp_path, monkeypatch, capsys)


def whole(said: Said) -> DrillResult:
    assert said.code == 0, said.err
    return DrillResult.model_validate_json(said.out)


def check_article(probe: Probe, archive: Path) -> None:
    """COMMON is the lead, TEXTBOOK the body, word for word; neither a redirect nor a list of
    senses."""
    assert probe.question is not None
    evidence = probe.question.evidence
    assert evidence.source == f"zim:{archive.resolve()}"
    assert (evidence.section is None) == (probe.tier is Tier.COMMON)
    assert evidence.text in prose(articles()[evidence.title])[evidence.section]
    assert evidence.title.replace(" ", "_") in evidence.url


def test_an_archive_serves_the_lower_tiers_and_ends_there(call: Caller, kept: Path) -> None:
    (call.folder / "topics.txt").write_text("\n".join(ASPECTS))
    facts = ["--facts", "zim:archive/wiki.zim", "--topics", "topics.txt"]
    result = whole(call(*DRILL, *SIZE, *facts))
    assert [(row.tier, row.scored, row.unfilled) for row in result.depths] == [
        (TIERS[0], 6, 0),
        (TIERS[1], 6, 0),
    ]
    assert (result.stop_reason, result.evd) == ("no_source", 2.0)
    probes = check_verdicts(result, WORLD.seed, "omniscient")
    assert len(probes) == 12
    for probe in probes:
        check_article(probe, kept / "wiki.zim")
    by_concept = {
        p.concept: p.question.evidence.title
        for p in result.probes
        if p.question and p.depth == 1
    }
    assert by_concept[MOVED] == MOVED_TO
    assert by_concept.get("Mercury", MEANT) == MEANT
    assert set(result.aspects) == set(ASPECTS)
    assert not any(UNKNOWN in p.chain for p in result.probes)
    assert result.depths[0].no_evidence == 1
    assert any(item.startswith("archived-encyclopedia: ") for item in result.conformance)


def test_a_resume_from_another_folder_finds_the_archive(
    call: Caller,
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    words = [*DRILL, *SIZE, "--facts", "zim:./archive/wiki.zim", "--no-cache"]
    expected = whole(call(*words, "--runs", "uncut"))
    assert call(*words, "--max-calls", "40").code == 3
    (run,) = call.runs
    spec = DrillSpec.model_validate_json((run / "spec.json").read_bytes())
    assert spec.facts[Tier.COMMON] == (f"zim:{(kept / 'wiki.zim').resolve()}",)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    again = call("resume", str(run), "--max-calls", "1000", "--display", "none", "--json")
    assert lasting(whole(again)) == lasting(expected)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ("zim:archive/none.zim", "none.zim"),
        ("zim:archive/library", "library"),
        ("zim:archive/wiki.zim,PROFESSIONAL=zim:archive/wiki.zim", "cannot serve PROFESSIONAL"),
        ("zim:", "zim needs a path"),
    ],
)
def test_archives_that_cannot_serve_are_refused(call: Caller, facts: str, says: str) -> None:
    said = call(*DRILL, *SIZE, "--facts", facts)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert says in said.err
    assert not call.runs
