"""What there is so far of a DeepQuestion run without a result."""

from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from ...page import figures
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of, under
from .lines import kind_words
from .progress import DeepQuestionProgress
from .steps import column_words


class _Row(NamedTuple):
    column: str
    progress: DeepQuestionProgress


COLUMNS: tuple[Column[_Row], ...] = (
    Column("", lambda r: column_words(r.column), text=True, fixed=True),
    Column("✓", lambda r: f"{r.progress.marks[r.column, 'right']:,}"),
    Column("✗", lambda r: f"{r.progress.marks[r.column, 'wrong']:,}"),
    Column("?", lambda r: f"{r.progress.marks[r.column, 'unscored']:,}"),
    Column("–", lambda r: f"{r.progress.marks[r.column, 'rejected']:,}"),
    Column("accuracy", lambda r: Text(figures.percent(r.progress.accuracy(r.column)), "bold")),
)


def fragment_heading(progress: DeepQuestionProgress) -> Text:
    """What the run is about and who takes part."""
    spec = progress.spec
    parts = [model_name(spec.target), f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    parts += ["texts given" if spec.given else f"generator {model_name(spec.generator)}", kind_words(spec)]
    return Text.assemble((one_line(spec.benchmark), "bold"), " · ", " · ".join(parts))


def fragment_state(progress: DeepQuestionProgress) -> str:
    """How far it is, as one sentence."""
    closed = f"{len(progress.closed):,} of {figures.count(progress.spec.problems, 'problem')} closed"
    begun = f", {len(progress.open):,} more begun" if progress.open else ""
    drafting = ", transformation prompts are being drafted" if progress.drafting and progress.loops else ""
    return f" So far {closed}{begun}{drafting}."


def fragment_parts(progress: DeepQuestionProgress, *, width: int) -> list[RenderableType]:
    """How the prompts came about, and the marks of the closed problems."""
    spec, loops = progress.spec, progress.loops
    drafted = [kind for kind in spec.drafted if kind in loops]
    parts: list[RenderableType] = [
        Text(f"{column_words(kind)} prompt: {figures.joined(loops[kind].words(spec))}") for kind in drafted
    ]
    if progress.columns:
        rows = [_Row(column, progress) for column in progress.columns]
        parts += ["", *under("Closed problems", table_of(COLUMNS, rows, width=width))]
        parts.append(Text("✓ right ✗ wrong ? unscored – what was written did not pass its checks", "dim"))
    return [*parts, *([Text(f"{figures.count(progress.lost, 'step')} lost to faults")] if progress.lost else [])]
