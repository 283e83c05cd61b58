"""What there is so far of a drill without a result."""

from rich.console import RenderableType

from ...live.progress import RunProgress
from ...page.blocks import Block, Text
from ...page.terminal import rendered
from .tables import curves_of, depth_table


def closed_depths(run: RunProgress, width: int) -> list[RenderableType]:
    """The depths that were closed, and what there is of the one that was not."""
    blocks: list[Block] = []
    rows = [row for _, row in sorted(run.rows.items())]
    if rows:
        name = run.spec.target if run.spec else run.run_id
        blocks += [curves_of([(name, rows)], run.spec), depth_table(rows)]
    if run.open is not None:
        depth = run.open
        asked = f"{depth.scored} of {depth.slots} scored, {depth.marks['correct']} correct"
        blocks.append(Text([f"Depth {depth.depth}, unfinished: {asked}, {depth.marks['unscored']} unscored."]))
    return ["", rendered(blocks, width)] if blocks else []
