"""The page of a DepthQA run: the headline, what must stand beside it, the worst cases, and scores,
discrepancies and Min-K% by way of asking."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...reports.page import figures
from ...reports.page.blocks import Block, Column, Line, Table, Text
from ...reports.page.chart import Axis
from ...reports.page.forms import CI, with_interval
from ...reports.page.picture import Picture
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import abstention_table
from ...reports.views.by_tag import by_part, by_tag, parts_of, side_by_side, sides_of
from ...reports.views.findings import ending, wrong_case
from ...reports.views.pictures import MOST_RUNS, picture
from ...state.depthqa.result import Case, DepthQAResult, ModeNumbers
from ...state.rows import AnswerRow, Estimate
from .discrepancy import of_one_mode
from .measures import MEASURES
from .rows import rows_of
from .steps import STEPS

SCORE = MEASURES[0]
FEW = 12
"""Domains up to which each has a line; of more only those with the lowest mean score have one."""
MEMORISED = (
    "Min-K%: mean negative log-likelihood (nats) of the least likely fifth of an answer's first "
    "128 tokens; low: likely memorised"
)
QUARTERS = (
    "gap: (score of the D3 − score of its D2)/4 by quarter of the D3's Min-K%, 1 the lowest; "
    "negative is forward"
)
PAIRED = (
    "how far questions fall short of their neighbours, 0 to 1, where those score 4 or more on "
    "average; average = frequency · intensity"
)
NAME = Column("", "name")
PAIR_COLUMNS = (
    NAME,
    Column("n", "row.eligible", "count"),
    Column("average", "row.average", "gap", "", "row.average_ci", style="bold"),
    Column("frequency", "row.frequency", "percent", "", "row.frequency_ci"),
    Column("intensity", "row.intensity", "gap", "", "row.intensity_ci"),
)
QUARTER_COLUMNS = (
    NAME,
    Column("Min-K%", "row.min_k", "depths"),
    Column("pairs", "row.pairs", "count"),
    Column("gap", "row.mean", "gap", interval="row.ci", style="bold"),
)
SCORES = Axis("mean score", low=1, high=5.35, values=(1, 2, 3, 4, 5), labels=".0f")
DRAWN = (
    "Factual correctness by rubric: 1 largely wrong, 5 wholly right. Mean over the distinct "
    "questions of a depth. Lines: 95% intervals, clustered by tree."
)


def _headline(result: DepthQAResult) -> str:
    """`zero-shot: mean score 4.21 (95% interval 4.05–4.36) of 5 · forward discrepancy .083
    (.050–.110) · …`."""
    zero_shot = [numbers for numbers in result.modes if numbers.mode == "zero-shot"]
    main, graph = next(iter(zero_shot), result.modes[0]), result.graph
    trees = figures.count(graph.trees - len(result.open_trees), "finished tree")
    sizes = [trees, figures.count(graph.questions, "question")]
    score, gaps = main.accuracy["overall"], main.discrepancies
    if score.mean is None:
        return figures.joined([f"nothing was measured in {main.mode}", *sizes])
    words = [
        f"{main.mode}: mean score {with_interval(score.mean, score.ci, 'number', CI)} of 5"
    ]
    rows = {"forward": gaps.forward["overall"], "backward": gaps.backward["overall"]}
    for name, row in rows.items() if graph.edges else ():
        words.append(f"{name} discrepancy {with_interval(row.average, row.average_ci, 'gap')}")
    return figures.joined([*words, *sizes])


def _remarks(result: DepthQAResult) -> list[str]:
    lines = ending(STEPS, result, result.graph.trees, result.open_trees)
    lost = {numbers.mode: figures.stages(numbers.unscored) for numbers in result.modes}
    losses = [f"{mode} {stages}" for mode, stages in lost.items() if stages]
    if losses:
        lines.append(f"Lost to faults and excluded from all figures: {'; '.join(losses)}.")
    worst = sum(numbers.refusals + numbers.silent for numbers in result.modes)
    if worst:
        lines.append(f"Refusals and empty replies, scored 1 without being judged: {worst:,}.")
    return lines


def _cases(result: DepthQAResult, how: PageOptions) -> Iterator[Block]:
    """The worst cases with what was answered, backward before forward."""
    cases, lines = result.cases[: how.cases], list[str | Line]()
    for case in cases:
        lines += wrong_case(f"{figures.gap(case.discrepancy)} {case.direction}", _texts(case))
    if cases:
        total = figures.count(len(result.cases), "case")
        yield Text(lines, f"The worst {len(cases)} of {total}, {cases[0].mode}")
        yield from how.command(result, f"--path {cases[0].own.node}", "shows one question.")


def _texts(case: Case) -> dict[str, str]:
    """What was asked, answered and rated, and the scores that it is measured against."""
    scores = [f"{node.node} {figures.number(node.score)}" for node in case.neighbours]
    return {
        "question": f"{case.own.node}: {case.own.question}",
        "answer": case.own.answer,
        "judge": f"{figures.number(case.own.score)}: {case.own.reason}",
        "neighbours": ", ".join(scores),
    }


def _blocks(result: DepthQAResult, how: PageOptions) -> Iterator[Block]:
    rows = rows_of(result)
    modes = {str(mode): answers for mode, answers in parts_of(rows, "mode").items()}
    if any(row.score is not None for row in rows):
        yield side_by_side("By way of asking", modes, [SCORE], "depth")
    yield from _by_pair(result.modes)
    yield from abstention_table(of_one_mode(rows), MEASURES, "depth")
    yield from _min_k(result.modes)
    main = of_one_mode(rows)
    if parts_of(main, "category"):
        yield by_tag("By domain", main, [SCORE], "category", weakest=FEW)


def _by_pair(modes: Sequence[ModeNumbers]) -> Iterator[Table]:
    lines = list[Any]()
    for numbers in modes:
        for direction, rows in iter(numbers.discrepancies):
            eligible = [
                {"name": pair, "row": row} for pair, row in rows.items() if row.eligible
            ]
            lines += [f"{direction}, {numbers.mode}", *eligible] if eligible else []
    if lines:
        yield Table("Discrepancies by pair of depths", PAIR_COLUMNS, lines, [PAIRED])


def _min_k(modes: Sequence[ModeNumbers]) -> Iterator[Block]:
    """The score gaps by quarter of Min-K%, or why there is none."""
    lines, missing = list[Any](), dict[str, None]()
    for numbers in modes:
        if numbers.min_k is None:
            missing[f"Min-K%: not measured. {numbers.min_k_missing}"] = None
        elif numbers.min_k.quartiles:
            lines.append(numbers.mode)
            for row in numbers.min_k.quartiles:
                lines.append({"name": f"quarter {row.quartile}", "row": row})
    if lines:
        title = "Score gap D3 − D2 by Min-K%"
        yield Table(title, QUARTER_COLUMNS, lines, [MEMORISED, QUARTERS])
    if missing:
        yield Text([*missing])


def pictures(results: Sequence[DepthQAResult]) -> Iterator[Picture]:
    """Mean score by depth, a panel for each way of asking; nothing without any score. The results
    are of one graph; the first twelve are drawn."""
    drawn = results[:MOST_RUNS]
    sides = {label: parts_of(rows, "mode") for label, rows in sides_of(drawn, rows_of).items()}
    panels = {
        str(mode): {label: _by_level(modes.get(mode, [])) for label, modes in sides.items()}
        for mode in drawn[0].spec.modes
    }
    title = "Mean score by depth"
    yield from picture("scores", title, panels, results, DRAWN, y=SCORES, form="number")


def _by_level(rows: Sequence[AnswerRow]) -> dict[str, Estimate]:
    """`D1` … and `all` → the mean score."""
    levels = {f"D{depth}": score for depth, score in by_part(rows, SCORE, "depth").items()}
    return levels | ({"all": SCORE.of(rows)} if levels else {})


VIEW = View(
    headline=_headline, remarks=_remarks, cases=_cases, blocks=_blocks, pictures=pictures
)
