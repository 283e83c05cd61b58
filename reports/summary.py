"""What a drill found, as a reader sees it at the end: the headline first, the small print after."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ..state.result import DrillResult
from . import figures
from .board import RunBoard
from .drill_tables import depth_legend, depth_table, runs_table, tier_table, usage_table
from .plot import Curve, curve_of, survival_plot
from .rows import STYLES
from .sanitise import one_line

ACROSS_DOMAINS = (
    "EVD compares models within a domain; it does not compare domains with each other, "
    "because each domain has its own sources and its own questions."
)
IN_FULL = 3
"""Runs up to which each is shown in full at the end of a launch; beyond, each gets its headline and the table."""
SIMULATED = "SIMULATED: these numbers come from the simulated world and measure no real model."


def summary(result: DrillResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One drill in full, for a console `width` cells wide. `kept`: the run's folder."""
    parts: list[RenderableType] = [*_heading(result), Text(headline(result), "bold")]
    parts += [Text(line) for line in remarks(result)]
    if result.depths:
        parts += ["", survival_plot([curve_of(result)], width=width, spec=result.spec)]
        parts += ["", depth_table(result.depths, width=width), depth_legend(result.depths, width=width)]
    if result.by_tier:
        parts += ["", tier_table(result.by_tier, width=width)]
    parts += ["", *_figures(result)]
    if result.usage:
        parts += ["", usage_table(result.usage, result.cost_usd, width=width)]
    parts += _listed("Notes", result.notes)
    parts += _listed("Where this run deviates from the published method", result.conformance)
    parts += ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *_kept(kept)]
    return Group(*parts)


