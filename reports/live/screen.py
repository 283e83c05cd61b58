"""The live screen: every run's state, fitted to the terminal. Pure: what is known, a gauge and a
time give rows."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from ..page import figures
from ..page.endings import ended_words
from ..page.rows import Row, between, cell_len, clip, clip_left, fit, pad, row_width
from ..page.sanitise import one_line
from ..progress import RunProgress
from ..step import SIGNS, Mark, StepView
from ..tally import OpenPart, Waiting
from ..views.methods import STEPS
from ..views.steps import Figure, Steps, flow, legend_words, marks_words
from .gauge import Gauge, footer_row
from .progress import Progress

NARROW = 70
"""Width from which the table of runs has every column, and a part's marks stand beside its bar."""
NAME, ROOMY = 14, 24
"""Cells that a run's name has at least; height from which the runs take more than half."""
SMALL, BAR, SMALL_BAR = 50, 24, 10
"""Width from which a part's steps are counted beside its bar; cells of a bar at most, and of a
part's."""

harmless = lru_cache(maxsize=4096)(one_line)  # the same texts stand there for many frames


def frame(
    progress: Progress, gauge: Gauge, now: datetime, focus: str, width: int, height: int
) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells. `focus`: id of the run to show
    in full."""
    runs = list(progress.runs.values())
    foot = [*legend(runs, width), footer(runs, gauge, width)][-max(1, height // 3) :]
    if not runs:
        return [fit([("waiting for the first run", "quiet")], width), *foot][:height]
    room = height - len(foot)
    rows = [overall(runs, now, width)]
    if len(runs) > 1:
        share = max(2, min(len(runs) + 1, room // 2 if room < ROOMY else room * 3 // 5))
        rows += [*overview(runs, now, width, share), [("", "")]]
    shown = progress.runs.get(focus)
    if shown is not None and room - len(rows) > 1:
        rows += block(shown, now, width, room - len(rows))
    return [*rows[:room], *foot]


def progress_bar(share: float, cells: int) -> Row:
    """A bar of so many cells, of which a share is done; it is full only when all is."""
    full = max(0, int(cells * share))
    return [("█" * full, "accuracy"), ("░" * (cells - full), "quiet")]


def progress_row(share: float, parts: Sequence[str], width: int) -> Row:
    """A bar, the share in per cent, and as many of the parts as there is room for; the first is
    always there."""
    percent, told = f" {int(100 * share):>3}%  ", [*filter(None, parts)]
    while len(told) > 1 and cell_len(figures.joined(told)) > width - len(percent) - SMALL_BAR:
        told.pop()
    said = figures.joined(told)
    cells = max(4, min(BAR, width - len(percent) - cell_len(said)))
    return fit([*progress_bar(share, cells), (percent, "title"), (said, "")], width)


def overall(runs: Sequence[RunProgress], now: datetime, width: int) -> Row:
    """How far the launch is, how long it may still take, and what it has cost."""
    times, shares = [run.elapsed_s(now) for run in runs], [run.share for run in runs]
    left = [1 - share for run, share in zip(runs, shares, strict=True) if run.finished is None]
    seconds = max(time - run.earlier[0] for run, time in zip(runs, times, strict=True))
    gained, share = sum(shares) - sum(run.earlier[1] for run in runs), sum(shares) / len(runs)
    known = [run.spend.usd for run in runs if run.spend.usd is not None]
    cost = figures.money(sum(known)) if len(known) == len(runs) else "cost unknown"
    ahead = sum(left) * seconds / gained if gained > 0 else 0.0
    parts = [
        f"{len(runs) - len(left)} of {len(runs)} runs finished" if len(runs) > 1 else "",
        figures.duration(max(times)),
        f"about {figures.roughly(ahead)} left" if ahead else "",
        cost,
        f"{sum(run.spend.tokens for run in runs):,} tokens",
    ]
    return progress_row(share, parts, width)


# several runs


def overview(runs: Sequence[RunProgress], now: datetime, width: int, height: int) -> list[Row]:
    """One row per run, those that go on first; where there are too many, the last are counted."""
    ordered = sorted(runs, key=lambda run: run.finished is not None)
    shown = ordered if len(runs) + 1 <= height else ordered[: max(1, height - 2)]
    heads = next((_columns(run, width) for run in runs if run.scene), [])
    columns = [(each.head, max(each.cells, cell_len(each.head))) for each in heads]
    rest = sum(size + 1 for _, size in columns) + 16
    called = _names(tuple((run.run_id, run.subject, run.method) for run in runs))
    name = max(NAME, min(width - rest - 2, max(cell_len(called[run.run_id]) for run in shown)))
    head = " ".join(
        [
            pad("run", name),
            *(pad(text, size, right=True) for text, size in columns),
            " done",
            "     time",
        ]
    )
    rows: list[Row] = [fit([(f"  {head}", "head")], width)]
    rows += [
        _overview_row(run, now, width, columns, pad(called[run.run_id], name)) for run in shown
    ]
    hidden = ordered[len(shown) :]
    if hidden:
        over = sum(run.finished is not None for run in hidden)
        rows.append(
            [(f"  … {figures.count(len(hidden), 'more run')}, {over} of them finished", "quiet")]
        )
    return rows[:height]


def _columns(run: RunProgress, width: int) -> list[Figure]:
    """The figures that have a column, as many as there is room for: the last ones, which say what
    is found."""
    figures_ = [
        each for each in figures_of(run) if each.head and (width >= NARROW or not each.wide)
    ]
    while (
        figures_
        and sum(max(each.cells, cell_len(each.head)) + 1 for each in figures_) > width - NAME - 18
    ):
        figures_.pop(0)
    return figures_


def _overview_row(
    run: RunProgress, now: datetime, width: int, columns: Sequence[tuple[str, int]], called: str
) -> Row:
    told: str = run.held(f"row {width}", lambda: _cells(run, columns))
    return fit(
        [state_mark(run), (f" {called} {told} {figures.duration(run.elapsed_s(now)):>9}", "")],
        width,
    )


def _cells(run: RunProgress, columns: Sequence[tuple[str, int]]) -> str:
    values = {each.head: each.value for each in figures_of(run)} if run.scene else {}
    cells = [pad(values.get(head, figures.NONE), size, right=True) for head, size in columns]
    return " ".join([*cells, f"{int(100 * run.share):>4}%"])


def figures_of(run: RunProgress) -> Sequence[Figure]:
    """What the run has come to so far."""
    made: Sequence[Figure] = run.held("figures", lambda: STEPS[run.method].figures(run))
    return made


def state_mark(run: RunProgress) -> tuple[str, str]:
    """The sign before a run in the overview, and its style."""
    if run.finished is None:
        return "▸", "survival"
    return ("✓", "correct") if run.finished.status == "complete" else ("!", "error")


@lru_cache(maxsize=8)
def _names(told: tuple[tuple[str, tuple[str, str] | None, str], ...]) -> dict[str, str]:
    """By run: its target and domain, first what tells the runs apart; and its id where nothing
    does. `told`: of each its id, domain and target, and method."""
    alike = len({subject[1] for _, subject, _ in told if subject}) < 2
    turn = 1 if alike else -1
    names = {
        run: figures.joined(_named(run, subject, method)[::turn]) for run, subject, method in told
    }
    times = Counter(names.values())
    return {
        run: f"{_short(run)} {name}" if times[name] > 1 else name for run, name in names.items()
    }


def _named(run_id: str, subject: tuple[str, str] | None, method: str) -> list[str]:
    """What the run is about and its target; its id until it has begun."""
    return (
        [_short(run_id)]
        if subject is None
        else [one_line(subject[0]), STEPS[method].target(subject[1])]
    )


def _short(run_id: str) -> str:
    return one_line(figures.short_id(run_id))


# one run in full


def block(run: RunProgress, now: datetime, width: int, height: int) -> list[Row]:
    """One run in at most `height` rows: what it is, its figures, its parts that are open, and its
    newest steps."""
    rows = [_title(run, width)]
    steps = STEPS[run.method] if run.scene else None
    if steps is not None:
        rows += flow(_figures(run, steps), width)[: max(1, height - 2)]
    notices = notice_rows(run, height - len(rows), width)
    left = height - len(rows) - len(notices)
    held = len(run.newest) + len(run.waiting)
    if steps is not None:
        rows += steps.block(run, width, max(min(4, left), left * 3 // 5, left - held))
    left = height - len(rows) - len(notices)
    begun = (
        _open_rows(run, steps, width, max(1, left * 2 // 5, left - held))[: max(0, left)]
        if steps
        else []
    )
    left -= len(begun)
    return [*rows, *begun, *_step_rows(run, now, width, left), *notices][:height]


def _title(run: RunProgress, width: int) -> Row:
    subject, *others = _named(run.run_id, run.subject, run.method)
    roles = STEPS[run.method].roles(run.scene) if run.scene else []
    row: Row = [
        (subject, "title"),
        *((f" · {name}", "") for name in others),
        *((f" · {r}", "quiet") for r in roles),
    ]
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else fit(row, width)


def _figures(run: RunProgress, steps: Steps) -> list[str]:
    """How it ended, or how many of its parts are closed; and what it has come to so far."""
    parts, calls = [], figures.count(run.spend.calls, "call")
    if run.finished is not None and run.scene is not None:
        parts.append(
            ended_words(run.scene.spec, run.finished.status, one_line(run.finished.stop_reason))
        )
    if steps.closes and steps.unit == "step":
        parts.append(f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed")
    return [*parts, *(each.said for each in figures_of(run) if each.said), calls]


def _open_rows(run: RunProgress, steps: Steps, width: int, room: int) -> list[Row]:
    """The parts being worked on in at most `room` rows; those that have no row are counted on the
    last one."""
    if run.finished is not None or not steps.closes or steps.unit != "step" or run.scene is None:
        return []
    waiting = max(0, run.parts - len(run.closed | run.open.keys()))
    shown = list(run.open.values())
    if len(shown) + (waiting > 0) > room:
        shown = shown[: max(0, room - 1)]
    rows = [_open_row(run, part, steps, width) for part in shown]
    more = len(run.open) - len(shown)
    said = [f"{more:,} more begun" if more else "", f"{waiting:,} not begun" if waiting else ""]
    return [*rows, *([[(f"○ {figures.joined(said, ', ')}", "quiet")]] if any(said) else [])]


def _open_row(run: RunProgress, part: OpenPart, steps: Steps, width: int) -> Row:
    assert run.scene is not None  # the caller has looked
    name, about, text = steps.named(run.scene, part.index)
    marks = marks_words(part, steps) if width >= NARROW else ""
    told = figures.joined([figures.count(len(part.steps), "step"), marks])
    right: Row = [
        (f" {told} " if width >= SMALL else "", "quiet"),
        *progress_bar(run.share_of(part), SMALL_BAR),
    ]
    row: Row = [
        ("○ ", "quiet"),
        (f"{one_line(name)} ", "quiet"),
        (harmless(about[: 8 * width]), "accuracy"),
    ]
    row += [("  ", ""), (harmless(text[: 8 * width]), "quiet")] if text else []
    return between(row, [("asked again", "quiet")] if part.again else right, width)


def _step_rows(run: RunProgress, now: datetime, width: int, room: int) -> list[Row]:
    """In flight in at most a third of the room (all of it while nothing is finished), then the
    newest finished."""
    if room <= 0:
        return []
    share = max(1, room // 3, room - len(run.newest))
    rows = [_waiting_row(each, now, width) for each in list(run.waiting.values())[:share]]
    return [*rows, *(_drawn(view, width) for view in list(run.newest)[: room - len(rows)])]


def _waiting_row(waiting: Waiting, now: datetime, width: int) -> Row:
    since = max(0.0, (now - waiting.since).total_seconds()) if waiting.since else 0.0
    return step_row(waiting.view, width, since, "answered" if waiting.answered else "open")


def step_row(
    view: StepView, width: int, since: float | None = None, mark: Mark | None = None
) -> Row:
    """`✓ c003.q2.a1 Argon · A, C  In a list of …   0.3 s`, of a brief view. `since`, `mark`: of one
    that is under way: for how many seconds, and how far it is."""
    sign, style = SIGNS[mark or view.mark]
    time = (
        ""
        if view.mark == "closed"
        else figures.duration(view.elapsed_s if since is None else since)
    )
    row: Row = [(f"{sign} ", style), (clip(harmless(view.called), max(12, width // 3)), "quiet")]
    room = width - row_width(row) - len(time) - 2
    text, said = (
        harmless(view.text),
        "" if view.said == view.mark else harmless(view.said),
    )  # the sign says it
    about = clip_left(harmless(view.about), room // 3 if text or said else room)
    row += [(f" {about}", "accuracy")] if about else []
    plain = "" if style in ("correct", "quiet", "title") else style
    row += (
        [(clip(f"{' · ' if about else ' '}{said}", max(0, room - cell_len(about))), plain)]
        if said
        else []
    )
    left = width - row_width(row) - len(time) - 3
    row += [("  ", ""), (clip(text, left), "quiet" if said else "")] if text and left > 8 else []
    return between(row, [(time, "quiet")], width)


_drawn = lru_cache(maxsize=256)(step_row)  # a finished step stands there for many frames


def notice_rows(run: RunProgress, left: int, width: int) -> list[Row]:
    """The newest notices, on a row each, as many as suit a block that has `left` rows for
    everything below its head."""
    if left <= 4:
        return []
    newest = list(run.notices)[-(1 if left < 16 else 3) :]
    told = [
        (f"{'' if n.level == 'info' else f'{n.level}: '}{one_line(n.message)}", n.level)
        for n in newest
    ]
    return [fit([each], width) for each in told]


# the last rows


def legend(runs: Sequence[RunProgress], width: int) -> list[Row]:
    """What the signs mean."""
    run = next((run for run in runs if run.scene), None)
    if run is None:
        return []
    return [fit([(legend_words(STEPS[run.method]), "quiet")], width)]


def footer(runs: Sequence[RunProgress], gauge: Gauge, width: int) -> Row:
    """The calls of all runs."""
    unit = next((STEPS[run.method].unit for run in runs if run.scene), "probe")
    return footer_row(
        gauge, width, unit=unit, going=not runs or any(run.finished is None for run in runs)
    )
