"""What a drill found, as a reader sees it at the end: the headline first, the small print after."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ....state.result import DrillResult, OpenDepth
from ....state.worlds import label_of
from ...page import figures
from ...page.remarks import ACROSS_DOMAINS, IN_FULL, SIMULATED, deviations_part, kept_in, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.usage import usage_part
from ...progress import RunProgress
from .curve import Curve, curve_of, survival_plot
from .depths import open_depth, scored
from .tables import depth_legend, depth_table, runs_table, tier_table
from .wrong import wrong_lines

MISTAKES = 3
"""Wrong answers that are shown with a result."""


def summary(
    result: DrillResult, *, width: int, kept: Path | None = None, in_full: bool = True, headline_last: bool = False
) -> RenderableType:
    """One drill, for a console `width` cells wide. `kept`: the run's folder.

    `in_full`: list every deviation from the published method; otherwise they are counted. `headline_last`: for a
    terminal, where what was printed first has scrolled away.
    """
    deviations = deviations_part(result, kept, in_full=in_full)
    figures_ = ["", *_figures(result)]
    wrong = wrong_lines(result.probes, MISTAKES, width=width, where=_more_wrong(result, kept))
    small = [*usage_part(result, width=width), *listed("Notes", result.notes), *deviations]
    end: list[RenderableType] = ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *kept_in(kept)]
    curve, depths, tiers = _curve(result, width), _depths(result, width), _tiers(result, width)
    head: list[RenderableType] = [Text(line) for line in remarks(result)]
    best = Text(headline(result), "bold")
    if headline_last:
        return Group(*small[1:], *end, *wrong, *figures_, *tiers, *depths, *curve, "", *_heading(result), *head, best)
    return Group(*_heading(result), best, *head, *curve, *depths, *tiers, *figures_, *wrong, *small, *end)


def _more_wrong(result: DrillResult, kept: Path | None) -> str:
    run = figures.short_id(result.run_id)
    return one_line(f"`fathom show {run} --wrong` shows them in full" if kept else "the result has them in full")


def _curve(result: DrillResult, width: int) -> list[RenderableType]:
    return ["", survival_plot([curve_of(result)], width=width, spec=result.spec)] if result.depths else []


def _depths(result: DrillResult, width: int) -> list[RenderableType]:
    if not result.depths:
        return []
    parts: list[RenderableType] = ["", depth_table(result.depths, width=width)]
    parts.append(depth_legend(result.depths, width=width))
    return [*parts, Text(_left_open(result.open_depth))] if result.open_depth else parts


def _left_open(depth: OpenDepth) -> str:
    """What there is of the depth that was not closed."""
    counts = [f"{depth.correct} correct", f"{depth.wrong} wrong", f"{depth.abstained} abstained"]
    counts.append(f"{depth.unscored} unscored")
    probes = f"{figures.count(depth.finished, 'finished probe')} ({', '.join(counts)})"
    return f"Depth {depth.depth} ({figures.tier_name(depth.tier)}) was not finished and is excluded: {probes}."


def _tiers(result: DrillResult, width: int) -> list[RenderableType]:
    return ["", tier_table(result.by_tier, width=width)] if result.by_tier else []


def brief(result: DrillResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One drill's headline and what must stand beside it; `fathom show` has the rest."""
    lines = [Text(headline(result), "bold"), *(Text(line) for line in remarks(result))]
    return Group(*_heading(result), *lines, *kept_in(kept))


def headline(result: DrillResult) -> str:
    """`EVD 4.62 (95% CI 3.10–6.89) of at most 15 · stopped at depth 6: survival fell below 20%`."""
    at_least = "at least " if result.censored else ""
    evd = f"EVD {at_least}{result.evd:.2f} (95% CI {figures.span(result.evd_ci)}) of at most {result.spec.max_depth}"
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
            f"{result.spec.threshold * 100:g}% ({one_line(why).rstrip('.')})."
        )
    lines += [one_line(note) for note in result.notes if note.startswith("Resumed by force")]
    if result.evd_note:
        lines.append(sentence(one_line(result.evd_note)))
    return lines


