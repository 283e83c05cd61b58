"""What there is so far of a drill without a result."""

from collections.abc import Iterator

from ....state.worlds import label_of
from ...page.blocks import Block, Text
from ...progress import RunProgress
from .depths import open_depth, scored
from .tables import curves_of, depth_table


def closed_depths(run: RunProgress) -> Iterator[Block]:
    """The depths that were closed, and what there is of the one that was not."""
    rows, spec = run.rows, run.scene.spec if run.scene else None
    if rows:
        points = [(row.depth, row.survival, *row.survival_ci) for row in rows]
        label = label_of(spec.target) if spec else run.run_id
        yield curves_of({label: points}, spec.threshold if spec else None)
        yield depth_table(rows, nominal=spec.nominal if spec else ())
    depth = open_depth(run)
    if depth is not None and depth.planned is not None:
        asked = f"{scored(depth)} of {depth.planned.slots} scored, {depth.marks['correct']} correct"
        yield Text(
            [f"Depth {depth.index}, unfinished: {asked}, {depth.marks['unscored']} unscored."]
        )
