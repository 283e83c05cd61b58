"""What a DepthQA run found: the headline, what must stand beside it, and the worst cases."""

from collections.abc import Iterator, Sequence

from ....state.depthqa.result import LEVEL_OF, Case, DepthQAResult, ModeNumbers, Neighbour
from ...page import figures
from ...page.blocks import Block, Line, Text
from ...page.figures import gap
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...page.view import PageOptions, View
from ..findings import ending, forced
from ..texts import CI, with_interval
from .figures import sign_of, target_words
from .plots import pictures
from .steps import STEPS
from .tables import blocks

NEIGHBOURS = 3
"""Neighbours shown of a case."""


def _title(result: DepthQAResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [
        target_words(spec.target),
        f"judge {model_name(spec.judge)}",
        ", ".join(spec.modes),
        f"seed {spec.seed}",
    ]
    return spec.graph, parts


def _main(result: DepthQAResult) -> ModeNumbers:
    """Zero-shot, or without it the first mode."""
    zero_shot = [each for each in result.modes if each.mode == "zero-shot"]
    return next(iter(zero_shot), result.modes[0])


def _headline(result: DepthQAResult) -> str:
    """`mean score 4.21 of 5 (95% interval 4.05–4.36), at D3 3.91 (3.70–4.12) · forward .083
    (.050–.110) · …`."""
    main, sizes = _main(result), _sizes(result)
    overall, deep = main.accuracy["overall"], main.accuracy["D3"]
    if overall.mean is None:
        return f"nothing was measured in {main.mode} · {sizes}"
    said = f"mean score {with_interval(overall.mean, overall.ci, 'number', CI)} of 5"
    said += f", at D3 {with_interval(deep.mean, deep.ci, 'number')}" if deep.scored else ""
    ways = {
        "forward discrepancy": main.discrepancies.forward["overall"],
        "backward": main.discrepancies.backward["overall"],
    }
    gaps = [
        f"{name} {with_interval(row.average, row.average_ci, 'gap')}" for name, row in ways.items()
    ]
    lead = "" if len(result.modes) == 1 and main.mode == "zero-shot" else f"{main.mode}: "
    return lead + figures.joined([said, *(gaps if result.graph.edges else []), sizes])


def _sizes(result: DepthQAResult) -> str:
    """`10 trees, 126 questions, 363 answers`; of a run that was cut off `1 of 10 trees, …`."""
    trees, out = figures.count(result.graph.trees, "tree"), len(result.open_trees)
    finished = f"{result.graph.trees - out:,} of {trees}" if out else trees
    questions = figures.count(result.graph.questions, "question")
    return f"{finished}, {questions}, {figures.count(len(result.answers), 'answer')}"


def graph_words(result: DepthQAResult) -> str:
    """`Graph: 49 nodes with 43 questions (D1 28, D2 12, D3 3), 62 edges`"""
    graph = result.graph
    levels = [f"{level} {graph.depths[level]:,}" for level in LEVEL_OF.values()]
    nodes = (
        f"{figures.count(graph.nodes, 'node')} with {figures.count(graph.questions, 'question')}"
    )
    return f"Graph: {nodes} ({', '.join(levels)}), {figures.count(graph.edges, 'edge')}"


def _remarks(result: DepthQAResult) -> list[str]:
    ended = ending(STEPS, result, result.graph.trees, result.open_trees)
    return [
        *ended,
        *_losses(result.modes),
        *_worst(result.modes),
        *forced(result),
        graph_words(result),
    ]


def _losses(modes: Sequence[ModeNumbers]) -> list[str]:
    lost = [f"{each.mode} {figures.stages(each.unscored)}" for each in modes if each.unscored]
    return [f"Lost to faults and excluded from all figures: {'; '.join(lost)}."] if lost else []


def _worst(modes: Sequence[ModeNumbers]) -> list[str]:
    """Answers that score 1 without having been judged."""
    counted = {
        "refusal": sum(each.refusals for each in modes),
        "empty reply": sum(each.silent for each in modes),
    }
    said = [figures.count(number, what) for what, number in counted.items() if number]
    return [f"Scored 1 without being judged: {', '.join(said)}."] if said else []


# the worst cases


def _cases(result: DepthQAResult, how: PageOptions) -> Iterator[Block]:
    """The worst cases with both answers, shortened, backward before forward; and where the others
    are."""
    shown = result.cases[: how.cases]
    if shown:
        title = f"The worst {len(shown)} of {figures.count(len(result.cases), 'case')}"
        yield Text([line for case in shown for line in _case(case)], f"{title}, {shown[0].mode}")
        yield from how.command(result, f"--path {shown[0].own.node}", "shows one question.")


def _case(case: Case) -> Iterator[str | Line]:
    number, words = len(case.neighbours), ("deeper", "it leads to")
    if case.direction == "forward":
        words = ("shallower", "leading to it")
    above = figures.number(sum(each.score for each in case.neighbours) / number)
    what = figures.count(number, f"{words[0]} question")
    yield f"{gap(case.discrepancy)} {case.direction}: {_place(case.own)}, {what} {words[1]} {above}"
    yield from _texts(case.own, 2)
    for each in case.neighbours[:NEIGHBOURS]:
        sign, style = sign_of(each.score)
        yield Line(
            _place(each),
            lead=f"{sign} ",
            lead_style=STYLES[style],
            indent=2,
        )
        yield from _texts(each, 4)
    if number > NEIGHBOURS:
        yield Line(f"and {figures.count(number - NEIGHBOURS, 'more')}", "dim", indent=2)


def _place(each: Neighbour) -> str:
    return f"{each.node} (D{each.depth}) scores {figures.number(each.score)}"


def _texts(each: Neighbour, indent: int) -> Iterator[Line]:
    texts = {
        "question": each.question,
        "answer": each.answer or "(nothing)",
        "judge": each.reason,
    }
    for name, text in texts.items():
        if text.strip():
            yield Line(text, lead=f"{name}: ", indent=indent, lines=2)


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
