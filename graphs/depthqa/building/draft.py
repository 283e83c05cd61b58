"""A DepthQA graph in the making: what the journalled steps of deconstruction amount to. Pure."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from ....agents.paraphraser.open_question import without_verdict
from ....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    Removal,
    Rewritten,
    Sifted,
    SubQuestion,
    Why,
)
from ....state.depthqa.items import Depth, question_key
from ....state.depthqa.spec import DepthQABuildSpec, SourceQuestion
from ....state.items import BuildItem


def sub_id(parent: str, number: int, *, augmented: bool = False) -> str:
    """`q1.2`, or `q1.a2` for the second question that fills a gap. `number` counts from 1."""
    return f"{parent}.{'a' if augmented else ''}{number}"


@dataclass(frozen=True, slots=True)
class DraftNode:
    """A question with the one that it was written for."""

    id: str
    depth: Depth
    question: str
    reference: str
    parent: str | None
    domain: str = ""
    reasoning: tuple[str, ...] = ()
    augmented: bool = False


@dataclass(slots=True)
class Draft:
    """What there is before anything is compared."""

    nodes: list[DraftNode] = field(default_factory=list)
    """Parents before children."""
    removed: list[Removal] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Twelve hex digits over all that is compared."""
        told = [[node.id, node.question, node.parent, node.depth] for node in self.nodes]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()[:12]


class Reader:
    """Puts questions together from items by place: `q1@depth`, `q1@open`, `q1@reference`,
    `q1@parts`, `q1@more`."""

    def __init__(self, spec: DepthQABuildSpec, items: Iterable[BuildItem]) -> None:
        self.spec = spec
        self._items: Mapping[str, BuildItem] = {item.id.partition("/")[2]: item for item in items}
        self.draft = Draft()
        self.places: set[str] = set()
        """Places that were looked at: an item anywhere else has no part in the draft."""

    def item(self, place: str) -> BuildItem | None:
        """What stands at a place."""
        self.places.add(place)
        return self._items.get(place)

    def read(self) -> Draft:
        """The draft of all source questions."""
        for source in self.spec.questions:
            self._source(source)
        return self.draft

    def _source(self, source: SourceQuestion) -> None:
        why = self._unfit(source)
        reference = self.reference(source)
        if why is None and not reference:
            why = "no reference"
        question = self.open(source.id, source.question)
        if why is None and question is None:
            why = "yes or no"
        parts = self.item(f"{source.id}@parts")
        if why is None and not (isinstance(parts, Deconstructed) and parts.questions):
            why = "not deconstructed"
        if why is not None:
            self._drop(source.id, 3, source.question, why)
            return
        assert isinstance(parts, Deconstructed)  # said above
        assert question is not None
        reference = self.answer(source.id, reference)
        root = DraftNode(source.id, 3, question, reference, None, source.domain, parts.reasoning)
        self.draft.nodes.append(root)
        self.below(root, parts.questions)

    def _unfit(self, source: SourceQuestion) -> Why | None:
        told = self.item(f"{source.id}@depth")
        if not self.spec.classify:
            return None
        if not isinstance(told, Classified) or told.depth is None:
            return "unclassified"
        return None if told.depth == 3 else "not depth 3"

    def reference(self, source: SourceQuestion) -> str:
        """The reference answer: as it was given, else as it was written; empty where there is
        none."""
        written = self.item(f"{source.id}@reference")
        return source.reference.strip() or (
            written.text if isinstance(written, ReferenceWritten) else ""
        )

    def open(self, node: str, question: str) -> str | None:
        """The question as it is asked; None where it would be answered by yes or no and could not
        be rewritten."""
        rewritten = self.item(f"{node}@open")
        if not isinstance(rewritten, Rewritten):
            return question_key(question)
        return rewritten.text or None

    def answer(self, node: str, reference: str) -> str:
        """The reference as it answers the question that is asked in the end."""
        return without_verdict(reference) if self.item(f"{node}@open") else reference

    def below(
        self, parent: DraftNode, written: Sequence[SubQuestion], *, augmented: bool = False
    ) -> None:
        """The questions written for a parent, and all below them."""
        for number, sub in enumerate(written, 1):
            node_id = sub_id(parent.id, number, augmented=augmented)
            depth: Depth = parent.depth - 1
            question = self.open(node_id, sub.question)
            if question is None:
                self._drop(node_id, depth, sub.question, "yes or no")
                continue
            parts = self.item(f"{node_id}@parts")
            told = parts if isinstance(parts, Deconstructed) else None
            node = DraftNode(
                node_id,
                depth,
                question,
                self.answer(node_id, sub.reference),
                parent.id,
                parent.domain,
                told.reasoning if told else (),
                augmented,
            )
            self.draft.nodes.append(node)
            if told:
                self.below(node, told.questions)

    def _drop(self, node: str, depth: Depth, question: str, why: Why) -> None:
        self.draft.removed.append(
            Removal(
                node=node,
                depth=depth,
                question=question_key(question),
                reason=why,
            )
        )


def fillings(spec: DepthQABuildSpec, first: Sifted, items: Iterable[BuildItem]) -> Reader:
    """What was written to fill the gaps that the first sifting has left (places `q1@more`),
    read."""
    reader = Reader(spec, items)
    for node in first.nodes:
        more = reader.item(f"{node.id}@more") if node.id in first.gaps else None
        if isinstance(more, Deconstructed) and more.questions:
            parent = DraftNode(
                node.id, node.depth, node.question, node.reference, None, node.domain
            )
            reader.below(parent, more.questions[: first.gaps[node.id]], augmented=True)
    return reader
