"""What a reader of the event stream knows of building a DepthQA graph, and what each of its steps says in words."""

from collections import Counter, deque
from dataclasses import dataclass, field

from .....state.depthqa.build import Classified, Deconstructed, ReferenceWritten, RelationChecked, Rewritten, Sifted
from .....state.depthqa.spec import DepthQABuildSpec
from .....state.events import RunStarted
from .....state.items import BuildItem
from ....page import figures
from ....page.sanitise import one_line

KEPT_STEPS = 60
"""Newest steps kept per run: as many as the tallest screen shows."""
KINDS = {
    "classified": "classified",
    "reference": "references",
    "deconstructed": "taken apart",
    "rewritten": "asked openly",
    "sifted": "sifted",
    "relation": "relations rated",
}
"""What the steps are called when they are counted, in their order."""
DONE, DROPPED, LOST = "correct", "warning", "unscored"
"""Styles of a step that went well, of one that takes a question out, and of one that came to nothing for a fault."""
SIGNS = {DONE: "✓", DROPPED: "–", LOST: "?"}
BUILD_LEGEND = "✓ done – taken out ? lost to a fault"


@dataclass(frozen=True, slots=True)
class Built:
    """A finished step, as one line shows it."""

    id: str
    style: str
    said: str
    elapsed_s: float


def built_of(item: BuildItem) -> Built:
    """The step in words, harmless to a terminal."""
    if item.fault is not None:
        why = f"{item.fault.stage}: {item.fault.kind} ({one_line(item.fault.message)})"
        return Built(item.id, LOST, why, item.elapsed_s)
    style, said = _said(item)
    return Built(item.id, style, one_line(said), item.elapsed_s)


def _said(item: BuildItem) -> tuple[str, str]:
    match item:
        case Classified():
            return (DONE if item.depth == 3 else DROPPED), f"depth {item.depth}: {item.reason}"
        case ReferenceWritten():
            return DONE, f"reference written: {item.text}"
        case Deconstructed():
            what = figures.count(len(item.questions), "question")
            said = f"{what} to fill a gap" if item.gap else f"{what} one depth below"
            return (DONE if item.questions else DROPPED), said
        case Rewritten():
            return (DONE, f"{item.before} → {item.text}") if item.text else (DROPPED, f"{item.before}: {item.dropped}")
        case Sifted():
            return DONE, sifted_words(item)
        case RelationChecked():
            return DONE, relation_words(item)


def sifted_words(item: Sifted) -> str:
    """`43 questions are left, 5 taken out, 2 gaps`."""
    gaps = sum(item.gaps.values())
    left = figures.count(len(item.nodes), "question is left", "questions are left")
    out = f"{len(item.removed):,} taken out" if item.removed else ""
    holes = figures.count(gaps, "gap stays" if item.settled else "gap", "gaps stay" if item.settled else "gaps")
    return figures.joined([left, out, holes if gaps else ""], ", ")


def relation_words(item: RelationChecked) -> str:
    """`comprehensive; 3 implicit, 1 revealing`."""
    counted = Counter(item.implicit.values())
    return figures.joined(
        [str(item.comprehensive), ", ".join(f"{number} {name}" for name, number in counted.items())], "; "
    )


@dataclass(slots=True)
class BuildProgress:
    """One run. Its counts are of finished steps; one that was done again counts once, as it came out last."""

    spec: DepthQABuildSpec
    kinds: Counter[str] = field(default_factory=Counter)
    """Finished steps by the type of their items."""
    written: Counter[int] = field(default_factory=Counter)
    """Questions that were written, by depth."""
    apart: set[str] = field(default_factory=set)
    """Questions of depth 3 and 2 that are taken apart, or that turned out not to be worth it."""
    filled: int = 0
    """Gaps that were asked about."""
    sifted: Sifted | None = None
    """The last sifting; what is after it follows from it."""
    newest: deque[Built] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    """The newest first."""
    _failed: set[str] = field(default_factory=set)

    def begin(self, spec: DepthQABuildSpec, started: RunStarted | None) -> None:
        """The run begins, or goes on."""
        self.spec = spec

    @property
    def lost(self) -> int:
        """Steps that came to nothing for a fault."""
        return len(self._failed)

    def take(self, item: BuildItem) -> None:
        """A step is finished; one that had come to nothing takes its own place."""
        again = item.id in self._failed
        (self._failed.add if item.fault is not None else self._failed.discard)(item.id)
        self.kinds[item.type] += not again
        self._note(item, again=again)
        if again:
            self.newest = deque((one for one in self.newest if one.id != item.id), maxlen=KEPT_STEPS)
        self.newest.appendleft(built_of(item))

    def _note(self, item: BuildItem, *, again: bool) -> None:
        sources = self._sources
        if isinstance(item, Deconstructed):
            self.written[2 if item.node in sources else 1] += len(item.questions)
            self.filled += item.gap and not again
            if not item.gap:
                self.apart.add(item.node)
        elif isinstance(item, ReferenceWritten | Rewritten) and not item.text:
            if sources & {item.node, item.node.rpartition(".")[0]}:  # those of depth 1 are not taken apart
                self.apart.add(item.node)
        elif isinstance(item, Classified) and item.depth != 3 and item.tree < len(self.spec.questions):
            self.apart.add(self.spec.questions[item.tree].id)
        elif isinstance(item, Sifted):
            self.sifted = item.model_copy(update={"prompt": (), "calls": ()})

    @property
    def _sources(self) -> set[str]:
        return {source.id for source in self.spec.questions}

    @property
    def phase(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        if self.sifted is None:
            return "questions taken apart", len(self.apart), len(self.spec.questions) + self.written[2]
        if not self.sifted.settled:
            return "gaps filled", self.filled, max(self.filled, len(self.sifted.gaps))
        if self.spec.check:
            rated, relations = self.kinds["relation"], sum(bool(node.predecessors) for node in self.sifted.nodes)
            return "relations rated", rated, max(rated, relations)
        return "questions", len(self.sifted.nodes), len(self.sifted.nodes)

    def counts(self) -> list[str]:
        """Finished steps by kind, and the questions written."""
        parts = [f"{words} {self.kinds[kind]:,}" for kind, words in KINDS.items() if self.kinds[kind]]
        written = ", ".join(f"{self.written[depth]:,} D{depth}" for depth in (2, 1) if self.written[depth])
        return [*parts, *([f"written {written}"] if written else [])]
