"""An Explain-Query-Test on the live screen: how far it is, the concepts being worked on, the newest answers."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from ...live.blocks import flow, names, notice_rows, spent, state_mark
from ...live.progress import RunProgress
from ...page import figures
from ...page.rows import Row, between, clip, fit, pad, row_width
from ...page.sanitise import model_name, one_line
from .progress import UNIT, Answered, EqtProgress, OpenConcept, answers_of, phase_of

EQT_LEGEND = "✓ right ✗ wrong ? unscored"
BAR = 24
"""Cells of the bar of finished answers where there is room."""
NARROW = 70
"""Width from which a concept's answers are counted beside its phase."""
COUNTED = ("concepts", "✓", "✗", "?", "acc.", "ACS", "time")
NAMED = 3
"""Concepts of which nothing is finished yet are named up to this number; more of them are counted."""
NAME_SHARE = 3
"""A concept's name takes at most one in so many cells of an answer's row."""


def eqt_overview_head(width: int) -> Row:
    """The heading over several runs."""
    return fit([(f"  {pad('run', _room(width))} {_cells(width, COUNTED)}", "head")], width)


def eqt_overview_row(run: RunProgress, now: datetime, width: int) -> Row:
    """One run among several: closed concepts, right, wrong and unscored answers, accuracy and ACS so far."""
    mark, style = state_mark(run)
    left: Row = [(f"{mark} ", style), (pad(" · ".join(reversed(names(run))), _room(width)), "")]
    time, progress = figures.duration(run.elapsed_s(now)), run.steps
    numbers: tuple[str, ...] = ("–", "–", "–", "–", "–", "–", time)
    if progress is not None:
        done = f"{progress.totals.concepts}/{len(progress.spec.concepts)}"
        marks = (str(progress.outcomes[outcome]) for outcome in ("correct", "wrong", "unscored"))
        numbers = (done, *marks, figures.percent(_accuracy(run, progress)), figures.score(progress.totals.acs), time)
    return fit([*left, (f" {_cells(width, numbers)}", "")], width)


def _room(width: int) -> int:
    return max(8, width - cell_len(_cells(width, COUNTED)) - 3)


def _cells(width: int, texts: Sequence[str]) -> str:
    """The columns of the overview, those of single answers only where there is room for a run's name beside them."""
    cells = [f"{text:>{size}}" for text, size in zip(texts, (9, 6, 6, 4, 5, 4, 6), strict=True)]
    return " ".join(cells if width >= NARROW else [cells[0], *cells[4:]])


def _accuracy(run: RunProgress, progress: EqtProgress) -> float | None:
    """Of all answers while the run goes on; at its end of those that count."""
    return progress.accuracy if run.finished is None else progress.totals.accuracy


