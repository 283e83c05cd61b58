"""How a replay is told: another model beside the drilled one, or another judge."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ...reports.page import figures
from ...reports.page.blocks import Block, Column, Figure, Figures, Line, Table, Text
from ...reports.page.forms import with_interval
from ...reports.page.sanitise import model_name
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import confidence_table, errors_table
from ...reports.views.by_tag import by_tag, by_tier
from ...reports.views.findings import more_of
from ...state.replay import RejudgeResult, ReplayResult
from ...state.tiers import tier_name
from ...stats.agreement import alpha
from ..answers import measures_of, rows_of
from .judges import agreement, by_answer, verdicts_by_judge

SHOWN = ("accuracy", "difference")
DISAGREEMENTS = 20
"""Changed verdicts that are listed where a result is shown in full."""
OWN_QUESTIONS = (
    "the home advantage of one drill's questions also depends on which model knows more; the mean "
    "is free of that where every model is at home equally often and all were asked everything"
)
CONDITIONAL_COLUMNS = (
    Column("d", "row.depth", "count"),
    Column("tier", "tier"),
    Column("removed", "row.removed", "count"),
    Column("n", "row.n", "count"),
    Column("A %", "row.accuracy", "whole", interval="row.accuracy_ci", style="bold"),
    Column("S %", "row.survival", "whole_fine", interval="row.survival_ci", style="bold"),
)


PAIR_COLUMNS = (
    Column("judges", "pair"),
    Column("answers", "n", "count"),
    Column("agree", "agreement", "percent"),
    Column("κ", "kappa", "number", "κ: Cohen's, of right or not"),
)
JUDGE_COLUMNS = (
    Column("run", "run"),
    Column("judge", "judge"),
    Column("EVD", "evd", "number", "", "evd_ci", style="bold"),
    Column(
        "se",
        "calibration.sensitivity",
        "percent",
        "se: share accepted of references in other words",
        "calibration.sensitivity_ci",
    ),
    Column(
        "sp",
        "calibration.specificity",
        "percent",
        "sp: share rejected of those of other questions",
        "calibration.specificity_ci",
    ),
)


def _measures(*names: str) -> list[Any]:
    return [measure for measure in measures_of("replay") if measure.name in names]


def _title(result: ReplayResult | RejudgeResult) -> tuple[str, list[str]]:
    source, judge = result.source, model_name(result.spec.judge)
    questions = figures.count(source.questions, "question")
    run = f"run {figures.short_id(source.run_id)}"
    about = f"the {questions} of {model_name(source.target)} ({run}), judged by {judge}"
    target = "" if result.method == "rejudge" else f"{model_name(result.spec.target)} on "
    return result.spec.domain, [f"{target}{about}"]


def _agreement(result: ReplayResult | RejudgeResult) -> list[str]:
    """`sim:a and openai:b agree on 92% of 150 answers (κ 0.81)`; nothing of a single judge."""
    judges = result.judges
    if judges is None:
        return []
    share, answers = figures.percent(judges.agreement), figures.count(judges.n, "answer")
    pair = f"{model_name(judges.judge)} and {model_name(judges.other)}"
    return [f"{pair} agree on {share} of {answers} (κ {_number(judges.kappa)})"]


def _number(value: float | None) -> str:
    return "undefined" if value is None else figures.number(value)


# another model


def _headline(result: ReplayResult) -> str:
    """`+15 points for sim:expert (95% interval +8 to +22), McNemar p < .001, over 150
    questions`."""
    row = result.paired
    gain = f"{figures.points(row.difference)} points for {model_name(result.spec.target)}"
    span, p_value = figures.points_span(row.difference_ci), figures.p_value(row.mcnemar_p)
    questions = figures.count(row.n, "question")
    return f"{gain} (95% interval {span}), McNemar p {p_value}, over {questions}"


def _remarks(result: ReplayResult) -> list[str]:
    row, lost = result.paired, figures.stages(result.unscored)
    shares = []
    for tally in (result.source_tally, result.target_tally):
        interval = tally.accuracy_ci_clustered or tally.accuracy_ci
        share = with_interval(tally.accuracy, interval, "percent")
        shares.append(f"{model_name(tally.model)}: {share}")
    return [
        f"1st {shares[0]}, the model the questions were drilled from",
        f"2nd {shares[1]}, the same questions",
        f"both right {row.both}, only 1st right {row.only_source}, only 2nd right "
        f"{row.only_target}, neither {row.neither}",
        *([f"without a verdict, excluded: {lost}"] if lost else []),
        *_agreement(result),
    ]


def _blocks(result: ReplayResult, options: PageOptions) -> Iterator[Block]:
    rows = rows_of(result)
    yield by_tag("By depth of the drill", rows, _measures(*SHOWN), "depth")
    yield by_tier("By tier", rows, _measures(*SHOWN))
    yield from errors_table(rows)
    yield from confidence_table(rows, measures_of("replay"))


def _home_advantage(results: Sequence[ReplayResult]) -> Iterator[Block]:
    """What a cross-examination adds to the comparison of its models."""
    yield Text(
        [f"{result.source.target}'s questions: {_headline(result)}" for result in results]
    )
    rows = [row for result in results for row in rows_of(result)]
    home = _measures("home_advantage")
    yield by_tag("Home advantage", rows, home, "source_run", notes=[OWN_QUESTIONS])


# another judge


def _judged_headline(result: RejudgeResult) -> str:
    at_least = "at least " if result.censored else ""
    evd = f"EVD {at_least}{result.evd:.2f} (95% interval {figures.span(result.evd_ci)})"
    if result.judges is None:
        return f"{evd}, by the verdicts of {model_name(result.spec.judge)}"
    evd = f"Conditional {evd}"
    return f"{evd}; {result.source.evd:.2f} under {model_name(result.source.judge)}"


def _judged_remarks(result: RejudgeResult) -> list[str]:
    removed = figures.count(result.removed, "probe")
    changed = figures.count(len(result.flips), "changed verdict")
    changes = (
        f"{changed}, {removed} removed, {result.newly_accepted} newly accepted, {result.unscored} "
        "without a verdict"
    )
    return [
        *_agreement(result),
        *([changes] if result.judges else []),
        *_calibration(result),
        *([result.evd_note] if result.evd_note else []),
    ]


def _calibration(result: RejudgeResult) -> list[str]:
    """Of what must pass, and of what must fail."""
    counts = result.calibration
    if counts is None:
        return []
    sensitivity = with_interval(counts.sensitivity, counts.sensitivity_ci, "percent")
    specificity = with_interval(counts.specificity, counts.specificity_ci, "percent")
    return [
        f"{model_name(result.spec.judge)} on references in other words: accepted "
        f"{counts.accepted} of {counts.right} for their own questions, sensitivity {sensitivity}; "
        f"rejected {counts.rejected} of {counts.wrong} for others, specificity {specificity}; "
        f"{counts.unscored} without a verdict"
    ]


def _flips(result: RejudgeResult, options: PageOptions) -> Iterator[Block]:
    lines: list[str | Line] = []
    most = DISAGREEMENTS
    for flip in result.flips[:most]:
        change = f"{figures.MARKS[flip.judge]} → {figures.MARKS[flip.other]}"
        lines.append(f"{figures.place(flip.id)} {change} {flip.question}")
        lines.append(Line(flip.reference, "dim", lead="reference: ", indent=2))
        lines.append(Line(flip.reason, "dim", indent=2))
    if lines:
        yield Text([*lines, *more_of(result.flips, most)], "Changed verdicts")


def _second(result: RejudgeResult) -> Iterator[Block]:
    """What another evaluator makes of the same passages."""
    second = result.second_evaluator
    if second is None:
        return
    rows = (
        ("share right, second evaluator", second.accuracy, "percent", None),
        ("share right, first evaluator", second.first_accuracy, "percent", None),
        (
            "difference of the shares",
            second.accuracy_difference,
            "points_named",
            second.accuracy_difference_ci,
        ),
        (
            "difference of level",
            second.level_difference,
            "difference",
            second.level_difference_ci,
        ),
        ("EVD would differ by", second.evd_difference, "difference", None),
    )
    lines = [Figure(*row) for row in rows if row[1] is not None]
    if second.evd_ci is not None:
        span = figures.span(second.evd_ci)
        lines.append(Figure("95% interval of EVD between evaluators", span))
    passages = figures.count(second.passages, "passage")
    left_out = f"{second.refused} refused, {second.withdrawn} withdrawn, {second.lost} lost"
    title = f"{model_name(second.model)} on {passages}: {left_out}, {second.n} compared"
    yield Figures(lines, title)


def _under_each_judge(results: Sequence[RejudgeResult]) -> Iterator[Block]:
    """Several judges, or several runs: the EVD of each run under each judge beside how far the judge
    can be relied on, the order of the runs, and how far the judges agree."""
    rows: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    by_judge: dict[str, dict[str, float]] = defaultdict(dict)
    for result in results:
        source = result.source
        run = f"{model_name(source.target)} {figures.short_id(source.run_id)}"
        first, other = model_name(source.judge), model_name(result.spec.judge)
        rows[run, first] |= {"run": run, "judge": first, "evd": source.evd}
        further = {"evd_ci": result.evd_ci, "calibration": result.calibration}
        rows[run, other] |= {"run": run, "judge": other, "evd": result.evd, **further}
        by_judge[first][run], by_judge[other][run] = source.evd, result.evd
    orders = [
        f"{judge}: {' > '.join(sorted(evds, key=lambda run: -evds[run]))}"
        for judge, evds in by_judge.items()
        if len(evds) > 1
    ]
    yield Table("EVD under each judge", JUDGE_COLUMNS, [*rows.values()], orders)
    verdicts = verdicts_by_judge(results)
    pairs = [
        {"pair": f"{model_name(first)} · {model_name(second)}"}
        | agreement(verdicts[first], verdicts[second])
        for first, second in combinations(verdicts, 2)
    ]
    if pairs:
        labels = by_answer(verdicts)
        together = f"Krippendorff's α {_number(alpha(labels))} over {len(labels):,} answers"
        yield Table(
            "Judges among themselves", PAIR_COLUMNS, pairs, [f"All together: {together}."]
        )


def _judged_blocks(result: RejudgeResult, options: PageOptions) -> Iterator[Block]:
    yield from _second(result)
    nominal = {*result.source.nominal, *result.spec.nominal}
    rows = [
        {"tier": tier_name(row.tier, nominal=row.tier in nominal), "row": row}
        for row in result.depths
    ]
    yield Table("By depth, under this judge", CONDITIONAL_COLUMNS, rows)


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    blocks=_blocks,
    compare=_home_advantage,
)
REJUDGE = View(
    headline=_judged_headline,
    title=_title,
    remarks=_judged_remarks,
    cases=_flips,
    blocks=_judged_blocks,
    compare=_under_each_judge,
)
