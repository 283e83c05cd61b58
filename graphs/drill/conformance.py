"""Where a drill deviates from the published method (DepthCharge, arXiv 2603.23514), by name."""

import re
from collections.abc import Iterable

from ...state.spec import DrillSpec
from ...state.tiers import Tier
from ..run.conformance import OWN_PROMPTS, Deviation


def _kinds(sources: Iterable[str]) -> set[str]:
    return {re.split(r"[:@]", source, maxsplit=1)[0] for source in sources}


def _reviewed(spec: DrillSpec) -> set[str]:
    return _kinds(spec.facts.get(Tier.SPECIALIST, ()))


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
FEWER_ROOTS = "fewer-roots: the {n} probes of depth 1 were shared among the {roots} aspects there were"
"""Behind these where a drill opened with fewer aspects than it has probes."""
CHOSEN = (
    Deviation(
        lambda spec: spec.missing == "wrong",
        "missing-wrong: as in the paper, a concept without evidence counts as a wrong answer",
    ),
    Deviation(
        lambda spec: spec.missing != "wrong",
        "missing-excluded: a concept without evidence is replaced, not counted as wrong",
    ),
    Deviation(
        lambda spec: spec.verify_questions,
        "verified-questions: the evaluator must reach the reference from the passage alone",
    ),
    Deviation(
        lambda spec: "folder" in _kinds(spec.sources),
        "own-documents: a folder's document is of the tier that its front matter or sub-folder names; where none on a "
        "concept is, tiers are nominal (COMMON is a document's lead, TEXTBOOK its body, those above all of it)",
    ),
    Deviation(
        lambda spec: "zim" in _kinds(spec.sources),
        "archived-encyclopedia: articles are those of an offline archive on the day it was made; COMMON is the lead, "
        "TEXTBOOK the body",
    ),
    Deviation(
        lambda spec: bool(_reviewed(spec) & {"europepmc", "openalex"}),
        "reviewed-by-record: for SPECIALIST, what was peer-reviewed is known from the records of the literature index "
        "(an article or review in a journal, neither preprint nor retracted); passages are from abstracts",
    ),
    Deviation(
        lambda spec: "tavily" in _reviewed(spec),
        "reviewed-by-marks: for SPECIALIST, web search cannot tell what was peer-reviewed; a journal publisher's host,"
        " a DOI or a journal's name stands for it",
    ),
    Deviation(
        lambda spec: spec.judge != spec.evaluator, "separate-judge: verdicts come from another model than the questions"
    ),
    OWN_PROMPTS,
)
