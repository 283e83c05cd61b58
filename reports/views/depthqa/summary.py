"""What a DepthQA run found, as a reader sees it at the end: the headline first, the small print after."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ....state.depthqa.result import DepthQAComparison, DepthQAResult, DiscrepancyRow, ModeNumbers
from ...page import figures
from ...page.endings import ended_sentence
from ...page.remarks import IN_FULL, SIMULATED, deviations_part, kept_in, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.usage import usage_part
from .cases import case_part
from .compare import comparison_tables
from .figures import gap, gap_span, mode_words, target_words
from .labels import label_tables
from .min_k import min_k_part
from .tables import change_part, discrepancy_part, reference_part, score_part

NO_EDGES = "No question leads to another one: there are no discrepancies."
NAMED = 3
"""Trees that are not finished are named up to this number; more are counted."""


def depthqa_summary(
    result: DepthQAResult,
    *,
    width: int,
    kept: Path | None = None,
    reference_metrics: bool = False,
    in_full: bool = True,
    headline_last: bool = False,
) -> RenderableType:
    """One run, for a console `width` cells wide. `kept`: the run's folder.

    `reference_metrics`: put the figures by the published code's rules beside the run's own. `in_full`: list every
    deviation from the published method; otherwise they are counted. `headline_last`: for a terminal, where what was
    printed first has scrolled away.
    """
    deviations = deviations_part(result, kept, in_full=in_full)
    small = [*usage_part(result, width=width), *listed("Notes", result.notes), *deviations]
    end: list[RenderableType] = ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *kept_in(kept)]
    remarks: list[RenderableType] = [Text(line) for line in depthqa_remarks(result)]
    best = Text(depthqa_headline(result), "bold")
    cases = case_part(result.cases, figures.short_id(result.run_id), width=width, kept=kept is not None)
    more = [*min_k_part(result.modes, width=width), *label_tables(result, width=width), *cases]
    tables = _tables(result, width, reference_metrics)
    graph = Text(graph_words(result))
    if headline_last:
        return Group(*small[1:], *end, *more, *tables, "", *_heading(result), graph, *remarks, best)
    return Group(*_heading(result), best, *remarks, graph, *tables, *more, *small, *end)


def _tables(result: DepthQAResult, width: int, reference_metrics: bool) -> list[RenderableType]:
    if not _measured(result):
        return []
    parts: list[RenderableType] = ["", *score_part(result.modes, width=width)]
    edges = result.graph.edges > 0
    parts += [] if edges else ["", Text(NO_EDGES)]
    for forward in (True, False) if edges else ():
        parts += ["", *discrepancy_part(result.modes, forward=forward, width=width)]
    parts += [Text(line, "dim") for line in legend(result)]
    if reference_metrics:
        parts += ["", *reference_part(result.modes, width=width, edges=edges)]
    return [*parts, *change_part(result.changes, width=width)]


def legend(result: DepthQAResult) -> list[str]:
    """What the terms mean, a line each."""
    return [
        "mean: factual correctness against the reference, 1 largely wrong … 5 wholly right, over distinct questions",
        *(_discrepancy_terms(result) if result.graph.edges else []),
        "95% CI: intervals are clustered by tree; – with fewer than two trees",
        "With few trees, intervals have non-zero width even if all scores agree",
    ]


def _discrepancy_terms(result: DepthQAResult) -> list[str]:
    return [
        "d of a question: max(0, mean score of its neighbours − its own)/4",
        "forward: its neighbours are the shallower questions that lead to it",
        "backward: its neighbours are the deeper questions it leads to",
        f"threshold rule: only where {one_line(result.threshold)}; n counts these, left out those below",
        "average (avg.): mean of d over the n questions = frequency · intensity",
        "frequency (freq. %, % > 0): share of the n questions with d > 0, in %",
        "intensity (int.): mean of d over those",
        "?: nodes left unscored by a fault; excluded from all figures",
    ]


def depthqa_brief(result: DepthQAResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One run's headline and what must stand beside it; `fathom show` has the rest."""
    lines = [Text(depthqa_headline(result), "bold"), *(Text(line) for line in depthqa_remarks(result))]
    return Group(*_heading(result), *lines, *kept_in(kept))


def _measured(result: DepthQAResult) -> bool:
    return any(row.scored for each in result.modes for row in each.accuracy.values())


def _main(result: DepthQAResult) -> ModeNumbers | None:
    """Zero-shot, or without it the first mode."""
    return next((each for each in result.modes if each.mode == "zero-shot"), next(iter(result.modes), None))


def depthqa_headline(result: DepthQAResult) -> str:
    """`mean score 4.21 of 5 (95% CI 4.05–4.36), at D3 3.91 (3.70–4.12) · forward .083 (.050–.110) · backward …`."""
    sizes = _sizes(result)
    main = _main(result)
    if main is None or not _measured(result):
        return f"nothing was measured · {sizes}"
    overall, deep = main.accuracy.get("overall"), main.accuracy.get("D3")
    scores = [f"mean score {figures.number(overall.mean if overall else None)} of 5"]
    scores[0] += f" (95% CI {figures.span(overall.ci)})" if overall and overall.ci else ""
    if deep is not None and deep.mean is not None:
        scores.append(f"at D3 {figures.number(deep.mean)}" + (f" ({figures.span(deep.ci)})" if deep.ci else ""))
    lead = "" if len(result.modes) == 1 and main.mode == "zero-shot" else f"{main.mode}: "
    ways = [
        _gap_words("forward discrepancy", main.discrepancies.forward.get("overall")),
        _gap_words("backward", main.discrepancies.backward.get("overall")),
    ]
    return lead + figures.joined([", ".join(scores), *(ways if result.graph.edges else []), sizes])


