"""A DeepQuestion run on the live screen: how its prompts come about, how far it is, its marks, the newest steps."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from ....state.events import PartMark, ProblemClosed
from ...live.blocks import flow, names, notice_rows, progress_bar, spent, state_mark
from ...live.progress import RunProgress
from ...page import figures
from ...page.endings import ended_words
from ...page.rows import Row, between, clip, fit, pad, row_width
from ...page.sanitise import model_name, one_line
from .progress import DeepQuestionProgress
from .steps import COLUMNS, MARKS, SIGNS, Step, column_words

NARROW = 70
"""Width from which the overview has every column, and a column its counts beside its accuracy."""
LOW = 16
"""Height below which the columns share rows."""
COUNTED = ("problems", "orig.", "Q2S", "Q2I", "?", "–", "time")


def deepquestion_overview_head(width: int) -> Row:
    """The heading over several runs."""
    return fit([(f"  {pad('run', _room(width))} {_cells(width, COUNTED)}", "head")], width)


def deepquestion_overview_row(run: RunProgress, now: datetime, width: int) -> Row:
    """One run among several: closed problems, accuracy so far on originals, in Q2S (with some distractors, without that
    load with the most) and Q2I, what is unscored and what was rejected."""
    mark, style = state_mark(run)
    left: Row = [(f"{mark} ", style), (pad(" · ".join(reversed(names(run))), _room(width)), "")]
    time, progress = figures.duration(run.elapsed_s(now)), run.steps
    numbers: tuple[str, ...] = (*("–" for _ in COUNTED[1:]), time)
    if progress is not None:
        done = "drafting" if progress.drafting else f"{len(progress.closed):,}/{progress.spec.problems:,}"
        loads = progress.spec.distractors
        main = f"q2s-{'some' if 'some' in loads else loads[-1]}"
        shares = (figures.percent(progress.accuracy(column)) for column in ("original", main, "q2i"))
        numbers = (done, *shares, _total(progress, "unscored"), _total(progress, "rejected"), time)
    return fit([*left, (f" {_cells(width, numbers)}", "")], width)


def _room(width: int) -> int:
    return max(8, width - cell_len(_cells(width, COUNTED)) - 3)


def _cells(width: int, texts: Sequence[str]) -> str:
    """The columns of the overview; on a narrow screen only problems, accuracies, and the time."""
    cells = [f"{text:>{size}}" for text, size in zip(texts, (9, 5, 5, 5, 4, 4, 6), strict=True)]
    return " ".join(cells if width >= NARROW else [*cells[:4], cells[-1]])


def _total(progress: DeepQuestionProgress, mark: PartMark) -> str:
    return f"{sum(progress.marks[column, mark] for column in COLUMNS):,}"


def deepquestion_block(
    run: RunProgress, progress: DeepQuestionProgress, now: datetime, width: int, height: int
) -> list[Row]:
    """One run in full, in at most `height` rows."""
    rows = [_title(run, progress, width), _progress(run, progress, width), *_loops(progress, width)]
    rows += (
        _columns(progress, width)
        if height >= LOW
        else flow([_short(progress, name) for name in progress.columns], width)
    )
    rows += flow(_parts(run, progress, now), width)
    left = max(0, height - len(rows))
    notices = notice_rows(run, left, width)
    left -= len(notices)
    half = max((left + 1) // 2, left - len(progress.newest))
    closings = [_closing_row(progress, event, width) for event in list(progress.closings)[:half]]
    steps = [_step_row(step, width) for step in list(progress.newest)[: max(0, left - len(closings))]]
    return [*rows, *closings, *steps, *notices][:height]


def _title(run: RunProgress, progress: DeepQuestionProgress, width: int) -> Row:
    subject, *others = names(run)
    spec = progress.spec
    row: Row = [(subject, "title"), *((f" · {name}", "") for name in others)]
    helpers = [] if spec.given else [("generator", spec.generator)]
    helpers += [("evaluator", spec.evaluator), ("judge", spec.judge)]
    row += [(f" · {role} {model_name(name)}", "quiet") for role, name in helpers]
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else fit(row, width)


def _progress(run: RunProgress, progress: DeepQuestionProgress, width: int) -> Row:
    """How far the run is: closed problems with a bar, and those under way; or how it ended."""
    done, planned = len(progress.closed), progress.spec.problems
    if run.finished is not None:
        ended = ended_words(progress.spec, run.finished.status, one_line(run.finished.stop_reason))
        return fit([(f"{ended} · problems {done:,}/{planned:,}", "")], width)
    words = f"problems {done:,}/{planned:,} "
    beside = " drafting prompts" if progress.drafting else f" {len(progress.open):,} under way" if progress.open else ""
    bar = progress_bar(done, planned, width - cell_len(words) - cell_len(beside))
    return fit([(words, ""), *bar, (beside, "quiet")], width)


def _loops(progress: DeepQuestionProgress, width: int) -> list[Row]:
    """A row per kind: `Q2S prompt  round 1 4/10 · round 2 9/10 accepted`; of many rounds the last."""
    rows: list[Row] = []
    for kind in progress.spec.drafted:
        if kind in progress.loops:
            head = f"{column_words(kind)} prompt  "
            said = _last(progress.loops[kind].words(progress.spec), width - cell_len(head))
            rows.append(fit([(head, "quiet"), (said, "accuracy")], width))
    return rows


def _last(parts: list[str], room: int) -> str:
    """As many of the last parts as there is room for, and at least one."""
    for left_out in range(len(parts)):
        said = figures.joined([*(["…"] if left_out else []), *parts[left_out:]])
        if cell_len(said) <= room:
            return said
    return parts[-1]


def _columns(progress: DeepQuestionProgress, width: int) -> list[Row]:
    """A row per column: its marks, and its accuracy over the problems closed so far."""
    if width < NARROW:
        return flow([_short(progress, column) for column in progress.columns], width)
    room = max((len(column_words(column)) for column in progress.columns), default=0)
    size = max((len(f"{number:,}") for number in progress.marks.values()), default=1)
    rows: list[Row] = []
    for column in progress.columns:
        row: Row = [(f"{column_words(column):<{room}}", "quiet")]
        for mark, style in MARKS.items():
            number = progress.marks[column, mark]
            row.append((f"  {SIGNS[style]} {number:>{size},}", style if number else "quiet"))
        rows.append(fit([*row, (f"  accuracy {figures.percent(progress.accuracy(column))}", "accuracy")], width))
    return rows


def _short(progress: DeepQuestionProgress, column: str) -> str:
    """`Q2S some 75% of 20, 1 ?, 3 –`."""
    counts = {mark: progress.marks[column, mark] for mark in MARKS}
    said = [f"{figures.percent(progress.accuracy(column))} of {counts['right'] + counts['wrong']:,}"]
    lost = ((counts["unscored"], "unscored"), (counts["rejected"], "rejected"))
    said += [f"{number:,} {name}" for number, name in lost if number]
    return f"{column_words(column)} {', '.join(said)}"


def _parts(run: RunProgress, progress: DeepQuestionProgress, now: datetime) -> list[str]:
    parts = [
        figures.count(progress.steps, "step"),
        f"{progress.lost:,} lost to faults" if progress.lost else "",
        figures.count(run.spend.calls, "call"),
        f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens",
        spent(run),
        figures.duration(run.elapsed_s(now)),
    ]
    return [part for part in parts if part]


def _closing_row(progress: DeepQuestionProgress, event: ProblemClosed, width: int) -> Row:
    """`p007  original ✓ Q2S some ✗ Q2I –  A train leaves …`."""
    row: Row = [(clip(one_line(event.problem), max(8, width // 4)), "title"), (" ", "")]
    for column in COLUMNS:
        if column in event.marks:
            style = MARKS[event.marks[column]]
            row += [(f" {column_words(column)} ", "quiet"), (SIGNS[style], style)]
    left = width - row_width(row) - 2
    if left > 8:
        row += [("  ", ""), (clip(one_line(progress.question(event.index)[: 8 * width]), left), "quiet")]
    return fit(row, width)


def _step_row(step: Step, width: int) -> Row:
    time = figures.duration(step.elapsed_s)
    row: Row = [(f"{SIGNS[step.style]} ", step.style)]
    row.append((clip(one_line(figures.place(step.id)), max(12, width // 3)), "quiet"))
    left = width - row_width(row) - len(time) - 3
    row += [("  ", ""), (clip(step.said[: 8 * width], max(0, left)), "unscored" if step.style == "unscored" else "")]
    return between(row, [(time, "quiet")], width)
