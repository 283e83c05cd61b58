"""Where a drill deviates from the published method (DepthCharge, arXiv 2603.23514), by name."""

import re
from collections.abc import Iterable

from ...state.spec import DrillSpec
from ...state.tiers import Tier

ALWAYS = (
    "random-remainder: when N does not divide by the surviving paths, who gets one probe more is drawn at random "
    "(the reference gives the remainder to the first paths, which leaves deep depths resting on few roots)",
    "wilson-accuracy: accuracy intervals are Wilson's, survival intervals a mid-p beta product, the interval of EVD a "
    "simulation of the protocol widened for shared roots (the paper bootstraps paths, which covers too little)",
    "exact-stop: the stop rule compares exact fractions, not floats",
    "constant-n: probes that cannot be scored are replaced, so that accuracy rests on N verdicts",
    "abstention-apart: refusals and 'I do not know' end a path like wrong answers, and are reported apart from them",
    "whole-answer: an answer that asserts the reference and also something incompatible is wrong",
    "no-repeats: no passage and no fact is used twice in a run",
    "passages-offered: a question is written from the one that serves best of up to three passages on its concept",
    "random-concepts: which of the mentioned concepts are drilled is drawn by seed, not chosen by the evaluator",
)


def conformance(spec: DrillSpec, roots: int) -> tuple[str, ...]:
    """Every deviation of this run, and the choices by which it follows the paper where the default would not. `roots`:
    how many aspects it opened with."""
    items = list(ALWAYS)
    if roots < spec.n:
        items.append(f"fewer-roots: the {spec.n} probes of depth 1 were shared among the {roots} aspects there were")
    if spec.missing == "wrong":
        items.append("missing-wrong: as in the paper, a concept without evidence counts as a wrong answer")
    else:
        items.append("missing-excluded: a concept without evidence is replaced, not counted as wrong")
    if spec.verify_questions:
        items.append("verified-questions: the evaluator must reach the reference from the passage alone")
    items += _about_sources(spec)
    if spec.judge != spec.evaluator:
        items.append("separate-judge: verdicts come from another model than the questions")
    if spec.prompts:
        items.append(f"own-prompts: {', '.join(sorted(spec.prompts))} replaced by the user")
    return tuple(items)


def _about_sources(spec: DrillSpec) -> Iterable[str]:
    """What the tiers mean where a source cannot tell them as the method wants them told."""
    everywhere = {kind for names in spec.facts.values() for kind in _kinds(names)}
    reviewed = _kinds(spec.facts.get(Tier.SPECIALIST, ()))
    if "folder" in everywhere:
        yield (
            "own-documents: a folder's document is of the tier that its front matter or sub-folder names; where none "
            "on a concept is, tiers are nominal (COMMON is a document's lead, TEXTBOOK its body, those above all of it)"
        )
    if "zim" in everywhere:
        yield (
            "archived-encyclopedia: articles are those of an offline archive on the day it was made; COMMON is the "
            "lead, TEXTBOOK the body"
        )
    if reviewed & {"europepmc", "openalex"}:
        yield (
            "reviewed-by-record: for SPECIALIST, what was peer-reviewed is known from the records of the literature "
            "index (an article or review in a journal, neither preprint nor retracted); passages are from abstracts"
        )
    if "tavily" in reviewed:
        yield (
            "reviewed-by-marks: for SPECIALIST, web search cannot tell what was peer-reviewed; a journal publisher's "
            "host, a DOI or a journal's name stands for it"
        )


def _kinds(sources: Iterable[str]) -> set[str]:
    return {re.split(r"[:@]", source, maxsplit=1)[0] for source in sources}
