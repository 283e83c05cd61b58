"""A DepthQA run by domain and by type of reasoning."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ....state.depthqa.result import DepthQAResult, LabelRow, Level
from ...page import figures
from ...page.folding import folded
from ...page.sanitise import one_line
from ...page.tables import Column, table_of, under
from .figures import gap, gap_span

FEW = 12
"""Labels up to which each has a line; of more only those with the lowest mean score have one."""
LABEL, NARROW_LABEL, NARROW = 24, 13, 70
"""Cells of a label at most; on a screen narrower than the last."""
SEVERAL = "a question with several types of reasoning counts in each"
GAP_COLUMNS: tuple[Column[LabelRow], ...] = (
    Column("forw.", lambda r: Text(gap(r.forward.average), "bold"), until=90),
    Column("backw.", lambda r: Text(gap(r.backward.average), "bold"), until=90),
    Column("forward", lambda r: Text(gap(r.forward.average), "bold"), since=90),
    Column("95% CI", lambda r: gap_span(r.forward.average_ci), since=112),
    Column("backward", lambda r: Text(gap(r.backward.average), "bold"), since=90),
    Column("95% CI", lambda r: gap_span(r.backward.average_ci), since=112),
)


def label_tables(result: DepthQAResult, *, width: int) -> list[RenderableType]:
    """The figures by domain and by type of reasoning, where nodes bear any."""
    if not result.modes:
        return []
    shown = [each.mode for each in result.modes]
    mode = "zero-shot" if "zero-shot" in shown else shown[0]
    parts: list[RenderableType] = []
    for title, head, rows in (
        ("By domain", "domain", result.by_domain),
        ("By type of reasoning", "reasoning", result.by_reasoning),
    ):
        if rows:
            parts += ["", *_labels(f"{title}, {mode}", head, rows, width, edges=result.graph.edges > 0)]
    return [*parts, *([Text(SEVERAL, "dim")] if result.by_reasoning else [])]


def _labels(title: str, head: str, rows: Sequence[LabelRow], width: int, *, edges: bool) -> list[RenderableType]:
    shown = rows if len(rows) <= FEW else sorted(rows, key=_strength)[:FEW]
    title += "" if len(rows) <= FEW else f": the lowest {FEW} of {len(rows)}"
    table = table_of([*_label_columns(head, width), *(GAP_COLUMNS if edges else ())], shown, width=width)
    more = len(rows) - len(shown)
    return [
        *under(title, table),
        *([Text(f"{figures.count(more, 'further one')} in the result", "dim")] if more else []),
    ]


def _strength(row: LabelRow) -> float:
    """Those without any score last."""
    overall = row.accuracy.get("overall")
    return 6.0 if overall is None or overall.mean is None else overall.mean


def _label_columns(head: str, width: int) -> tuple[Column[LabelRow], ...]:
    room = LABEL if width >= NARROW else NARROW_LABEL
    return (
        Column(head, lambda r: "\n".join(folded(one_line(r.label) or "–", room)), text=True, fixed=True),
        Column("questions", lambda r: _count(r), since=78),
        Column("D1", lambda r: _mean(r, "D1"), since=44),
        Column("D2", lambda r: _mean(r, "D2"), since=44),
        Column("D3", lambda r: _mean(r, "D3"), since=44),
        Column("all", lambda r: Text(_mean(r, "overall"), "bold")),
        Column(
            "95% CI", lambda r: figures.span(r.accuracy["overall"].ci) if "overall" in r.accuracy else "–", since=70
        ),
    )


def _count(row: LabelRow) -> str:
    overall = row.accuracy.get("overall")
    return "–" if overall is None else f"{overall.questions:,}"


def _mean(row: LabelRow, level: Level) -> str:
    held = row.accuracy.get(level)
    return "–" if held is None else figures.number(held.mean)
