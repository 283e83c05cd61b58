"""How often the intervals of a DepthQA run hold what is true of a simulated model. Prints, asserts
nothing.

    python bench/truth/depthqa.py [--worlds 40] [--model d1=0.9,d2=0.85,d3=0.7]

Each world answers the same 40 trees of element questions, without the wire; trees share questions
of depth 1. The truth is the mean over 2,000 other worlds.
"""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.graphs.depthqa.test_truth import held, in_world

from fathom.sim.depthqa.library import graph_of
from fathom.sim.personas import persona_of
from fathom.sim.truth import WORLDS, true_numbers

GRAPH = graph_of(40, seed=3)


async def main(worlds: int, model: str) -> None:
    truth = true_numbers(persona_of(model), GRAPH, "zero-shot", WORLDS)
    holding, there = Counter[str](), Counter[str]()
    for seed in range(worlds):
        for figure, holds in held((await in_world(model, seed, GRAPH)).modes[0], truth).items():
            holding[figure] += holds
            there[figure] += 1
    print(
        f"SIMULATED: sim:{model}, {worlds} worlds, {len(GRAPH.trees)} trees, "
        f"{len(GRAPH.nodes)} nodes"
    )
    for figure, times in there.items():
        print(f"  {figure:35} held in {holding[figure]} of {times}")
    print(f"  all figures: {holding.total() / there.total():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--model", default="d1=0.9,d2=0.85,d3=0.7")
    options = parser.parse_args()
    asyncio.run(main(options.worlds, options.model))
