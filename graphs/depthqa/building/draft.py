"""A DepthQA graph in the making: what the journalled steps of deconstruction amount to, and
which of its questions are one. Pure: how alike they are is given."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import orjson

from ....agents.paraphraser.open_question import without_verdict
from ....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    Removal,
    Rewritten,
    Sifted,
    Why,
)
from ....state.depthqa.spec import DepthQABuildSpec
from ....state.items import BuildItem
from ....state.question_graph import Depth, QuestionNode, SubQuestion, question_key

T = TypeVar("T")
SAME = 0.9
NEAR = 0.8
LEAVE_GAPS: tuple[Why, ...] = ("like a shallower", "like a deeper", "repeated")
"""Reasons for which a question loses a predecessor and gains none."""
Alike = Mapping[str, Mapping[str, float]]
"""Node → those that are at least .8 like it, and how much (0 … 1)."""


def sub_id(parent: str, number: int, *, augmented: bool = False) -> str:
    """`q1.2`, or `q1.a2` for the second question that fills a gap. `number` counts from 1."""
    return f"{parent}.{'a' if augmented else ''}{number}"


def parent_of(node: QuestionNode) -> str | None:
    """The question that it was written for; None of one that was brought."""
    return node.id.rpartition(".")[0] if node.depth < 3 else None


class Draft:
    """Puts questions together from items by place: `q1@depth`, `q1@open`, `q1@reference`,
    `q1@parts`, `q1@more`."""

    def __init__(self, spec: DepthQABuildSpec, items: Iterable[BuildItem]) -> None:
        self.spec = spec
        self._items = {item.id.partition("/")[2]: item for item in items}
        self.nodes: list[QuestionNode] = []
        """Parents before children."""
        self.removed: list[Removal] = []
        self.places: set[str] = set()
        """Places that were looked at: an item anywhere else has no part in the draft."""
        self.sieve = ""
        """The place of its sifting."""

    @property
    def digest(self) -> str:
        """Twelve hex digits over all that is compared."""
        compared = [
            [node.id, node.question, parent_of(node), node.depth] for node in self.nodes
        ]
        return hashlib.sha256(orjson.dumps(compared)).hexdigest()[:12]

    def item(self, name: str, kind: type[T]) -> T | None:
        """What stands at a place."""
        self.places.add(name)
        item = self._items.get(name)
        return item if isinstance(item, kind) else None

    def take(self, name: str, sub: SubQuestion, depth: Depth, **about: Any) -> None:
        """A question and all below it, unless it is dropped. Where it was reworded, its reference
        answers that; where it should have been and could not, there is no question."""
        question, reference = question_key(sub.question), sub.reference
        rewritten = self.item(f"{name}@open", Rewritten)
        if rewritten is not None:
            question, reference = rewritten.text, without_verdict(reference)
        parts = self.item(f"{name}@parts", Deconstructed)
        subs = parts.questions if parts else ()
        why: Why | None = None if question else "yes or no"
        if depth == 3:
            why = self._unfit_source(name, sub.reference) or why
            if why is None and not subs:
                why = "not deconstructed"
        if why is not None:
            asked = question_key(sub.question)
            self.removed.append(Removal(node=name, depth=depth, question=asked, reason=why))
            return
        node = QuestionNode(
            id=name,
            depth=depth,
            question=question,
            reference=reference,
            reasoning=parts.reasoning if parts else (),
            **about,
        )
        self.nodes.append(node)
        self.take_below(node, subs)

    def _unfit_source(self, name: str, reference: str) -> Why | None:
        """Why a question that was brought cannot be the root of a tree."""
        classified = self.item(f"{name}@depth", Classified)
        depth = classified.depth if classified else None
        if self.spec.classify and depth != 3:
            return "not depth 3" if depth else "unclassified"
        return None if reference else "no reference"

    def take_below(
        self, parent: QuestionNode, subs: Sequence[SubQuestion], *, augmented: bool = False
    ) -> None:
        """The questions written for a parent, and all below them."""
        for number, sub in enumerate(subs, 1):
            name = sub_id(parent.id, number, augmented=augmented)
            self.take(name, sub, parent.depth - 1, domain=parent.domain, augmented=augmented)


def first_draft(spec: DepthQABuildSpec, items: Iterable[BuildItem]) -> Draft:
    """All source questions."""
    draft = Draft(spec, items)
    for source in spec.questions:
        reply = draft.item(f"{source.id}@reference", ReferenceWritten)
        reference = source.reference.strip() or (reply.text if reply else "")
        sub = SubQuestion(question=source.question, reference=reference)
        draft.take(source.id, sub, 3, domain=source.domain)
    draft.sieve = f"sift-{draft.digest}"
    return draft


def fillings(spec: DepthQABuildSpec, first: Sifted, items: Iterable[BuildItem]) -> Draft:
    """What was written to fill the gaps that the first sifting has left (places `q1@more`)."""
    draft = Draft(spec, items)
    for node in first.nodes:
        more = draft.item(f"{node.id}@more", Deconstructed) if node.id in first.gaps else None
        if more is not None:
            draft.take_below(node, more.questions[: first.gaps[node.id]], augmented=True)
    draft.sieve = f"settle-{_six(node.id for node in first.nodes)}-{draft.digest}"
    return draft


def relation_place(node: QuestionNode) -> str:
    """Where the rating of a relation stands: it holds for these predecessors only."""
    return f"{node.id}@relation-{_six(node.predecessors)}"


def _six(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:6]


# which of them are one and the same (METHODS.md, section 4)


class Sieve:
    """Takes questions in, one by one, each with its parent already inside.

    Within a depth a likeness of at least .9 is one question. A question of depth 2 that is as much
    like one of depth 1 is taken out, and so is one of depth 1 that is .8 to .9 like one of depth 2.
    Where a question has lost a predecessor and gained none, there is a gap.
    """

    def __init__(self, alike: Alike, fixed: Sequence[QuestionNode] = ()) -> None:
        """`fixed`: questions that stay whatever comes."""
        self._alike = alike
        self._inside = {node.id: node for node in fixed}
        self._below = {node.id: [*node.predecessors] for node in fixed}
        """Question → its predecessors."""
        self.removed: list[Removal] = []
        self.gaps: Counter[str] = Counter()

    def take(self, nodes: Sequence[QuestionNode]) -> None:
        """Sift new questions, the deepest first; parents stand before their children."""
        shallow = {
            node.id: node for node in (*self._inside.values(), *nodes) if node.depth == 1
        }
        for node in sorted(nodes, key=lambda node: -node.depth):
            parent = parent_of(node)
            if parent is not None and parent not in self._inside:
                self._remove(node, "orphan", None)
            else:
                self._take(node, shallow, [] if parent is None else self._below[parent])

    def _take(
        self, node: QuestionNode, shallow: Mapping[str, QuestionNode], siblings: list[str]
    ) -> None:
        """`siblings`: what its parent has already."""
        across: QuestionNode | None = None
        if node.depth == 2:
            across = self._like(node, shallow, 1, SAME)
        elif node.depth == 1:
            across = self._like(node, self._inside, 2, NEAR)
        twin = self._like(node, self._inside, node.depth, SAME)
        if across is not None:
            self._remove(
                node, "like a shallower" if node.depth == 2 else "like a deeper", across
            )
        elif twin is None:
            self._inside[node.id] = node
            self._below[node.id] = []
            siblings.append(node.id)
        elif twin.id in siblings:
            self._remove(node, "repeated", twin)
        else:
            self._remove(node, "merged", twin)
            siblings.append(twin.id)

    def _like(
        self, node: QuestionNode, among: Mapping[str, QuestionNode], depth: int, least: float
    ) -> QuestionNode | None:
        """The one of this depth that is most alike, of those that are at least so much alike; the
        first of equals."""
        near = self._alike.get(node.id, {})
        candidates = [name for name in near if name in among and among[name].depth == depth]
        best = max(candidates, key=near.__getitem__, default=None)
        return among[best] if best is not None and near[best] >= least else None

    def _remove(self, node: QuestionNode, why: Why, like: QuestionNode | None) -> None:
        if why in LEAVE_GAPS:
            self.gaps[str(parent_of(node))] += 1
        self.removed.append(
            Removal(
                node=node.id,
                depth=node.depth,
                question=node.question,
                reason=why,
                like=like.id if like else "",
                like_question=like.question if like else "",
                similarity=round(self._alike[node.id][like.id], 4) if like else None,
            )
        )

    def nodes(self) -> tuple[QuestionNode, ...]:
        """What is left, each root followed by what leads to it; without what leads to nothing any
        more."""
        order: dict[str, None] = {}
        for node in self._inside.values():
            if node.depth == 3:
                self._visit(node.id, order)
        left = []
        for name in order:
            below = {"predecessors": tuple(self._below[name])}
            left.append(self._inside[name].model_copy(update=below))
        return tuple(left)

    def _visit(self, name: str, order: dict[str, None]) -> None:
        if name not in order:
            order[name] = None
            for below in self._below[name]:
                self._visit(below, order)
