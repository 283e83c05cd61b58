"""Min-K% of a DepthQA run: how surprising its answers are to the model that gave them, and what goes with it."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ....state.depthqa.result import ModeNumbers, QuartileGap, Spread5
from ...page import figures
from ...page.remarks import sentence
from ...page.sanitise import one_line
from ...page.tables import Column, table_of, under
from .figures import gap, gap_span
from .tables import LEVELS, Line, column, label_column, parts_of, titled

SPREAD_COLUMNS: tuple[Column[Line[Spread5]], ...] = (
    label_column(""),
    column("answers", lambda r: f"{r.n:,}"),
    column("lowest", lambda r: figures.number(r.minimum), since=70),
    column("q1", lambda r: figures.number(r.q1)),
    column("median", lambda r: Text(figures.number(r.median), "bold")),
    column("q3", lambda r: figures.number(r.q3)),
    column("highest", lambda r: figures.number(r.maximum), since=70),
)
QUARTILE_COLUMNS: tuple[Column[Line[QuartileGap]], ...] = (
    label_column("quarter"),
    column("Min-K%", lambda r: figures.span(r.min_k), since=50),
    column("D3", lambda r: f"{r.questions:,}", since=60),
    column("pairs", lambda r: f"{r.pairs:,}"),
    column("gap", lambda r: Text(gap(r.mean), "bold")),
    column("95% CI", lambda r: gap_span(r.ci)),
    column("median", lambda r: gap(r.gaps.median if r.gaps else None), since=78),
    column("q1 to q3", lambda r: f"{gap(r.gaps.q1)} to {gap(r.gaps.q3)}" if r.gaps else "–", since=90),
)
MEMORISED = (
    "Min-K%: mean negative log-likelihood (nats) of the least likely fifth of an answer's first 128 tokens; low: likely"
    " memorised"
)
QUARTERS = "gap: (score of the D3 − score of its D2)/4 by quarter of the D3's Min-K%, 1 the lowest; negative is forward"


def min_k_part(modes: Sequence[ModeNumbers], *, width: int) -> list[RenderableType]:
    """Min-K% by depth with the score gaps by quarter, or one sentence why there is none."""
    held = [each for each in modes if each.min_k is not None]
    parts: list[RenderableType] = []
    if held:
        spreads = ((each.mode, _spreads(each)) for each in held)
        table = table_of(SPREAD_COLUMNS, parts_of(spreads), width=width)
        parts += ["", *under(titled("Min-K%", held), table), *_quarters(held, width), Text(MEMORISED, "dim")]
    parts += [Text(line) for line in _without(modes)]
    return parts if held else ["", *parts] if parts else []


def _spreads(numbers: ModeNumbers) -> dict[str, Spread5]:
    found = numbers.min_k.by_depth if numbers.min_k else {}
    return {level: spread for level in LEVELS if (spread := found.get(level)) is not None}


def _quarters(held: Sequence[ModeNumbers], width: int) -> list[RenderableType]:
    quarters = [
        (each.mode, {str(q.quartile): q for q in each.min_k.quartiles}) for each in held if each.min_k is not None
    ]
    lines = parts_of(quarters)
    if not lines:
        return [Text("With fewer than four D3 answers that have Min-K% there are no quarters of them.", "dim")]
    table = table_of(QUARTILE_COLUMNS, lines, width=width)
    return ["", *under(titled("Score gap D3 − D2 by Min-K%", held), table), Text(QUARTERS, "dim")]


def _without(modes: Sequence[ModeNumbers]) -> list[str]:
    """`Min-K%: none. …`, once where the reason is the same for all modes; and how many answers lack it."""
    why: dict[str, list[str]] = {}
    for each in modes:
        if each.min_k is None:
            why.setdefault(one_line(each.min_k_missing or "no answer has log-probabilities"), []).append(each.mode)
    of = [f" in {', '.join(named)}" if len(named) < len(modes) else "" for named in why.values()]
    lines = [f"Min-K%{where}: none. {sentence(reason)}" for where, reason in zip(of, why, strict=True)]
    for each in modes:
        if each.min_k is not None and each.min_k.missing:
            total = each.min_k.answers + each.min_k.missing
            lines.append(f"Min-K% is there for {each.min_k.answers:,} of {total:,} {each.mode} answers.")
    return lines
