"""What a DeepQuestion run's judge says of written questions, and how it leans to a place."""

from collections.abc import Iterator

from ....state.deepquestion.result import Comparisons, CriterionRow, PositionRow
from ...page import figures
from ...page.blocks import Block, Column, Table
from ...page.sanitise import model_name
from ..texts import with_interval
from .labels import CRITERION_NAMES, FEW

WINS_BAR = 20
"""Cells of the bar of wins, ties and losses."""
FEW_PAIRS = "intervals are wide and the result may not generalise"
EVEN, UNEVEN = (
    "no position bias detected",
    "it favours the {} position; using both orders cancels this",
)
ALONE = "no originals were compared with each other: the judge's bias between equals is unknown"
UNKNOWN = "too few pairs to detect a position bias"

WIN_COLUMNS = (
    Column("", "name"),
    Column("win", "row.wins", "count", since=50),
    Column("tie", "row.ties", "count", since=50),
    Column("loss", "row.losses", "count", since=50),
    Column("win %", "row.win_rate", "whole", interval="row.ci", style="bold"),
    Column(
        "contrad.",
        "row.contradictory",
        "count",
        "contrad.: ties where the same position is preferred in both orders",
        since=60,
    ),
    Column("█ win ▓ tie ░ loss", "bar", since=80, style="accuracy"),
)


def wins_bar(row: CriterionRow, width: int) -> str:
    """Wins █, ties ▓ and losses ░ in `width` cells; empty without a pair."""
    if not row.pairs:
        return ""
    wins, either = (round(number / row.pairs * width) for number in (row.wins, row.wins + row.ties))
    return "█" * wins + "▓" * (either - wins) + "░" * (width - either)


def wins_blocks(
    comparisons: Comparisons, baseline: Comparisons | None, judge: str
) -> Iterator[Block]:
    """Written questions against the originals, by criterion, and how the judge leans to a place,
    in these and between two originals (`baseline`); nothing without a pair."""
    if not comparisons.pairs:
        return
    pairs = figures.count(comparisons.pairs, "pair")
    rows = [
        {"name": CRITERION_NAMES[row.criterion], "row": row, "bar": wins_bar(row, WINS_BAR)}
        for row in comparisons.criteria
    ]
    said = [
        f"judged by {model_name(judge)}, where the written question has the required answer",
        (
            "win: the written question is preferred in both orders · loss: the original is · tie: "
            "all others"
        ),
        (
            "win %: (wins + ties/2)/pairs, 50 where neither is better; 95% CI with Student's t "
            "over pairs"
        ),
    ]
    said += _position("the judge", comparisons)
    said += _position("between two originals", baseline) if baseline is not None else [ALONE]
    said += [f"Only {pairs}: {FEW_PAIRS}"] if comparisons.pairs < FEW else []
    yield Table(
        f"Written questions against the originals, {pairs} in both orders", WIN_COLUMNS, rows, said
    )


def _position(words: str, comparisons: Comparisons) -> list[str]:
    """How the judge leans to a place, over all criteria; nothing where nothing was compared."""
    row = next((each for each in comparisons.position if each.criterion == "all"), None)
    return [f"{words}: {_leaning(row)}"] if row is not None and row.comparisons else []


def _leaning(row: PositionRow) -> str:
    """`62% (53–71) of its preferences are for the first position: …`."""
    if row.first_share is None:
        return "nothing was preferred"
    share = with_interval(row.first_share, row.ci, "percent")
    if row.ci is None:
        said = UNKNOWN
    elif row.ci[0] <= 0.5 <= row.ci[1]:
        said = EVEN
    else:
        said = UNEVEN.format("first" if row.first_share > 0.5 else "second")
    return f"{share} of the preferences are for the first position, {said}"
