"""The result of a DepthQA run: a pure function of what its journal holds (METHODS.md, section
4)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, get_args

from ...state.causes import with_causes
from ...state.channels import Stop
from ...state.depthqa.items import LEAST, SCALE, DepthAnswer, Rating
from ...state.depthqa.result import (
    LEVEL_OF,
    Asked,
    Case,
    Change,
    DepthQAResult,
    Discrepancies,
    DiscrepancyRow,
    GraphRow,
    LabelRow,
    Level,
    ModeNumbers,
    Neighbour,
    Pair,
    ScoreRow,
)
from ...state.depthqa.spec import DepthQASpec
from ...state.errors import RunFailed
from ...state.items import DepthQAItem, depthqa_items, faults_of
from ...state.question_graph import DEPTHS, PROMPT_MODES, Material, Mode, QuestionGraph
from ...state.records import Role, Stage
from ...state.rows import AnswerRow
from ...stats.estimates import mean
from ...tools.models.family import family_notices
from ..run.record import RunRecord, assembled, bounds_notes, reasoning_notes, stop_of
from .discrepancy import (
    MOST,
    Direction,
    Gap,
    Key,
    Node,
    Nodes,
    discrepancy_row,
    gaps,
    levels_of,
    nodes_of,
    score_row,
    scored_neighbours,
)
from .min_k import min_k_numbers
from .protocol import planned_questions
from .rows import answer_rows, asked_answers, stage_of

ROLES: tuple[Role, ...] = ("target", "judge")
MOST_CASES = 10
"""Cases that are told of in each direction."""
_DEEPER: dict[Pair, int] = {"D2 → D3": 3, "D1 → D2": 2}
"""Pair of depths → the deeper one."""


def ending_of(spec: DepthQASpec, material: Material, items: Sequence[DepthQAItem]) -> Stop:
    """How a run ends that has asked all it could."""
    planned = sum(
        planned.scored for due in planned_questions(spec, material) for planned in due
    )
    lost = sum(item.lost for item in items if isinstance(item, Rating) or item.scored)
    is_scored = any(isinstance(item, Rating) and item.score is not None for item in items)
    return stop_of(
        lost,
        f"{lost:,} of {planned:,} scores are missing",
        faults_of(items),
        is_short=bool(lost) and 2 * lost >= planned,
        nothing="" if is_scored else with_causes("no answer could be scored", faults_of(items)),
        whole="every question was put",
    )


def result_of(record: RunRecord) -> DepthQAResult:
    """The result over all closed trees. Raises RunFailed when none was closed: there is nothing to
    report."""
    spec, finished, material = (
        record.spec_as(DepthQASpec),
        record.finished,
        record.started.material,
    )
    if material is None:
        raise RunFailed(
            f"The journal of {record.run_id} lacks its questions: start the run again."
        )
    graph, closed = material.graph, {event.index for event in record.parts}
    if not closed:
        raise RunFailed(
            f"The run {record.run_id} ended before its first tree: {finished.stop_detail}."
        )
    items = depthqa_items(record.items)
    answers = asked_answers(graph, items, closed)
    make = partial(
        AnswerRow,
        run=record.run_id,
        method=spec.method,
        model=spec.target,
        domain=spec.domain,
    )
    rows = answer_rows(graph, answers, closed, spec.modes, make)
    figures = figures_of(spec, graph, answers, rows)
    reopened = (
        f"{len(record.reopened)} of the trees were being asked again when the run stopped: "
        "some scores are missing. `fathom resume` continues them."
    )
    common = assembled(
        record,
        ROLES,
        deviations=(DEVIATIONS, chosen(spec)),
        first=[reopened] if record.reopened else [],
        notes=_notes(spec, material, items, figures["modes"]),
        material=material.digest,
        graph=dict(graph.made),
        judge_decoding={
            "temperature": spec.judge_temperature,
            "top_p": spec.judge_top_p,
            "max_tokens": spec.judge_tokens,
        },
    )
    open_trees = [tree.root for index, tree in enumerate(graph.trees) if index not in closed]
    return DepthQAResult(**common, **figures, open_trees=tuple(open_trees)).about(graph)


def _notes(
    spec: DepthQASpec,
    material: Material,
    items: Sequence[DepthQAItem],
    modes: Sequence[ModeNumbers],
) -> list[str]:
    family = () if spec.given else family_notices(spec.target, spec.judge, spec.judge)
    notes = [*family, *material.notices]
    notes += reasoning_notes(item.answer for item in items if isinstance(item, DepthAnswer))
    bounds = {
        f"mean score {numbers.mode}": numbers.accuracy["overall"].bounds for numbers in modes
    }
    return notes + bounds_notes(bounds, "{:.2f}")


# the figures


def figures_of(
    spec: DepthQASpec, graph: QuestionGraph, answers: Sequence[Asked], rows: Sequence[AnswerRow]
) -> dict[str, Any]:
    """Every field of `DepthQAResult` that rests on answers or the graph, by its name there.
    `rows`: of the answers."""
    modes = {
        mode: nodes_of(row for row in rows if row.condition == mode) for mode in spec.modes
    }
    main: Mode = "zero-shot" if "zero-shot" in modes else spec.modes[0]
    shown = modes[main]
    changed = list[Change]()
    for mode, nodes in modes.items():
        changed += changes(mode, shown, nodes) if mode != main == "zero-shot" else []
    return {
        "graph": _graph_row(graph),
        "modes": tuple(_mode_numbers(spec, mode, modes[mode], answers) for mode in modes),
        "by_domain": _by_label(shown, "category"),
        "by_reasoning": _by_label(shown, "reasoning"),
        "changes": tuple(changed),
        "cases": (*_worst(main, shown, "backward"), *_worst(main, shown, "forward")),
        "answers": answers,
    }


def _mode_numbers(
    spec: DepthQASpec, mode: Mode, nodes: Nodes, answers: Iterable[Asked]
) -> ModeNumbers:
    of_mode = [answer for answer in answers if answer.mode == mode]
    stages, memorised = Counter(map(stage_of, of_mode)), min_k_numbers(nodes)
    silent = [answer for answer in of_mode if not answer.answer.strip() and not answer.refused]
    missing = "Add --logprobs to request log-probabilities."
    if spec.logprobs or spec.given:
        missing = "No answer came with usable log-probabilities."
    return ModeNumbers(
        mode=mode,
        accuracy=accuracy(mode, nodes),
        discrepancies=Discrepancies(
            forward=_by_pair(gaps(nodes, "forward"), 0),
            backward=_by_pair(gaps(nodes, "backward"), 1),
        ),
        unscored={stage: stages[stage] for stage in get_args(Stage) if stages[stage]},
        refusals=sum(answer.refused for answer in of_mode),
        silent=sum(answer.score is not None for answer in silent),
        min_k=memorised,
        min_k_missing=missing if memorised is None else None,
    )


def accuracy(mode: Mode, nodes: Nodes) -> dict[Level, ScoreRow]:
    """By depth and overall; in the prompt modes without depth 1."""
    levels = levels_of(nodes.values(), _depths(mode))
    return {level: score_row(at_level) for level, at_level in levels.items()}


def _depths(mode: Mode) -> Sequence[int]:
    return DEPTHS[1:] if mode in PROMPT_MODES else DEPTHS


def _by_pair(measured: Sequence[Gap], above: int) -> dict[Pair, DiscrepancyRow]:
    """By pair of depths and pooled. `above`: by how much the deeper of a pair lies above the nodes
    that are counted."""
    rows: dict[Pair, DiscrepancyRow] = {}
    for pair, deeper in _DEEPER.items():
        rows[pair] = discrepancy_row(
            [gap for gap in measured if gap.node.depth + above == deeper]
        )
    return {**rows, "overall": discrepancy_row(measured)}


def _by_label(nodes: Nodes, tag: str) -> tuple[LabelRow, ...]:
    """Labels as they first appear; a node counts under each of its labels, and a depth at which a
    label has no question has no row."""
    names: dict[str, set[Key]] = defaultdict(set)
    for key, node in nodes.items():
        for label in filter(None, str(node.rows[0].tags[tag]).split(", ")):
            names[label].add(key)
    forward, backward = gaps(nodes, "forward"), gaps(nodes, "backward")
    rows = []
    for label, keys in names.items():
        levels = levels_of(node for key, node in nodes.items() if key in keys)
        rows.append(
            LabelRow(
                label=label,
                accuracy={level: score_row(part) for level, part in levels.items() if part},
                forward=discrepancy_row([gap for gap in forward if gap.node.key in keys]),
                backward=discrepancy_row([gap for gap in backward if gap.node.key in keys]),
            )
        )
    return tuple(rows)


def changes(mode: Mode, base: Nodes, nodes: Nodes) -> list[Change]:
    """A mode against `base`, the zero-shot scores, over the nodes that have both; by depth and
    overall."""
    scored = {key for key, node in base.items() if node.score is not None}
    both = [node for key, node in nodes.items() if node.score is not None and key in scored]
    levels = levels_of(both, _depths(mode))
    return [_change(mode, level, base, at_level) for level, at_level in levels.items()]


def _change(mode: Mode, level: Level, base: Nodes, nodes: Sequence[Node]) -> Change:
    """`nodes`: with a score here and in zero-shot."""
    before = [(node.group, float(base[node.key].score or 0)) for node in nodes]
    after = [(node.group, float(node.score or 0)) for node in nodes]
    changed = [(new[0], new[1] - old[1]) for old, new in zip(before, after, strict=True)]
    difference = mean(changed, -SCALE, SCALE)
    return Change(
        mode=mode,
        level=level,
        nodes=len(nodes),
        zero_shot=mean(before, LEAST, MOST).value,
        score=mean(after, LEAST, MOST).value,
        difference=difference.value,
        ci=difference.interval,
    )


def _worst(mode: Mode, nodes: Nodes, direction: Direction) -> list[Case]:
    """The nodes that fall furthest short of their neighbours, with what was answered; those alike
    in the graph's order."""
    short = [(gap.d, gap.node) for gap in gaps(nodes, direction) if gap.d]
    short.sort(key=lambda pair: -pair[0])
    return [
        Case(
            mode=mode,
            direction=direction,
            discrepancy=d,
            own=_neighbour(node),
            neighbours=tuple(map(_neighbour, scored_neighbours(nodes, node, direction))),
        )
        for d, node in short[:MOST_CASES]
    ]


