"""The result of a drill: a pure function of what its journal holds, so that it can be computed
again at any time; and where a drill deviates from the published method."""

import re
from collections.abc import Iterable

from ...state.errors import RunFailed
from ...state.events import Opened
from ...state.records import ANCHORS, Probe, Role
from ...state.result import DrillResult, OpenDepth, StopReason
from ...state.spec import DrillSpec
from ...state.tiers import Tier
from ...state.worlds import label_of
from ...tools.models.family import family_notices
from ..run.record import RunRecord, assembled, reasoning_notes
from .ruler import ruler_of
from .summary import summarise_numbers

ROLES: tuple[Role, ...] = ("target", "evaluator", "judge")
BETWEEN_DOMAINS = (
    "EVD compares models within one domain; between domains it also measures how deep the sources "
    "and questions go."
)


def result_of(record: RunRecord) -> DrillResult:
    """The result over all closed depths. Raises RunFailed when no depth was closed: there is
    nothing to report."""
    spec, ended = record.spec_as(DrillSpec), record.finished
    if not record.closed:
        raise RunFailed(
            f"The drill of {spec.domain!r} ended before its first depth: {ended.stop_detail}."
        )
    rows = tuple(event.row for event in record.closed)
    excluded = {
        key: reason for event in record.closed for key, reason in event.excluded.items()
    }
    probes = [
        probe.model_copy(update={"excluded": excluded[probe.id]})
        if probe.id in excluded
        else probe
        for probe in record.probes
    ]
    opened = record.opened
    assert opened is not None  # no depth closes before
    roots = len(set(opened.roots))
    counted = rows[0].roots > 0  # not before the opening said what was lost
    reason: StopReason = ended.stop_reason
    numbers = summarise_numbers(rows, probes, spec, reason)
    where = chosen(spec) | {
        "given-topics": opened.population == "topics",
        "listed-topics": opened.population == "contents",
        "fewer-roots": roots < spec.n and roots,
    }
    common = assembled(
        record,
        (*ROLES, *ANCHORS[: len(spec.anchors)]),
        (*opened.calls, *record.look_up_calls, *(call for p in probes for call in p.calls)),
        (DEVIATIONS, where),
        notes=_notes(spec, probes, opened),
        sources={tier.value: list(names) for tier, names in spec.facts.items()},
        fingerprints=record.started.sources,
    )
    return DrillResult(
        censored=reason,
        depths=rows,
        open_depth=_open_depth(len(rows) + 1, probes),
        ruler=ruler_of(rows, probes, spec, reason),
        aspects=opened.aspects,
        probes=tuple(probes),
        population=opened.population if counted else None,
        roots_with_evidence=_supported(opened) if counted else None,
        roots_lost=opened.lost_roots,
        **(common | numbers),
    )


def _supported(opened: Opened) -> float:
    """Share of the drawn roots that have evidence."""
    return 1 - len(opened.lost_roots) / len({*opened.roots, *opened.lost_roots})


def _open_depth(depth: int, probes: list[Probe]) -> OpenDepth | None:
    """The depth after the closed ones, when some of its probes are finished."""
    finished = [probe for probe in probes if probe.depth == depth]
    if not finished:
        return None
    verdicts = [probe.verdict for probe in finished]
    return OpenDepth(
        depth=depth,
        tier=finished[0].tier,
        finished=len(finished),
        correct=verdicts.count("correct"),
        wrong=verdicts.count("wrong"),
        abstained=verdicts.count("abstained"),
        unscored=verdicts.count(None),
    )


