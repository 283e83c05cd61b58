"""What came of building a DepthQA graph: a pure function of what its journal holds."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from .... import __version__
from ....state.causes import with_causes
from ....state.channels import Stop
from ....state.depthqa.build import (
    Comprehensive,
    Deconstructed,
    DepthQABuildResult,
    Implicit,
    ReferenceWritten,
    RelationChecked,
    RelationTable,
    Rewritten,
    RewrittenRow,
    Sifted,
)
from ....state.depthqa.items import QuestionGraph
from ....state.depthqa.spec import LEXICAL, DepthQABuildSpec
from ....state.errors import RunFailed
from ....state.items import BuildItem, build_items, faults_of
from ...run.record import (
    OWN_PROMPTS,
    SIMULATED,
    Deviation,
    RunRecord,
    conformance,
    envelope,
    provenance_of,
)
from .draft import Draft, Reader, fillings
from .tree import relation_place

BY_WORDS = (
    "Questions were compared by their words: that finds near-verbatim repeats only, not two ways "
    "of asking the same."
    " Embeddings (--embeddings) find those too."
)


def first_sieve(draft: Draft) -> str:
    """Where the first sifting of a draft stands."""
    return f"sift-{draft.digest}"


def second_sieve(first: Sifted, draft: Draft) -> str:
    """Where the sifting of what fills the gaps stands."""
    told = "\n".join(node.id for node in first.nodes)
    return f"settle-{hashlib.sha256(told.encode()).hexdigest()[:6]}-{draft.digest}"


def stop_of(spec: DepthQABuildSpec, items: Sequence[BuildItem]) -> Stop:
    """How a build ends that has asked all it could."""
    settled, items = _standing(spec, items)
    lost = [item for item in items if item.lost]
    if settled is None or not settled.nodes:
        return Stop(
            reason="infrastructure" if lost else "no_questions", detail=_why_nothing(settled, items)
        )
    if lost:
        return Stop(
            reason="infrastructure",
            detail=with_causes(f"{len(lost)} steps failed", faults_of(lost)),
        )
    return Stop(reason="all_asked", detail="every question was deconstructed as far as it could be")


def _why_nothing(settled: Sifted | None, items: Sequence[BuildItem]) -> str:
    """What kept all questions out of the graph: the reasons, with how often, and the commonest
    fault."""
    reasons = (
        Counter(gone.reason for gone in settled.removed if gone.depth == 3)
        if settled
        else Counter[str]()
    )
    told = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
    return with_causes(
        f"no question could be deconstructed{f' ({told})' if told else ''}", faults_of(items)
    )


def _standing(
    spec: DepthQABuildSpec, items: Sequence[BuildItem]
) -> tuple[Sifted | None, list[BuildItem]]:
    """The last sifting, and the items that have a part in it: others are of questions that a redone
    step has put out of the graph."""
    by_place = {item.id.partition("/")[2]: item for item in items}
    reader = Reader(spec, items)
    draft, last = reader.read(), None
    places = reader.places | {first_sieve(draft)}
    first = by_place.get(first_sieve(draft))
    if isinstance(first, Sifted):
        more = fillings(spec, first, items)
        places |= more.places | {second_sieve(first, more.draft)}
        settled = by_place.get(second_sieve(first, more.draft))
        if isinstance(settled, Sifted):
            last = settled.model_copy(update={"removed": (*first.removed, *settled.removed)})
            places |= {relation_place(node) for node in settled.nodes if node.predecessors}
    return last, [item for place, item in by_place.items() if place in places]


def result_of(record: RunRecord) -> DepthQABuildResult:
    """The graph and how it came about. Raises RunFailed when the run ended before it could be put
    together."""
    spec, ended, items = (
        record.spec_as(DepthQABuildSpec),
        record.finished,
        build_items(record.items),
    )
    settled, standing = _standing(spec, items)
    if settled is None:
        raise RunFailed(
            f"The run {record.run_id} ended before its graph was put together: {ended.stop_detail}."
        )
    calls = [call for item in items for call in item.calls]
    common = envelope(record, calls)
    graph = _graph(record.run_id, spec, settled, common["simulated"])
    kept = {node.id for node in settled.nodes}
    checks = _checks(settled, items) if spec.check else ()
    return DepthQABuildResult(
        **common,
        graph=graph,
        similarity=spec.similarity,
        removed=settled.removed,
        rewritten=tuple(
            RewrittenRow(node=item.node, before=item.before, after=item.text)
            for item in items
            if isinstance(item, Rewritten) and item.text and item.node in kept
        ),
        augmented=tuple(node.id for node in settled.nodes if node.augmented),
        unfilled=sum(settled.gaps.values()),
        relations=_relations(settled, checks) if spec.check else (),
        checks=tuple(check.model_copy(update={"prompt": (), "calls": ()}) for check in checks),
        conformance=conformance(DEVIATIONS, spec),
        notes=(
            *_notes(spec, common["simulated"], settled, standing),
            *record.forced,
            *ended.caveats,
        ),
        provenance=provenance_of(record, calls, ("evaluator",)),
    )


def _graph(
    run_id: str, spec: DepthQABuildSpec, settled: Sifted, simulated: bool
) -> QuestionGraph | None:
    if not settled.nodes:
        return None
    made = {
        "run": run_id,
        "fathom": __version__,
        "evaluator": spec.evaluator,
        "similarity": spec.similarity,
        "language": spec.language,
        **({"simulated": "yes"} if simulated else {}),
    }
    return QuestionGraph(name=spec.name, nodes=settled.nodes, made=made)


def _checks(settled: Sifted, items: Iterable[BuildItem]) -> tuple[RelationChecked, ...]:
    """Ratings of the relations that are in the graph."""
    places = {relation_place(node): None for node in settled.nodes if node.predecessors}
    by_place = {item.id.partition("/")[2]: item for item in items}
    found = (by_place.get(place) for place in places)
    return tuple(item for item in found if isinstance(item, RelationChecked))


def _relations(settled: Sifted, checks: Sequence[RelationChecked]) -> tuple[RelationTable, ...]:
    by_node = {check.node: check for check in checks}
    upper = _relation("D3 → D2", 3, settled, by_node)
    lower = _relation("D2 → D1", 2, settled, by_node)
    return upper, lower


def _relation(
    pair: Literal["D3 → D2", "D2 → D1"],
    depth: int,
    settled: Sifted,
    checks: Mapping[str, RelationChecked],
) -> RelationTable:
    nodes = [node for node in settled.nodes if node.depth == depth and node.predecessors]
    rated = [
        checks[node.id]
        for node in nodes
        if node.id in checks and checks[node.id].comprehensive is not None
    ]
    comprehensive: Counter[Comprehensive] = Counter(
        check.comprehensive for check in rated if check.comprehensive
    )
    implicit: Counter[Implicit] = Counter(
        rating for check in rated for rating in check.implicit.values()
    )
    return RelationTable(
        pair=pair,
        relations=len(nodes),
        unrated=len(nodes) - len(rated),
        comprehensive=dict(comprehensive),
        predecessors=implicit.total(),
        implicit=dict(implicit),
    )


def _notes(
    spec: DepthQABuildSpec, simulated: bool, settled: Sifted, items: Sequence[BuildItem]
) -> Iterable[str]:
    if simulated:
        yield SIMULATED
    if spec.similarity == "lexical":
        yield BY_WORDS
    else:
        yield f"Questions were compared by {spec.similarity}; what that costs is not in the figures."
    written = {item.node for item in items if isinstance(item, ReferenceWritten)}
    own = sum(source.id in written and not source.key_points for source in spec.questions)
    if own:
        yield (
            f"{own} of {len(spec.questions)} questions came without reference and key points: the "
            "evaluator wrote their"
            " references from its own knowledge. Read them before you rely on them."
        )
    bare = sum(node.depth > 1 and not node.predecessors for node in settled.nodes)
    if bare:
        yield (
            f"{bare} questions of depth 2 or 3 have no predecessors: no discrepancy can be "
            "measured towards them."
        )
    failed = sum(item.fault is not None for item in items)
    if failed:
        lost = sum(item.lost for item in items)
        again = f" `fathom resume` tries {lost} of them again." if lost else ""
        yield f"{failed} steps came to nothing.{again}"
    empty = sum(
        isinstance(item, Deconstructed) and item.gap and not item.questions for item in items
    )
    if empty:
        yield f"For {empty} gaps the evaluator had no further question."


def _similarity(spec: DepthQABuildSpec) -> str:
    measure = "the words of the questions" if spec.similarity == LEXICAL else spec.similarity
    thresholds = (
        "the thresholds .9, and .8 to .9 across depths, are the paper's for all-mpnet-base-v2 "
        "embeddings"
    )
    return f"similarity: {measure}; {thresholds}"


DEVIATIONS = (
    Deviation(lambda _: True, _similarity),
    "prompts: in words of our own; references are checked by nobody but the reader",
    (
        "yes-or-no: found by the question's form (English) and reworded by the evaluator (in the "
        "paper by hand)"
    ),
    "gaps: filled once; what is alike after that is dropped and counted as unfilled",
    Deviation(
        lambda spec: spec.check,
        "relations: rated by the evaluator that wrote them (in the paper by people)",
    ),
    OWN_PROMPTS,
)
