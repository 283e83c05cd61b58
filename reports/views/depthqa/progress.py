"""What a reader of the event stream knows of a DepthQA run: sums and the newest ratings, not the answers."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ....graphs.depthqa.protocol import planned_questions
from ....state.depthqa.items import DepthAnswer, Material, Mode, QuestionGraph, Rating
from ....state.depthqa.result import Level
from ....state.depthqa.spec import DepthQASpec
from ....state.events import RunStarted, TreeClosed
from ....state.items import DepthQAItem

KEPT_RATINGS = 60
"""Newest ratings kept per run: as many as the tallest screen shows."""


class Planned(NamedTuple):
    """Steps of a run or a tree. Answers that are given count as steps too: they are handed in, not asked for."""

    answers: int = 0
    ratings: int = 0

    @property
    def steps(self) -> int:
        return self.answers + self.ratings


def planned_by_tree(spec: DepthQASpec, material: Material) -> tuple[Planned, ...]:
    """How many answers and ratings each tree of the graph consists of when nothing fails; an answer that several trees
    share counts in the first."""
    return tuple(Planned(len(own), sum(each.scored for each in own)) for own in planned_questions(spec, material))


def planned(spec: DepthQASpec, material: Material) -> Planned:
    """How many answers and ratings a run consists of when nothing fails."""
    trees = planned_by_tree(spec, material)
    return Planned(sum(tree.answers for tree in trees), sum(tree.ratings for tree in trees))


@dataclass(slots=True)
class Mean:
    """A sum of scores and their number."""

    total: float = 0.0
    number: int = 0

    def add(self, score: float, instead_of: float | None = None) -> None:
        """One more score, or another in the place of one."""
        self.total += score - (instead_of or 0.0)
        self.number += instead_of is None

    @property
    def value(self) -> float | None:
        """None without any."""
        return self.total / self.number if self.number else None


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating, or an answer that did not come about, as one line shows it."""

    id: str
    nodes: tuple[str, ...]
    mode: Mode
    conversation: str | None
    score: int | None
    note: str
    """Why there is no score; empty where there is one."""
    question: str
    elapsed_s: float


@dataclass(slots=True)
class OpenTree:
    """A tree that is being worked on."""

    index: int
    again: bool = False
    """It was closed before, and what a fault took is asked for once more."""
    answers: int = 0
    ratings: int = 0
    unrated: int = 0
    """Answers that did not come about, so that there is nothing to rate."""
    failed: set[str] = field(default_factory=set)
    """Those of its steps, as counted here, that came to nothing."""


