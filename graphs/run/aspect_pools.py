"""The pool of aspects that all runs of a launch draw their roots from, and what earlier sessions know of it."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from ...agents.prompt_template import Prompt
from ...state.events import Opened, RunStarted
from ...state.spec import DrillSpec
from ...tools.runs.folders import read_events
from .deps import Pool, Pools

PoolKey = tuple[str, ...]


def pool_key(spec: DrillSpec, prompts: Mapping[str, Prompt]) -> PoolKey:
    """Everything that decides a pool."""
    return spec.domain, spec.language, spec.evaluator, str(pool_seed(spec)), str(spec.pool), prompts["aspects"].digest


def pool_seed(spec: DrillSpec) -> int:
    """The seed a pool is named with: all repeats share it."""
    return spec.seed if spec.pool_seed is None else spec.pool_seed


async def fill_pools(pools: Pools, journals: Iterable[Path], prompts: Mapping[str, Prompt]) -> None:
    """Take over the pools that earlier sessions drew from: runs that have not begun share them with those that have."""
    for folder in journals:
        spec: DrillSpec | None = None
        for event in read_events(folder):
            if isinstance(event, RunStarted):
                spec = event.spec if event.spec.method == "drill" else None
            if isinstance(event, Opened) and spec is not None:
                await pools.get(pool_key(spec, prompts), partial(_given, Pool(event.aspects)))
                break


async def _given(pool: Pool) -> Pool:
    return pool
