"""What a drill found: the headline, what must stand beside it, the curve, and several drills
together."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ....graphs.answers import measures_of, rows_of
from ....state.records import Probe, Tier, tier_name, tier_of
from ....state.result import DrillResult
from ....stats.drill.judge import evd_if_rejected, points_worth
from ...page import figures
from ...page.blocks import Block, Figure, Figures, Line, Table, Text
from ...page.remarks import ACROSS_DOMAINS, MANY, SIMULATED, sentence
from ...page.sanitise import model_name, one_line
from ...page.view import PageOptions, View
from ..by_tag import by_tag, measured
from ..findings import forced, wrong_case
from .plots import pictures
from .steps import wrong_probes
from .tables import by_tier, depth_table, survival

SHOWN = ("accuracy", "precision_when_answering", "hallucination_rate", "index")
LAST = "product of the last accuracies, one per pass"
FURTHER = ("first_bluffing_depth", "evd_without_doubtful", "anchors_evd")
REPEATED = ("evd", "accuracy", "shared_passages", "shared_topics")
READ = (
    "The evaluator reads each question without its tier: who would mostly know the answer, and "
    "does it go deeper than the question before?"
)


def _title(result: DrillResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [
        model_name(spec.target),
        f"evaluator {model_name(spec.evaluator)}",
        f"judge {model_name(spec.judge)}",
    ]
    return spec.domain, [*parts, f"n {spec.n}", f"seed {spec.seed}"]


def _headline(result: DrillResult) -> str:
    """`Expected valid depth (EVD) 4.62 of 15 (95% interval 3.10–6.89) · stopped at depth 6: …`."""
    at_least = "at least " if result.censored else ""
    evd = (
        f"Expected valid depth (EVD) {at_least}{result.evd:.2f} of {result.spec.max_depth}"
        f" (95% interval {figures.span(result.evd_ci)})"
    )
    end = "stopped" if result.status in ("complete", "partial") else result.status
    where = (
        f"{end} at depth {result.depth_reached}"
        if result.depth_reached
        else f"{end} before the first depth"
    )
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return f"{evd} · {where}" + (f": {words}" if words != end else "")


def _tier(tier: Tier, result: DrillResult) -> str:
    return tier_name(tier, nominal=tier in result.nominal)


def _in_plain_words(result: DrillResult) -> str:
    """What EVD counts: questions answered in a row, the opening one included, down to the last
    depth."""
    at_least = "at least " if result.censored else ""
    depth = result.median_depth
    half = f"at least half of the lines survived {figures.count(result.depth_reached, 'depth')}"
    if depth is not None:
        tier = _tier(tier_of(depth, result.spec.passes)[0], result)
        half = f"more than half of the lines were lost by depth {depth} ({tier})"
    return (
        f"On average a line of questioning held for {at_least}{result.evd:.1f} questions, the "
        "opening one included;"
        f" {half}."
    )


def _remarks(result: DrillResult) -> list[str]:
    lines = [_in_plain_words(result)] if result.depths else []
    if result.censored:
        why = result.stop_detail or figures.stop_words(result.censored, result.spec.threshold)
        lines.append(
            "EVD is a lower limit: the drill ended before survival fell below "
            f"{result.spec.threshold * 100:g}% ({one_line(why).rstrip('.')})."
        )
    deeper = result.ruler.overall.deeper if result.ruler else None
    if deeper is not None and deeper.below_half:
        lines.append(
            "Fewer than half of the follow-up questions go deeper than the question before them "
            f"({deeper.count} of {deeper.n}): read EVD as the number of questions answered in a "
            "row, not as depth of knowledge."
        )
    return [*lines, *forced(result), *([sentence(result.evd_note)] if result.evd_note else [])]


def _cases(result: DrillResult, how: PageOptions) -> Iterator[Block]:
    """Wrong answers from where knowledge ends: where survival falls below one half, else the last
    depth."""
    wrong = wrong_probes(result.probes)
    if not wrong:
        return
    end = result.median_depth or result.depth_reached
    nearest = sorted(wrong, key=lambda probe: abs(probe.depth - end))[: how.cases]
    number = figures.count(len(wrong), "wrong answer")
    run = figures.short_id(result.run_id)
    where = f"`fathom show {run} --wrong --limit {len(wrong)}`" if how.kept else "in the result"
    head = Line(f"; in full: {where}", lead=number, lead_style="bold")
    if len(nearest) < len(wrong):
        lead = f"First {len(nearest)} of {number}"
        head = Line(f", nearest to depth {end}; all: {where}", lead=lead, lead_style="bold")
    yield Text([head, *(line for probe in nearest for line in _case(probe, result))])


def _case(probe: Probe, result: DrillResult) -> list[str | Line]:
    asked, reason = probe.question, probe.outcome.reason if probe.outcome.status == "scored" else ""
    texts = {
        "question": asked.text if asked else "",
        "reference": asked.reference if asked else "",
        "answer": probe.answer.text if probe.answer else "",
        "judge": reason,
        "source": f"{asked.evidence.title} · {asked.evidence.url}" if asked else "",
    }
    place = (
        f"depth {probe.depth} · {_tier(probe.tier, result)} · {probe.concept} · "
        f"{figures.place(probe.id)}"
    )
    return wrong_case(place, texts, figures.place(probe.id))


def _blocks(result: DrillResult, how: PageOptions) -> Iterator[Block]:
    if result.depths:
        yield survival([result])
        yield depth_table(result.depths, _left_open(result), result.nominal)
        rows = rows_of(result)
        yield by_tier("By tier", rows, SHOWN)
        if result.ruler is not None and result.ruler.overall.checked:
            yield by_tier("Questions against their tier", rows, ("at_level", "deeper"), [READ])
        yield measured(
            rows, [measure for measure in measures_of("drill") if measure.name in FURTHER]
        )
    yield _figures(result)


def _left_open(result: DrillResult) -> list[str]:
    """What there is of the depth that was not closed."""
    depth = result.open_depth
    if depth is None:
        return []
    counts = [f"{depth.correct} correct", f"{depth.wrong} wrong", f"{depth.abstained} abstained"]
    counts.append(f"{depth.unscored} unscored")
    probes = f"{figures.count(depth.finished, 'finished probe')} ({', '.join(counts)})"
    return [
        (
            f"Depth {depth.depth} ({_tier(depth.tier, result)}) was not finished and is "
            f"excluded: {probes}."
        )
    ]


def _figures(result: DrillResult) -> Figures:
    """The secondary figures."""
    median = "none" if result.median_depth is None else str(result.median_depth)
    return Figures(
        [
            Figure(
                "EVD bounds (unscored probes all wrong / all right)", result.evd_bounds, "depths"
            ),
            Figure(
                "EVD if concepts without evidence counted as wrong",
                result.evd_no_evidence_wrong,
                "number",
            ),
            *_judge_figures(result),
            Figure("EVD beyond the COMMON tier", result.evd_beyond_common, "number"),
            Figure("first depth with survival below 50%", median),
            Figure("survival at the end", result.final_survival, "percent_fine"),
            Figure(LAST, result.survival_last_k, "percent"),
            Figure("accuracy over all scored probes", result.accuracy, "percent"),
            Figure("accuracy weighted by depth", result.survival_depth_weighted, "percent"),
            Figure("mean depth of errors", result.mean_error_depth, "tenths"),
        ]
    )


def _judge_figures(result: DrillResult) -> Iterator[Figure]:
    """What the judge could do to EVD."""
    if not result.depths:
        return
    found = evd_if_rejected(result.depths, result.spec.exact_threshold)
    percents = " / ".join(f"{percent}%" for percent in reversed(found))
    yield Figure(
        f"EVD if {percents} of right answers were counted as wrong",
        tuple(reversed(found.values())),
        "depths",
    )
    worth = points_worth(result.depths)
    yield Figure("EVD lost for each 2% of right answers counted as wrong", worth, "number")


def compare(results: Sequence[DrillResult], _: Any) -> Iterator[Block]:
    """Unless they are many, the curves of each domain on one plot, and the warning that belongs to
    them; of repeats what they amount to."""
    if 1 < len(results) <= MANY:
        models = [result.spec.target for result in results]
        for domain in dict.fromkeys(result.spec.domain for result in results):
            mine = [result for result in results if result.spec.domain == domain and result.depths]
            if len(mine) > 1:
                yield Text([], domain)
                yield survival(mine, models)
        if len({result.spec.domain for result in results}) > 1:
            yield Text([ACROSS_DOMAINS], style="warning")
        if any(result.simulated for result in results):
            yield Text([SIMULATED], style="badge")
    groups: dict[tuple[str, str], list[DrillResult]] = defaultdict(list)
    for result in results:
        if result.spec.repeats > 1:
            groups[result.spec.domain, result.spec.target].append(result)
    for (domain, target), repeats in groups.items() if len(groups) <= MANY else ():
        yield _repeats(f"Repeats: {domain}, {model_name(target)}", repeats)


def _repeats(title: str, results: Sequence[DrillResult]) -> Table:
    """A line per repeat that counts, and over all the mean with what they share."""
    counting, planned = [drill for drill in results if drill.counts], results[0].spec.repeats
    rows = [row for drill in counting for row in rows_of(drill)]
    fewer = f"{len(counting)} of {planned} repeats are complete and count"
    measures = [measure for measure in measures_of("drill") if measure.name in REPEATED]
    notes = [fewer] if len(counting) < planned else []
    return by_tag(title, rows, measures, "repeat", notes=notes)


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=_blocks,
    compare=compare,
    pictures=pictures,
)
