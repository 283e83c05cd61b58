"""What a DepthQA run found: the headline, what must stand beside it, and the worst cases."""

from collections.abc import Iterator, Sequence

from ....state.depthqa.result import Case, DepthQAResult, DiscrepancyRow, ModeNumbers, Neighbour
from ...page import figures
from ...page.blocks import Block, Line, Text
from ...page.figures import gap
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...page.view import How, View
from ..findings import ending, forced
from ..texts import with_interval
from .figures import mode_words, plain_score, sign_of, target_words
from .plots import pictures
from .tables import blocks

DEEPER = 3
"""Neighbours shown of a case."""


def _title(result: DepthQAResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [
        target_words(spec.target),
        f"judge {model_name(spec.judge)}",
        mode_words(spec.modes),
        f"seed {spec.seed}",
    ]
    return spec.graph, parts


def _measured(result: DepthQAResult) -> bool:
    return any(row.scored for each in result.modes for row in each.accuracy.values())


def _main(result: DepthQAResult) -> ModeNumbers | None:
    """Zero-shot, or without it the first mode."""
    return next(
        (each for each in result.modes if each.mode == "zero-shot"), next(iter(result.modes), None)
    )


def _headline(result: DepthQAResult) -> str:
    """`mean score 4.21 of 5 (95% interval 4.05–4.36), at D3 3.91 (3.70–4.12) · forward .083
    (.050–.110) · …`."""
    sizes = _sizes(result)
    main = _main(result)
    if main is None or not _measured(result):
        return f"nothing was measured · {sizes}"
    overall, deep = main.accuracy.get("overall"), main.accuracy.get("D3")
    scores = [f"mean score {figures.number(overall.mean if overall else None)} of 5"]
    scores[0] += f" (95% interval {figures.span(overall.ci)})" if overall and overall.ci else ""
    if deep is not None and deep.mean is not None:
        scores.append(f"at D3 {with_interval(deep.mean, deep.ci, 'number')}")
    lead = "" if len(result.modes) == 1 and main.mode == "zero-shot" else f"{main.mode}: "
    ways = {
        "forward discrepancy": main.discrepancies.forward,
        "backward": main.discrepancies.backward,
    }
    told = [
        _gap_words(name, way.get("overall")) for name, way in ways.items() if result.graph.edges
    ]
    return lead + figures.joined([", ".join(scores), *told, sizes])


def _gap_words(name: str, row: DiscrepancyRow | None) -> str:
    return f"{name} {with_interval(row.average, row.average_ci, 'gap') if row else figures.NONE}"


def _sizes(result: DepthQAResult) -> str:
    """`10 trees, 126 questions, 363 answers`; of a run that was cut off `1 of 10 trees, 10 of 126
    questions answered`, in whichever mode the most were."""
    trees, out = figures.count(result.graph.trees, "tree"), len(result.open_trees)
    questions = figures.count(result.graph.questions, "question")
    if not out:
        return f"{trees}, {questions}, {figures.count(len(result.answers), 'answer')}"
    done = max(
        (each.accuracy["overall"].questions for each in result.modes if "overall" in each.accuracy),
        default=0,
    )
    return f"{result.graph.trees - out:,} of {trees}, {done:,} of {questions} answered"


def graph_words(result: DepthQAResult) -> str:
    """`Graph: 3 trees, 49 nodes with 43 questions (D1 28, D2 12, D3 3), 62 edges`."""
    graph = result.graph
    depths = ", ".join(
        f"{level} {number:,}" for level, number in graph.depths.items() if level != "overall"
    )
    parts = [
        figures.count(graph.trees, "tree"),
        (
            f"{figures.count(graph.nodes, 'node')} with "
            f"{figures.count(graph.questions, 'question')} ({depths})"
        ),
        figures.count(graph.edges, "edge"),
    ]
    return f"Graph: {', '.join(parts)}"


def _remarks(result: DepthQAResult) -> list[str]:
    ended = ending(result, "tree", result.graph.trees, result.open_trees)
    return [
        *ended,
        *_losses(result.modes),
        *_worst(result.modes),
        *forced(result),
        graph_words(result),
    ]


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
        parts = [
            figures.count(each.refusals, "refusal") if each.refusals else "",
            silent if each.silent else "",
        ]
        return figures.joined(parts, ", ")

    said = _by_mode([(each.mode, words(each)) for each in modes], len(modes))
    return [f"Scored 1 without being judged: {said}."] if said else []


# the worst cases


def _cases(result: DepthQAResult, how: How) -> Iterator[Block]:
    """The worst cases with both answers, shortened, backward before forward; and where the others
    are."""
    backward = [case for case in result.cases if case.direction == "backward"]
    shown = result.cases[: how.cases]
    if shown:
        title = (
            f"The worst {figures.count(len(shown), 'case')}".replace(" 1 ", " ")
            + f", {shown[0].mode}"
        )
        yield Text([line for case in shown for line in _case(case)], title)
    if result.cases:
        forward = len(result.cases) - len(backward)
        parts = [f"{len(backward):,} backward"] if backward else []
        parts += [f"{forward:,} forward"] if forward else []
        run = figures.short_id(result.run_id)
        where = f"`fathom show {run} --json` has them" if how.kept else "the result has them"
        one = (
            f"; `fathom show {run} --path {result.cases[0].own.node}` shows one question"
            if how.kept
            else ""
        )
        what = "case" if len(result.cases) == 1 else "cases"
        yield Text([f"{' and '.join(parts)} {what} in full: {where}{one}"], style="dim")


def _case(case: Case) -> Iterator[str | Line]:
    scores = [each.score for each in case.neighbours]
    above = plain_score(sum(scores) / max(1, len(scores)))
    said = (
        f"{gap(case.discrepancy)} {case.direction}: {_place(case.own)} scores "
        f"{plain_score(case.own.score)}, the "
    )
    what, link = (
        ("deeper", "it leads to")
        if case.direction == "backward"
        else ("shallower", "leading to it")
    )
    if len(scores) == 1:
        yield f"{said}{what} question {link} {above}"
    else:
        yield f"{said}{len(scores)} {what} questions {link} {above} on average"
    yield from _texts(case.own, 2)
    for each in case.neighbours[:DEEPER]:
        sign, style = sign_of(each.score)
        scored = f"{_place(each)} scores {plain_score(each.score)}"
        yield Line(scored, lead=f"{sign} ", lead_style=STYLES[style], indent=2)
        yield from _texts(each, 4)
    more = len(case.neighbours) - DEEPER
    if more > 0:
        yield Line(f"and {figures.count(more, 'more')}", "dim", indent=2)


def _place(each: Neighbour) -> str:
    return f"{each.node} (D{each.depth})"


def _texts(each: Neighbour, indent: int) -> Iterator[Line]:
    held = (
        ("question", each.question),
        ("answer", each.answer or "(nothing)"),
        ("judge", each.reason),
    )
    yield from (
        Line(text, lead=f"{name}: ", indent=indent, lines=2) for name, text in held if text.strip()
    )


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
