"""How often the intervals of a DeepQuestion run hold what is true of a simulated model. Prints,
asserts nothing.

    python bench/truth/deepquestion.py [--worlds 60] [--model solve=0.9,mislead=0.1,create=0.6]

Each world is asked the same 48 problems at all loads, without the wire. A drop is expected from the
settings: solve times 1 − (1 − mislead) to the number of distractors.
"""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.graphs.deepquestion.test_truth import held, in_world

from fathom.sim.deepquestion.problems import problem_list

PROBLEMS = tuple(problem_list(48))


async def main(worlds: int, model: str) -> None:
    holding, there, surprising = Counter[str](), Counter[str](), 0
    for seed in range(worlds):
        result = await in_world(model, 100 + seed, PROBLEMS)
        for figure, holds in held(result, model).items():
            holding[figure] += holds
            there[figure] += 1
        bare = result.q2s[0].drop
        surprising += bare is not None and bare.mcnemar_p < 0.05
    print(f"SIMULATED: sim:{model}, {worlds} worlds, {len(PROBLEMS)} problems")
    for figure, times in there.items():
        print(f"  {figure:15} held in {holding[figure]} of {times}")
    print(f"  all figures: {holding.total() / there.total():.3f}")
    print(f"  a drop without distractors at p < .05: {surprising} of {worlds}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=60)
    parser.add_argument("--model", default="solve=0.9,mislead=0.1,create=0.6")
    options = parser.parse_args()
    asyncio.run(main(options.worlds, options.model))