def _neighbour(node: Node) -> Neighbour:
    rows = [row for row in node.rows if row.score is not None]
    texts = node.rows[0].texts
    return Neighbour(
        node=node.name,
        depth=node.depth,
        question=texts["question"],
        reference=texts["reference"],
        answer=_joined(rows, "answer"),
        score=float(node.score or 0),
        reason=_joined(rows, "reason"),
    )


def _joined(rows: Sequence[AnswerRow], text: str) -> str:
    """Those of several conversations one after the other."""
    return "\n\n".join(row.texts[text] for row in rows)


def _graph_row(graph: QuestionGraph) -> GraphRow:
    """What is asked about."""
    depths = Counter(LEVEL_OF[graph.by_id[first].depth] for first in graph.holders)
    return GraphRow(
        name=graph.name,
        trees=len(graph.trees),
        nodes=len(graph.nodes),
        questions=len(graph.holders),
        edges=graph.edges,
        depths={
            **{level: depths[level] for level in LEVEL_OF.values()},
            "overall": depths.total(),
        },
    )


def chosen(spec: DepthQASpec) -> dict[str, object]:
    """Deviations that depend on the spec, by name."""
    decoding = (spec.judge_temperature, spec.judge_top_p, spec.judge_tokens)
    temperature, top_p = (
        "not set" if value is None else f"{value:g}" for value in decoding[:2]
    )
    words = f"temperature {temperature}, top_p {top_p}, {spec.judge_tokens} tokens"
    return {
        "judge-decoding": decoding != (1.0, 0.9, 1024) and words,
        "multi-turn": "multi-turn" in spec.modes and not spec.given,
        "no-context": {"prompt-gold", "prompt-pred"} & set(spec.modes),
        "given-answers": spec.given,
        "min-k": spec.logprobs,
    }