def _heading(result: DrillResult) -> list[RenderableType]:
    spec = result.spec
    parts = [model_name(spec.target), f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    parts += [f"n {spec.n}", f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.domain), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


def _figures(result: DrillResult) -> list[RenderableType]:
    """The secondary figures, one per line, with what they mean."""
    bounds, k = result.evd_bounds, min(result.spec.passes, len(result.depths))
    lines = [
        ("EVD bounds (unscored probes all wrong / all right)", figures.span(bounds)),
        ("EVD if concepts without evidence counted as wrong", f"{result.evd_no_evidence_wrong:.2f}"),
        ("EVD beyond the COMMON tier", f"{result.evd_beyond_common:.2f}"),
        ("first depth with survival below 50%", "none" if result.median_depth is None else str(result.median_depth)),
        ("survival at the end", figures.percent_fine(result.final_survival)),
        (
            f"product of the last {figures.count(k, 'accuracy', 'accuracies')}",
            figures.percent(result.survival_last_k),
        ),
        ("accuracy over all scored probes", "–" if result.accuracy is None else figures.percent(result.accuracy)),
        ("accuracy weighted by depth", figures.percent(result.survival_depth_weighted)),
        ("mean depth of errors", "–" if result.mean_error_depth is None else f"{result.mean_error_depth:.1f}"),
    ]
    room = max(len(name) for name, _ in lines)
    return [Text(f"{name:<{room}}  {value}") for name, value in lines]


def combined(results: Sequence[DrillResult], *, width: int) -> RenderableType:
    """Several drills: the curves of each domain on one plot, the warning that belongs to them, and last one table."""
    parts: list[RenderableType] = []
    models = [label_of(result.spec.target) for result in results]
    for domain in dict.fromkeys(result.spec.domain for result in results):
        mine = [result for result in results if result.spec.domain == domain and result.depths]
        if len(mine) > 1:
            curves = [curve_of(result) for result in mine]
            drawn = survival_plot(curves, width=width, spec=mine[0].spec, models=models)
            parts += [Text(one_line(domain), "bold"), drawn, ""]
    if len({result.spec.domain for result in results}) > 1:
        parts += [Text(ACROSS_DOMAINS, STYLES["warning"]), ""]
    if any(result.simulated for result in results):
        parts.append(Text(SIMULATED, STYLES["badge"]))
    return Group(*parts, runs_table(results, width=width))


def print_results(console: Console, results: Sequence[DrillResult], kept: Mapping[str, Path] | None = None) -> None:
    """The end of a launch. `kept`: folders by run id.

    One run: its summary, on a terminal with the headline last. Several: each run's summary, or its headline when they
    are many, then the curves and the table of all.
    """
    folders, width = kept or {}, console.width
    for result in results:
        folder = folders.get(result.run_id)
        if len(results) > IN_FULL:
            view = brief(result, width=width, kept=folder)
        else:
            last = len(results) == 1 and console.is_terminal
            view = summary(result, width=width, kept=folder, in_full=False, headline_last=last)
        console.print(view, crop=False)
        if len(results) > 1:
            console.print()
    if len(results) > 1:
        console.print(combined(results, width=width))


def closed_depths(run: RunProgress, width: int) -> list[RenderableType]:
    """The depths of a drill that were closed, and what there is of the one that was not."""
    parts: list[RenderableType] = []
    rows, spec = run.rows, run.scene.spec if run.scene else None
    if rows:
        label = label_of(spec.target) if spec else run.run_id
        parts += ["", survival_plot([Curve(label, tuple(rows))], width=width, spec=spec)]
        parts += ["", depth_table(rows, width=width), depth_legend(rows, width=width)]
    depth = open_depth(run)
    if depth is not None and depth.planned is not None:
        asked = f"{scored(depth)} of {depth.planned.slots} scored, {depth.marks['correct']} correct"
        parts += ["", Text(f"Depth {depth.index}, unfinished: {asked}, {depth.marks['unscored']} unscored.")]
    return parts
