"""What a drill found: the headline, what must stand beside it, the curve, and several drills together."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....state.records import Probe
from ....state.result import DrillResult, OpenDepth
from ....stats.drill.repeats import summarise_repeats
from ...page import figures
from ...page.blocks import Block, Figure, Figures, Line, Table, Text
from ...page.remarks import ACROSS_DOMAINS, MANY, SIMULATED, sentence
from ...page.sanitise import model_name, one_line
from ...page.view import How, View
from ..findings import forced, wrong_case
from .plots import pictures
from .repeats import repeats_blocks
from .steps import wrong_probes
from .tables import RUN_COLUMNS, TIER_COLUMNS, depth_table, survival


def _title(result: DrillResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target), f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    return spec.domain, [*parts, f"n {spec.n}", f"seed {spec.seed}"]


def _headline(result: DrillResult) -> str:
    """`EVD 4.62 (95% CI 3.10–6.89) of at most 15 · stopped at depth 6: survival fell below 20%`."""
    at_least = "at least " if result.censored else ""
    evd = f"EVD {at_least}{result.evd:.2f} (95% CI {figures.span(result.evd_ci)}) of at most {result.spec.max_depth}"
    end = "stopped" if result.status == "complete" else result.status
    where = f"{end} at depth {result.depth_reached}" if result.depth_reached else f"{end} before the first depth"
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return f"{evd} · {where}" + (f": {words}" if words != end else "")


def _remarks(result: DrillResult) -> list[str]:
    lines = []
    if result.censored:
        why = result.stop_detail or figures.stop_words(result.censored, result.spec.threshold)
        lines.append(
            "EVD is a lower limit: the drill ended before survival fell below "
            f"{result.spec.threshold * 100:g}% ({one_line(why).rstrip('.')})."
        )
    return [*lines, *forced(result), *([sentence(result.evd_note)] if result.evd_note else [])]


def _cases(result: DrillResult, how: How) -> Iterator[Block]:
    """The shallowest wrong answers."""
    wrong = wrong_probes(result.probes)
    if not wrong:
        return
    run = figures.short_id(result.run_id)
    where = f"`fathom show {run} --wrong` shows them in full" if how.kept else "the result has them in full"
    head = Line(f": {min(how.cases, len(wrong))} of {len(wrong)}; {where}", lead="Wrong answers", lead_style="bold")
    yield Text([head, *(line for probe in wrong[: how.cases] for line in _case(probe))])


def _case(probe: Probe) -> list[str | Line]:
    asked, reason = probe.question, probe.outcome.reason if probe.outcome.status == "scored" else ""
    texts = {
        "question": asked.text if asked else "",
        "reference": asked.reference if asked else "",
        "answer": probe.answer.text if probe.answer else "",
        "judge": reason,
        "source": f"{asked.evidence.title} · {asked.evidence.url}" if asked else "",
    }
    place = f"depth {probe.depth} · {figures.tier_name(probe.tier)} · {probe.concept} · {figures.place(probe.id)}"
    return wrong_case(place, texts, figures.place(probe.id))


def _blocks(result: DrillResult, how: How) -> Iterator[Block]:
    if result.depths:
        yield survival([result])
        yield depth_table(result.depths, _left_open(result.open_depth))
    if result.by_tier:
        rows = [{"tier": tier, "row": row} for tier, row in result.by_tier.items()]
        yield Table("By tier", TIER_COLUMNS, rows)
    yield _figures(result)


def _left_open(depth: OpenDepth | None) -> list[str]:
    """What there is of the depth that was not closed."""
    if depth is None:
        return []
    counts = [f"{depth.correct} correct", f"{depth.wrong} wrong", f"{depth.abstained} abstained"]
    counts.append(f"{depth.unscored} unscored")
    probes = f"{figures.count(depth.finished, 'finished probe')} ({', '.join(counts)})"
    return [f"Depth {depth.depth} ({figures.tier_name(depth.tier)}) was not finished and is excluded: {probes}."]


def _figures(result: DrillResult) -> Figures:
    """The secondary figures."""
    k = min(result.spec.passes, len(result.depths))
    median = "none" if result.median_depth is None else str(result.median_depth)
    last = f"product of the last {figures.count(k, 'accuracy', 'accuracies')}"
    return Figures(
        [
            Figure("EVD bounds (unscored probes all wrong / all right)", result.evd_bounds, "depths"),
            Figure("EVD if concepts without evidence counted as wrong", result.evd_no_evidence_wrong, "number"),
            Figure("EVD beyond the COMMON tier", result.evd_beyond_common, "number"),
            Figure("first depth with survival below 50%", median),
            Figure("survival at the end", result.final_survival, "percent_fine"),
            Figure(last, result.survival_last_k, "percent"),
            Figure("accuracy over all scored probes", result.accuracy, "percent"),
            Figure("accuracy weighted by depth", result.survival_depth_weighted, "percent"),
            Figure("mean depth of errors", result.mean_error_depth, "tenths"),
        ]
    )


def compare(results: Sequence[DrillResult], _: Any) -> Iterator[Block]:
    """Unless they are many, the curves of each domain on one plot, the warning that belongs to them and one table of
    all; of repeats what they amount to."""
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
        yield Table(
            "All runs", RUN_COLUMNS, [{"run": each, "ended": _ended(each), "evd": _evd(each)} for each in results]
        )
    if any(result.spec.repeats > 1 for result in results):
        groups = summarise_repeats(results)
        yield from repeats_blocks(groups) if len(groups) <= MANY else ()


def _ended(result: DrillResult) -> str:
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return words if result.status in ("complete", words) else f"{result.status}: {words}"


def _evd(result: DrillResult) -> str:
    return figures.evd(result.evd, censored=result.censored is not None)


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=_blocks,
    compare=compare,
    pictures=pictures,
)
