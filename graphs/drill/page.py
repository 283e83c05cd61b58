"""The page of a drill: the headline, what must stand beside it, and survival by depth."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...reports.page import figures
from ...reports.page.blocks import Block, Column, Figure, Figures, Table
from ...reports.page.chart import Axis
from ...reports.page.picture import Picture
from ...reports.page.remarks import left_out, sentence
from ...reports.page.sanitise import one_line
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import confidence_table, errors_table
from ...reports.views.by_tag import by_tier, measured, sides_of
from ...reports.views.findings import wrong_answers
from ...reports.views.pictures import MOST_RUNS, SHARES, picture
from ...state.result import DepthRow, DrillResult
from ...state.rows import Estimate, Measure
from ...state.tiers import NOMINAL, tier_name
from ..answers import measures_of, rows_of
from .measures import survival_of
from .rows import target_answers
from .ruler import anchor_counts
from .survival import evd_if_rejected, points_worth

SHOWN = ("accuracy", "precision_when_answering", "hallucination_rate", "index")
RULER = ("at_level", "deeper")
FURTHER = ("first_bluffing_depth", "evd_without_doubtful", "anchors_evd")
READ = "By the evaluator, who is not told the tier: who would know it, and does it go deeper?"
DRAWN = "Bands: 95% intervals. Dashed: the threshold at which a drill stops."


def _headline(result: DrillResult) -> str:
    """`Expected valid depth (EVD) 4.62 of 15 (95% interval 3.10–6.89) · stopped at depth 6: …`."""
    at_least = "at least " if result.censored else ""
    evd = f"{at_least}{result.evd:.2f} of {result.spec.max_depth}"
    end = "stopped" if result.status in ("complete", "partial") else result.status
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    why = f": {words}" if words != end else ""
    return (
        f"Expected valid depth (EVD) {evd} (95% interval {figures.span(result.evd_ci)}) · "
        f"{end} at depth {result.depth_reached}{why}"
    )


def _remarks(result: DrillResult) -> list[str]:
    at_least = "at least " if result.censored else ""
    lines = [f"On average a line of questioning held for {at_least}{result.evd:.1f} questions."]
    if result.censored:
        why = result.stop_detail or figures.stop_words(result.censored, result.spec.threshold)
        lines.append(
            "EVD is a lower limit: the drill ended before survival fell below "
            f"{result.spec.threshold * 100:g}% ({one_line(why).rstrip('.')})."
        )
    deeper = result.ruler.overall.deeper if result.ruler else None
    if deeper is not None and deeper.below_half:
        lines.append(
            f"Fewer than half of the follow-up questions ({deeper.count} of {deeper.n}) go deeper "
            "than the one before: read EVD as questions answered in a row, not as depth."
        )
    return [*lines, sentence(result.evd_note)] if result.evd_note else lines


def _cases(result: DrillResult, how: PageOptions) -> Iterator[Block]:
    """Wrong answers from where knowledge ends: where survival falls below one half, else the last
    depth."""
    end = result.median_depth or result.depth_reached
    answers = [row for row in target_answers(rows_of(result)) if row.verdict != "abstained"]
    answers.sort(key=lambda row: abs(int(row.tags["depth"] or 0) - end))
    yield from wrong_answers(answers, how.cases)
    if any(not row.score for row in answers):
        yield from how.command(result, "--wrong", "shows all wrong answers")


def _blocks(result: DrillResult, how: PageOptions) -> Iterator[Block]:
    if result.depths:
        rows = rows_of(result)
        yield depth_table(result.depths, result.nominal, [*_open_depth(result)])
        yield by_tier("By tier", rows, _measures(SHOWN))
        yield from errors_table(rows)
        yield from confidence_table(rows, measures_of("drill"))
        if result.ruler is not None and result.ruler.overall.checked:
            yield by_tier("Questions against their tier", rows, _measures(RULER), [READ])
        yield measured(rows, _measures(FURTHER))
    yield Figures([*_figures(result)])


def _measures(names: Collection[str]) -> list[Measure]:
    return [measure for measure in measures_of("drill") if measure.name in names]


def _open_depth(result: DrillResult) -> Iterator[str]:
    """What there is of the depth that was not closed."""
    if (depth := result.open_depth) is not None:
        probes = f"{figures.count(depth.finished, 'finished probe')}, {depth.correct} correct"
        yield f"Depth {depth.depth} was not finished and is excluded: {probes}."


FIGURES = (
    ("EVD bounds (unscored probes all wrong / all right)", "evd_bounds", "depths"),
    ("EVD if concepts without evidence counted as wrong", "evd_no_evidence_wrong", "number"),
    ("EVD beyond the COMMON tier", "evd_beyond_common", "number"),
    ("first depth with survival below 50%", "median_depth", "count"),
    ("product of the last accuracies, one per pass", "survival_last_k", "percent"),
    ("accuracy weighted by depth", "survival_depth_weighted", "percent"),
    ("mean depth of errors", "mean_error_depth", "tenths"),
)
"""(what it is called, field of the result, form)."""


def _figures(result: DrillResult) -> Iterator[Figure]:
    """The secondary figures, and what the judge could do to EVD."""
    for label, name, form in FIGURES:
        yield Figure(label, getattr(result, name), form)
    if result.depths:
        counted = "of right answers counted as wrong"
        rejected = evd_if_rejected(result.depths, result.spec.exact_threshold)
        for percent, evd in rejected.items():
            yield Figure(f"EVD with {percent}% {counted}", evd, "number")
        yield Figure(f"EVD lost for each 2% {counted}", points_worth(result.depths), "number")


COLUMNS = (
    Column("d", "d"),
    Column("tier", "tier"),
    Column("scored", "row.scored", "count"),
    Column("✓", "row.correct", "count", "✓ correct"),
    Column("∅", "row.abstained", "count", "∅ abstained"),
    Column("?", "row.unscored", "sum", "? unscored; not counted as wrong"),
    Column("no ev.", "row.no_evidence", "count", "no ev.: concepts without evidence"),
    Column("A %", "row.accuracy", "whole", "A: accuracy", "row.accuracy_ci"),
    Column("S %", "row.survival", "whole_fine", "S: survival", "row.survival_ci"),
    Column("roots", "row.effective_roots", "tenths", "roots: effective number"),
)
ANCHORS = Column("anchors", "anchors", "whole", "anchors: % right on the same questions")
"""S has a decimal because whether it fell below the threshold must be readable."""


def depth_table(
    rows: Sequence[DepthRow], nominal: Collection[str] = (), remarks: Sequence[str] = ()
) -> Table:
    """One line per depth, with what was lost and set aside."""
    lines: list[dict[str, Any]] = []
    lost = Counter[str]()
    without = dict[str, None]()
    for row in rows:
        tier = f"{tier_name(row.tier, nominal=row.tier in nominal)} {row.tier_pass}"
        lines.append({"d": f"{row.depth}{'*' * len(row.flags)}", "tier": tier, "row": row})
        lost.update(row.unscored)
        without |= dict.fromkeys(row.without_evidence)
    anchors = anchor_counts(rows)
    for line, (correct, scored) in zip(lines, anchors, strict=False):
        line["anchors"] = correct / scored
    parts = [
        "* fewer scored probes than planned" if any(row.flags for row in rows) else "",
        f"unscored by stage: {figures.stages(lost)}" if lost else "",
        *(f"{name}: {sum(getattr(row, name) for row in rows)}" for name in SET_ASIDE),
        f"without evidence: {left_out([*without], NAMED)}" if without else "",
    ]
    notices = [*remarks, *([NOMINAL] if any(row.tier in nominal for row in rows) else [])]
    columns = [*COLUMNS, ANCHORS] if anchors else COLUMNS
    return Table("By depth", columns, lines, [figures.joined(parts), *notices])


SET_ASIDE = ("refused", "rejected", "withdrawn")
"""Passages, questions, and questions after they were asked, by depth."""
NAMED = 8
"""Concepts without evidence that are named below the table; all of them stand in the result."""


def pictures(results: Sequence[DrillResult]) -> Iterator[Picture]:
    """Survival over depth, a panel per domain; of each domain the first twelve models."""
    closed = [result for result in results if result.depths]
    domains = dict.fromkeys(drill.spec.domain for drill in closed)
    panels = dict[str, dict[str, dict[int, Estimate]]]()
    for domain in domains:
        sides = sides_of([drill for drill in closed if drill.spec.domain == domain], rows_of)
        lines = {label: survival_of(sides[label]) for label in [*sides][:MOST_RUNS]}
        panels[domain if len(domains) > 1 else ""] = lines
    deepest = max([drill.depth_reached for drill in closed], default=0)
    across = Axis(
        "depth", low=0.7, high=deepest + 0.3, values=range(1, deepest + 1), labels=".0f"
    )
    yield from picture(
        "drill-survival",
        "Survival: share still answered correctly at each depth",
        panels,
        results,
        DRAWN,
        x=across,
        y=replace(SHARES, title="survival"),
        lines=sorted({drill.spec.threshold for drill in closed}),
    )


VIEW = View(
    headline=_headline, remarks=_remarks, cases=_cases, blocks=_blocks, pictures=pictures
)
