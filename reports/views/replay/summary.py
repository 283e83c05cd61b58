"""Replays: another model beside the drilled one, another judge, and the matrix of all."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....graphs.answers import rows_of
from ....state.records import Tier, tier_name
from ....state.replay import (
    CrossCell,
    CrossResult,
    Flip,
    RejudgeResult,
    ReplayResult,
    Tally,
)
from ....state.spec import ReplaySpec
from ...page import figures
from ...page.blocks import Block, Cell, Column, Line, Table, Text, bulleted
from ...page.remarks import SIMULATED
from ...page.sanitise import model_name
from ...page.usage import usage_blocks
from ...page.view import CASES, How, View
from ..abstention import abstention_table
from ..findings import more_of, side_by_side
from ..texts import with_interval

HEADS_SINCE = 100
"""Width from which a model's name has room above its figures."""
CONDITIONAL_COLUMNS = (
    Column("d", "row.depth", "count"),
    Column("tier", "tier"),
    Column("asked", "row.asked", "count"),
    Column("removed", "row.removed", "count"),
    Column("?", "row.unscored", "count"),
    Column("n", "row.n", "count"),
    Column("✓", "row.correct", "count"),
    Column("A %", "row.accuracy", "whole", interval="row.accuracy_ci", apart=58, style="bold"),
    Column("S %", "row.survival", "whole_fine", interval="row.survival_ci", apart=58, style="bold"),
)
HOME_COLUMNS = (
    Column("questions of", "home", fold=True),
    Column("n", "row.questions", "count"),
    Column("own %", "row.own", "whole"),
    Column("others %", "row.others", "whole"),
    Column(
        "home advantage",
        "row.advantage",
        "points",
        interval="row.advantage_ci",
        apart=58,
        style="bold",
    ),
)


def share_of(tally: Tally) -> str:
    """An accuracy with its wider interval: `86% (80–91)`."""
    return with_interval(
        tally.accuracy, tally.accuracy_ci_clustered or tally.accuracy_ci, "percent"
    )


def _tier(tier: Tier, result: ReplayResult | RejudgeResult) -> str:
    return tier_name(tier, nominal=tier in {*result.source.nominal, *result.spec.nominal})


def _questions(result: ReplayResult | RejudgeResult) -> str:
    source = result.source
    many = figures.count(source.questions, "question")
    return f"the {many} of {model_name(source.target)} (run {figures.short_id(source.run_id)})"


def _judge(spec: ReplaySpec) -> str:
    return f"judge {model_name(spec.judge)}"


def agreement_line(result: ReplayResult | RejudgeResult) -> list[str]:
    """`sim:a and openai:b agree on 92% of 150 answers (κ 0.81)`; nothing of a single judge."""
    judges = result.judges
    if judges is None:
        return []
    pair = f"{model_name(judges.judge)} and {model_name(judges.other)}"
    if judges.agreement is None:
        return [f"{pair} have judged no answer in common"]
    kappa = (
        "κ undefined: only one label occurs"
        if judges.kappa is None
        else f"κ {figures.number(judges.kappa)}"
    )
    return [
        (
            f"{pair} agree on {figures.percent(judges.agreement)} of "
            f"{figures.count(judges.n, 'answer')} ({kappa})"
        )
    ]


# another model


def _headline(result: ReplayResult) -> str:
    """`+15 points for sim:expert (95% interval +8 to +22), McNemar p < .001, over 150
    questions`."""
    row = result.paired
    more = f"{figures.points(row.difference)} points for {model_name(result.spec.target)}"
    tested = f"McNemar p {figures.p_value(row.mcnemar_p)}, over {figures.count(row.n, 'question')}"
    return f"{more} (95% interval {figures.points_span(row.difference_ci)}), {tested}"


def _title(result: ReplayResult) -> tuple[str, list[str]]:
    spec = result.spec
    return spec.domain, [f"{model_name(spec.target)} on {_questions(result)}", _judge(spec)]


def _remarks(result: ReplayResult) -> list[str]:
    row, source, target = result.paired, result.source_tally, result.target_tally
    apart = f"only 1st right {row.only_source}, only 2nd right {row.only_target}"
    lost = figures.stages(result.unscored)
    return [
        (
            f"1st {model_name(source.model)}: {share_of(source)}, the model the questions were "
            "drilled from"
        ),
        f"2nd {model_name(target.model)}: {share_of(target)}, the same questions",
        f"both right {row.both}, {apart}, neither {row.neither}",
        *([f"without a verdict, excluded: {lost}"] if result.unscored else []),
        *agreement_line(result),
    ]


def _paired_columns(source: str, target: str) -> tuple[Column, ...]:
    wide: dict[str, Any] = {"since": HEADS_SINCE}
    narrow: dict[str, Any] = {"until": HEADS_SINCE}
    return (
        Column("tier", "tier"),
        Column("n", "row.n", "count"),
        Column(f"{source}%", "row.source_accuracy", "whole", **wide),
        Column(f"{target}%", "row.target_accuracy", "whole", **wide),
        Column("1st%", "row.source_accuracy", "whole", **narrow),
        Column("2nd%", "row.target_accuracy", "whole", **narrow),
        Column(
            "difference",
            "row.difference",
            "points",
            interval="row.difference_ci",
            apart=58,
            style="bold",
        ),
        Column("only 1st", "row.only_source", "count", since=78),
        Column("only 2nd", "row.only_target", "count", since=78),
        Column("p", "row.mcnemar_p", "p", since=70),
    )


