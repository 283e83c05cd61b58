"""The live screen: every run's state, fitted to the terminal. Pure: what is known, a gauge and a
time give lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ...state.events import Event
from ..page import figures
from ..page.endings import ended_words
from ..page.rows import Fitted, Span, clip, grid, line_of
from ..page.sanitise import one_line
from ..progress import RunProgress
from ..step import BRIEF, SIGNS, StepStatus, StepView
from ..views.steps import Steps, legend_words

BAR = 20
"""Cells of a bar."""
NOTICES = 2
ABOUT, QUESTION = 48, 80
"""Characters of what a step is about, the last ones, and cells of its question."""
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


def frame(progress: Progress, gauge: Gauge, at: datetime, height: int) -> Fitted:
    """The screen in at most `height` lines: all runs, and the first that goes on in full; last what
    the signs mean, and the calls under way."""
    runs = list(progress.runs.values())
    steps = next((run.reading for run in runs if run.scene), None)
    foot = [footer(gauge, steps.unit if steps else "probe")]
    if not runs:
        return Fitted([line_of(("waiting for the first run", "quiet"))], foot, height)
    if steps is not None:
        foot.insert(0, line_of((legend_words(steps), "quiet")))
    body: list[RenderableType] = [_overall(runs, at)]
    if len(runs) > 1:
        body += [*_overview(runs, at, height // 2), ""]
    current = next((run for run in runs if run.finished is None), runs[-1])
    return Fitted([*body, *_run(current, at, height)], foot, height)


def _overall(runs: Sequence[RunProgress], at: datetime) -> Text:
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
    return progress_line(share / len(runs), parts)


def progress_line(share: float, parts: Sequence[str]) -> Text:
    """A bar that is full only when all is done, the share in per cent, and the parts."""
    full = max(0, int(BAR * share))
    bar = [("█" * full, "accuracy"), ("░" * (BAR - full), "quiet")]
    return line_of(*bar, (f" {int(100 * share):>3}%  ", "title"), (figures.joined(parts), ""))


def footer(gauge: Gauge, unit: str) -> RenderableType:
    """Calls in flight of capacity. Once the launch was told to stop that comes first, while
    something is in flight: whoever pressed Ctrl-C looks for it."""
    queued = f", {gauge.queued} queued" if gauge.queued else ""
    calls = f"calls in flight {gauge.in_flight} of {gauge.capacity} (peak {gauge.peak}{queued})"
    spans = [(calls if gauge.capacity else gauge.idle, "quiet")]
    if gauge.stopping:
        spans = [(stopping_words(gauge.stopping, unit), "warning"), (" · ", "quiet"), *spans]
    return Padding(line_of(*spans), (0, ECHO, 0, 0))


def stopping_words(number: int, unit: str = "probe") -> str:
    """What a launch says that was told to stop while so many probes, or other units, are in
    flight."""
    return f"stopping: {figures.count(number, unit)} in flight, Ctrl-C again to leave now"


def _overview(runs: Sequence[RunProgress], at: datetime, most: int) -> Iterator[RenderableType]:
    """One row per run, those that go on first; where there are too many, the last are counted."""
    ordered = sorted(runs, key=lambda run: run.finished is not None)
    first_begun = next((run for run in runs if run.scene), None)
    heads = [*_columns(first_begun)] if first_begun else []
    table = [["  run", *heads, "done", "time"]]
    for run in ordered[:most]:
        values = _columns(run) if run.scene else {}
        sign = "▸"
        if run.finished is not None:
            sign = "✓" if run.finished.status == "complete" else "!"
        name = figures.joined([one_line(figures.short_id(run.run_id)), _subject(run)], " ")
        cells = [values.get(head, figures.NONE) for head in heads]
        time = figures.duration(run.elapsed_s(at))
        table.append([f"{sign} {name}", *cells, f"{int(100 * run.share)}%", time])
    yield grid(table)
    if len(runs) > most:
        yield line_of((f"  … {figures.count(len(runs) - most, 'more run')}", "quiet"))


def _columns(run: RunProgress) -> dict[str, str]:
    """The figures that have a column, by its heading."""
    return {figure.head: figure.value for figure in run.reading.figures(run) if figure.head}


def _subject(run: RunProgress) -> str:
    """What the run is about and its target; empty until it has begun."""
    if run.subject is None:
        return ""
    domain, target = run.subject
    return figures.joined([one_line(domain), run.reading.target(target)])


# one run in full


def _run(run: RunProgress, at: datetime, height: int) -> Iterator[RenderableType]:
    """What it is, its figures, its newest notices and steps: those under way first."""
    subject = _subject(run) or one_line(figures.short_id(run.run_id))
    badge = [(" SIMULATED ", "badge"), (" ", "")] if run.simulated else []
    roles = run.reading.roles(run.scene) if run.scene else []
    yield line_of(*badge, (figures.joined([subject, *roles]), "title"))
    if run.scene is not None:
        steps = run.reading
        yield line_of((figures.joined(_figures(run, steps)), ""))
        heads, *lines = steps.table(run) or [[]]
        if lines:
            yield grid([heads, *lines[-max(2, height // 3) :]])
    for notice in [*run.notices][-NOTICES:]:
        level = "" if notice.level == "info" else f"{notice.level}: "
        yield line_of((f"{level}{one_line(notice.message)}", notice.level))
    for waiting in [*run.waiting.values()][: max(2, height // 4)]:
        since = max(0.0, (at - waiting.since).total_seconds()) if waiting.since else 0.0
        yield step_line(waiting.view, since, "answered" if waiting.answered else "open")
    for view in [*run.newest][:height]:
        yield step_line(view)


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


def step_line(
    view: StepView, since: float | None = None, mark: StepStatus | None = None
) -> Text:
    """`✓ c003.q2.a1 0.3 s Argon · A, C  In a list of …`. `since`, `mark`: of one that is under way:
    for how many seconds, and how far it is."""
    sign, style = SIGNS[mark or view.mark]
    about, outcome, text = (
        one_line(part[:BRIEF]) for part in (view.about, view.said, view.text)
    )
    closes = view.mark == "closed"
    spans: list[Span] = [(f"{sign} ", style)]
    spans.append((one_line(view.called), "title" if closes else "quiet"))
    if not closes:
        seconds = view.elapsed_s if since is None else since
        spans.append((f" {figures.duration(seconds)}", "quiet"))
    if about:
        end = about if len(about) <= ABOUT else f"…{about[-ABOUT:]}"
        spans.append((f" {end}", "accuracy"))
    if outcome:
        spans.append((f" · {outcome}", "" if style in ("correct", "quiet") else style))
    if view.fault is not None:
        spans.append((f" ({one_line(view.fault.message)})", style))
    if text and not closes:
        spans.append((f"  {clip(text, QUESTION)}", "quiet" if outcome else ""))
    return line_of(*spans)
