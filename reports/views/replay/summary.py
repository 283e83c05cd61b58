"""Replays as a reader sees them: another model beside the drilled one, another judge, and the matrix of all."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ....state.replay import (
    ConditionalDepth,
    CrossCell,
    CrossResult,
    Flip,
    HomeRow,
    PairedRow,
    RejudgeResult,
    ReplayResult,
    Tally,
)
from ....state.spec import ReplaySpec
from ...page import figures
from ...page.remarks import SIMULATED, kept_in, listed
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of
from ...page.usage import usage_table

FLIPS_SHOWN = 8
"""Changed verdicts shown; the result has all of them."""


def share_of(tally: Tally) -> str:
    """An accuracy with its wider interval: `86% (80–91)`."""
    if tally.accuracy is None:
        return "–"
    wider = tally.accuracy_ci_clustered or tally.accuracy_ci
    return f"{figures.percent(tally.accuracy)} ({figures.percent_span(wider)})"


Labelled = tuple[str, str, PairedRow]
"""What a row is called, twice (depth and tier, or tier alone), and its comparison."""


def _paired_columns(source: str, target: str, first: str) -> tuple[Column[Labelled], ...]:
    return (
        Column(first, lambda r: r[0], text=True, fixed=True),
        Column("tier", lambda r: r[1], text=True, fixed=True, since=0 if first == "d" else 10_000),
        Column("n", lambda r: str(r[2].n)),
        Column(f"{source}%", lambda r: figures.whole(r[2].source_accuracy)),
        Column(f"{target}%", lambda r: figures.whole(r[2].target_accuracy)),
        Column("difference", lambda r: Text(figures.points(r[2].difference), "bold")),
        Column("95% CI", lambda r: figures.points_span(r[2].difference_ci), since=58),
        Column("only 1st", lambda r: str(r[2].only_source), since=78),
        Column("only 2nd", lambda r: str(r[2].only_target), since=78),
        Column("p", lambda r: figures.p_value(r[2].mcnemar_p), since=70),
    )


def replay_headline(result: ReplayResult) -> str:
    """`+15 points for sim:expert (95% CI +8 to +22), McNemar p < .001, over 150 questions`."""
    row = result.paired
    parts = [
        f"{figures.points(row.difference)} points for {model_name(result.spec.target)}"
        f" (95% CI {figures.points_span(row.difference_ci)})",
        f"McNemar p {figures.p_value(row.mcnemar_p)}",
        f"over {figures.count(row.n, 'question')}",
    ]
    return ", ".join(parts)


def replay_summary(result: ReplayResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One model on the questions of a drill of another, for a console `width` cells wide."""
    row, source, target = result.paired, result.source_tally, result.target_tally
    wide = width >= 100
    names = (model_name(source.model), model_name(target.model)) if wide else ("1st", "2nd")
    depths = [(str(d.depth), figures.tier_name(d.tier), d.paired) for d in result.by_depth]
    tiers = [(figures.tier_name(tier), "", paired) for tier, paired in result.by_tier.items()]
    apart = f"only 1st right {row.only_source}, only 2nd right {row.only_target}"
    return Group(
        *_heading(result.spec, f"{model_name(result.spec.target)} on {_questions(result)}", simulated=result.simulated),
        Text(replay_headline(result), "bold"),
        Text(f"1st {model_name(source.model)}: {share_of(source)}, the model the questions were drilled from"),
        Text(f"2nd {model_name(target.model)}: {share_of(target)}, the same questions"),
        Text(f"both right {row.both}, {apart}, neither {row.neither}"),
        *_unscored(result),
        "",
        table_of(_paired_columns(*names, "d"), depths, width=width, title="By depth of the drill"),
        "",
        table_of(_paired_columns(*names, "tier"), tiers, width=width, title="By tier"),
        *_end(result, result.notes, width, kept),
    )


def _unscored(result: ReplayResult) -> list[RenderableType]:
    lines = []
    if result.unscored:
        lines.append(Text(f"without a verdict, excluded: {figures.stages(result.unscored)}"))
    if result.judges is not None:
        lines.append(Text(agreement_line(result)))
    return [*lines]


def agreement_line(result: ReplayResult | RejudgeResult) -> str:
    """`sim:a and openai:b agree on 92% of 150 answers (κ 0.81)`."""
    judges = result.judges
    assert judges is not None  # asked for only where there are two
    pair = f"{model_name(judges.judge)} and {one_line(judges.other)}"
    if judges.agreement is None:
        return f"{pair} have judged no answer in common"
    kappa = "κ undefined: only one label occurs" if judges.kappa is None else f"κ {figures.number(judges.kappa)}"
    return f"{pair} agree on {figures.percent(judges.agreement)} of {figures.count(judges.n, 'answer')} ({kappa})"


CONDITIONAL_COLUMNS: tuple[Column[ConditionalDepth], ...] = (
    Column("d", lambda r: str(r.depth), text=True, fixed=True),
    Column("tier", lambda r: figures.tier_name(r.tier), text=True, fixed=True),
    Column("asked", lambda r: str(r.asked)),
    Column("removed", lambda r: str(r.removed)),
    Column("?", lambda r: str(r.unscored)),
    Column("n", lambda r: str(r.n)),
    Column("✓", lambda r: str(r.correct)),
    Column("A %", lambda r: Text(figures.whole(r.accuracy), "bold")),
    Column("95% CI", lambda r: figures.percent_span(r.accuracy_ci), since=58),
    Column("S %", lambda r: Text(f"{r.survival * 100:.1f}", "bold")),
    Column("95% CI", lambda r: figures.percent_span(r.survival_ci), since=58),
)


