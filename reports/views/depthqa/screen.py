"""DepthQA on the live screen: how far a run is, mean scores so far, the trees being worked on, the newest ratings."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from ....state.depthqa.items import Mode
from ....state.depthqa.result import Level
from ...live.blocks import flow, names, notice_rows, progress_bar, spent, state_mark
from ...live.progress import RunProgress
from ...page import figures
from ...page.endings import ended_words
from ...page.rows import Row, between, clip, fit, pad, row_width
from ...page.sanitise import model_name, one_line
from .figures import SIGNS, sign_of, target_words
from .lines import place_words
from .progress import DepthQAProgress, OpenTree, Rated

DEPTHQA_LEGEND = SIGNS
NARROW = 70
"""Width from which the overview has every depth, and an open tree its question."""
COUNTED = ("trees", "rated", "?", "D1", "D2", "D3", "all", "time")
LEVELS: tuple[Level, ...] = ("D1", "D2", "D3", "overall")


def depthqa_overview_head(width: int) -> Row:
    """The heading over several runs."""
    return fit([(f"  {pad('run', _room(width))} {_cells(width, COUNTED)}", "head")], width)


def depthqa_overview_row(run: RunProgress, now: datetime, width: int) -> Row:
    """One run among several: closed trees, ratings, what came to nothing, mean scores so far in zero-shot or (without
    it) the first mode."""
    mark, style = state_mark(run)
    left: Row = [(f"{mark} ", style), (pad(" · ".join(reversed(_names(run))), _room(width)), "")]
    time, progress = figures.duration(run.elapsed_s(now)), run.steps
    numbers: tuple[str, ...] = (*("–" for _ in COUNTED[1:]), time)
    if progress is not None:
        done = f"{len(progress.closed)}/{progress.trees}"
        main = first_mode(progress.spec.modes)
        means = (figures.number(progress.mean(main, level).value) for level in LEVELS)
        numbers = (done, f"{progress.ratings:,}", f"{progress.unscored:,}", *means, time)
    return fit([*left, (f" {_cells(width, numbers)}", "")], width)


def first_mode(modes: Sequence[Mode]) -> Mode:
    """Zero-shot, or without it the first."""
    return "zero-shot" if "zero-shot" in modes else modes[0]


def _names(run: RunProgress) -> list[str]:
    found = names(run)
    return found if run.subject is None else [found[0], target_words(run.subject[1])]


def _room(width: int) -> int:
    return max(8, width - cell_len(_cells(width, COUNTED)) - 3)


def _cells(width: int, texts: Sequence[str]) -> str:
    """The columns of the overview; on a narrow screen only trees, the mean of all, and the time."""
    cells = [f"{text:>{size}}" for text, size in zip(texts, (9, 6, 4, 5, 5, 5, 5, 6), strict=True)]
    return " ".join(cells if width >= NARROW else [cells[0], *cells[6:]])


def depthqa_block(run: RunProgress, progress: DepthQAProgress, now: datetime, width: int, height: int) -> list[Row]:
    """One run in full, in at most `height` rows."""
    rows = [_title(run, progress, width), _progress(run, progress, width), *_means(progress, width)]
    rows += flow(_parts(run, progress, now), width)
    left = max(0, height - len(rows))
    notices = notice_rows(run, left, width)
    left -= len(notices)
    room = max(1, left * 2 // 5, left - len(progress.newest))
    begun = _open_rows(progress, width, room)[:left] if run.finished is None else []
    ratings = [_rated_row(rated, width) for rated in list(progress.newest)[: left - len(begun)]]
    return [*rows, *begun, *ratings, *notices][:height]


def _title(run: RunProgress, progress: DepthQAProgress, width: int) -> Row:
    subject, *others = _names(run)
    row: Row = [(subject, "title"), *((f" · {name}", "") for name in others)]
    row.append((f" · judge {model_name(progress.spec.judge)}", "quiet"))
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else fit(row, width)


def _progress(run: RunProgress, progress: DepthQAProgress, width: int) -> Row:
    """How far the run is: its answers and ratings, a bar of both, and closed trees; or how it ended."""
    closed = f"trees {len(progress.closed):,}/{progress.trees:,}"
    if run.finished is not None:
        ended = ended_words(progress.spec, run.finished.status, one_line(run.finished.stop_reason))
        return fit([(f"{ended} · {closed}", "")], width)
    done, planned = progress.progress
    words = f"answers {done.answers:,}/{planned.answers:,} ratings {done.ratings:,}/{planned.ratings:,} "
    room = width - cell_len(words) - cell_len(closed) - 1
    return fit([(words, ""), *progress_bar(done.steps, planned.steps, room), (f" {closed}", "")], width)


def _means(progress: DepthQAProgress, width: int) -> list[Row]:
    """A row per way of asking that has scores: the mean of each depth and of all, with how many where there is room."""
    modes = [mode for mode in progress.spec.modes if progress.mean(mode).number]
    room = max((len(mode) for mode in modes), default=0) + 1
    for levels, counted in ((LEVELS, True), (LEVELS, False), (LEVELS[-1:], False)):
        said = [_said(progress, mode, levels, counted=counted) for mode in modes]
        if all(room + cell_len(text) <= width for text in said):
            break
    return [
        fit([(f"{mode:<{room}}", "quiet"), (text, "accuracy")], width) for mode, text in zip(modes, said, strict=True)
    ]


def _said(progress: DepthQAProgress, mode: Mode, levels: Sequence[Level], *, counted: bool) -> str:
    """`D1 4.05 (21)  D3 2.50 (2)  all 3.81 (31)`, of those depths that have scores."""
    held = [("all" if level == "overall" else level, progress.mean(mode, level)) for level in levels]
    numbers = [
        (f"{name} {figures.number(of.value)}", f" ({of.number:,})" if counted else "") for name, of in held if of.number
    ]
    return "  ".join(value + number for value, number in numbers)


def _parts(run: RunProgress, progress: DepthQAProgress, now: datetime) -> list[str]:
    parts = [
        f"{progress.unscored:,} unscored" if progress.unscored else "",
        figures.count(run.spend.calls, "call"),
        f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens",
        spent(run),
        figures.duration(run.elapsed_s(now)),
    ]
    return [part for part in parts if part]


def _open_rows(progress: DepthQAProgress, width: int, room: int) -> list[Row]:
    """The trees being worked on in at most `room` rows; those that have no row are counted on the last one."""
    rows = [_open_row(progress, tree, width) for tree in list(progress.open.values())[: room + 1]]
    waiting = progress.unbegun
    shown = rows if len(progress.open) + (waiting > 0) <= room else rows[: room - 1]
    more = len(progress.open) - len(shown)
    if not more and not waiting:
        return shown
    parts = [f"{more:,} more begun" if more else "", f"{waiting:,} not begun" if waiting else ""]
    return [*shown, [(f"○ {figures.joined(parts, ', ')}", "quiet")]]


def _open_row(progress: DepthQAProgress, tree: OpenTree, width: int) -> Row:
    trees = progress.graph.trees if progress.graph else ()
    root = trees[tree.index].root if tree.index < len(trees) else ""
    row: Row = [("○", "quiet"), (f" t{tree.index + 1:03d} ", "quiet"), (one_line(root), "accuracy")]
    expected = progress.expected(tree)
    phase = f"answers {tree.answers}/{expected.answers}, ratings {tree.ratings}/{expected.ratings}"
    right: Row = [(clip("asked again" if tree.again else phase, width * 2 // 3), "quiet")]
    left = width - row_width(row) - row_width(right) - 3
    if width >= NARROW and left > 8:
        row += [("  ", ""), (clip(one_line(progress.question(root)[: 8 * width]), left), "quiet")]
    return between(row, right, width)


def _rated_row(rated: Rated, width: int) -> Row:
    sign, style = sign_of(rated.score)
    time = figures.duration(rated.elapsed_s)
    row: Row = [(f"{sign} {'–' if rated.score is None else rated.score} ", style)]
    place = place_words(rated.id, rated.nodes)
    row.append((clip(place, max(12, (width - len(time)) // 2)), "quiet"))
    text = f"[{rated.note}] {rated.question}" if rated.note else rated.question
    left = width - row_width(row) - len(time) - 3
    if text and left > 8:
        row += [("  ", ""), (clip(one_line(text[: 8 * width]), left), "unscored" if rated.note else "")]
    return between(row, [(time, "quiet")], width)