def eqt_block(run: RunProgress, progress: EqtProgress, now: datetime, width: int, height: int) -> list[Row]:
    """One run in full, in at most `height` rows."""
    rows = [_title(run, progress, width), _progress(run, progress, width), *flow(_parts(run, progress, now), width)]
    left = max(0, height - len(rows))
    notices = notice_rows(run, left, width)
    left -= len(notices)
    room = max(1, left * 2 // 5, left - len(progress.newest))
    begun = _open_rows(progress, width, room)[:left] if run.finished is None else []
    answers = [_answer_row(answer, width) for answer in list(progress.newest)[: left - len(begun)]]
    return [*rows, *begun, *answers, *notices][:height]


def _title(run: RunProgress, progress: EqtProgress, width: int) -> Row:
    subject, *others = names(run)
    row: Row = [(subject, "title"), *((f" · {name}", "") for name in others)]
    if progress.spec.examiner != progress.spec.target:
        row.append((f" · examiner {model_name(progress.spec.examiner)}", "quiet"))
    if progress.spec.needs_judge:
        row.append((f" · judge {model_name(progress.spec.judge)}", "quiet"))
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else fit(row, width)


def _progress(run: RunProgress, progress: EqtProgress, width: int) -> Row:
    """How far the run is: a bar of its answers and the number of closed concepts, or how it ended."""
    closed, concepts = progress.totals.concepts, len(progress.spec.concepts)
    if run.finished is not None:
        done = run.finished
        ended = figures.ended(done.status, one_line(done.stop_reason), None, UNIT)
        return fit([(f"{ended} · {closed} of {figures.count(concepts, 'concept')}", "")], width)
    answers, planned = answers_of(progress)
    words, beside = f"answers {answers:,}/{planned:,} ", f" concepts {closed}/{concepts}"
    cells = max(0, min(BAR, width - cell_len(words) - cell_len(beside)))
    full = cells * answers // planned if planned else cells
    row: Row = [(words, ""), ("█" * full, "accuracy"), ("░" * (cells - full), "quiet"), (beside, "")]
    return fit([*row, *([("  attributing wrong answers", "quiet")] if progress.attributed else [])], width)


def _parts(run: RunProgress, progress: EqtProgress, now: datetime) -> list[str]:
    so_far = " so far" if run.finished is None else ""
    marks = progress.outcomes
    accuracy = _accuracy(run, progress)
    parts = [
        f"{marks['correct']:,} right, {marks['wrong']:,} wrong, {marks['unscored']:,} unscored",
        "" if accuracy is None else f"accuracy{so_far} {figures.percent(accuracy)}",
        "" if progress.totals.acs is None else f"ACS{so_far} {figures.score(progress.totals.acs)}",
        f"{progress.open_book:,} with the book open" if progress.open_book else "",
        figures.count(run.spend.calls, "call"),
        f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens",
        spent(run),
        figures.duration(run.elapsed_s(now)),
    ]
    return [part for part in parts if part]


def _open_rows(progress: EqtProgress, width: int, room: int) -> list[Row]:
    """The concepts being worked on in at most `room` rows; those that have no row are counted on the last one."""
    rows = [_open_row(progress, concept, width) for concept in progress.open.values()]
    unbegun = len(progress.spec.concepts) - len(progress.open.keys() | progress.closed.keys())
    if 0 < unbegun <= NAMED:
        rows += [_concept_row(index, progress.name(index), "explaining", width) for index in progress.unbegun]
        unbegun = 0
    shown = rows if len(rows) + (unbegun > 0) <= room else rows[: room - 1]
    more = len(rows) - len(shown)
    if not more and not unbegun:
        return shown
    parts = [f"{more} more begun" if more else "", f"{unbegun} being explained or waiting" if unbegun else ""]
    return [*shown, [(f"○ {figures.joined(parts, ', ')}", "quiet")]]


def _open_row(progress: EqtProgress, concept: OpenConcept, width: int) -> Row:
    marks = concept.outcomes
    counts = f" ✓ {marks['correct']} ✗ {marks['wrong']} ? {marks['unscored']}"
    right = counts if concept.answers and width >= NARROW else ""
    return _concept_row(concept.index, concept.name, phase_of(progress.spec, concept) + right, width)


def _concept_row(index: int, name: str, phase: str, width: int) -> Row:
    row: Row = [("○", "quiet"), (f" c{index + 1:03d} ", "quiet"), (one_line(name), "accuracy")]
    return between(row, [(clip(phase, width * 2 // 3), "quiet")], width)


def _answer_row(answer: Answered, width: int) -> Row:
    place = one_line(figures.place(answer.id))
    time = figures.duration(answer.elapsed_s)
    row: Row = [(figures.MARKS[answer.outcome], answer.outcome), (f" {place} ", "quiet")]
    room = width - row_width(row) - len(time) - 1
    name = clip(one_line(answer.concept), room // NAME_SHARE)
    said = answer.said
    if answer.outcome == "wrong" and answer.right:
        said += f" (right: {answer.right})"
    row += [(name, "accuracy"), (" · ", "quiet"), (one_line(said), answer.outcome)]
    left = width - row_width(row) - len(time) - 4
    if answer.question and left > 8:
        row += [("  ", ""), (clip(one_line(answer.question[: 8 * width]), left), "quiet")]
    return between(row, [(time, "quiet")], width)
