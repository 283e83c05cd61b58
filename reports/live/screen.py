"""The live screen: every run's state, fitted to the terminal. Pure: what is known, a gauge and a
time give rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from ...state.events import Event
from ..page import figures
from ..page.endings import ended_words
from ..page.rows import Row, between, clip, clip_left, fit
from ..page.sanitise import one_line
from ..progress import RunProgress
from ..step import BRIEF, SIGNS, StepStatus, StepView
from ..tally import Waiting
from ..views.steps import Steps, flow, grid, legend_words

BAR = 20
"""Cells of a bar."""
NOTICES, ROOMY = 2, 10
"""Notices that are shown, and rows of a run from which they are."""
ABOUT, QUESTION = 48, 80
"""Cells of what a step is about, and of its question."""
ECHO = 4
"""Cells left free at the end of the footer, where the cursor rests: a terminal that echoes `^C`
there, perhaps twice, must not break the line, or the frame could no longer be redrawn in its place.
"""


@dataclass(frozen=True, slots=True)
class Gauge:
    """The model calls of all endpoints of this launch at one moment."""

    in_flight: int
    peak: int
    queued: int
    capacity: int
    """0: no process is ready for calls."""
    stopping: int | None = None
    """Probes (or steps, or a campaign's cells) still in flight once the launch was told to stop;
    None before that."""
    refused: int = 0
    """429s so far."""
    budget_usd: float | None = None
    max_calls: int | None = None
    """What a campaign may spend in all sessions; None: no limit."""
    idle: str = "starting"
    """What is said where no process here is ready for calls."""


@dataclass(slots=True)
class Progress:
    """All runs of one launch, in the order they began."""

    steps_of: Callable[[str], Steps]
    """By method, how the steps of its runs are shown."""
    runs: dict[str, RunProgress] = field(default_factory=dict)

    def apply(self, event: Event) -> RunProgress:
        """Take in one event; returns the run it belongs to."""
        if event.run_id not in self.runs:
            self.runs[event.run_id] = RunProgress(event.run_id, self.steps_of)
        run = self.runs[event.run_id]
        run.apply(event)
        return run


def progress_of(events: Iterable[Event], steps_of: Callable[[str], Steps]) -> Progress:
    """What is known after all these events."""
    progress = Progress(steps_of)
    for event in events:
        progress.apply(event)
    return progress


def frame(progress: Progress, gauge: Gauge, at: datetime, width: int, height: int) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells: all runs, and the first that
    goes on in full; last what the signs mean, and the calls under way."""
    runs = list(progress.runs.values())
    steps = next((run.reading for run in runs if run.scene), None)
    foot = [footer_row(gauge, width, steps.unit if steps else "probe")]
    if steps is not None and height > 4:
        foot.insert(0, [(legend_words(steps), "quiet")])
    room = height - len(foot)
    rows: list[Row] = [overall(runs, at) if runs else [("waiting for the first run", "quiet")]]
    if len(runs) > 1:
        rows += [*overview(runs, at, width, max(2, room * 3 // 5)), []]
    if runs:
        run = next((run for run in runs if run.finished is None), runs[-1])
        rows += block(run, at, width, room - len(rows))
    return [fit(row, width) for row in [*rows[:room], *foot][-height:]]


def overall(runs: Sequence[RunProgress], at: datetime) -> Row:
    """How far the launch is, how long it may still take, and what it has cost."""
    times = [run.elapsed_s(at) for run in runs]
    seconds = max(time - run.earlier[0] for run, time in zip(runs, times, strict=True))
    share = sum(run.share for run in runs)
    gained = share - sum(run.earlier[1] for run in runs)
    left = sum(1 - run.share for run in runs if run.finished is None)
    finished = sum(run.finished is not None for run in runs)
    costs = [run.spend.usd for run in runs if run.spend.usd is not None]
    parts = [
        f"{finished} of {len(runs)} runs finished" if len(runs) > 1 else "",
        figures.duration(max(times)),
        f"about {figures.roughly(left * seconds / gained)} left" if left and gained > 0 else "",
        figures.money(sum(costs)) if len(costs) == len(runs) else "cost unknown",
        f"{sum(run.spend.tokens for run in runs):,} tokens",
    ]
    return progress_row(share / len(runs), parts)


def progress_row(share: float, parts: Sequence[str]) -> Row:
    """A bar that is full only when all is done, the share in per cent, and the parts."""
    full = max(0, int(BAR * share))
    bar: Row = [("█" * full, "accuracy"), ("░" * (BAR - full), "quiet")]
    return [*bar, (f" {int(100 * share):>3}%  ", "title"), (figures.joined(parts), "")]


def footer_row(gauge: Gauge, width: int, unit: str) -> Row:
    """Calls in flight of capacity. Once the launch was told to stop that comes first, while
    something is in flight: whoever pressed Ctrl-C looks for it."""
    queued = f", {gauge.queued} queued" if gauge.queued else ""
    calls = f"calls in flight {gauge.in_flight} of {gauge.capacity} (peak {gauge.peak}{queued})"
    row: Row = [(calls if gauge.capacity else gauge.idle, "quiet")]
    if gauge.stopping:
        row = [(stopping_words(gauge.stopping, unit), "warning"), (" · ", "quiet"), *row]
    return fit(row, max(1, width - ECHO))


def stopping_words(number: int, unit: str = "probe") -> str:
    """What a launch says that was told to stop while so many probes, or other units, are in
    flight."""
    return f"stopping: {figures.count(number, unit)} in flight, Ctrl-C again to leave now"


def overview(runs: Sequence[RunProgress], at: datetime, width: int, height: int) -> list[Row]:
    """One row per run, those that go on first; where there are too many, the last are counted."""
    ordered = sorted(runs, key=lambda run: run.finished is not None)
    visible = ordered if len(runs) < height else ordered[: max(1, height - 2)]
    first = next((run for run in runs if run.scene), None)
    heads = list(_columns(first)) if first else []
    table = [["  run", *heads, "done", "time"]]
    for run in visible:
        values = _columns(run) if run.scene else {}
        name = " ".join([_state_sign(run), one_line(figures.short_id(run.run_id)), *_named(run)])
        cells = [values.get(head, figures.NONE) for head in heads]
        time = figures.duration(run.elapsed_s(at))
        table.append([name, *cells, f"{int(100 * run.share)}%", time])
    rows = grid(table, width, height)
    if len(visible) < len(runs):
        more = figures.count(len(runs) - len(visible), "more run")
        rows.append([(f"  … {more}", "quiet")])
    return rows[:height]


def _columns(run: RunProgress) -> dict[str, str]:
    """The figures that have a column, by its heading."""
    columns = [figure for figure in run.reading.figures(run) if figure.head]
    return {figure.head: figure.value for figure in columns if not figure.wide}


def _state_sign(run: RunProgress) -> str:
    if run.finished is None:
        return "▸"
    return "✓" if run.finished.status == "complete" else "!"


def _named(run: RunProgress) -> list[str]:
    """What the run is about and its target; nothing until it has begun."""
    if run.subject is None:
        return []
    domain, target = run.subject
    return [figures.joined([one_line(domain), run.reading.target(target)])]


# one run in full


def block(run: RunProgress, at: datetime, width: int, height: int) -> list[Row]:
    """One run in at most `height` rows: what it is, its figures, its newest steps and notices."""
    rows = [_title(run, width)]
    notices: list[Row] = []
    for notice in list(run.notices)[-NOTICES:] if height >= ROOMY else ():
        level = "" if notice.level == "info" else f"{notice.level}: "
        notices.append([(f"{level}{one_line(notice.message)}", notice.level)])
    room = height - len(notices)
    if run.scene is not None:
        steps = run.reading
        rows += flow(_figures(run, steps), width)[: max(1, height - 2)]
        left = room - len(rows)
        rows += steps.block(run, width, max(min(4, left), left * 3 // 5))
    return [*rows, *_step_rows(run, at, max(0, room - len(rows))), *notices][: max(0, height)]


def _title(run: RunProgress, width: int) -> Row:
    subject = (_named(run) or [one_line(figures.short_id(run.run_id))])[0]
    roles = run.reading.roles(run.scene) if run.scene else []
    row: Row = [(figures.joined([subject, *roles]), "title")]
    return between(row, [(" SIMULATED ", "badge")], width) if run.simulated else row


def _figures(run: RunProgress, steps: Steps) -> list[str]:
    """How it ended, or how many of its parts are closed; and what it has come to so far."""
    parts = []
    if run.finished is not None and run.scene is not None:
        reason = one_line(run.finished.stop_reason)
        parts.append(ended_words(run.scene.spec, steps, run.finished.status, reason))
    if steps.closes and steps.unit == "step":
        parts.append(f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed")
    parts += [figure.said for figure in steps.figures(run) if figure.said]
    return [*parts, figures.count(run.spend.calls, "call")]


def _step_rows(run: RunProgress, at: datetime, room: int) -> list[Row]:
    """In flight in at most a third of the room (all of it while nothing is finished), then the
    newest finished."""
    share = min(room, max(1, room // 3, room - len(run.newest)))
    rows = [_waiting_row(step, at) for step in list(run.waiting.values())[:share]]
    return [*rows, *map(_finished_row, list(run.newest)[: room - len(rows)])]


def _waiting_row(waiting: Waiting, at: datetime) -> Row:
    since = max(0.0, (at - waiting.since).total_seconds()) if waiting.since else 0.0
    return step_row(waiting.view, since, "answered" if waiting.answered else "open")


def step_row(view: StepView, since: float | None = None, mark: StepStatus | None = None) -> Row:
    """`✓ c003.q2.a1 0.3 s Argon · A, C  In a list of …`. `since`, `mark`: of one that is under way:
    for how many seconds, and how far it is."""
    sign, style = SIGNS[mark or view.mark]
    about, outcome, text = (one_line(part[:BRIEF]) for part in (view.about, view.said, view.text))
    closes = view.mark == "closed"
    row: Row = [(f"{sign} ", style), (one_line(view.called), "title" if closes else "quiet")]
    if not closes:
        seconds = view.elapsed_s if since is None else since
        row.append((f" {figures.duration(seconds)}", "quiet"))
    if about:
        row.append((f" {clip_left(about, ABOUT)}", "accuracy"))
    if outcome:
        row.append((f" · {outcome}", "" if style in ("correct", "quiet") else style))
    if view.fault is not None:
        row.append((f" ({one_line(view.fault.message)})", style))
    if text and not closes:
        row.append((f"  {clip(text, QUESTION)}", "quiet" if outcome else ""))
    return row


_finished_row = lru_cache(maxsize=256)(step_row)  # a finished step stands there for many frames