def brief(result: DrillResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One drill's headline and what must stand beside it; `fathom show` has the rest."""
    lines = [Text(headline(result), "bold"), *(Text(line) for line in remarks(result))]
    return Group(*_heading(result), *lines, *_kept(kept))


def headline(result: DrillResult) -> str:
    """`EVD 4.62 (95 % 3.10–6.89) of at most 15 · stopped at depth 6: survival fell below 20 %`."""
    at_least = "at least " if result.censored else ""
    evd = f"EVD {at_least}{result.evd:.2f} (95 % {figures.span(result.evd_ci)}) of at most {result.spec.max_depth}"
    end = "stopped" if result.status == "complete" else result.status
    where = f"{end} at depth {result.depth_reached}" if result.depth_reached else f"{end} before the first depth"
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return f"{evd} · {where}" + (f": {words}" if words != end else "")


def remarks(result: DrillResult) -> list[str]:
    """What must stand beside the headline so that it is not misread."""
    lines = []
    if result.censored:
        why = result.stop_detail or figures.stop_words(result.censored, result.spec.threshold)
        lines.append(
            "EVD is a lower limit: the drill ended before survival fell below "
            f"{result.spec.threshold * 100:g} % ({one_line(why).rstrip('.')})."
        )
    if result.evd_note:
        lines.append(_sentence(one_line(result.evd_note)))
    return lines


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _heading(result: DrillResult) -> list[RenderableType]:
    spec = result.spec
    parts = [one_line(spec.target), f"evaluator {one_line(spec.evaluator)}", f"judge {one_line(spec.judge)}"]
    parts += [f"n {spec.n}", f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.domain), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


def _figures(result: DrillResult) -> list[RenderableType]:
    """The secondary figures, one per line, with what they mean."""
    bounds, k = result.evd_bounds, result.spec.passes
    lines = [
        ("EVD if what is missing had been wrong, or right", figures.span(bounds)),
        ("EVD if concepts without evidence counted as wrong", f"{result.evd_no_evidence_wrong:.2f}"),
        ("EVD beyond the COMMON tier", f"{result.evd_beyond_common:.2f}"),
        ("first depth with survival below 50 %", "none" if result.median_depth is None else str(result.median_depth)),
        ("survival at the end", figures.percent_fine(result.final_survival)),
        (f"survival over the last {figures.count(k, 'depth')}", figures.percent(result.survival_last_k)),
        ("accuracy over all scored probes", "–" if result.accuracy is None else figures.percent(result.accuracy)),
        ("accuracy weighted by depth", figures.percent(result.survival_depth_weighted)),
        ("mean depth of errors", "–" if result.mean_error_depth is None else f"{result.mean_error_depth:.1f}"),
    ]
    room = max(len(name) for name, _ in lines)
    return [Text(f"{name:<{room}}  {value}") for name, value in lines]


def _listed(title: str, items: Sequence[str]) -> list[RenderableType]:
    if not items:
        return []
    return ["", Text(title, "bold"), *(Text("· " + one_line(item)) for item in items)]


def _kept(kept: Path | None) -> list[RenderableType]:
    """Where the run is. Never folded, and printed with crop=False: a path that was cut cannot be copied."""
    return [Text(f"kept in {one_line(str(kept))}", "dim", no_wrap=True, overflow="ignore")] if kept else []


def combined(results: Sequence[DrillResult], *, width: int) -> RenderableType:
    """Several drills: one table, the curves of each domain on one plot, and the warning that belongs to them."""
    parts: list[RenderableType] = []
    if any(result.simulated for result in results):
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts.append(runs_table(results, width=width))
    for domain in dict.fromkeys(result.spec.domain for result in results):
        mine = [result for result in results if result.spec.domain == domain and result.depths]
        if len(mine) > 1:
            curves = [curve_of(result) for result in mine]
            parts += ["", Text(one_line(domain), "bold"), survival_plot(curves, width=width, spec=mine[0].spec)]
    if len({result.spec.domain for result in results}) > 1:
        parts += ["", Text(ACROSS_DOMAINS, STYLES["warning"])]
    return Group(*parts)


def print_results(console: Console, results: Sequence[DrillResult], kept: Mapping[str, Path] | None = None) -> None:
    """The end of a launch: each run's summary, and the combined table when there are several. `kept`: by run id."""
    folders = kept or {}
    view = summary if len(results) <= IN_FULL else brief
    for result in results:
        console.print(view(result, width=console.width, kept=folders.get(result.run_id)), crop=False)
        console.print()
    if len(results) > 1:
        console.print(combined(results, width=console.width))
    elif results and console.is_terminal:  # the headline has scrolled away by now
        label = "SIMULATED " if results[0].simulated else ""
        console.print(Text(label + headline(results[0]), "bold"))


def unfinished(run: RunBoard, *, width: int, kept: Path | None = None) -> RenderableType:
    """What there is so far of a run without a result: an honest fragment, never called a result."""
    parts: list[RenderableType] = []
    if run.spec is not None:
        names = [one_line(run.spec.target), f"evaluator {one_line(run.spec.evaluator)}", f"n {run.spec.n}"]
        parts.append(Text.assemble((one_line(run.spec.domain), "bold"), " · ", " · ".join(names)))
    if run.simulated:
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts.append(Text(_state(run), "bold"))
    rows = [row for _, row in sorted(run.rows.items())]
    if rows:
        label = run.spec.target if run.spec else run.run_id
        parts += ["", survival_plot([Curve(label, tuple(rows))], width=width, spec=run.spec)]
        parts += ["", depth_table(rows, width=width), depth_legend(rows, width=width)]
    if run.open is not None:
        depth = run.open
        asked = f"{depth.scored} of {depth.slots} scored, {depth.marks['correct']} correct"
        parts += ["", Text(f"Depth {depth.depth} was open: {asked}, {depth.marks['unscored']} unscored.")]
    parts += _listed("Notices", [f"{notice.level}: {notice.message}" for notice in run.notices])
    cost = "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)
    tokens = f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens"
    parts += ["", Text(figures.joined([figures.count(run.spend.calls, "call"), tokens, cost]), "dim"), *_kept(kept)]
    return Group(*parts)


def _state(run: RunBoard) -> str:
    if run.finished is None:
        state = "UNFINISHED: no end was written; the run is still going on, or it was killed."
    else:
        words = figures.stop_words(one_line(run.finished.stop_reason), run.spec.threshold if run.spec else None)
        state = f"NO RESULT: the run ended as {run.finished.status}" + (f" ({words})." if words else ".")
    evd = "" if run.evd is None else f" EVD so far {run.evd:.2f}, over {figures.count(len(run.rows), 'closed depth')}."
    return state + evd
