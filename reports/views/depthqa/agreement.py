"""How far people agree with each other and with the judge on the answers of a DepthQA run."""

from collections.abc import Iterator

from ....state.depthqa.result import Agreement
from ...page import figures
from ...page.blocks import Block, Column, Table, bulleted
from ...page.sanitise import model_name

COLUMNS = (
    Column("depth", "level"),
    Column("people α", "human_human", "score", style="bold"),
    Column("n", "human_human_n", "count"),
    Column("judge α", "human_judge", "score", style="bold"),
    Column("n", "human_judge_n", "count"),
)
LEGEND = (
    "people α: Krippendorff's α (ordinal) between people, over n answers that at least two have "
    "rated · judge α:"
    " between the mean of the people's scores and the judge's, over n answers · 1 full agreement, "
    "0 chance"
)


def agreement_blocks(agreement: Agreement) -> Iterator[Block]:
    """By depth (the paper's table 14)."""
    raters = figures.count(len(agreement.raters), "rater")
    yield Table(
        f"Agreement of {raters} with each other and with {model_name(agreement.judge)}",
        COLUMNS,
        agreement.rows,
        [LEGEND],
    )
    notes = [f"{row.level}: {row.note}" for row in agreement.rows if row.note]
    if agreement.unmatched:
        shown = ", ".join(agreement.unmatched[:5])
        more = len(agreement.unmatched) - 5
        out = figures.count(len(agreement.unmatched), "id")
        notes.append(
            f"{out} in the file without a score in this run: "
            f"{shown}{f' and {more:,} more' * (more > 0)}"
        )
    yield from bulleted("Notes", notes)