def _gap_words(name: str, row: DiscrepancyRow | None) -> str:
    if row is None or row.average is None:
        return f"{name} –"
    return f"{name} {gap(row.average)}" + (f" ({gap_span(row.average_ci)})" if row.average_ci else "")


def _sizes(result: DepthQAResult) -> str:
    """`10 trees, 126 questions, 363 answers`; of a run that was cut off `1 of 10 trees, 10 of 126 questions answered`,
    in whichever mode the most were."""
    trees, out = figures.count(result.graph.trees, "tree"), len(result.open_trees)
    questions = figures.count(result.graph.questions, "question")
    if not out:
        return f"{trees}, {questions}, {figures.count(len(result.answers), 'answer')}"
    done = max((each.accuracy["overall"].questions for each in result.modes if "overall" in each.accuracy), default=0)
    return f"{result.graph.trees - out:,} of {trees}, {done:,} of {questions} answered"


def graph_words(result: DepthQAResult) -> str:
    """`Graph: 3 trees, 49 nodes with 43 questions (D1 28, D2 12, D3 3), 62 edges`."""
    graph = result.graph
    depths = ", ".join(f"{level} {number:,}" for level, number in graph.depths.items() if level != "overall")
    parts = [
        figures.count(graph.trees, "tree"),
        f"{figures.count(graph.nodes, 'node')} with {figures.count(graph.questions, 'question')} ({depths})",
        figures.count(graph.edges, "edge"),
    ]
    return f"Graph: {', '.join(parts)}"


def depthqa_remarks(result: DepthQAResult) -> list[str]:
    """What must stand beside the headline so that it is not misread."""
    lines = [*_ending(result), *_losses(result.modes), *_worst(result.modes)]
    return [*lines, *(one_line(note) for note in result.notes if note.startswith("Resumed by force"))]


def _ending(result: DepthQAResult) -> list[str]:
    lines = []
    if result.status != "complete" or result.stop_reason != "all_asked":
        stop = one_line(result.stop_reason), one_line(result.stop_detail)
        lines.append(sentence(ended_sentence(result.spec, result.status, *stop)))
    if result.open_trees:
        out = len(result.open_trees)
        verb = "is" if out == 1 else "are"
        names = ", ".join(one_line(root) for root in result.open_trees[:NAMED])
        names += f" and {out - NAMED:,} more" if out > NAMED else ""
        trees = figures.count(result.graph.trees, "tree")
        lines.append(f"{out:,} of {trees} {verb} not finished and excluded from all figures but the cost: {names}.")
    return lines


def _by_mode(said: Sequence[tuple[str, str]], modes: int) -> str:
    """`zero-shot answer 1; multi-turn judge 2`; without the mode where there is only one."""
    return "; ".join(f"{mode} {words}" if modes > 1 else words for mode, words in said if words)


def _losses(modes: Sequence[ModeNumbers]) -> list[str]:
    lost = _by_mode([(each.mode, figures.stages(each.unscored)) for each in modes], len(modes))
    return [f"Lost to faults and excluded from all figures: {lost}."] if lost else []


def _worst(modes: Sequence[ModeNumbers]) -> list[str]:
    """Answers that score 1 without having been judged."""

    def words(each: ModeNumbers) -> str:
        silent = figures.count(each.silent, "reply without a word", "replies without a word")
        parts = [figures.count(each.refusals, "refusal") if each.refusals else "", silent if each.silent else ""]
        return figures.joined(parts, ", ")

    said = _by_mode([(each.mode, words(each)) for each in modes], len(modes))
    return [f"Scored 1 without being judged: {said}."] if said else []


def _heading(result: DepthQAResult) -> list[RenderableType]:
    spec = result.spec
    parts = [target_words(spec.target), f"judge {model_name(spec.judge)}", mode_words(spec.modes), f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.graph), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


def print_depthqa(
    console: Console,
    results: Sequence[DepthQAResult],
    kept: Mapping[str, Path] | None = None,
    comparison: DepthQAComparison | None = None,
    *,
    reference_metrics: bool = False,
) -> None:
    """The end of a launch. `kept`: folders by run id.

    One run: its summary, on a terminal with the headline last. Several: each run's summary, or its headline when they
    are many. Last, where there is one, the targets side by side.
    """
    folders, width = kept or {}, console.width
    for result in results:
        folder = folders.get(result.run_id)
        if len(results) > IN_FULL:
            view = depthqa_brief(result, width=width, kept=folder)
        else:
            last = len(results) == 1 and comparison is None and console.is_terminal
            view = depthqa_summary(
                result,
                width=width,
                kept=folder,
                reference_metrics=reference_metrics,
                in_full=False,
                headline_last=last,
            )
        console.print(view, crop=False)
        if len(results) > 1 or comparison is not None:
            console.print()
    if comparison is not None:
        console.print(comparison_tables(comparison, width=width), crop=False)
