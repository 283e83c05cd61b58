"""Measured scores and discrepancies agree with what is true of a simulated model, about as often as
claimed."""

from collections.abc import Iterator

import pytest

from fathom.graphs.method import METHODS
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import persona_of
from fathom.sim.world import World
from fathom.state.depthqa.result import DepthQAResult, DiscrepancyRow, ModeNumbers
from fathom.state.depthqa.spec import DepthQASpec
from fathom.state.question_graph import Material, Mode, QuestionGraph
from fathom.state.result import Interval
from fathom.state.spec import WorldSpec

from ...support.depthqa.elements import graph_of
from ...support.depthqa.toy import DepthRun
from ...support.in_world import InWorld
from ...support.truth import Discrepancy, TrueNumbers, true_numbers, true_scores

GRAPH = graph_of(20, seed=3)
Held = Iterator[tuple[str, bool]]


async def in_world(model: str, seed: int, graph: QuestionGraph, *modes: Mode) -> DepthQAResult:
    """The graph asked in the world of this seed, without the wire."""
    evaluator = Evaluator(World(WorldSpec(seed=seed)))
    target, judge = InWorld(model, evaluator), InWorld("evaluator", evaluator)
    run = DepthRun(graph=graph)
    values = {
        "graph": "elements",
        "material": Material(graph=graph).digest,
        "target": target.name,
    }
    spec = DepthQASpec.model_validate(
        values | {"judge": judge.name, "modes": modes or ("zero-shot",)}
    )
    return await run.play(
        spec, target=target, evaluator=judge, judge=judge, prompts=METHODS["depthqa"].prompts
    )


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is None or interval[0] <= truth <= interval[1]


def held(numbers: ModeNumbers, truth: TrueNumbers) -> dict[str, bool]:
    """Figure → whether its interval holds the truth; those that one of the two lacks are left
    out."""
    found = {}
    for level, row in numbers.accuracy.items():
        if (mean := truth.accuracy.get(level)) is not None:
            found[f"mean {level}"] = holds(row.ci, mean)
    for pair, forward in numbers.discrepancies.forward.items():
        found |= dict(_held(f"forward {pair}", forward, truth.forward[pair]))
    for pair, backward in numbers.discrepancies.backward.items():
        found |= dict(_held(f"backward {pair}", backward, truth.backward[pair]))
    return found


def _held(name: str, row: DiscrepancyRow, truth: Discrepancy) -> Held:
    for figure in ("average", "frequency", "intensity"):
        true = getattr(truth, figure)
        if true is not None and getattr(row, figure) is not None:
            yield f"{name} {figure}", holds(getattr(row, f"{figure}_ci"), true)


@pytest.mark.parametrize("model", ["d1=0.8,d2=0.9,d3=0.9,slips=0.2"])
async def test_the_intervals_hold_the_truth(model: str) -> None:
    """Figures of one world hang together, so that several worlds are looked at;"""
    truth = true_numbers(persona_of(model), GRAPH, "zero-shot", range(1000, 1020))
    found = [
        holds
        for seed in range(2)
        for holds in held((await in_world(model, seed, GRAPH)).modes[0], truth).values()
    ]
    assert len(found) >= 2 * 20
    assert sum(found) >= 0.88 * len(found)


async def test_another_model_than_the_one_asked_is_told_by_the_intervals() -> None:
    truth = true_numbers(
        persona_of("d1=0.95,d2=0.95,d3=0.95"), GRAPH, "zero-shot", range(1000, 1010)
    )
    found = held((await in_world("d1=0.8,d2=0.9,d3=0.9,slips=0.2", 0, GRAPH)).modes[0], truth)
    assert not any(
        found[figure] for figure in ("mean D1", "mean overall", "backward overall average")
    )


async def test_a_judge_that_does_not_err_finds_every_score() -> None:
    small = graph_of(6, seed=1)
    modes: tuple[Mode, ...] = ("zero-shot", "prompt-gold", "prompt-pred", "multi-turn")
    result = await in_world("student", 4, small, *modes)
    for mode in modes:
        measured: dict[str, list[int]] = {}
        for row in result.answers:
            for node in row.nodes if row.mode == mode else ():
                assert row.score is not None
                measured.setdefault(node, []).append(row.score)
        means = {node: sum(scores) / len(scores) for node, scores in measured.items()}
        assert means == pytest.approx(
            true_scores(World(WorldSpec(seed=4)), persona_of("student"), small, mode)
        ), mode
