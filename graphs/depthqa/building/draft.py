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
from ....state.depthqa.spec import DepthQABuildSpec, SourceQuestion
from ....state.items import BuildItem
from ....state.question_graph import Depth, QuestionNode, SubQuestion, question_key

T = TypeVar("T")
SAME = 0.9
NEAR = 0.8
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

    @property
    def digest(self) -> str:
        """Twelve hex digits over all that is compared."""
        compared = [[node.id, node.question, parent_of(node), node.depth] for node in self.nodes]
        return hashlib.sha256(orjson.dumps(compared)).hexdigest()[:12]

    def item(self, name: str, kind: type[T]) -> T | None:
        """What stands at a place."""
        self.places.add(name)
        item = self._items.get(name)
        return item if isinstance(item, kind) else None

    def take(self, source: SourceQuestion) -> None:
        """A source question and all below it."""
        depth = self.item(f"{source.id}@depth", Classified)
        reply = self.item(f"{source.id}@reference", ReferenceWritten)
        parts = self.item(f"{source.id}@parts", Deconstructed)
        reference = source.reference.strip() or (reply.text if reply else "")
        sub = SubQuestion(question=source.question, reference=reference)
        question, reference = self._open(source.id, sub)
        why: Why | None = None
        if self.spec.classify and (depth is None or depth.depth != 3):
            why = "not depth 3" if depth and depth.depth else "unclassified"
        elif not sub.reference:
            why = "no reference"
        elif not question:
            why = "yes or no"
        elif parts is None or not parts.questions:
            why = "not deconstructed"
        if why is not None:
            self._drop(source.id, 3, source.question, why)
        else:
            fields = {"domain": source.domain}
            self._add(id=source.id, depth=3, question=question, reference=reference, **fields)

    def _add(self, **fields: Any) -> None:
        """A question and all below it."""
        parts = self.item(f"{fields['id']}@parts", Deconstructed)
        node = QuestionNode(**fields, reasoning=parts.reasoning if parts else ())
        self.nodes.append(node)
        self.take_below(node, parts.questions if parts else ())

    def take_below(
        self, parent: QuestionNode, subs: Sequence[SubQuestion], *, augmented: bool = False
    ) -> None:
        """The questions written for a parent, and all below them."""
        for number, sub in enumerate(subs, 1):
            name, depth = sub_id(parent.id, number, augmented=augmented), parent.depth - 1
            question, reference = self._open(name, sub)
            fields = {"domain": parent.domain, "augmented": augmented}
            if question:
                self._add(id=name, depth=depth, question=question, reference=reference, **fields)
            else:
                self._drop(name, depth, sub.question, "yes or no")

    def _open(self, name: str, sub: SubQuestion) -> tuple[str, str]:
        """The question as it is asked, and the reference as it answers that; an empty question
        where it would be answered by yes or no and could not be rewritten."""
        rewritten = self.item(f"{name}@open", Rewritten)
        if rewritten is None:
            return question_key(sub.question), sub.reference
        return rewritten.text, without_verdict(sub.reference)

    def _drop(self, node: str, depth: Depth, question: str, why: Why) -> None:
        self.removed.append(
            Removal(node=node, depth=depth, question=question_key(question), reason=why)
        )


def first_draft(spec: DepthQABuildSpec, items: Iterable[BuildItem]) -> Draft:
    """All source questions."""
    draft = Draft(spec, items)
    for source in spec.questions:
        draft.take(source)
    return draft


def fillings(spec: DepthQABuildSpec, first: Sifted, items: Iterable[BuildItem]) -> Draft:
    """What was written to fill the gaps that the first sifting has left (places `q1@more`)."""
    draft = Draft(spec, items)
    for node in first.nodes:
        more = draft.item(f"{node.id}@more", Deconstructed) if node.id in first.gaps else None
        if more is not None:
            draft.take_below(node, more.questions[: first.gaps[node.id]], augmented=True)
    return draft


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
        shallow = {node.id: node for node in (*self._inside.values(), *nodes) if node.depth == 1}
        for node in sorted(nodes, key=lambda node: -node.depth):
            parent = parent_of(node)
            if parent is None:
                self._take_root(node)
            elif node.depth == 2:
                self._take_below(parent, node, self._like(node, shallow, 1, SAME))
            else:
                self._take_below(parent, node, self._like(node, self._inside, 2, NEAR))

    def _take_root(self, node: QuestionNode) -> None:
        same = self._like(node, self._inside, 3, SAME)
        if same is None:
            self._keep(node)
        else:
            self._remove(node, "merged", same)

    def _take_below(
        self, parent: str, node: QuestionNode, other_depth: QuestionNode | None
    ) -> None:
        """A question of depth 1 or 2; `other_depth`: the one of the other depth that it is like."""
        if parent not in self._inside:
            self._remove(node, "orphan", None)
            return
        same = self._like(node, self._inside, node.depth, SAME)
        if other_depth is not None:
            why: Why = "like a shallower" if node.depth == 2 else "like a deeper"
            self._remove(node, why, other_depth)
            self.gaps[parent] += 1
        elif same is None:
            self._keep(node)
            self._below[parent].append(node.id)
        elif same.id in self._below[parent]:
            self._remove(node, "repeated", same)
            self.gaps[parent] += 1
        else:
            self._remove(node, "merged", same)
            self._below[parent].append(same.id)

    def _like(
        self, node: QuestionNode, among: Mapping[str, QuestionNode], depth: int, least: float
    ) -> QuestionNode | None:
        """The one of this depth that is most alike, of those that are at least so much alike; the
        first of equals."""
        near = self._alike.get(node.id, {})
        candidates = [name for name in near if name in among and among[name].depth == depth]
        best = max(candidates, key=near.__getitem__, default=None)
        return among[best] if best is not None and near[best] >= least else None

    def _keep(self, node: QuestionNode) -> None:
        self._inside[node.id] = node
        self._below[node.id] = []

    def _remove(self, node: QuestionNode, why: Why, like: QuestionNode | None) -> None:
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
        for root in [node for node in self._inside.values() if node.depth == 3]:
            self._visit(root.id, order)
        return tuple(
            self._inside[name].model_copy(update={"predecessors": tuple(self._below[name])})
            for name in order
        )

    def _visit(self, name: str, order: dict[str, None]) -> None:
        if name not in order:
            order[name] = None
            for below in self._below[name]:
                self._visit(below, order)


# where steps stand that are about what others have brought


def first_sieve(draft: Draft) -> str:
    """Where the first sifting of a draft stands."""
    return f"sift-{draft.digest}"


def second_sieve(first: Sifted, draft: Draft) -> str:
    """Where the sifting of what fills the gaps stands."""
    return f"settle-{_six(node.id for node in first.nodes)}-{draft.digest}"


def relation_place(node: QuestionNode) -> str:
    """Where the rating of a relation stands: it holds for these predecessors only."""
    return f"{node.id}@relation-{_six(node.predecessors)}"


def _six(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:6]
