"""Replays: another model beside the drilled one, another judge, and the matrix of all."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ....graphs.answers import measures_of, rows_of
from ....graphs.replay.rows import DRILLED
from ....state.records import Tier, tier_name
from ....state.replay import Flip, RejudgeResult, ReplayResult, Tally
from ....state.rows import AnswerRow, Tag
from ....state.spec import ReplaySpec
from ...page import figures
from ...page.blocks import Block, Column, Line, Table, Text
from ...page.forms import written
from ...page.remarks import SIMULATED
from ...page.sanitise import model_name
from ...page.view import CASES, PageOptions, View
from ..by_tag import by_tag, side_by_side
from ..drill.tables import by_tier
from ..findings import more_of
from ..texts import with_interval

SHOWN = ("accuracy", "difference")
ABSTAINING = ("precision_when_answering", "hallucination_rate", "index")
AT_HOME = "a model's answers to its own questions are those of its drill"
OWN_QUESTIONS = (
    "the home advantage of one drill's questions also depends on which model knows more; the mean "
    "is free of that where every model is at home equally often and all were asked everything"
)
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


def share_of(tally: Tally) -> str:
    """An accuracy with its wider interval: `86% (80–91)`."""
    return with_interval(
        tally.accuracy, tally.accuracy_ci_clustered or tally.accuracy_ci, "percent"
    )


def _tier(tier: Tier, result: ReplayResult | RejudgeResult) -> str:
    nominal = {*result.source.nominal, *result.spec.nominal}
    return tier_name(tier, nominal=tier in nominal)


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


def _blocks(result: ReplayResult, how: PageOptions) -> Iterator[Block]:
    rows = rows_of(result)
    shown = [measure for measure in measures_of("replay") if measure.name in SHOWN]
    yield by_tag("By depth of the drill", rows, shown, "depth")
    yield by_tier("By tier", rows, (*SHOWN, *ABSTAINING))


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


def _judged_cases(result: RejudgeResult, how: PageOptions) -> Iterator[Block]:
    yield from _flips(result.flips)


def _judged_blocks(result: RejudgeResult, how: PageOptions) -> Iterator[Block]:
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


def compare(results: Sequence[ReplayResult], _: Any) -> Iterator[Block]:
    """Each replay in one line, and the matrix: whose questions by row, who answers by column; what
    drilled models gain from questions of their own."""
    lines = [f"{replay.source.target}'s questions: {_headline(replay)}" for replay in results]
    yield Text([*lines, *([SIMULATED] if any(replay.simulated for replay in results) else [])])
    rows = [row for replay in results for row in rows_of(replay)]
    homes = {
        replay.spec.source_run: f"{model_name(replay.source.target)} "
        f"{figures.short_id(replay.spec.source_run)}"
        for replay in results
    }
    accuracy, home = (
        [measure for measure in measures_of("replay") if measure.name == name]
        for name in ("accuracy", "home_advantage")
    )
    title = "Accuracy by source of questions and by model"
    tag = "source_run"

    def name(run: Tag) -> str:
        return homes[str(run)]

    yield side_by_side(title, _sides(results), accuracy, tag, notes=[AT_HOME], name=name)
    yield by_tag("Home advantage", rows, home, tag, notes=[OWN_QUESTIONS], name=name)
    prices = [replay.cost_usd for replay in results if replay.cost_usd is not None]
    usd = sum(prices) if len(prices) == len(results) else None
    yield Text([f"All of them cost {written(usd, 'money')}."])


def _sides(results: Sequence[ReplayResult]) -> dict[str, list[AnswerRow]]:
    """Model → its answers, those to its own questions among them, once each."""
    sides: dict[str, dict[str, AnswerRow]] = defaultdict(dict)
    for replay in results:
        for row in rows_of(replay):
            model = replay.source.target if row.condition == DRILLED else row.model
            sides[model_name(model)].setdefault(row.item, replace(row, condition=""))
    return {model: [*held.values()] for model, held in sides.items()}


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