DEVIATIONS = """
all-successors: backward discrepancy takes the mean of all direct successors, as the paper's
equation 2 has it (the published code looks at the first one only; numbers by its rules stand in
the result too)

empty-is-null: a discrepancy without any question that counts is null (the published code divides
by zero)

threshold: a question counts where its neighbours' mean is at least 4, as in the published code
(the paper says that it exceeds 4)

unscored-apart: an answer or a rating that a fault took is in no number; neighbours without a
score are left out of the mean (in the published code an unreadable rating is 0)

one-text: questions that share a text share one answer and one rating per mode, and count once in
the accuracy; discrepancies are over nodes

silence: what the endpoint marks as a refusal scores 1 without a judge, and a refusal in words is
an answer like any other; a reply without a word, twice, and what was cut off or held back by a
filter are unscored

own-rubric: the judge's rubric from 1 to 5 is in words of our own

clustered: intervals allow for questions of one tree being alike; the paper gives none

judge-decoding: {} (the paper: 1, 0.9, 1024)

multi-turn: each conversation has the direct predecessors as turns and generates every turn
itself; a question is scored as a turn of the conversations that lead on from it (the mean of
several), at the end of its own only where none does. The published code keeps the first such turn
for all

no-context: questions of depth 1 have nothing to quote and are in no number of the prompt modes

given-answers: the answers were collected by somebody else; only the judge was asked

min-k: natural logarithms, the least likely fifth of the answer's first 128 tokens, at least one
"""
"""`name: sentence` of each place where runs deviate from the published method; `chosen` says which
of them only some runs have."""
