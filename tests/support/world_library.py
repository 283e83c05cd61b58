"""The simulated world as a folder of documents: its articles and its literature as Markdown, in a
sub-folder per tier. The world knows who knows what, so every verdict of a drill here has a known
right value."""

from datetime import date
from functools import cache
from pathlib import Path

from fathom.sim.corpus import corpus
from fathom.sim.drill import fact_of
from fathom.sim.personas import PERSONAS
from fathom.sim.search import PREPRINT, RETRACTED, Document, all_documents
from fathom.sim.world import World
from fathom.state.records import Probe, Scored
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier

from .drill.drills import TODAY

UPPER = (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE)


@cache
def world(seed: int) -> World:
    return World(WorldSpec(seed=seed))


def world_folder(folder: Path, tiers: tuple[Tier, ...] = tuple(Tier)) -> Path:
    """The folder, with what the world has for these tiers in it; COMMON and TEXTBOOK as one article
    each, untiered."""
    if Tier.COMMON in tiers:
        for title, page in corpus().pages.items():
            if not page.disambiguation and page.sections:
                body = "".join(f"\n## {heading}\n\n{text}\n" for heading, text in page.sections)
                _write(
                    folder / "encyclopedia" / f"{title}.md", f"# {title}\n\n{page.lead}\n{body}"
                )
    for document in all_documents():
        if document.tier in tiers:
            name = document.tier.value.lower().replace("_", "-")
            _write(folder / name / f"{document.id}.md", _article(document))
    return folder


def _article(document: Document) -> str:
    published = document.published(TODAY).isoformat()
    assert date.fromisoformat(published) <= TODAY
    marks = {PREPRINT: "preprint: true\n", RETRACTED: "retracted: true\n"}.get(
        document.kind, ""
    )
    title = document.title.replace(":", ",")
    return (
        f"---\ntitle: {title}\ndate: {published}\n{marks}---\n\n# {title}\n\n{document.text}\n"
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def scored(result: DrillResult) -> list[Probe]:
    """The probes that count."""
    return [p for p in result.probes if p.excluded is None and isinstance(p.outcome, Scored)]


def check_verdicts(result: DrillResult, seed: int, persona: str) -> list[Probe]:
    """Every verdict is what the world knows to be right, on a fact of the probe's own tier, quoted
    from its passage. Returns the probes that count."""
    probes = scored(result)
    for probe in probes:
        assert probe.question is not None
        fact = fact_of(probe.question.text)
        assert fact is not None, probe.question.text
        assert isinstance(probe.outcome, Scored)
        assert probe.outcome.correct == world(seed).knows(PERSONAS[persona], fact)
        assert probe.question.evidence.tier is probe.tier
        if (
            probe.tier in UPPER
        ):  # an article's tiers are its lead and its body, whatever stands in them
            assert fact.tier is probe.tier
        assert probe.question.quote in probe.question.evidence.text
    verdicts = {probe.outcome.verdict for probe in probes if isinstance(probe.outcome, Scored)}
    assert "correct" in verdicts
    return probes
