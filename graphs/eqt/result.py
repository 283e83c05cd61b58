"""The result of an Explain-Query-Test: a pure function of what its journal holds."""

from collections.abc import Collection, Iterable, Sequence

from ...state.channels import Stop
from ...state.eqt.items import Attribution, Choice, EqtItem
from ...state.eqt.result import EqtResult
from ...state.errors import RunFailed
from ...state.items import eqt_items
from ...state.records import Role
from ...state.spec import EqtSpec
from ...stats.eqt.figures import tables_of
from ...tools.models.family import family_notices
from ..run.conformance import conformance
from ..run.provenance import SIMULATED, envelope, provenance_of
from ..run.record import RunRecord
from .attribution import sample_of
from .conformance import DEVIATIONS

ROLES: tuple[Role, ...] = ("target", "examiner", "judge")


def stop_of(spec: EqtSpec, items: Sequence[EqtItem]) -> Stop:
    """How a run ends that has asked all it could."""
    planned = len(spec.concepts) * spec.questions * (spec.paraphrases + 1)
    lost = sum(_askings_lost(spec, item) for item in items if item.lost)
    if 2 * lost >= planned:
        detail = (
            f"{lost:,} of {planned:,} closed-book answers are missing because calls failed; resume the run to ask them"
        )
        return Stop(reason="infrastructure", detail=detail)
    if not any(isinstance(item, Choice) and item.correct is not None for item in items):
        return Stop(reason="no_questions", detail=_why_nothing(items))
    if lost:
        return Stop(reason="all_asked", detail=f"{lost:,} of {planned:,} closed-book answers are missing: calls failed")
    return Stop(reason="all_asked", detail="every question was put")


def _askings_lost(spec: EqtSpec, item: EqtItem) -> int:
    """Closed-book askings that could not happen because this step failed."""
    if isinstance(item, Choice) and item.open_book:
        return 0
    per_question = spec.paraphrases + 1
    return {"explanation": spec.questions * per_question, "question": per_question, "attribution": 0}.get(item.type, 1)


def _why_nothing(items: Iterable[EqtItem]) -> str:
    """The first reason why no question could be asked, with how often anything was dropped."""
    reasons = [getattr(item, "dropped", None) or (item.fault.message if item.fault else "") for item in items]
    held = [reason for reason in reasons if reason]
    return (
        f"no question that can be asked came about; the first reason of {len(held)}: {held[0]}" if held else "nothing"
    )


def result_of(record: RunRecord) -> EqtResult:
    """The result over all closed concepts. Raises RunFailed when none was closed: there is nothing to report."""
    spec, ended = record.spec_as(EqtSpec), record.finished
    closed = {event.index for event in record.parts}
    if not closed:
        raise RunFailed(f"The run {record.run_id} ended before its first concept: {ended.stop_detail}.")
    items = _attributed(spec, eqt_items(record.items), closed)
    tables = tables_of(spec, items, closed)
    calls = [call for item in record.items for call in item.calls]
    common = envelope(record, calls)
    return EqtResult(
        **common,
        numbers=tables.numbers,
        by_category=tables.by_category,
        concepts=tables.concepts,
        open_concepts=tuple(c.name for index, c in enumerate(spec.concepts) if index not in closed),
        letters=tables.letters,
        attribution=tables.attribution,
        conformance=conformance(DEVIATIONS, spec),
        notes=(*_again(spec, record), *_notes(spec, common["simulated"], items), *record.forced, *ended.caveats),
        provenance=provenance_of(record, calls, ROLES),
    )


def _attributed(spec: EqtSpec, items: Sequence[EqtItem], closed: Collection[int]) -> list[EqtItem]:
    """The items, with those attributions only that belong to the sample: answers that were lost before and are there
    now, or another size of the sample, make it another one."""
    sample = {f"{answer}.why" for answer in sample_of(spec, items, closed)}
    return [item for item in items if not isinstance(item, Attribution) or item.id in sample]


def _again(spec: EqtSpec, record: RunRecord) -> tuple[str, ...]:
    """What has to be known of concepts that were being asked again when the run was cut off."""
    items = [item for item in eqt_items(record.items) if item.concept in record.reopened]
    put = sum(isinstance(item, Choice) and not item.open_book for item in items)
    dropped = sum(_askings_lost(spec, item) for item in items if getattr(item, "dropped", None) is not None)
    missing = len(record.reopened) * spec.questions * (spec.paraphrases + 1) - put - dropped
    if not record.reopened:
        return ()
    return (
        f"{len(record.reopened)} of the concepts were being asked again for steps that had come to nothing:"
        f" {missing} of their closed-book answers are not there yet. `fathom resume` goes on with them.",
    )


def _notes(spec: EqtSpec, simulated: bool, items: Sequence[EqtItem]) -> tuple[str, ...]:
    notes = [SIMULATED] if simulated else []
    if spec.examiner == spec.target:
        notes.append(
            "The target explained and asked: the accuracy says whether it agrees with itself, not whether it is right."
        )
    else:
        notes += family_notices(spec.target, spec.examiner, spec.examiner)
    if spec.needs_judge and spec.judge in (spec.examiner, spec.target):
        notes.append("The model that checked paraphrases or attributed failures also wrote or answered them.")
    failed = sum(item.fault is not None for item in items)
    if failed:
        lost = sum(item.lost for item in items if not isinstance(item, Attribution))
        again = f" `fathom resume` tries {lost} of them again." if lost else ""
        steps = "1 step" if failed == 1 else f"{failed} steps"
        missing = sum(_askings_lost(spec, item) for item in items if item.fault is not None)
        notes.append(
            f"{steps} came to nothing; closed-book answers that are missing for it: {missing}. What is missing counts"
            f" neither for nor against the model.{again}"
        )
    return tuple(notes)
