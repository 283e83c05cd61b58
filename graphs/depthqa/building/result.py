"""What came of building a DepthQA graph: a pure function of what its journal holds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal

from .... import __version__
from ....state.causes import with_causes
from ....state.channels import Stop
from ....state.depthqa.build import (
    DepthQABuildResult,
    RelationChecked,
    RelationTable,
    Rewritten,
    RewrittenRow,
    Sifted,
)
from ....state.depthqa.spec import LEXICAL, DepthQABuildSpec
from ....state.errors import RunFailed
from ....state.items import BuildItem, build_items, faults_of
from ....state.question_graph import QuestionGraph
from ...run.record import RunRecord, assembled, stop_of
from .draft import fillings, first_draft, relation_place

BY_WORDS = (
    "Questions were compared by their words: that finds near-verbatim repeats only, not two ways "
    "of asking the same. Embeddings (--embeddings) find those too."
)
PAIRS: tuple[tuple[Literal["D3 → D2", "D2 → D1"], int], ...] = (("D3 → D2", 3), ("D2 → D1", 2))
"""Pair of depths → the deeper one."""


def ending_of(spec: DepthQABuildSpec, items: Sequence[BuildItem]) -> Stop:
    """How a build ends that has asked all it could."""
    sifted, items = _current(spec, items)
    failed = [item for item in items if item.lost]
    if sifted is None or not sifted.nodes:
        detail = with_causes("no question could be deconstructed", faults_of(items))
        return Stop(reason="infrastructure" if failed else "no_questions", detail=detail)
    return stop_of(
        len(failed),
        f"{len(failed)} steps failed",
        faults_of(failed),
        is_short=bool(failed),
        nothing="",
        whole="every question was deconstructed as far as it could be",
    )


def _current(
    spec: DepthQABuildSpec, items: Sequence[BuildItem]
) -> tuple[Sifted | None, list[BuildItem]]:
    """The last sifting, and the items that have a part in it: others are of questions that a redone
    step has put out of the graph."""
    by_place = {item.id.partition("/")[2]: item for item in items}
    draft, sifted = first_draft(spec, items), None
    first = draft.item(draft.sieve, Sifted)
    places = draft.places
    if first is not None:
        more = fillings(spec, first, items)
        sifted = more.item(more.sieve, Sifted)
        places |= more.places
    if first is not None and sifted is not None:
        sifted = sifted.model_copy(update={"removed": (*first.removed, *sifted.removed)})
        places |= {relation_place(node) for node in sifted.nodes if node.predecessors}
    return sifted, [by_place[name] for name in by_place if name in places]


def result_of(record: RunRecord) -> DepthQABuildResult:
    """The graph and how it came about. Raises RunFailed when the run ended before it could be put
    together."""
    spec, finished = record.spec_as(DepthQABuildSpec), record.finished
    sifted, items = _current(spec, build_items(record.items))
    if sifted is None:
        detail = finished.stop_detail
        raise RunFailed(
            f"The run {record.run_id} ended before its graph was put together: {detail}."
        )
    common = assembled(
        record,
        ("evaluator",),
        deviations=(DEVIATIONS, chosen(spec)),
        notes=_notes(spec),
    )
    names = {node.id for node in sifted.nodes}
    rewritten = [item for item in items if isinstance(item, Rewritten) and item.text]
    by_node = {item.node: item for item in items if isinstance(item, RelationChecked)}
    checks = [by_node[node.id] for node in sifted.nodes if node.id in by_node]
    return DepthQABuildResult(
        **common,
        graph=_graph(record.run_id, spec, sifted, common["simulated"]),
        similarity=spec.similarity,
        removed=sifted.removed,
        rewritten=tuple(
            RewrittenRow(node=item.node, before=item.before, after=item.text)
            for item in rewritten
            if item.node in names
        ),
        augmented=tuple(node.id for node in sifted.nodes if node.augmented),
        unfilled=sum(sifted.gaps.values()),
        relations=tuple(_relations(sifted, checks)) if spec.check else (),
        checks=tuple(check.model_copy(update={"prompt": (), "calls": ()}) for check in checks),
    )


def _graph(
    run_id: str, spec: DepthQABuildSpec, sifted: Sifted, simulated: bool
) -> QuestionGraph | None:
    if not sifted.nodes:
        return None
    history = {
        "run": run_id,
        "fathom": __version__,
        "evaluator": spec.evaluator,
        "similarity": spec.similarity,
        "language": spec.language,
        **({"simulated": "yes"} if simulated else {}),
    }
    return QuestionGraph(name=spec.name, nodes=sifted.nodes, made=history)


def _relations(sifted: Sifted, checks: Sequence[RelationChecked]) -> Iterator[RelationTable]:
    for pair, depth in PAIRS:
        nodes = {node.id for node in sifted.nodes if node.depth == depth and node.predecessors}
        rated = [check for check in checks if check.node in nodes and check.comprehensive]
        implicit = Counter(chain.from_iterable(check.implicit.values() for check in rated))
        covered = Counter(check.comprehensive for check in rated if check.comprehensive)
        yield RelationTable(
            pair=pair,
            relations=len(nodes),
            unrated=len(nodes) - len(rated),
            comprehensive=dict(covered),
            predecessors=implicit.total(),
            implicit=dict(implicit),
        )


def _notes(spec: DepthQABuildSpec) -> Iterator[str]:
    if spec.similarity == LEXICAL:
        yield BY_WORDS
    else:
        yield f"Questions were compared by {spec.similarity}; what that costs is not in the figures."


def chosen(spec: DepthQABuildSpec) -> dict[str, object]:
    """Deviations that depend on the spec, by name."""
    measure = "the words of the questions" if spec.similarity == LEXICAL else spec.similarity
    return {"similarity": measure, "relations": spec.check}


DEVIATIONS = """
similarity: {}; the thresholds .9, and .8 to .9 across depths, are the paper's for
all-mpnet-base-v2 embeddings

prompts: in words of our own; references are checked by nobody but the reader

yes-or-no: found by the question's form (English) and reworded by the evaluator (in the paper by
hand)

gaps: filled once; what is alike after that is dropped and counted as unfilled

relations: rated by the evaluator that wrote them (in the paper by people)
"""
"""`name: sentence` of each place where runs deviate from the published method; `chosen` says which
of them only some runs have."""
