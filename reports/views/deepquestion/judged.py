"""What a DeepQuestion run's judge says of written questions, and how it leans to a place, as tables."""

from rich.console import RenderableType
from rich.text import Text

from ....state.deepquestion.items import CRITERIA
from ....state.deepquestion.result import Comparisons, CriterionRow, PositionRow
from ...page import figures
from ...page.folding import folded
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...page.tables import Column, table_of, under
from .labels import CRITERION_NAMES, FEW, span

WINS_BAR = 20
"""Cells of the bar of wins, ties and losses."""
NARROW, NARROW_CRITERION = 62, 11
"""Width below which the name of a criterion has only so many cells."""
FEW_PAIRS = "intervals are wide and the result may not generalise"
EVEN, UNEVEN = "no position bias detected", "it favours the {} position; using both orders cancels this"
UNKNOWN = "too few pairs to detect a position bias"


def wins_bar(row: CriterionRow, width: int) -> str:
    """Wins █, ties ▓ and losses ░ in `width` cells; empty without a pair."""
    if not row.pairs:
        return ""
    wins, either = (round(number / row.pairs * width) for number in (row.wins, row.wins + row.ties))
    return "█" * wins + "▓" * (either - wins) + "░" * (width - either)


WIN_COLUMNS: tuple[Column[CriterionRow], ...] = (
    Column("", lambda r: CRITERION_NAMES[r.criterion], text=True, fixed=True),
    Column("win", lambda r: f"{r.wins:,}", since=50),
    Column("tie", lambda r: f"{r.ties:,}", since=50),
    Column("loss", lambda r: f"{r.losses:,}", since=50),
    Column("win %", lambda r: Text(figures.whole(r.win_rate), "bold")),
    Column("95% CI", lambda r: span(r.win_rate, r.ci)),
    Column("contrad.", lambda r: f"{r.contradictory:,}", since=60),
    Column(
        "█ win ▓ tie ░ loss", lambda r: Text(wins_bar(r, WINS_BAR), STYLES["accuracy"]), since=80, text=True, fixed=True
    ),
)


def wins_part(comparisons: Comparisons, judge: str, *, width: int) -> list[RenderableType]:
    """Written questions against the originals, by criterion; nothing without a pair."""
    if not comparisons.pairs:
        return []
    pairs = figures.count(comparisons.pairs, "pair")
    parts = under(
        f"Written questions against the originals, {pairs} in both orders",
        table_of(WIN_COLUMNS, comparisons.criteria, width=width),
    )
    said = [
        f"judged by {model_name(judge)}, where the written question has the required answer",
        "win: the written question is preferred in both orders · loss: the original is · tie: all others",
        *(["contrad.: ties where the same position is preferred in both orders"] if width >= 60 else []),
        "win %: (wins + ties/2)/pairs, 50 where neither is better; 95% CI with Student's t over pairs",
    ]
    said += [f"Only {pairs}: {FEW_PAIRS}"] if comparisons.pairs < FEW else []
    return ["", *parts, *(Text(line, "dim") for line in said)]


Places = tuple[str, PositionRow | None, PositionRow | None]
"""A criterion's name, its row of written questions against originals, and of originals against each other."""


def _place_columns(*, created: bool, baseline: bool, width: int) -> list[Column[Places]]:
    room = NARROW_CRITERION if width < NARROW else width
    columns: list[Column[Places]] = [Column("", lambda r: "\n".join(folded(r[0], room)), text=True, fixed=True)]
    for place, head, shown in ((1, "written", created), (2, "originals", baseline)):
        columns += _own_columns(place, head) if shown else []
    return columns


def _own_columns(place: int, head: str) -> list[Column[Places]]:
    def row(line: Places) -> PositionRow | None:
        return line[1] if place == 1 else line[2]

    def number(line: Places, field: str) -> str:
        held = row(line)
        return figures.NONE if held is None else f"{getattr(held, field):,}"

    def share(line: Places) -> Text:
        held = row(line)
        return Text(figures.whole(held.first_share if held else None), "bold")

    def interval(line: Places) -> str:
        held = row(line)
        return figures.NONE if held is None else span(held.first_share, held.ci)

    return [
        Column(f"{head}\nfirst", lambda r: number(r, "first"), since=78),
        Column("\nsecond", lambda r: number(r, "second"), since=84),
        Column("\ntie", lambda r: number(r, "ties"), since=104),
        Column("\nfirst %", share, since=78),
        Column(f"{head.replace('originals', 'orig.')}\nfirst %", share, until=78),
        Column("\n95% CI", interval),
    ]


def position_part(created: Comparisons | None, baseline: Comparisons | None, *, width: int) -> list[RenderableType]:
    """How often the judge prefers what stands first, beside how it does so between two originals; nothing where
    nothing was compared."""
    own, base = _by_name(created), _by_name(baseline)
    if not own and not base:
        return []
    rows: list[Places] = [(name, own.get(key), base.get(key)) for key, name in _NAMES.items()]
    columns = _place_columns(created=bool(own), baseline=bool(base), width=width)
    parts = under("Position bias of the judge", table_of(columns, rows, width=width))
    said = ["first %: share of preferences for the first position, 50 without bias"]
    if own:
        said.append("written: the written question and the original · " + _leaning(own["all"]))
    if base:
        pairs = figures.count(baseline.pairs if baseline else 0, "pair")
        said.append(f"originals: two originals, {pairs} in both orders · {_leaning(base['all'])}")
    else:
        said.append("no originals were compared with each other: the judge's bias between equals is unknown")
    return ["", *parts, *(Text(line, "dim") for line in said)]


_NAMES = {**{str(criterion): CRITERION_NAMES[criterion] for criterion in CRITERIA}, "all": "all"}


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
