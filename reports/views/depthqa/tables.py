"""DepthQA's numbers: mean scores and discrepancies, what a way of asking changes, Min-K%, labels."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from ....graphs.answers import measures_of, rows_of
from ....graphs.depthqa.discrepancy import of_one_mode
from ....state.depthqa.result import Change, DepthQAResult, LabelRow, ModeNumbers
from ...page.blocks import Block, Column, Table, Text
from ...page.remarks import sentence
from ...page.view import PageOptions
from ..abstention import abstention_table
from ..by_tag import by_tag, parts_of

FEW = 12
"""Labels up to which each has a line; of more only those with the lowest mean score have one."""
CLUSTERED = "95% CI: clustered by tree; none with fewer than two"
MEMORISED = (
    "Min-K%: mean negative log-likelihood (nats) of the least likely fifth of an answer's first "
    "128 tokens; low: likely memorised"
)
QUARTERS = (
    "gap: (score of the D3 − score of its D2)/4 by quarter of the D3's Min-K%, 1 the lowest; "
    "negative is forward"
)
SEVERAL = "a question with several labels counts in each"
NAME = Column("", "name")
PAIR_COLUMNS = (
    NAME,
    Column("n", "row.eligible", "count"),
    Column("average", "row.average", "gap", "", "row.average_ci", 88, under=True, style="bold"),
    Column("frequency", "row.frequency", "percent", "", "row.frequency_ci", 88, under=True),
    Column("intensity", "row.intensity", "gap", "", "row.intensity_ci", 88, under=True),
    Column("left out", "row.left_out", "count", since=58),
    Column("?", "row.unscored", "count", since=58),
)
PAIRED = (
    "how far questions fall short of their neighbours, 0 to 1, where those score 4 or more on "
    "average; forward: of the shallower ones that lead to them; backward: of the deeper ones they "
    "lead to; average = frequency · intensity"
)
CHANGE_COLUMNS = (
    NAME,
    Column("nodes", "row.nodes", "count", since=64),
    Column("zero-shot", "row.zero_shot", "number", since=56),
    Column("this way", "row.score", "number", since=56),
    Column("change", "row.difference", "difference", interval="row.ci", style="bold"),
)
SPREAD_COLUMNS = (
    NAME,
    Column("answers", "row.n", "count"),
    *(
        Column(name, f"row.{name}", "number")
        for name in ("minimum", "q1", "median", "q3", "maximum")
    ),
)
QUARTILE_COLUMNS = (
    Column("quarter", "name"),
    Column("Min-K%", "row.min_k", "depths", since=50),
    Column("pairs", "row.pairs", "count"),
    Column("gap", "row.mean", "gap", interval="row.ci", style="bold"),
)
LABEL_COLUMNS = (
    Column("", "label", room=24),
    Column("questions", "accuracy.overall.questions", "count", since=60),
    Column("mean", "accuracy.overall.mean", "number", "", "accuracy.overall.ci", 70, style="bold"),
    Column("forward", "forward.average", "gap", "", "forward.average_ci", 112),
    Column("backward", "backward.average", "gap", "", "backward.average_ci", 112),
)


def blocks(result: DepthQAResult, how: PageOptions) -> Iterator[Block]:
    """All tables of a result."""
    rows = rows_of(result)
    score = measures_of(result.method)[0]
    for mode, asked in parts_of(rows, "mode").items():
        if score.of(asked).n:
            yield by_tag(f"Mean score, {mode}", asked, [score], "depth", notes=[CLUSTERED])
    yield from _pairs(result.modes)
    yield from abstention_table(of_one_mode(rows), measures_of("depthqa"), "depth")
    yield from _parted(
        "Change against zero-shot, over nodes with both scores",
        CHANGE_COLUMNS,
        _changes(result.changes),
    )
    yield from _min_k(result.modes)
    mode = "zero-shot" if "zero-shot" in result.spec.modes else result.spec.modes[0]
    yield from _labels(f"By domain, {mode}", result.by_domain)
    yield from _labels(f"By type of reasoning, {mode}", result.by_reasoning)


def _parted(
    title: str, columns: Sequence[Column], parts: Mapping[Any, Mapping[Any, Any]], *said: str
) -> Iterator[Table]:
    """A table with a part for each mode, under its name; nothing without any line."""
    lines: list[Any] = []
    for mode, rows in parts.items():
        made = [{"name": name, "row": row} for name, row in rows.items() if row is not None]
        lines += [mode, *made] if made else []
    if lines:
        yield Table(title, columns, lines, said)


def _pairs(modes: Sequence[ModeNumbers]) -> Iterator[Table]:
    parts = {}
    for each in modes:
        ways = {"forward": each.discrepancies.forward, "backward": each.discrepancies.backward}
        for way, rows in ways.items():
            parts[f"{way}, {each.mode}"] = {
                pair: rows[pair] for pair in rows if rows[pair].eligible
            }
    yield from _parted("Discrepancies by pair of depths", PAIR_COLUMNS, parts, PAIRED)


def _changes(changes: Sequence[Change]) -> dict[str, dict[str, Change]]:
    parts: dict[str, dict[str, Change]] = {}
    for change in changes:
        parts.setdefault(change.mode, {})[change.level] = change
    return parts


def _min_k(modes: Sequence[ModeNumbers]) -> Iterator[Block]:
    """Min-K% by depth with the score gaps by quarter, or why there is none."""
    there = {each.mode: each.min_k for each in modes if each.min_k is not None}
    spreads = {mode: min_k.by_depth for mode, min_k in there.items()}
    yield from _parted("Min-K%", SPREAD_COLUMNS, spreads, MEMORISED)
    quarters = {
        mode: {str(row.quartile): row for row in min_k.quartiles} for mode, min_k in there.items()
    }
    yield from _parted("Score gap D3 − D2 by Min-K%", QUARTILE_COLUMNS, quarters, QUARTERS)
    why = dict.fromkeys(each.min_k_missing for each in modes if each.min_k_missing)
    lines = [f"Min-K%: not measured. {sentence(reason)}" for reason in why]
    for mode, min_k in there.items():
        total = min_k.answers + min_k.missing
        if min_k.missing:
            lines.append(f"Min-K% is there for {min_k.answers:,} of {total:,} {mode} answers.")
    if lines:
        yield Text(lines)


def _labels(title: str, rows: Sequence[LabelRow]) -> Iterator[Table]:
    """The figures by label, where nodes bear any."""
    if len(rows) > FEW:
        title = f"{title}: the lowest {FEW} of {len(rows)}"
        rows = sorted(rows, key=lambda row: row.accuracy["overall"].mean or inf)[:FEW]
    if rows:
        yield Table(title, LABEL_COLUMNS, rows, [SEVERAL])