def rejudge_summary(result: RejudgeResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """The answers of a drill under another judge."""
    at_least = "at least " if result.censored else ""
    evd = f"Conditional EVD {at_least}{result.evd:.2f} (95% CI {figures.span(result.evd_ci)})"
    what = f"{_questions(result)}, rejudged by {model_name(result.spec.judge)}"
    small = f"{figures.count(result.removed, 'probe')} removed, {result.newly_accepted} newly accepted"
    return Group(
        *_heading(result.spec, what, simulated=result.simulated),
        Text(f"{evd}; {result.source.evd:.2f} under {model_name(result.source.judge)}", "bold"),
        Text(agreement_line(result)),
        Text(f"{figures.count(len(result.flips), 'changed verdict')}, {small}, {result.unscored} without a verdict"),
        *([Text(one_line(result.evd_note))] if result.evd_note else []),
        "",
        table_of(CONDITIONAL_COLUMNS, result.depths, width=width, title="By depth, under this judge"),
        *_flips(result.flips),
        *_end(result, result.notes, width, kept),
    )


def _flips(flips: Sequence[Flip]) -> list[RenderableType]:
    if not flips:
        return []
    lines: list[RenderableType] = ["", Text("Changed verdicts", "bold")]
    for flip in flips[:FLIPS_SHOWN]:
        change = f"{figures.MARKS[flip.judge]} → {figures.MARKS[flip.other]}"
        lines.append(Text(f"{figures.place(flip.id)} {change} {one_line(flip.question)}"))
        lines.append(Text(f"  reference: {one_line(flip.reference)}", "dim"))
        lines.append(Text(f"  {one_line(flip.reason)}", "dim"))
    if len(flips) > FLIPS_SHOWN:
        lines.append(Text(f"and {len(flips) - FLIPS_SHOWN} more in the result", "dim"))
    return lines


HOME_COLUMNS: tuple[Column[HomeRow], ...] = (
    Column("questions of", lambda r: f"{model_name(r.home)} {figures.short_id(r.run_id)}", text=True),
    Column("n", lambda r: str(r.questions)),
    Column("own %", lambda r: figures.whole(r.own)),
    Column("others %", lambda r: figures.whole(r.others)),
    Column("home advantage", lambda r: Text(figures.points(r.advantage), "bold")),
    Column("95% CI", lambda r: figures.points_span(r.advantage_ci), since=58),
)


def cross_summary(result: CrossResult, *, width: int) -> RenderableType:
    """The matrix: who answers by row, whose questions by column; a model on its own questions is marked."""
    domains = ", ".join(dict.fromkeys(one_line(s.domain) for s in result.sets))
    title = Text.assemble((domains, "bold"), f" · {len(result.models)} models on {len(result.sets)} sets of questions")
    badge: list[RenderableType] = [Text(SIMULATED, STYLES["badge"])] if result.simulated else []
    mean: list[RenderableType] = []
    if result.home_advantage is not None:
        ends = figures.points_span(result.home_advantage_ci)
        mean = [
            Text(f"Home advantage {figures.points(result.home_advantage)} points on average (95% CI {ends})", "bold")
        ]
    usage: list[RenderableType] = ["", usage_table(result.usage, result.cost_usd, width=width)] if result.usage else []
    return Group(
        title,
        *badge,
        *mean,
        "",
        matrix(result, width=width),
        Text("accuracy in %, 95% intervals allow for shared roots · * on its own questions", "dim"),
        "",
        table_of(HOME_COLUMNS, result.home, width=width, title="Home advantage: own questions minus the others' mean"),
        *usage,
        *listed("Notes", result.notes),
    )


def matrix(result: CrossResult, *, width: int) -> Table:
    """One row per model, one column per set of questions."""
    cells = {(cell.tally.model, cell.run_id): cell for cell in result.cells}
    columns: list[Column[str]] = [Column("model", one_line, text=True)]
    for held in result.sets:
        head = f"{model_name(held.home)}\n{figures.short_id(held.run_id)} · n {held.questions}"
        columns.append(Column(head, partial(_cell, cells, held.run_id)))
    return table_of(columns, result.models, width=width, title="Accuracy by model and by source of questions")


def _cell(cells: Mapping[tuple[str, str], CrossCell], run_id: str, model: str) -> str:
    cell = cells.get((model, run_id))
    if cell is None:
        return "–"
    return f"{share_of(cell.tally)}{'*' if cell.replay is None else ' '}"


def _heading(spec: ReplaySpec, what: str, *, simulated: bool) -> list[RenderableType]:
    title = Text.assemble((one_line(spec.domain), "bold"), f" · {what} · judge {model_name(spec.judge)}")
    return [title, Text(SIMULATED, STYLES["badge"])] if simulated else [title]


def _questions(result: ReplayResult | RejudgeResult) -> str:
    source = result.source
    many = figures.count(source.questions, "question")
    return f"the {many} of {model_name(source.target)} (run {figures.short_id(source.run_id)})"


def _end(
    result: ReplayResult | RejudgeResult, notes: Sequence[str], width: int, kept: Path | None
) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if result.usage:
        lines += ["", usage_table(result.usage, result.cost_usd, width=width)]
    lines += [*listed("Notes", notes), "", Text(f"took {figures.duration(result.wall_s)}", "dim")]
    return [*lines, *kept_in(kept)]
