"""DepthQA's numbers: mean scores, discrepancies, what a way of asking changes, Min-K%, labels."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from ....state.depthqa.result import Change, DepthQAResult, LabelRow, Level, ModeNumbers
from ...page import figures
from ...page.blocks import Block, Column, Table, Text
from ...page.remarks import sentence
from ...page.view import How

LEVELS: tuple[Level, ...] = get_args(Level)
FEW = 12
"""Labels up to which each has a line; of more only those with the lowest mean score have one."""
LABEL = 24
"""Cells of a label at most."""
STACKED = 88
"""Width below which an interval stands under its number and not beside it."""
NO_EDGES = "No question leads to another one: there are no discrepancies."
MEMORISED = (
    "Min-K%: mean negative log-likelihood (nats) of the least likely fifth of an answer's first "
    "128 tokens; low: likely"
    " memorised"
)
QUARTERS = (
    "gap: (score of the D3 − score of its D2)/4 by quarter of the D3's Min-K%, 1 the lowest; "
    "negative is forward"
)
NO_QUARTERS = "With fewer than four D3 answers that have Min-K% there are no quarters of them."
SEVERAL = "a question with several types of reasoning counts in each"
Part = tuple[str, Mapping[Any, Any]]
"""The name of a part of a table, and its rows by their labels."""

NAME = Column("", "name")
SCORE_COLUMNS = (
    NAME,
    Column("questions", "row.questions", "count", since=60),
    Column("scored", "row.scored", "count"),
    Column("mean", "row.mean", "number", interval="row.ci", style="bold"),
    Column("1 … 5", "row.mean", "bar", interval="row.ci", since=78, scale=(1.0, 5.0)),
)
DISCREPANCY_COLUMNS = (
    NAME,
    Column("n", "row.eligible", "count"),
    *(
        Column(
            head,
            f"row.{field}",
            form,
            "",
            f"row.{field}_ci",
            STACKED,
            under=True,
            style="bold",
            since=a,
            until=b,
        )
        for field, form, long, short in (
            ("average", "gap", "average", "avg."),
            ("intensity", "gap", "intensity", "int."),
            ("frequency", "percents", "freq. %", "% > 0"),
        )
        for head, a, b in ((long, STACKED, None), (short, 0, STACKED))
    ),
    Column("left out", "row.left_out", "count", since=58),
    Column("?", "row.unscored", "count", since=58),
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
    Column("lowest", "row.minimum", "number", since=70),
    Column("q1", "row.q1", "number"),
    Column("median", "row.median", "number", style="bold"),
    Column("q3", "row.q3", "number"),
    Column("highest", "row.maximum", "number", since=70),
)
QUARTILE_COLUMNS = (
    Column("quarter", "name"),
    Column("Min-K%", "row.min_k", "depths", since=50),
    Column("D3", "row.questions", "count", since=60),
    Column("pairs", "row.pairs", "count"),
    Column("gap", "row.mean", "gap", interval="row.ci", style="bold"),
    Column("median", "row.gaps.median", "gap", since=78),
    Column("q1", "row.gaps.q1", "gap", since=90),
    Column("q3", "row.gaps.q3", "gap", since=90),
)
LABEL_COLUMNS = (
    Column("questions", "accuracy.overall.questions", "count", since=78),
    *(Column(level, f"accuracy.{level}.mean", "number", since=44) for level in LEVELS[:-1]),
    Column(
        "all",
        "accuracy.overall.mean",
        "number",
        interval="accuracy.overall.ci",
        apart=70,
        style="bold",
    ),
)
GAP_COLUMNS = (
    Column("forw.", "forward.average", "gap", style="bold", until=90),
    Column("backw.", "backward.average", "gap", style="bold", until=90),
    Column(
        "forward",
        "forward.average",
        "gap",
        "",
        "forward.average_ci",
        apart=112,
        style="bold",
        since=90,
    ),
    Column(
        "backward",
        "backward.average",
        "gap",
        "",
        "backward.average_ci",
        apart=112,
        style="bold",
        since=90,
    ),
)


def blocks(result: DepthQAResult, how: How) -> Iterator[Block]:
    """All tables of a result."""
    modes, edges = result.modes, result.graph.edges > 0
    if any(row.scored for each in modes for row in each.accuracy.values()):
        yield _table(
            "Mean scores", SCORE_COLUMNS, [(each.mode, _levels(each.accuracy)) for each in modes]
        )
        if edges:
            ways = [(each.mode, each.discrepancies) for each in modes]
            yield _table(
                "Forward discrepancy",
                DISCREPANCY_COLUMNS,
                [(mode, own.forward) for mode, own in ways],
            )
            yield _table(
                "Backward discrepancy",
                DISCREPANCY_COLUMNS,
                [(mode, own.backward) for mode, own in ways],
            )
        else:
            yield Text([NO_EDGES])
        yield Text(_terms(result), style="dim")
        yield from _changes(result.changes)
    yield from _min_k(modes)
    yield from _labels(result)


def _table(title: str, columns: Sequence[Column], parts: Sequence[Part], *said: str) -> Table:
    """A table with a part for each mode, under its name; with the mode in the title where there is
    only one."""
    titled = f"{title}, {parts[0][0]}" if len(parts) == 1 else title
    held, made = [part for part in parts if part[1]], list[Any]()
    for name, rows in held:
        made += [name] if len(held) > 1 else []
        made += [{"name": str(label), "row": row} for label, row in rows.items()]
    return Table(titled, columns, made, said)


def _levels(rows: Mapping[Level, Any]) -> dict[Level, Any]:
    return {level: rows[level] for level in LEVELS if level in rows}


def _terms(result: DepthQAResult) -> list[str]:
    """What the terms mean."""
    discrepancies = [
        "d of a question: max(0, mean score of its neighbours − its own)/4",
        "forward: its neighbours are the shallower questions that lead to it",
        "backward: its neighbours are the deeper questions it leads to",
        f"threshold rule: only where {result.threshold}; n counts these, left out those below",
        "average (avg.): mean of d over the n questions = frequency · intensity",
        "frequency (freq. %, % > 0): share of the n questions with d > 0, in %",
        "intensity (int.): mean of d over those",
        "?: nodes left unscored by a fault; excluded from all figures",
    ]
    return [
        (
            "mean: factual correctness against the reference, 1 largely wrong … 5 wholly right, "
            "over distinct questions"
        ),
        *(discrepancies if result.graph.edges else []),
        "95% CI: intervals are clustered by tree; – with fewer than two trees",
        "With few trees, intervals have non-zero width even if all scores agree",
    ]


def _changes(changes: Sequence[Change]) -> Iterator[Block]:
    """What each way of asking changes against zero-shot (the paper's figure 4)."""
    rows: list[Any] = []
    for mode in dict.fromkeys(change.mode for change in changes):
        rows += [
            mode,
            *({"name": each.level, "row": each} for each in changes if each.mode == mode),
        ]
    if rows:
        yield Table("Change against zero-shot, over nodes with both scores", CHANGE_COLUMNS, rows)


def _min_k(modes: Sequence[ModeNumbers]) -> Iterator[Block]:
    """Min-K% by depth with the score gaps by quarter, or one sentence why there is none."""
    held = [(each.mode, each.min_k) for each in modes if each.min_k is not None]
    if held:
        spreads = [
            (mode, {level: row for level, row in own.by_depth.items() if row}) for mode, own in held
        ]
        quarters = [(mode, {str(row.quartile): row for row in own.quartiles}) for mode, own in held]
        some = any(rows for _, rows in quarters)
        yield _table("Min-K%", SPREAD_COLUMNS, spreads, MEMORISED, *([] if some else [NO_QUARTERS]))
        if some:
            yield _table("Score gap D3 − D2 by Min-K%", QUARTILE_COLUMNS, quarters, QUARTERS)
    without = _without(modes)
    if without:
        yield Text(without)


def _without(modes: Sequence[ModeNumbers]) -> list[str]:
    """`Min-K%: not measured. …`, once where the reason is the same for all modes; and how many
    answers lack it."""
    why: dict[str, list[str]] = {}
    for each in modes:
        if each.min_k is None:
            why.setdefault(each.min_k_missing or "no answer has log-probabilities", []).append(
                each.mode
            )
    of = [f" in {', '.join(named)}" if len(named) < len(modes) else "" for named in why.values()]
    lines = [
        f"Min-K%{where}: not measured. {sentence(reason)}"
        for where, reason in zip(of, why, strict=True)
    ]
    for each in modes:
        if each.min_k is not None and each.min_k.missing:
            total = each.min_k.answers + each.min_k.missing
            lines.append(
                f"Min-K% is there for {each.min_k.answers:,} of {total:,} {each.mode} answers."
            )
    return lines


def _labels(result: DepthQAResult) -> Iterator[Block]:
    """The figures by domain and by type of reasoning, where nodes bear any."""
    shown = [each.mode for each in result.modes]
    mode = "zero-shot" if "zero-shot" in shown else next(iter(shown), "")
    kinds: list[tuple[str, str, Sequence[LabelRow], list[str]]] = [
        ("By domain", "domain", result.by_domain, []),
        ("By type of reasoning", "reasoning", result.by_reasoning, [SEVERAL]),
    ]
    for title, head, rows, said in kinds if mode else ():
        if rows:
            few = rows if len(rows) <= FEW else sorted(rows, key=_strength)[:FEW]
            told = f"{title}, {mode}" + (
                f": the lowest {FEW} of {len(rows)}" if len(rows) > FEW else ""
            )
            more = len(rows) - len(few)
            note = [f"{figures.count(more, 'further one')} in the result"] if more else []
            columns = [
                Column(head, "label", room=LABEL),
                *LABEL_COLUMNS,
                *(GAP_COLUMNS if result.graph.edges else ()),
            ]
            yield Table(told, columns, few, [*note, *said])


def _strength(row: LabelRow) -> float:
    """Those without any score last."""
    overall = row.accuracy.get("overall")
    return 6.0 if overall is None or overall.mean is None else overall.mean
