"""A router that sends questions of a field to the model that was measured to be deeper there; to the
cheaper one where the two cannot be told apart. Against the simulated world:

python examples/router_app.py
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import fathom


async def measured(
    domain: str, models: Mapping[str, float], evaluator: str, runs: Path, **options: int
) -> fathom.Comparison:
    """The models compared in a field. `models`: name → price."""
    async with fathom.session(os.environ, max_calls=10_000, runs=runs) as session:
        drills = [
            fathom.spec(
                domain,
                target=model,
                evaluator=evaluator,
                env=os.environ,
                n=options.get("n", 30),
                max_depth=options.get("max_depth", 15),
            )
            for model in models
        ]
        return fathom.compare(await session.run(drills))


def chosen(compared: fathom.Comparison, models: Mapping[str, float]) -> str:
    """The model that is ahead, else the cheaper one."""
    (pair,) = compared.pairs
    return pair.one if pair.separated else min(models, key=lambda model: models[model])


async def main() -> None:
    models = {"sim:expert": 10.0, "sim:novice": 1.0}
    with TemporaryDirectory() as folder:
        compared = await measured("Noble gases", models, "sim:evaluator", Path(folder), n=10)
    print("Noble gases →", chosen(compared, models))


if __name__ == "__main__":
    asyncio.run(main())