def _blocks(result: ReplayResult, how: How) -> Iterator[Block]:
    columns = _paired_columns(
        model_name(result.source_tally.model), model_name(result.target_tally.model)
    )
    depths = [
        {"d": each.depth, "tier": _tier(each.tier, result), "row": each.paired}
        for each in result.by_depth
    ]
    tiers = [{"tier": _tier(tier, result), "row": row} for tier, row in result.by_tier.items()]
    yield Table("By depth of the drill", [Column("d", "d", "count"), *columns], depths)
    yield Table("By tier", columns, tiers)
    yield from abstention_table(rows_of(result), "tier")


# another judge


def _judged_headline(result: RejudgeResult) -> str:
    at_least = "at least " if result.censored else ""
    evd = f"Conditional EVD {at_least}{result.evd:.2f} (95% interval {figures.span(result.evd_ci)})"
    return f"{evd}; {result.source.evd:.2f} under {model_name(result.source.judge)}"


def _judged_title(result: RejudgeResult) -> tuple[str, list[str]]:
    spec = result.spec
    return spec.domain, [
        f"{_questions(result)}, rejudged by {model_name(spec.judge)}",
        _judge(spec),
    ]


def _judged_remarks(result: RejudgeResult) -> list[str]:
    small = (
        f"{figures.count(result.removed, 'probe')} removed, {result.newly_accepted} newly accepted"
    )
    changed = figures.count(len(result.flips), "changed verdict")
    note = [result.evd_note] if result.evd_note else []
    return [
        *agreement_line(result),
        f"{changed}, {small}, {result.unscored} without a verdict",
        *note,
    ]


def _judged_cases(result: RejudgeResult, how: How) -> Iterator[Block]:
    yield from _flips(result.flips)


def _judged_blocks(result: RejudgeResult, how: How) -> Iterator[Block]:
    rows = [{"tier": _tier(row.tier, result), "row": row} for row in result.depths]
    yield Table("By depth, under this judge", CONDITIONAL_COLUMNS, rows)


def _flips(flips: Sequence[Flip]) -> Iterator[Block]:
    lines: list[str | Line] = []
    for flip in flips[:CASES]:
        change = f"{figures.MARKS[flip.judge]} → {figures.MARKS[flip.other]}"
        lines.append(f"{figures.place(flip.id)} {change} {flip.question}")
        lines.append(Line(flip.reference, "dim", lead="reference: ", indent=2))
        lines.append(Line(flip.reason, "dim", indent=2))
    if lines:
        yield Text([*lines, *more_of(flips, CASES)], "Changed verdicts")


# all of them


def compare(results: Sequence[ReplayResult], crossed: CrossResult) -> Iterator[Block]:
    """Each replay in one line, and the matrix: who answers by row, whose questions by column; a
    model on its own questions is marked."""
    yield Text([f"{each.source.target}'s questions: {_headline(each)}" for each in crossed.replays])
    domains = ", ".join(dict.fromkeys(each.domain for each in crossed.sets))
    sizes = f"{len(crossed.models)} models on {len(crossed.sets)} sets of questions"
    head = [Line(sizes, lead=f"{domains} · ", lead_style="bold")]
    head += [Line(SIMULATED, "badge")] if crossed.simulated else []
    if crossed.home_advantage is not None:
        ends = figures.points_span(crossed.home_advantage_ci)
        mean = (
            f"Home advantage {figures.points(crossed.home_advantage)} points on average (95% "
            f"interval {ends})"
        )
        head.append(Line(mean, "bold"))
    yield Text(head)
    yield _matrix(crossed)
    homes = [
        {"home": f"{model_name(row.home)} {figures.short_id(row.run_id)}", "row": row}
        for row in crossed.home
    ]
    yield Table("Home advantage: own questions minus the others' mean", HOME_COLUMNS, homes)
    yield from usage_blocks(crossed.usage, crossed.cost_usd)
    yield from bulleted("Notes", crossed.notes)


def _matrix(result: CrossResult) -> Table:
    """One row per model, one column per set of questions."""
    cells = {(cell.tally.model, cell.run_id): cell for cell in result.cells}
    sets = [
        (f"{model_name(held.home)}\n{figures.short_id(held.run_id)} · n {held.questions}", held)
        for held in result.sets
    ]
    return side_by_side(
        "Accuracy by model and by source of questions",
        Column("model", "model", fold=True),
        [(model, model) for model in result.models],
        sets,
        lambda model, held: _cell(cells.get((model, held.run_id))),
        "number",
        ["accuracy in %, 95% intervals allow for shared roots · * on its own questions"],
    )


def _cell(cell: CrossCell | None) -> Cell | None:
    return (
        None
        if cell is None
        else Cell(share_of(cell.tally), sign="*" if cell.replay is None else " ")
    )


REPLAY = View(
    headline=_headline, title=_title, remarks=_remarks, blocks=_blocks, compare=compare, alone=False
)
REJUDGE = View(
    headline=_judged_headline,
    title=_judged_title,
    remarks=_judged_remarks,
    cases=_judged_cases,
    blocks=_judged_blocks,
)