@dataclass(slots=True)
class DepthQAProgress:
    """One run. Its counts are of finished steps; one that was done again counts once, as it came out last."""

    spec: DepthQASpec
    graph: QuestionGraph | None = None
    """None in a stream that is read from its middle."""
    planned: tuple[Planned, ...] = ()
    """By tree; empty without the graph."""
    answers: int = 0
    ratings: int = 0
    open: dict[int, OpenTree] = field(default_factory=dict)
    """By index in the graph's list, in the order they were begun."""
    closed: set[int] = field(default_factory=set)
    means: dict[tuple[Mode, Level], Mean] = field(default_factory=dict)
    """Over all questions rated so far, those of open trees too."""
    newest: deque[Rated] = field(default_factory=lambda: deque(maxlen=KEPT_RATINGS))
    """The newest first."""
    _turns: dict[str, Mean] = field(default_factory=dict)
    """Multi-turn: node → its scores, of which the mean counts: it may be a turn of several conversations."""
    _failed: dict[str, bool] = field(default_factory=dict)
    """Steps that came to nothing → whether a rating cannot be had for that; if the run goes on they may be done
    again."""

    def begin(self, spec: DepthQASpec, started: RunStarted | None) -> None:
        """The run begins, or goes on."""
        self.spec = spec
        if started is not None and (material := started.material) is not None:
            self.graph, self.planned = material.graph, planned_by_tree(spec, material)

    def take(self, item: DepthQAItem) -> None:
        """A step is finished; one that had come to nothing takes its own place."""
        again = item.id in self._failed
        takes_rating = isinstance(item, DepthAnswer) and item.scored and item.fault is not None
        self._failed.pop(item.id, None)
        if item.fault is not None:
            self._failed[item.id] = takes_rating
        tree = self.open.setdefault(item.tree, OpenTree(item.tree, again=item.tree in self.closed))
        counted = item.id in tree.failed  # not so when the tree was closed in between
        tree.unrated += takes_rating - (counted and isinstance(item, DepthAnswer) and item.scored)
        (tree.failed.add if item.fault is not None else tree.failed.discard)(item.id)
        if isinstance(item, DepthAnswer):
            self.answers += not again
            tree.answers += not counted
        else:
            self.ratings += not again
            tree.ratings += not counted
        if isinstance(item, Rating) or item.fault is not None:
            self._show(item, again=again)

    def close(self, event: TreeClosed) -> None:
        """All about a tree is there."""
        self.open.pop(event.index, None)
        self.closed.add(event.index)

    @property
    def trees(self) -> int:
        """Trees there are; those known of, without the graph."""
        return len(self.planned) or len(self.open.keys() | self.closed)

    @property
    def unscored(self) -> int:
        """Steps that came to nothing."""
        return len(self._failed)

    @property
    def progress(self) -> tuple[Planned, Planned]:
        """Finished steps, and how many there will be as far as is known: what did not come about is not rated."""
        ratings = sum(tree.ratings for tree in self.planned) - sum(self._failed.values())
        answers = sum(tree.answers for tree in self.planned)
        done = Planned(self.answers, self.ratings)
        return done, Planned(max(answers, done.answers), max(ratings, done.ratings))

    def expected(self, tree: OpenTree) -> Planned:
        """The same of a tree."""
        whole = self.planned[tree.index] if tree.index < len(self.planned) else Planned()
        return Planned(max(whole.answers, tree.answers), max(whole.ratings - tree.unrated, tree.ratings))

    @property
    def unbegun(self) -> int:
        """Trees of which nothing is finished."""
        return self.trees - len(self.open.keys() | self.closed)

    def mean(self, mode: Mode, level: Level = "overall") -> Mean:
        """Of the scores so far."""
        return self.means.get((mode, level), Mean())

    def question(self, node_id: str) -> str:
        """A node's question; empty where it is not known."""
        node = self.graph.by_id.get(node_id) if self.graph else None
        return node.question if node else ""

    def _show(self, item: DepthQAItem, *, again: bool) -> None:
        score = item.score if isinstance(item, Rating) else None
        if score is not None:
            self._count(item, score)
        if again:
            self.newest = deque((one for one in self.newest if one.id != item.id), maxlen=KEPT_RATINGS)
        note = f"{item.fault.stage}: {item.fault.kind}" if item.fault else ""
        question = self.question(item.nodes[0]) if item.nodes else ""
        self.newest.appendleft(
            Rated(item.id, item.nodes, item.mode, item.conversation, score, note, question, item.elapsed_s)
        )

    def _count(self, item: DepthQAItem, score: float) -> None:
        before: float | None = None
        if item.mode == "multi-turn":
            turns = self._turns.setdefault(item.nodes[0], Mean())
            before = turns.value
            turns.add(score)
            score = turns.value or score
        for level in self._levels(item.nodes):
            self.means.setdefault((item.mode, level), Mean()).add(score, before)

    def _levels(self, nodes: Iterable[str]) -> list[Level]:
        """The depths of the nodes, each once, and overall."""
        known = self.graph.by_id if self.graph else {}
        levels: dict[int, Level] = {1: "D1", 2: "D2", 3: "D3"}
        depths = {known[node].depth for node in nodes if node in known}
        return [*(levels[depth] for depth in sorted(depths)), "overall"]
