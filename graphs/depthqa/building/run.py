"""One build of a DepthQA graph: its steps, and what was sifted of what they have brought."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from ....state.depthqa.build import Sifted
from ....state.depthqa.items import QuestionNode
from ....state.items import BuildItem, build_items
from ...step import Step
from .draft import Draft, Reader, fillings
from .result import first_sieve, second_sieve
from .sift import NEAR, Alike, Sieve, open_gaps
from .tree import Deconstruction


class Build(Deconstruction):
    """Remembers the two siftings: to find one in the journal takes as long as reading all of it."""

    _first: Sifted | None = None
    _last: Sifted | None = None
    _indexed: tuple[Sifted, dict[str, QuestionNode]] | None = None

    async def sift(self) -> Sifted:
        """What is alike becomes one."""
        draft = Reader(self.spec, self._items()).read()

        async def make(step: Step) -> Sifted:
            sieve = Sieve(await self._alike(draft, ()))
            sieve.take(draft.nodes)
            nodes = sieve.nodes()
            gaps = open_gaps(sieve.gaps, {node.id for node in nodes})
            removed = (*draft.removed, *sieve.removed)
            return Sifted(
                **step.fields(),
                settled=False,
                nodes=nodes,
                removed=removed,
                gaps=gaps,
            )

        self._first = await self.do(f"{self.short_id}/{first_sieve(draft)}", make, tree=0)
        return self._first

    async def settle(self) -> Sifted:
        """What was written to fill gaps must not be there already."""
        first = await self.first()
        draft = fillings(self.spec, first, self._items()).draft

        async def make(step: Step) -> Sifted:
            sieve = Sieve(await self._alike(draft, first.nodes), first.nodes)
            sieve.take(draft.nodes)
            nodes = sieve.nodes()
            gaps = open_gaps(_still_open(first, draft, sieve), {node.id for node in nodes})
            removed = (*draft.removed, *sieve.removed)
            return Sifted(
                **step.fields(),
                settled=True,
                nodes=nodes,
                removed=removed,
                gaps=gaps,
            )

        self._last = await self.do(f"{self.short_id}/{second_sieve(first, draft)}", make, tree=0)
        return self._last

    async def first(self) -> Sifted:
        """What was sifted before gaps were filled."""
        return self._first or await self.sift()

    async def last(self) -> Sifted:
        """What was sifted after that."""
        return self._last or await self.settle()

    async def fill(self, name: str) -> None:
        """The gap below a question."""
        first = await self.first()
        nodes = self._nodes(first)
        node = nodes[name]
        kept = [nodes[below].question for below in node.predecessors]
        lost = [gone.question for gone in first.removed if gone.node.rpartition(".")[0] == name]
        await self.gap(node, self.tree_of(name), kept, lost, first.gaps[name])

    async def relate(self, name: str) -> None:
        """A question and its predecessors."""
        nodes = self._nodes(await self.last())
        node = nodes[name]
        await self.relation(node, [nodes[below] for below in node.predecessors], self.tree_of(name))

    def _nodes(self, sifted: Sifted) -> Mapping[str, QuestionNode]:
        if self._indexed is None or self._indexed[0] is not sifted:
            self._indexed = sifted, {node.id: node for node in sifted.nodes}
        return self._indexed[1]

    def tree_of(self, node: str) -> int:
        """The source question that a node was written for: its id begins with that one's."""
        while node not in self._sources:
            node = node.rpartition(".")[0]
        return self._sources[node]

    @cached_property
    def _sources(self) -> dict[str, int]:
        return {source.id: place for place, source in enumerate(self.spec.questions)}

    def _items(self) -> list[BuildItem]:
        return build_items(self.deps.sink.items(self.run_id))

    async def _alike(self, draft: Draft, fixed: Sequence[QuestionNode]) -> Alike:
        texts = {node.id: node.question for node in fixed} | {
            node.id: node.question for node in draft.nodes
        }
        names = list(texts)
        alike: dict[str, dict[str, float]] = {}
        for (one, other), likeness in (
            await self.deps.similarity.pairs(list(texts.values()), NEAR)
        ).items():
            alike.setdefault(names[one], {})[names[other]] = likeness
            alike.setdefault(names[other], {})[names[one]] = likeness
        # the first of equals wins, whatever the order in which they were found
        places = {name: place for place, name in enumerate(names)}
        return {
            name: dict(sorted(near.items(), key=lambda pair: places[pair[0]]))
            for name, near in alike.items()
        }


def _still_open(first: Sifted, draft: Draft, sieve: Sieve) -> Mapping[str, int]:
    """Gaps that were there and are not filled, and those that have come below what filled
    others."""
    gaps = {**sieve.gaps}
    for name, gap in first.gaps.items():
        written = sum(node.parent == name for node in draft.nodes)
        gaps[name] = gap - written + sieve.gaps[name]
    return gaps
