"""What is true of a simulated model's knowledge at three depths: the figures that a measurement has to find again.

Scores of one world follow from `knowing` alone. Expected figures are means over many worlds of what a measurement
of each, with a judge that does not err, would show.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...state.depthqa.items import DEPTHS, HIGH, SCALE, Mode, QuestionGraph, question_key
from ...state.spec import WorldSpec
from ..personas import Persona
from ..world import World
from .knowing import Help, Mind, Settled, score_of
from .nodes import DeepQuestion
from .questions import recognise
from .rating import is_right

Scores = dict[str, float]
"""Node → its score; nodes that a mode does not ask are missing."""
PAIRS = {"D2 → D3": (2, 3), "D1 → D2": (1, 2)}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """As METHODS.md, section 4, has it; None where no node counts."""

    average: float | None
    frequency: float | None
    intensity: float | None


@dataclass(frozen=True, slots=True)
class TrueNumbers:
    """Keys as in `state.depthqa.result`: D1 (not in the prompt modes), D2, D3, overall; D2 → D3, D1 → D2, overall."""

    accuracy: Mapping[str, float | None]
    forward: Mapping[str, Discrepancy]
    backward: Mapping[str, Discrepancy]


def true_scores(world: World, persona: Persona, graph: QuestionGraph, mode: Mode) -> Scores:
    """The score of every node that the mode asks, in one world. In a conversation that is the mean over those in which
    the node is a turn. A question that this world does not know scores 1."""
    return _Plan(graph).scores(world, persona, mode)


def true_numbers(persona: Persona, graph: QuestionGraph, mode: Mode, seeds: Iterable[int] = range(300)) -> TrueNumbers:
    """Expected figures: means over the worlds of these seeds, those aside in which a figure does not exist."""
    plan = _Plan(graph)
    worlds = [plan.numbers(plan.scores(World(WorldSpec(seed=seed)), persona, mode), mode) for seed in seeds]
    return TrueNumbers(
        accuracy={level: _mean(one.accuracy[level] for one in worlds) for level in worlds[0].accuracy},
        forward={pair: _mean_gap([one.forward[pair] for one in worlds]) for pair in worlds[0].forward},
        backward={pair: _mean_gap([one.backward[pair] for one in worlds]) for pair in worlds[0].backward},
    )


def numbers_of(graph: QuestionGraph, scores: Mapping[str, float], mode: Mode = "zero-shot") -> TrueNumbers:
    """The figures of one set of scores, straight from their definitions."""
    return _Plan(graph).numbers(scores, mode)


class _Plan:
    """A graph with what can be said of it once for all worlds."""

    def __init__(self, graph: QuestionGraph) -> None:
        self._graph = graph
        self._known: dict[str, DeepQuestion | None] = {node.id: recognise(node.question) for node in graph.nodes}
        self._gold = {node.id: is_right(node.question, node.reference) for node in graph.nodes}

    def scores(self, world: World, persona: Persona, mode: Mode) -> Scores:
        mind = Mind(world, persona)
        if mode == "zero-shot":
            return {
                node_id: _score(question, self._settled(mind, question)) for node_id, question in self._known.items()
            }
        if mode == "multi-turn":
            return self._conversations(mind)
        scores: Scores = {}
        for node in self._graph.nodes:
            if node.predecessors:
                right = (self._quoted_right(mind, before, mode) for before in node.predecessors)
                question = self._known[node.id]
                scores[node.id] = _score(question, self._settled(mind, question, "with_context", fmean(right)))
        return scores

    def _quoted_right(self, mind: Mind, node_id: str, mode: Mode) -> bool:
        question = self._known[node_id]
        if mode == "prompt-gold":
            return self._gold[node_id]
        return question is not None and mind.right(question)

    @staticmethod
    def _settled(
        mind: Mind, question: DeepQuestion | None, help_: Help | None = None, share: float = 0.0
    ) -> Settled | None:
        return mind.settled(question, help_, share) if question is not None else None

    def _conversations(self, mind: Mind) -> Scores:
        """One for each node with predecessors, and for what stands alone: the predecessors in order, then the node
        itself, unless it leads on and so is a turn of another one."""
        found: dict[str, list[float]] = {}
        for node in self._graph.nodes:
            last = () if self._graph.successors[node.id] else (node.id,)
            right: list[bool] = []
            for turn in (*node.predecessors, *last):
                question = self._known[turn]
                share = fmean(right) if right else 0.0
                settled = self._settled(mind, question, "guided", share)
                found.setdefault(turn, []).append(_score(question, settled))
                right.append(settled is not None and settled.right)
        return {node_id: fmean(scores) for node_id, scores in found.items()}

    def numbers(self, scores: Mapping[str, float], mode: Mode) -> TrueNumbers:
        graph = self._graph
        before = {node.id: node.predecessors for node in graph.nodes}
        return TrueNumbers(
            accuracy=self._accuracy(scores, mode),
            forward=self._gaps(scores, before, deeper=True),
            backward=self._gaps(scores, graph.successors, deeper=False),
        )

    def _accuracy(self, scores: Mapping[str, float], mode: Mode) -> dict[str, float | None]:
        """Means over answers: an answer that several nodes share counts once."""
        once: dict[object, tuple[int, float]] = {}
        for node in self._graph.nodes:
            if node.id in scores:
                asked = tuple(question_key(self._graph.by_id[before].question) for before in node.predecessors)
                way = {"zero-shot": (), "multi-turn": (node.id,)}.get(mode, asked)
                once.setdefault((question_key(node.question), way), (node.depth, scores[node.id]))
        asked_about = (2, 3) if mode.startswith("prompt") else DEPTHS
        levels = {f"D{depth}": [s for d, s in once.values() if d == depth] for depth in asked_about}
        levels["overall"] = [score for _, score in once.values()]
        return {level: _mean(found) for level, found in levels.items()}

    def _gaps(
        self, scores: Mapping[str, float], neighbours: Mapping[str, Sequence[str]], *, deeper: bool
    ) -> dict[str, Discrepancy]:
        found: dict[int, list[float]] = {1: [], 2: [], 3: []}
        for node in self._graph.nodes:
            around = [scores[other] for other in neighbours[node.id] if other in scores]
            if node.id in scores and around and sum(around) >= HIGH * len(around):
                found[node.depth].append(max(0.0, fmean(around) - scores[node.id]) / SCALE)
        pairs = {pair: found[high if deeper else low] for pair, (low, high) in PAIRS.items()}
        return {pair: _gap(gaps) for pair, gaps in pairs.items()} | {
            "overall": _gap([gap for gaps in pairs.values() for gap in gaps])
        }


def _score(question: DeepQuestion | None, settled: Settled | None) -> int:
    if question is None or settled is None:
        return 1
    return 5 if settled.right else score_of(settled.parts, len(question.parts)) if question.parts else 1


def _gap(gaps: Sequence[float]) -> Discrepancy:
    positive = [gap for gap in gaps if gap > 0]
    frequency = len(positive) / len(gaps) if gaps else None
    return Discrepancy(_mean(gaps), frequency, _mean(positive))


def _mean_gap(gaps: Sequence[Discrepancy]) -> Discrepancy:
    return Discrepancy(
        _mean(gap.average for gap in gaps),
        _mean(gap.frequency for gap in gaps),
        _mean(gap.intensity for gap in gaps),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
