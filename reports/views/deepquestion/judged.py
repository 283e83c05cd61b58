"""What a DeepQuestion run's judge says of written questions, and how it leans to a place."""

from collections.abc import Iterator

from ....state.deepquestion.items import CRITERIA
from ....state.deepquestion.result import Comparisons, CriterionRow, PositionRow
from ...page import figures
from ...page.blocks import Block, Column, Table
from ...page.sanitise import model_name
from .labels import CRITERION_NAMES, FEW

WINS_BAR = 20
"""Cells of the bar of wins, ties and losses."""
FEW_PAIRS = "intervals are wide and the result may not generalise"
EVEN, UNEVEN = (
    "no position bias detected",
    "it favours the {} position; using both orders cancels this",
)
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


def wins_blocks(comparisons: Comparisons, judge: str) -> Iterator[Block]:
    """Written questions against the originals, by criterion; nothing without a pair."""
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
    said += [f"Only {pairs}: {FEW_PAIRS}"] if comparisons.pairs < FEW else []
    yield Table(
        f"Written questions against the originals, {pairs} in both orders", WIN_COLUMNS, rows, said
    )


def _own_columns(key: str, head: str) -> list[Column]:
    short = head.replace("originals", "orig.")
    share, interval = f"{key}.first_share", f"{key}.ci"
    return [
        Column(f"{head}\nfirst", f"{key}.first", "count", since=78),
        Column("\nsecond", f"{key}.second", "count", since=84),
        Column("\ntie", f"{key}.ties", "count", since=104),
        Column("\nfirst %", share, "whole", "", interval, style="bold", since=78),
        Column(f"{short}\nfirst %", share, "whole", "", interval, style="bold", until=78),
    ]


def position_blocks(created: Comparisons | None, baseline: Comparisons | None) -> Iterator[Block]:
    """How often the judge prefers what stands first, beside how it does so between two originals;
    nothing where nothing was compared."""
    own, base = _by_name(created), _by_name(baseline)
    if not own and not base:
        return
    names = {**{str(criterion): CRITERION_NAMES[criterion] for criterion in CRITERIA}, "all": "all"}
    rows = [
        {"name": name, "own": own.get(key), "base": base.get(key)} for key, name in names.items()
    ]
    columns = [Column("", "name", fold=True)]
    columns += _own_columns("own", "written") if own else []
    columns += _own_columns("base", "originals") if base else []
    said = ["first %: share of preferences for the first position, 50 without bias"]
    if own:
        said.append("written: the written question and the original · " + _leaning(own["all"]))
    if base:
        pairs = figures.count(baseline.pairs if baseline else 0, "pair")
        said.append(f"originals: two originals, {pairs} in both orders · {_leaning(base['all'])}")
    else:
        said.append(
            "no originals were compared with each other: the judge's bias between equals is unknown"
        )
    yield Table("Position bias of the judge", columns, rows, said)


def _by_name(comparisons: Comparisons | None) -> dict[str, PositionRow]:
    """By criterion and `all`; empty where nothing was compared."""
    if comparisons is None or not any(row.comparisons for row in comparisons.position):
        return {}
    return {str(row.criterion): row for row in comparisons.position}


def _leaning(row: PositionRow) -> str:
    if row.first_share is None:
        return "nothing was preferred"
    if row.ci is None:
        return UNKNOWN
    if row.ci[0] <= 0.5 <= row.ci[1]:
        return EVEN
    return UNEVEN.format("first" if row.first_share > 0.5 else "second")
