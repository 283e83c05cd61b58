"""What there is so far of a drill without a result."""

from rich.console import RenderableType

from ...page.blocks import Block, Text
from ...page.terminal import rendered
from ...progress import RunProgress
from .depths import open_depth, scored
from .tables import curves_of, depth_table


def closed_depths(run: RunProgress, width: int) -> list[RenderableType]:
    """The depths that were closed, and what there is of the one that was not."""
    blocks: list[Block] = []
    rows, spec = run.rows, run.scene.spec if run.scene else None
    if rows:
        name = spec.target if spec else run.run_id
        blocks += [curves_of([(name, rows)], spec), depth_table(rows)]
    depth = open_depth(run)
    if depth is not None and depth.planned is not None:
        asked = f"{scored(depth)} of {depth.planned.slots} scored, {depth.marks['correct']} correct"
        blocks.append(Text([f"Depth {depth.index}, unfinished: {asked}, {depth.marks['unscored']} unscored."]))
    return ["", rendered(blocks, width)] if blocks else []
