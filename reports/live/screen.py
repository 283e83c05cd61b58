"""The live screen: every run's state, fitted to the terminal. Pure: what is known, a gauge and a
time give rows."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from ..page import figures
from ..page.endings import ended_words
from ..page.rows import Row, between, cell_len, clip, clip_left, fit, pad, row_width
from ..page.sanitise import one_line
from ..progress import RunProgress
from ..step import SIGNS, StepStatus, StepView
from ..tally import Waiting
from ..views.steps import Figure, Steps, flow, legend_words
from .gauge import Gauge, footer_row
from .progress import Progress

NAME, BAR = 14, 20
"""Cells that a run's name has at least; cells of a bar."""
NOTICES, ROOMY = 2, 10
"""Notices that are shown, and rows of a run from which they are."""


def frame(progress: Progress, gauge: Gauge, now: datetime, width: int, height: int) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells: all runs, and the first that
    goes on in full."""
    runs = list(progress.runs.values())
    last_rows = [*legend(runs, width), footer(runs, gauge, width)]
    foot = last_rows[-max(1, height // 3) :]
    if not runs:
        waiting = fit([("waiting for the first run", "quiet")], width)
        return [waiting, *foot][:height]
    room = height - len(foot)
    rows = [overall(runs, now, width)]
    if len(runs) > 1:
        share = max(2, min(len(runs) + 1, room * 3 // 5))
        rows += overview(runs, now, width, share)
        rows.append([("", "")])
    if room - len(rows) > 1:
        shown = next((run for run in runs if run.finished is None), runs[-1])
        rows += block(shown, now, width, room - len(rows))
    return [*rows[:room], *foot]


def progress_row(share: float, parts: Sequence[str], width: int) -> Row:
    """A bar that is full only when all is done, the share in per cent, and the parts."""
    full = max(0, int(BAR * share))
    bar: Row = [("█" * full, "accuracy"), ("░" * (BAR - full), "quiet")]
    said = figures.joined(parts)
    return fit([*bar, (f" {int(100 * share):>3}%  ", "title"), (said, "")], width)


def overall(runs: Sequence[RunProgress], now: datetime, width: int) -> Row:
    """How far the launch is, how long it may still take, and what it has cost."""
    times = [run.elapsed_s(now) for run in runs]
    shares = [run.share for run in runs]
    left = [1 - share for run, share in zip(runs, shares, strict=True) if run.finished is None]
    seconds = max(time - run.earlier[0] for run, time in zip(runs, times, strict=True))
    gained = sum(shares) - sum(run.earlier[1] for run in runs)
    share = sum(shares) / len(runs)
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
    shown = ordered
    if len(runs) + 1 > height:
        shown = ordered[: max(1, height - 2)]
    heads = next((_columns(run) for run in runs if run.scene), [])
    columns = [(each.head, max(each.cells, cell_len(each.head))) for each in heads]
    rest = sum(size + 1 for _, size in columns) + 16
    longest = max(cell_len(_called(run)) for run in shown)
    name = max(NAME, min(width - rest - 2, longest))
    titles = [pad(text, size, right=True) for text, size in columns]
    head = " ".join([pad("run", name), *titles, " done", "     time"])
    rows: list[Row] = [fit([(f"  {head}", "head")], width)]
    rows += [_overview_row(run, now, width, columns, name) for run in shown]
    hidden = ordered[len(shown) :]
    if hidden:
        over = sum(run.finished is not None for run in hidden)
        more = figures.count(len(hidden), "more run")
        note = f"  … {more}, {over} of them finished"
        rows.append([(note, "quiet")])
    return rows[:height]


def _columns(run: RunProgress) -> list[Figure]:
    """The figures that have a column."""
    return [each for each in run.reading.figures(run) if each.head and not each.wide]


def _called(run: RunProgress) -> str:
    """Id, domain and target."""
    named = [] if run.subject is None else _named(run)
    return f"{one_line(figures.short_id(run.run_id))} {figures.joined(named)}".strip()


def _named(run: RunProgress) -> list[str]:
    """What the run is about and its target; its id until it has begun."""
    if run.subject is None:
        return [one_line(figures.short_id(run.run_id))]
    domain, target = run.subject
    return [one_line(domain), run.reading.target(target)]


def _overview_row(
    run: RunProgress, now: datetime, width: int, columns: Sequence[tuple[str, int]], name: int
) -> Row:
    values = {each.head: each.value for each in _columns(run)} if run.scene else {}
    cells = [pad(values.get(head, figures.NONE), size, right=True) for head, size in columns]
    time = f"{figures.duration(run.elapsed_s(now)):>9}"
    told = " ".join([pad(_called(run), name), *cells, f"{int(100 * run.share):>4}%", time])
    return fit([state_mark(run), (f" {told}", "")], width)


def state_mark(run: RunProgress) -> tuple[str, str]:
    """The sign before a run in the overview, and its style."""
    if run.finished is None:
        return "▸", "survival"
    return ("✓", "correct") if run.finished.status == "complete" else ("!", "error")


# one run in full


def block(run: RunProgress, now: datetime, width: int, height: int) -> list[Row]:
    """One run in at most `height` rows: what it is, its figures, its newest steps and notices."""
    rows = [_title(run, width)]
    notices = notice_rows(run, width) if height >= ROOMY else []
    if run.scene is not None:
        steps = run.reading
        rows += flow(_figures(run, steps), width)[: max(1, height - 2)]
        left = height - len(rows) - len(notices)
        rows += steps.block(run, width, max(min(4, left), left * 3 // 5))
    left = height - len(rows) - len(notices)
    return [*rows, *_step_rows(run, now, width, left), *notices][:height]


def _title(run: RunProgress, width: int) -> Row:
    subject, *others = _named(run)
    if run.scene:
        others += run.reading.roles(run.scene)
    row: Row = [(subject, "title")]
    row += [(f" · {name}", "") for name in others]
    if not run.simulated:
        return fit(row, width)
    return between(row, [(" SIMULATED ", "badge")], width)


def _figures(run: RunProgress, steps: Steps) -> list[str]:
    """How it ended, or how many of its parts are closed; and what it has come to so far."""
    parts = []
    if run.finished is not None and run.scene is not None:
        reason = one_line(run.finished.stop_reason)
        parts.append(ended_words(run.scene.spec, steps, run.finished.status, reason))
    if steps.closes and steps.unit == "step":
        parts.append(f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed")
    parts += [each.said for each in steps.figures(run) if each.said]
    return [*parts, figures.count(run.spend.calls, "call")]


def _step_rows(run: RunProgress, now: datetime, width: int, room: int) -> list[Row]:
    """In flight in at most a third of the room (all of it while nothing is finished), then the
    newest finished."""
    if room <= 0:
        return []
    share = max(1, room // 3, room - len(run.newest))
    waiting = list(run.waiting.values())[:share]
    rows = [_waiting_row(step, now, width) for step in waiting]
    newest = list(run.newest)[: room - len(rows)]
    return [*rows, *(_drawn(view, width) for view in newest)]


def _waiting_row(waiting: Waiting, now: datetime, width: int) -> Row:
    since = 0.0
    if waiting.since:
        since = max(0.0, (now - waiting.since).total_seconds())
    mark: StepStatus = "answered" if waiting.answered else "open"
    return step_row(waiting.view, width, since, mark)


def step_row(
    view: StepView, width: int, since: float | None = None, mark: StepStatus | None = None
) -> Row:
    """`✓ c003.q2.a1 Argon · A, C  In a list of …   0.3 s`, of a brief view. `since`, `mark`: of one
    that is under way: for how many seconds, and how far it is."""
    sign, style = SIGNS[mark or view.mark]
    time = (
        ""
        if view.mark == "closed"
        else figures.duration(view.elapsed_s if since is None else since)
    )
    row: Row = [(f"{sign} ", style), (clip(one_line(view.called), max(12, width // 3)), "quiet")]
    room = width - row_width(row) - len(time) - 2
    text, said = (
        one_line(view.text),
        "" if view.said == view.mark else one_line(view.said),
    )  # the sign says it
    about = clip_left(one_line(view.about), room // 3 if text or said else room)
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


def notice_rows(run: RunProgress, width: int) -> list[Row]:
    """The newest notices, on a row each."""
    rows = []
    for notice in list(run.notices)[-NOTICES:]:
        level = "" if notice.level == "info" else f"{notice.level}: "
        rows.append(fit([(f"{level}{one_line(notice.message)}", notice.level)], width))
    return rows


# the last rows


def legend(runs: Sequence[RunProgress], width: int) -> list[Row]:
    """What the signs mean."""
    run = next((run for run in runs if run.scene), None)
    if run is None:
        return []
    return [fit([(legend_words(run.reading), "quiet")], width)]


def footer(runs: Sequence[RunProgress], gauge: Gauge, width: int) -> Row:
    """The calls of all runs."""
    unit = next((run.reading.unit for run in runs if run.scene), "probe")
    return footer_row(
        gauge, width, unit=unit, going=not runs or any(run.finished is None for run in runs)
    )
