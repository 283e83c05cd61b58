"""Which questions of a draft are one and the same (METHODS.md, section 4). Pure: how alike they are
is given.

Within a depth a likeness of at least .9 is one question. A question of depth 2 that is as much like
one of depth 1 is taken out, and so is one of depth 1 that is .8 to .9 like one of depth 2. Where a
question has lost a predecessor and gained none, there is a gap.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from ....state.depthqa.build import Removal, Why
from ....state.question_graph import QuestionNode
from .draft import parent_of

SAME = 0.9
NEAR = 0.8
Alike = Mapping[str, Mapping[str, float]]
"""Node → those that are at least .8 like it, and how much (0 … 1)."""


class Sieve:
    """Takes questions in, one by one, each with its parent already inside."""

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
