"""How often the intervals of an Explain-Query-Test hold what is true of a simulated model. Prints,
asserts nothing.

    python bench/truth/eqt.py [--worlds 20] [--model accuracy=0.7,instability=0.3]

Each world has 200 concepts in 20 categories, without the wire; models with an accuracy and an
instability of their own.
"""

import argparse
import asyncio
import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.graphs.eqt.test_truth import held, in_world

from fathom.sim.personas import persona_of
from fathom.sim.truth import true_accuracy, true_acs


async def main(worlds: int, model: str) -> None:
    overall, by_category, categories = Counter[str](), Counter[str](), 0
    accuracies, scores = list[float](), list[float]()
    for seed in range(100, 100 + worlds):
        result = await in_world(model, seed, open_book=True)
        overall.update(figure for figure, holds in held(result.numbers, model).items() if holds)
        for numbers in result.by_category.values():
            by_category.update(figure for figure, holds in held(numbers, model).items() if holds)
            categories += 1
        accuracies.append(result.numbers.all.accuracy or 0.0)
        scores.append(result.numbers.consistency.acs or 0.0)
    persona = persona_of(model)
    accuracy = true_accuracy(persona)
    acs = true_acs(accuracy, persona.instability, 3, 6)
    print(f"SIMULATED: sim:{model}, {worlds} worlds of 200 concepts, 20 categories each")
    for name, measured, truth in (("accuracy", accuracies, accuracy), ("ACS", scores, acs)):
        error = stdev(measured) / sqrt(worlds) if worlds > 1 else float("nan")
        print(f"  {name}: true {truth:.4f}, mean of the worlds {fmean(measured):.4f} ± {error:.4f}")
    for figure, times in sorted(by_category.items()):
        print(
            f"  {figure}: held over all concepts in {overall[figure]} of {worlds}, by "
            f"category {times / categories:.3f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--model", default="accuracy=0.7,instability=0.3")
    options = parser.parse_args()
    asyncio.run(main(options.worlds, options.model))
