"""The result of an Explain-Query-Test: a pure function of what its journal holds."""

from collections.abc import Sequence

from ...state.channels import Stop
from ...state.eqt.items import Choice, EqtItem
from ...state.eqt.result import EqtResult, Numbers
from ...state.errors import RunFailed
from ...state.items import eqt_items, faults_of
from ...state.records import Role
from ...state.spec import EqtSpec
from ...tools.models.family import family_notices
from ..run.record import RunRecord, assembled, bounds_notes, reasoning_notes, stop_of
from .figures import tables_of
from .items import sample_of

ROLES: tuple[Role, ...] = ("target", "examiner", "judge")


def ending_of(spec: EqtSpec, items: Sequence[EqtItem]) -> Stop:
    """How a run ends that has asked all it could."""
    planned = len(spec.concepts) * spec.questions * (spec.paraphrases + 1)
    missing = sum(_answers_missing(spec, item) for item in items if item.lost)
    is_read = any(isinstance(item, Choice) and item.correct is not None for item in items)
    return stop_of(
        missing,
        f"{missing:,} of {planned:,} closed-book answers are missing because calls failed",
        faults_of(items),
        is_short=2 * missing >= planned,
        nothing="" if is_read else _why_nothing(items),
        whole="every question was put",
    )


def _answers_missing(spec: EqtSpec, item: EqtItem) -> int:
    """Closed-book answers that are missing because this step failed."""
    answers = spec.paraphrases + 1
    if item.type == "choice" and item.open_book:
        return 0
    by_type = {"explanation": spec.questions * answers, "question": answers, "attribution": 0}
    return by_type.get(item.type, 1)


def _why_nothing(items: Sequence[EqtItem]) -> str:
    """The first reason why no question could be asked."""
    dropped = (getattr(item, "dropped", None) for item in items)
    reasons = [*filter(None, dropped), *(fault.message for fault in faults_of(items))]
    first = reasons[0] if reasons else "nothing was asked"
    return f"no question that can be asked came about; the first reason: {first}"


def result_of(record: RunRecord) -> EqtResult:
    """The result over all closed concepts. Raises RunFailed when none was closed: there is nothing
    to report."""
    spec, finished = record.spec_as(EqtSpec), record.finished
    closed = {event.index for event in record.parts}
    if not closed:
        raise RunFailed(
            f"The run {record.run_id} ended before its first concept: {finished.stop_detail}."
        )
    # answers that were lost before and are there now, or another size, make it another sample
    items = eqt_items(record.items)
    sample = {f"{answer}.why" for answer in sample_of(spec, items, closed)}
    items = [item for item in items if item.type != "attribution" or item.id in sample]
    tables = tables_of(spec, items, closed)
    reopened = (
        f"{len(record.reopened)} of the concepts were being asked again when the run stopped: "
        "some answers are missing. `fathom resume` continues them."
    )
    names = [concept.name for concept in spec.concepts]
    return EqtResult(
        **assembled(
            record,
            ROLES,
            deviations=(DEVIATIONS, chosen(spec)),
            first=[reopened] if record.reopened else [],
            notes=_notes(spec, items, tables.numbers),
        ),
        **tables._asdict(),
        open_concepts=tuple(name for index, name in enumerate(names) if index not in closed),
    )


def _notes(spec: EqtSpec, items: Sequence[EqtItem], numbers: Numbers) -> list[str]:
    notes = [*family_notices(spec.target, spec.examiner, spec.examiner)]
    if spec.examiner == spec.target:
        notes = [
            "The target explained and asked: the accuracy says whether it agrees with itself, "
            "not whether it is right."
        ]
    notes += reasoning_notes(item.answer for item in items if isinstance(item, Choice))
    notes += bounds_notes({"closed-book accuracy": numbers.all.bounds}, "{:.1%}")
    return notes


def chosen(spec: EqtSpec) -> dict[str, object]:
    """Deviations that depend on the spec, by name."""
    return {
        "shuffled-options": spec.shuffle_options,
        "fixed-options": not spec.shuffle_options,
        "another-examiner": spec.examiner != spec.target,
        "verified-paraphrases": spec.verify_paraphrases,
        "open-book": spec.open_book,
        "attribution": spec.attribute > 0,
    }


DEVIATIONS = """
sets-of-letters: an answer is the set of letters it chooses, whatever their order (the reference
compares lists)

answer-line: the target is told that it may reason before its answer line (the paper says nothing
of it); a reply with another last line is read by the judge, who is not told which options are
right; one without a selection is wrong and counted as a format failure

acs-range: ACS lies between 1/|A| and 1 (the paper says 0 to 1); a normalised form that reaches 0
is given too

acs-readable: ACS is over the answers whose selection can be read, 'none of them' among these;
unreadable ones and refusals are wrong and stay out of it, and a question without any readable
answer has no ACS

unheard-unscored: a target that replies with nothing, twice, was cut off or held back by a filter
has not been heard and stays unscored; the accuracy with all of these wrong, and right, is given
too

acs-informative: a question with a single readable answer has an ACS of 1 whatever the model does,
and stays out of the averages

well-formed: a question that is malformed twice is dropped and counted (options all right, or
given away, are malformed too); so is a paraphrase that fails its check

question-types: the questions of a concept take ten kinds in turn, in words of our own

number-right: how many options should be right is drawn for each question, from 1 to half of them
(6 at most), so that a usual number is no help

clustered: intervals allow for answers that share a concept; the paper gives none

unscored-apart: what a fault of the infrastructure took counts neither as wrong nor as
inconsistent

shuffled-options: each asking shows the options in an order of its own, and choices are mapped
back to options before they are compared, so that a favourite letter is no consistency

fixed-options: as in the paper, all askings of a question show its options in the written order

another-examiner: another model explains, asks and paraphrases (in the paper the target does)

verified-paraphrases: another call says of each paraphrase whether it still is the same question

open-book: the original questions are asked once more with the explanation at hand, as a ceiling

attribution: a judge says of a sample of wrong answers what failed
"""
"""`name: sentence` of each place where runs deviate from the published method; `chosen` says which
of them only some runs have."""
