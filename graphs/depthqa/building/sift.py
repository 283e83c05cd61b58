"""Which questions of a draft are one and the same (METHODS.md, section 4). Pure: how alike they are
is given.

Within a depth a likeness of at least .9 is one question. A question of depth 2 that is as much like
one of depth 1 is taken out, and so is one of depth 1 that is .8 to .9 like one of depth 2. Where a
question has lost a predecessor and gained none, there is a gap.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from ....state.depthqa.build import Removal, Why
from ....state.depthqa.items import QuestionNode
from .draft import DraftNode

SAME = 0.9
NEAR = 0.8
Alike = Mapping[str, Mapping[str, float]]
"""Node → those that are at least .8 like it, and how much (0 … 1)."""


class Sieve:
    """Takes questions in, one by one, each with its parent already inside."""

    def __init__(self, alike: Alike, fixed: Sequence[QuestionNode] = ()) -> None:
        """`fixed`: questions that stay whatever comes."""
        self._alike = alike
        self._kept: dict[str, DraftNode] = {}
        self._below: dict[str, list[str]] = {}
        """Question → its predecessors."""
        self.removed: list[Removal] = []
        self.gaps: Counter[str] = Counter()
        for node in fixed:
            self._kept[node.id] = DraftNode(
                node.id,
                node.depth,
                node.question,
                node.reference,
                None,
                node.domain,
                node.reasoning,
                node.augmented,
            )
            self._below[node.id] = list(node.predecessors)

    def take(self, nodes: Iterable[DraftNode]) -> None:
        """Sift new questions, the deepest first; parents stand before their children."""
        new = list(nodes)
        shallow = {node.id: node for node in (*self._kept.values(), *new) if node.depth == 1}
        for node in (node for node in new if node.depth == 3):
            self._take_root(node)
        for node in (node for node in new if node.depth == 2):
            self._take_one(node, self._like(node, shallow, 1, SAME))
        for node in (node for node in new if node.depth == 1):
            self._take_one(node, self._like(node, self._kept, 2, NEAR))

    def _take_root(self, node: DraftNode) -> None:
        same = self._like(node, self._kept, 3, SAME)
        if same is not None:
            self._remove(node, "merged", same)
        else:
            self._keep(node)

    def _take_one(self, node: DraftNode, other_depth: DraftNode | None) -> None:
        """A question of depth 1 or 2; `other_depth`: the one of the other depth that it is like."""
        assert node.parent is not None  # only a root has none
        if node.parent not in self._kept:
            self._remove(node, "orphan", None)
            return
        if other_depth is not None:
            self._remove(
                node, "like a shallower" if node.depth == 2 else "like a deeper", other_depth
            )
            self.gaps[node.parent] += 1
            return
        same = self._like(node, self._kept, node.depth, SAME)
        if same is None:
            self._keep(node)
            self._below[node.parent].append(node.id)
        elif same.id in self._below[node.parent]:
            self._remove(node, "repeated", same)
            self.gaps[node.parent] += 1
        else:
            self._remove(node, "merged", same)
            self._below[node.parent].append(same.id)

    def _like(
        self, node: DraftNode, among: Mapping[str, DraftNode], depth: int, least: float
    ) -> DraftNode | None:
        """The one of this depth that is most alike, of those that are at least so much alike; the
        first of equals."""
        near = self._alike.get(node.id, {})
        found = [among[other] for other in near if other in among and among[other].depth == depth]
        best = max(found, key=lambda other: near[other.id], default=None)
        return best if best is not None and near[best.id] >= least else None

    def _keep(self, node: DraftNode) -> None:
        self._kept[node.id] = node
        self._below[node.id] = []

    def _remove(self, node: DraftNode, why: Why, like: DraftNode | None) -> None:
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
        for root in [node for node in self._kept.values() if node.depth == 3]:
            self._visit(root.id, order)
        return tuple(self._node(node_id) for node_id in order)

    def _visit(self, node_id: str, order: dict[str, None]) -> None:
        if node_id not in order:
            order[node_id] = None
            for below in self._below[node_id]:
                self._visit(below, order)

    def _node(self, node_id: str) -> QuestionNode:
        node = self._kept[node_id]
        return QuestionNode(
            id=node.id,
            depth=node.depth,
            question=node.question,
            reference=node.reference,
            predecessors=tuple(self._below[node_id]),
            domain=node.domain,
            reasoning=node.reasoning,
            augmented=node.augmented,
        )


def open_gaps(gaps: Mapping[str, int], kept: Collection[str]) -> dict[str, int]:
    """Gaps of questions that are still there."""
    return {node: number for node, number in gaps.items() if number > 0 and node in kept}
