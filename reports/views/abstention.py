"""Knowing that it does not know: what a model does where it is not right."""

from collections.abc import Iterator, Sequence

from ...graphs.answers import estimate
from ...state.records import tier_name
from ...state.rows import AnswerRow, Estimate
from ..page.blocks import Block, Column, Table

SHARES = {
    "precision_when_answering": "precision",
    "hallucination_rate": "hallucinated",
}
INDEX = "index"
COLUMNS = (
    Column("", "part"),
    Column("answers", "index.n", "count", since=60),
    *(
        Column(head, f"{name}.value", "percent", "", f"{name}.interval", 78)
        for name, head in SHARES.items()
    ),
    Column(INDEX, "points", "points", interval="points_interval", apart=96),
)
LEGEND = (
    "precision: right, of the answers that do not abstain; hallucinated: wrong and not abstained, of "
    "those that are not right; index: right minus wrong answers, in percentage points"
)


def abstention_table(rows: Sequence[AnswerRow], by: str) -> Iterator[Block]:
    """By a tag and over all answers; but for drills nothing where no answer abstains."""
    drilled = any(row.method == "drill" for row in rows)
    if not drilled and not any(row.verdict == "abstained" for row in rows):
        return
    measured = {name: estimate(rows, name, by) for name in (*SHARES, INDEX)}
    overall = {name: estimate(rows, name)[None] for name in measured}
    parts = [tag for tag, part in measured[INDEX].items() if part.n]
    nominal = {row.tag(by) for row in rows if row.tag("nominal")}
    lines = [
        _line(
            tier_name(str(tag), nominal=tag in nominal),
            {name: of_part[tag] for name, of_part in measured.items()},
        )
        for tag in parts
    ]
    if len(lines) != 1:
        lines.append(_line("all", overall))
    notes = [_bluff(rows)] if drilled else []
    yield Table("Knowing that it does not know", COLUMNS, lines, [LEGEND, *notes])


def _line(part: str, figures: dict[str, Estimate]) -> dict[str, object]:
    index = figures[INDEX]
    ends = index.interval and tuple(end / 100 for end in index.interval)
    points = None if index.value is None else index.value / 100
    return {"part": part, **figures, "points": points, "points_interval": ends}


def _bluff(rows: Sequence[AnswerRow]) -> str:
    depth = estimate(rows, "first_bluffing_depth")[None].value
    if depth is None:
        return "At no depth are more than a fifth of the answers wrong and not abstained."
    return f"It first bluffs at depth {depth:g}: more than a fifth of the answers there are wrong."
