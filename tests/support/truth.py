"""What is true of a simulated model: the figures that a measurement has to find again, as the
expectation over the law of the draws, never the draws of a run itself. For a drill the truth is
`World.knows`.

Explain-Query-Test, in closed form (`sim.eqt`). A question has W options and one right set, R.
There are W wrong sets: R with option i taken out or put in, i = 1 … W. *Settling* a question gives
R with probability a, the accuracy, and each wrong set with w = (1 − a)/W. Every question has one
settled base set. Each of its n askings, whose texts all differ, independently keeps to the base set
with probability 1 − u, and is settled anew with u, the instability.

Accuracy. An asking shows either the base set or a newly settled one; both are R with probability a,
so that its expected share is a whatever u is.

Consistency. With |U| the number of different sets among the n askings, ACS = 1 − (|U| − 1)/n, and
E|U| = Σ over sets s of P(s appears). Given the base set b, each asking shows s with probability
p(s|b) = (1 − u)·[s = b] + u·q(s), where q(R) = a and q(wrong) = w, and the askings are independent,
so that P(s appears | b) = 1 − (1 − p(s|b))ⁿ. The cases:

- b = R, probability a: R appears with 1 − (u(1 − a))ⁿ, each of the W wrong sets with 1 − (1 − uw)ⁿ;
- b wrong, probability 1 − a: b appears with 1 − (u(1 − w))ⁿ, R with 1 − (1 − ua)ⁿ, each of the W −
  1 other wrong sets with 1 − (1 − uw)ⁿ.

Nothing here allows for faults of the infrastructure, which take answers away.

DepthQA. Scores of one world follow from `sim.depthqa` alone. Expected figures are means over
many worlds, of which no measurement takes one, of what a measurement of each with a judge that does
not err would show.

LibraryQuestion, in closed form: solve·(1 − mislead)^k with k distractors, and `create`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from fathom.sim.deepquestion import solve
from fathom.sim.depthqa import (
    LibraryQuestion,
    is_able,
    is_right,
    recognise,
    right_parts,
    score_of,
)
from fathom.sim.drill import concerns
from fathom.sim.eqt import FORESIGHT
from fathom.sim.faulty import Flaw, read_question
from fathom.sim.personas import PERSONAS, Persona
from fathom.sim.world import Task, World
from fathom.state.depthqa.items import HIGH, SCALE
from fathom.state.question_graph import DEPTHS, Mode, QuestionGraph, question_key
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier

Mind = tuple[World, Persona]
Scores = dict[str, float]
"""Node → its score; nodes that a mode does not ask are missing."""
PAIRS = {"D2 → D3": (2, 3), "D1 → D2": (1, 2)}
WORLDS = range(1_000_000, 1_002_000)
"""Seeds of the worlds that expected figures of DepthQA are means over."""


def true_accuracy(persona: Persona, tier: Tier = Tier.COMMON) -> float:
    """Expected share of exactly right closed-book answers; for a named persona to questions of one
    tier."""
    return persona.chance(tier)


def true_open_book(persona: Persona, tier: Tier = Tier.COMMON) -> float:
    """Expected share of exactly right answers with the explanation at hand: 1 − (1 − a)/5."""
    return 1.0 - (1.0 - persona.chance(tier)) / FORESIGHT


def true_different(accuracy: float, instability: float, askings: int, options: int) -> float:
    """E|U|, the expected number of different answer sets among n askings (≥ 1) of a question with W
    options."""
    a, u, n, wrong = accuracy, instability, askings, (1.0 - accuracy) / options
    other = _appears(u * wrong, n)
    base_right = _appears(1.0 - u + u * a, n) + options * other
    base_wrong = _appears(1.0 - u + u * wrong, n) + _appears(u * a, n) + (options - 1) * other
    return a * base_right + (1.0 - a) * base_wrong


def true_acs(accuracy: float, instability: float, askings: int, options: int) -> float:
    """Expected ACS = 1 − (E|U| − 1)/n of a question with `options` options that was asked n = k + 1
    times."""
    return 1.0 - (true_different(accuracy, instability, askings, options) - 1.0) / askings


def true_acs_normalised(
    accuracy: float, instability: float, askings: int, options: int
) -> float:
    """Expected (n − |U|)/(n − 1); n ≥ 2."""
    return (askings - true_different(accuracy, instability, askings, options)) / (askings - 1)


def _appears(share: float, askings: int) -> float:
    """Chance that what each asking shows with this chance appears at least once."""
    return 1.0 - (1.0 - share) ** askings


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """As METHODS.md, section 4, has it; None where no node counts."""

    average: float | None
    frequency: float | None
    intensity: float | None


@dataclass(frozen=True, slots=True)
class TrueNumbers:
    """Keys as in `state.depthqa.result`: D1 (not in the prompt modes), D2, D3, overall; D2 → D3, D1
    → D2, overall."""

    accuracy: Mapping[str, float | None]
    forward: Mapping[str, Discrepancy]
    backward: Mapping[str, Discrepancy]


def true_scores(world: World, persona: Persona, graph: QuestionGraph, mode: Mode) -> Scores:
    """The score of every node that the mode asks, in one world. In a conversation that is the mean
    over those in which the node is a turn. A question that this world does not know scores 1."""
    return _Plan(graph).scores(world, persona, mode)


def true_numbers(
    persona: Persona, graph: QuestionGraph, mode: Mode, seeds: Iterable[int] = WORLDS
) -> TrueNumbers:
    """Expected figures: means over the worlds of these seeds, those aside in which a figure does
    not exist."""
    plan = _Plan(graph)
    worlds = [
        plan.numbers(plan.scores(World(WorldSpec(seed=seed)), persona, mode), mode)
        for seed in seeds
    ]
    return TrueNumbers(
        accuracy={
            level: _mean(one.accuracy[level] for one in worlds) for level in worlds[0].accuracy
        },
        forward={
            pair: _mean_gap([one.forward[pair] for one in worlds]) for pair in worlds[0].forward
        },
        backward={
            pair: _mean_gap([one.backward[pair] for one in worlds])
            for pair in worlds[0].backward
        },
    )


def numbers_of(
    graph: QuestionGraph, scores: Mapping[str, float], mode: Mode = "zero-shot"
) -> TrueNumbers:
    """The figures of one set of scores, straight from their definitions."""
    return _Plan(graph).numbers(scores, mode)


class _Plan:
    """A graph with what can be said of it once for all worlds."""

    def __init__(self, graph: QuestionGraph) -> None:
        self._graph = graph
        self._known: dict[str, LibraryQuestion | None] = {
            node.id: recognise(node.question) for node in graph.nodes
        }
        self._gold = {node.id: is_right(node.question, node.reference) for node in graph.nodes}
        self._before = {node.id: node.predecessors for node in graph.nodes}
        self._once: dict[Mode, list[tuple[str, str]]] = {}

    def scores(self, world: World, persona: Persona, mode: Mode) -> Scores:
        mind = (world, persona)
        if mode == "zero-shot":
            return {name: _asked(mind, question)[1] for name, question in self._known.items()}
        if mode == "multi-turn":
            return self._conversations(mind)
        scores: Scores = {}
        for name, before in self._before.items():
            if before:
                quoted = [self._known[other] for other in before]
                right = [q is not None and is_able(*mind, q) for q in quoted]
                if mode == "prompt-gold":
                    right = [self._gold[other] for other in before]
                scores[name] = _asked(mind, self._known[name], fmean(right))[1]
        return scores

    def _conversations(self, mind: Mind) -> Scores:
        """One for each node with predecessors, and for what stands alone: the predecessors in
        order, then the node itself, unless it leads on and so is a turn of another one."""
        found: dict[str, list[float]] = {}
        for name, before in self._before.items():
            right: list[bool] = []
            for turn in (*before, *(() if self._graph.successors[name] else (name,))):
                was_right, score = _asked(
                    mind, self._known[turn], fmean(right) if right else 0.0
                )
                found.setdefault(turn, []).append(score)
                right.append(was_right)
        return {name: fmean(scores) for name, scores in found.items()}

    def numbers(self, scores: Mapping[str, float], mode: Mode) -> TrueNumbers:
        levels: dict[str, list[float]] = {
            f"D{depth}": [] for depth in DEPTHS[mode.startswith("prompt") :]
        }
        for level, name in self._answers(scores, mode):
            levels[level].append(scores[name])
        levels["overall"] = [score for found in levels.values() for score in found]
        return TrueNumbers(
            accuracy={level: _mean(found) for level, found in levels.items()},
            forward=self._gaps(scores, self._before, deeper=True),
            backward=self._gaps(scores, self._graph.successors, deeper=False),
        )

    def _answers(self, scores: Mapping[str, float], mode: Mode) -> list[tuple[str, str]]:
        """The nodes that means are over, with their level: an answer that several nodes share
        counts once."""
        if mode not in self._once:
            once: dict[object, tuple[str, str]] = {}
            for node in self._graph.nodes:
                if node.id in scores:
                    asked = tuple(
                        question_key(self._graph.by_id[before].question)
                        for before in node.predecessors
                    )
                    way = {"zero-shot": (), "multi-turn": (node.id,)}.get(mode, asked)
                    once.setdefault(
                        (question_key(node.question), way), (f"D{node.depth}", node.id)
                    )
            self._once[mode] = list(once.values())
        return self._once[mode]

    def _gaps(
        self,
        scores: Mapping[str, float],
        neighbours: Mapping[str, Sequence[str]],
        *,
        deeper: bool,
    ) -> dict[str, Discrepancy]:
        found: dict[int, list[float]] = {1: [], 2: [], 3: []}
        for node in self._graph.nodes:
            around = [scores[other] for other in neighbours[node.id] if other in scores]
            total = sum(around)
            if around and total >= HIGH * len(around) and node.id in scores:
                found[node.depth].append(
                    max(0.0, total / len(around) - scores[node.id]) / SCALE
                )
        pairs = {pair: found[high if deeper else low] for pair, (low, high) in PAIRS.items()}
        return {pair: _gap(gaps) for pair, gaps in pairs.items()} | {
            "overall": _gap([gap for gaps in pairs.values() for gap in gaps])
        }


def _asked(
    mind: Mind, question: LibraryQuestion | None, share: float = 0.0
) -> tuple[bool, float]:
    """Whether the answer is right, and its score; a question that this world does not know scores
    1."""
    if question is None:
        return False, 1
    count, parts = right_parts(*mind, question, share), max(1, len(question.parts))
    return count == parts, score_of(count, parts)


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
    return sum(known) / len(known) if known else None


def true_marks(world: World, persona: Persona, texts: Mapping[str, str]) -> dict[str, bool]:
    """By name, whether the persona's answer to each text is right; texts that have no answer in
    this world are not."""
    found = {name: solve(world, persona, text) for name, text in texts.items()}
    return {name: solved is not None and solved.right for name, solved in found.items()}


def true_solving(persona: Persona, distractors: int = 0) -> float:
    """Expected share of right answers to problems in texts with so many distractors: solve·(1 −
    mislead)^k."""
    return persona.solving * (1.0 - persona.mislead) ** distractors


def true_creating(persona: Persona) -> float:
    """Expected share of instructions by which a valid question is written."""
    return persona.creating


def planted(world: World, asked: str, concept: str, title: str, passage: str) -> Flaw | None:
    """The truth about a written question: its fault; None for a good one, or one of elsewhere."""
    wording = read_question(asked)
    if wording is None or wording.fault:
        return wording and wording.fault
    about = {"concept": concept, "title": title, "passage": passage}
    return (
        None if concerns(Task(world, PERSONAS["omniscient"], about), wording.fact) else "drift"
    )
