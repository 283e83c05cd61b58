"""Building a DepthQA graph on the live screen: which part of the work is under way, its steps, the newest of them."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from ....live.blocks import flow, names, notice_rows, progress_bar, spent, state_mark
from ....live.progress import RunProgress
from ....page import figures
from ....page.endings import ended_words
from ....page.rows import Row, between, clip, fit, pad, row_width
from ....page.sanitise import one_line
from .progress import SIGNS, BuildProgress, Built

COUNTED = ("part", "done", "written", "time")


def build_overview_head(width: int) -> Row:
    """The heading over several runs."""
    return fit([(f"  {pad('run', _room(width))} {_cells(COUNTED)}", "head")], width)


def build_overview_row(run: RunProgress, now: datetime, width: int) -> Row:
    """One run among several: the part of the work, how far it is, the questions written."""
    mark, style = state_mark(run)
    left: Row = [(f"{mark} ", style), (pad(" · ".join(names(run)), _room(width)), "")]
    time, progress = figures.duration(run.elapsed_s(now)), run.steps
    numbers: tuple[str, ...] = ("–", "–", "–", time)
    if progress is not None:
        what, done, of = progress.phase
        numbers = (what, f"{done}/{of}", f"{progress.written.total():,}", time)
    return fit([*left, (f" {_cells(numbers)}", "")], width)


def _room(width: int) -> int:
    return max(8, width - cell_len(_cells(COUNTED)) - 3)


def _cells(texts: Sequence[str]) -> str:
    return " ".join(f"{text:>{size}}" for text, size in zip(texts, (21, 9, 8, 6), strict=True))


def build_block(run: RunProgress, progress: BuildProgress, now: datetime, width: int, height: int) -> list[Row]:
    """One run in full, in at most `height` rows."""
    rows = [_title(run, width), _progress(run, progress, width), *flow(_parts(run, progress, now), width)]
    left = max(0, height - len(rows))
    notices = notice_rows(run, left, width)
    left -= len(notices)
    steps = [_built_row(built, width) for built in list(progress.newest)[:left]]
    return [*rows, *steps, *notices][:height]


def _title(run: RunProgress, width: int) -> Row:
    subject, *others = names(run)
    row: Row = [(subject, "title"), *((f" · evaluator {name}", "") for name in others)]
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else fit(row, width)


def _progress(run: RunProgress, progress: BuildProgress, width: int) -> Row:
    if run.finished is not None:
        ended = ended_words(progress.spec, run.finished.status, one_line(run.finished.stop_reason))
        nodes = len(progress.sifted.nodes) if progress.sifted else 0
        return fit([(f"{ended} · {figures.count(nodes, 'question')} in the graph", "")], width)
    what, done, of = progress.phase
    words = f"{what} {done:,}/{of:,} "
    return fit([(words, ""), *progress_bar(done, of, width - cell_len(words))], width)


def _parts(run: RunProgress, progress: BuildProgress, now: datetime) -> list[str]:
    parts = [
        *progress.counts(),
        f"{progress.lost:,} lost to faults" if progress.lost else "",
        figures.count(run.spend.calls, "call"),
        f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens",
        spent(run),
        figures.duration(run.elapsed_s(now)),
    ]
    return [part for part in parts if part]


def _built_row(built: Built, width: int) -> Row:
    time = figures.duration(built.elapsed_s)
    row: Row = [(f"{SIGNS[built.style]} ", built.style)]
    row.append((clip(one_line(figures.place(built.id)), max(12, width // 3)), "quiet"))
    left = width - row_width(row) - len(time) - 3
    row += [("  ", ""), (clip(built.said[: 8 * width], max(0, left)), built.style if built.style == "unscored" else "")]
    return between(row, [(time, "quiet")], width)
