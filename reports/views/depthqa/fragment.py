"""What there is so far of a DepthQA run, or of a build, without a result."""

from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from ....state.depthqa.items import Mode
from ....state.depthqa.result import Level
from ...page import figures
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of, under
from .building.progress import BuildProgress
from .figures import mode_words, target_words
from .progress import DepthQAProgress, Mean

OPEN_SHOWN = 12
"""Trees that were begun and are shown; more of them are counted."""


class _Row(NamedTuple):
    mode: Mode
    progress: DepthQAProgress


def _cell(level: Level) -> Column[_Row]:
    def shown(row: _Row) -> str:
        held: Mean = row.progress.mean(row.mode, level)
        return f"{figures.number(held.value)} ({held.number:,})" if held.number else "–"

    return Column("all" if level == "overall" else level, shown, since=0 if level == "overall" else 56)


COLUMNS: tuple[Column[_Row], ...] = (
    Column("mode", lambda r: r.mode, text=True, fixed=True),
    *(_cell(level) for level in ("D1", "D2", "D3", "overall")),
)


def fragment_heading(progress: DepthQAProgress | BuildProgress) -> Text:
    """What the run is about and who takes part."""
    spec = progress.spec
    if isinstance(progress, BuildProgress):
        name, parts = progress.spec.name, [f"evaluator {model_name(progress.spec.evaluator)}"]
        parts.append(f"{figures.count(len(progress.spec.questions), 'question')} to take apart")
    else:
        name, parts = progress.spec.graph, [target_words(spec.target), f"judge {model_name(progress.spec.judge)}"]
        parts.append(mode_words(progress.spec.modes))
    return Text.assemble((one_line(name), "bold"), " · ", " · ".join(parts))


def fragment_state(progress: DepthQAProgress | BuildProgress) -> str:
    """How far it is, as one sentence."""
    if isinstance(progress, BuildProgress):
        what, done, of = progress.phase
        return f" So far {what}: {done:,} of {of:,}."
    closed = f"{len(progress.closed):,} of {figures.count(progress.trees, 'tree')} closed"
    have, planned = progress.progress
    steps = f"{have.answers:,} of {planned.answers:,} answers, {have.ratings:,} of {planned.ratings:,} ratings"
    return f" So far {closed}, {steps}."


def fragment_parts(progress: DepthQAProgress | BuildProgress, *, width: int) -> list[RenderableType]:
    """Mean scores so far and what was begun; of a build its steps."""
    if isinstance(progress, BuildProgress):
        said = progress.counts() + ([f"{progress.lost:,} lost to faults"] if progress.lost else [])
        return ["", Text(figures.joined(said))] if said else []
    rows = [_Row(mode, progress) for mode in progress.spec.modes if progress.mean(mode).number]
    parts: list[RenderableType] = []
    if rows:
        table = table_of(COLUMNS, rows, width=width)
        parts += ["", *under("Mean scores so far", table)]
        parts.append(Text("in brackets: questions; those of trees that are not closed are among them", "dim"))
    parts += [Text(f"{figures.count(progress.unscored, 'step')} lost to faults")] if progress.unscored else []
    return [*parts, *_open(progress)]


def _open(progress: DepthQAProgress) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for tree in list(progress.open.values())[:OPEN_SHOWN]:
        roots = progress.graph.trees if progress.graph else ()
        root = one_line(roots[tree.index].root) if tree.index < len(roots) else ""
        whole = progress.expected(tree)
        state = f"answers {tree.answers}/{whole.answers}, ratings {tree.ratings}/{whole.ratings}"
        lines.append(Text(f"t{tree.index + 1:03d} {root}: {'asked again' if tree.again else state}"))
    if len(progress.open) > OPEN_SHOWN:
        lines.append(Text(f"and {len(progress.open) - OPEN_SHOWN:,} more that were begun"))
    if progress.unbegun:
        lines.append(Text(f"Of {figures.count(progress.unbegun, 'tree')} nothing is finished."))
    return ["", Text("Not closed", "bold"), *lines] if lines else []