def _notes(spec: DrillSpec, probes: list[Probe], opened: Opened) -> list[str]:
    notes = [BETWEEN_DOMAINS]
    if (roots := len(set(opened.roots))) < spec.n:
        notes.append(f"The {spec.n} probes of depth 1 share {roots} starting topics.")
    if opened.lost_roots:
        fate = (
            "counted as wrong" if spec.missing == "wrong" else "replaced by the next ones drawn"
        )
        notes.append(
            f"Starting topics without evidence, {fate}: {', '.join(opened.lost_roots)}."
        )
    if any("tavily" in name for names in spec.facts.values() for name in names):
        notes.append(
            "The cost is that of model calls; Tavily bills searches apart, about one per "
            "concept looked up."
        )
    if spec.evaluator == spec.target or spec.judge == spec.target:
        notes.append(
            "The target also wrote or judged its own questions; its numbers may flatter it."
        )
    else:
        notes += family_notices(spec.target, spec.evaluator, spec.judge)
    if spec.evaluator == spec.judge:
        checks = ", checked them" if spec.verify_questions else ""
        notes.append(
            f"One model ({label_of(spec.evaluator)}) wrote the questions{checks} and judged the "
            "answers: what it gets wrong in one of these it may well get wrong in the others."
        )
    notes += reasoning_notes(probe.answer for probe in probes)
    unscored = sum(probe.verdict is None for probe in probes)
    if unscored:
        notes.append(
            f"{unscored} probes could not be scored and count neither for nor against the model."
        )
    return notes


def _kinds(sources: Iterable[str]) -> set[str]:
    return {re.split(r"[:@]", source, maxsplit=1)[0] for source in sources}


def chosen(spec: DrillSpec) -> dict[str, object]:
    """Deviations that depend on the spec, by name."""
    kinds, reviewed = _kinds(spec.sources), _kinds(spec.facts.get(Tier.SPECIALIST, ()))
    is_excluded = spec.missing != "wrong"
    return {
        "missing-wrong": not is_excluded,
        "missing-excluded": is_excluded,
        "own-titles": is_excluded and kinds & {"wikipedia", "mediawiki"},
        "verified-questions": spec.verify_questions,
        "own-documents": "folder" in kinds,
        "archived-encyclopedia": "zim" in kinds,
        "reviewed-by-record": reviewed & {"europepmc", "openalex"},
        "reviewed-by-marks": "tavily" in reviewed,
        "separate-judge": spec.judge != spec.evaluator,
    }


DEVIATIONS = """
random-remainder: when N does not divide by the surviving paths, who gets one probe more is drawn
at random (the reference gives the remainder to the first paths, which leaves deep depths resting
on few roots)

wilson-accuracy: accuracy intervals are Wilson's, survival intervals a mid-p beta product, the
interval of EVD a simulation of the protocol widened for shared roots (the paper bootstraps paths,
which covers too little)

exact-stop: the stop rule compares exact fractions, not floats

constant-n: probes that cannot be scored are replaced, so that accuracy rests on N verdicts

abstention-apart: refusals and 'I do not know' end a path like wrong answers, and are reported
apart from them

whole-answer: an answer that asserts the reference and also something incompatible is wrong

no-repeats: no passage and no fact is used twice in a run

passages-offered: a question is written from the one that serves best of up to three passages on
its concept

random-concepts: which of the mentioned concepts are drilled is drawn by seed, not chosen by the
evaluator

given-topics: the roots are drawn from a list of topics by their weights (in the paper the
evaluator names them)

listed-topics: the evaluator chooses the roots among titles of the fact sources (in the paper it
names them freely)

fewer-roots: the {spec.n} probes of depth 1 were shared among the {} aspects there were

missing-wrong: as in the paper, a concept without evidence counts as a wrong answer

missing-excluded: a concept without evidence is replaced, not counted as wrong

own-titles: of the concepts drawn, those with an article under their own title are drilled before
those that only a search would find

verified-questions: the evaluator must reach the reference from the passage alone

own-documents: a folder's document is of the tier that its front matter or sub-folder names; where
none on a concept is, tiers are nominal (COMMON is a document's lead, TEXTBOOK its body, those
above all of it)

archived-encyclopedia: articles are those of an offline archive on the day it was made; COMMON is
the lead, TEXTBOOK the body

reviewed-by-record: for SPECIALIST, what was peer-reviewed is known from the records of the
literature index (an article or review in a journal, neither preprint nor retracted); passages are
from abstracts

reviewed-by-marks: for SPECIALIST, web search cannot tell what was peer-reviewed; a journal
publisher's host, a DOI or a journal's name stands for it

separate-judge: verdicts come from another model than the questions
"""
"""`name: sentence` of each place where runs deviate from the published method; `chosen` says which
of them only some runs have."""
