"""An Explain-Query-Test's numbers as tables: by category, by letter, and what the judge says of errors."""

from collections import Counter
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ....state.eqt.result import AttributionRow, EqtResult, LetterBias, LetterRow, Numbers, ShareRow
from ....state.result import Interval
from ...page import figures
from ...page.folding import folded
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of

ALL = "all"
CASES = 5
"""Attributed answers shown; the result has all of them."""
FEW_CLUSTERS = 5
"""Concepts from which an interval over them is as wide as it is for other reasons than that they are few."""
WIDE = "with fewer than five concepts intervals are wide: variation between concepts is hardly known"
LOST = "steps lost to faults, excluded"
LOST_SINCE = 136
"""Width from which a column of the table by category counts them."""
CATEGORY, TIGHT, WITH_BOOK = 24, 12, 140
"""Cells of a category's name at most; beside the figures of the open book, which leave so few; up to which width."""
BAR, NUMBERS = 30, 34
"""Cells of a letter's bar at most, and of the numbers beside it on a narrow screen."""

Named = tuple[str, Numbers]


def wider(row: ShareRow) -> Interval:
    """The interval that allows for answers of one concept being alike, where there is one; else Wilson's."""
    return row.ci_clustered or row.ci


def span_words(row: ShareRow) -> str:
    """The interval of a share in per cent; a dash without any answer."""
    return "–" if row.accuracy is None else figures.percent_span(wider(row))


def _open(numbers: Numbers) -> str:
    return figures.whole(numbers.open_book.accuracy if numbers.open_book else None)


def _columns(first: str, *, paraphrased: bool, open_book: bool, room: int) -> tuple[Column[Named], ...]:
    columns: list[Column[Named]] = [
        Column(first, lambda r: "\n".join(folded(one_line(r[0]) or "–", room)), text=True),
        Column("concepts", lambda r: f"{r[1].concepts:,}", since=78),
        Column("questions", lambda r: f"{r[1].questions:,}", since=112),
        Column("answers", lambda r: f"{r[1].all.scored:,}", since=100),
        Column("acc. %", lambda r: Text(figures.whole(r[1].all.accuracy), "bold")),
        Column("95% CI", lambda r: span_words(r[1].all)),
    ]
    if paraphrased:
        columns += [
            Column("orig. %", lambda r: figures.whole(r[1].originals.accuracy), since=78),
            Column("para. %", lambda r: figures.whole(r[1].paraphrased.accuracy), since=78),
            Column("ACS", lambda r: Text(figures.score(r[1].consistency.acs), "bold")),
            Column("95% CI", lambda r: figures.score_span(r[1].consistency.acs_ci), since=70),
            Column("norm.", lambda r: figures.score(r[1].consistency.acs_normalised), since=90),
        ]
    if open_book:
        columns += [
            Column("open %", lambda r: _open(r[1])),
            Column("gap", lambda r: figures.points(r[1].open_book_gap)),
            Column("95% CI", lambda r: figures.points_span(r[1].open_book_gap_ci), since=130),
        ]
    return (
        *columns,
        Column("format", lambda r: f"{r[1].format_failures:,}", since=100),
        Column("?", lambda r: f"{sum(r[1].unscored.values()):,}", since=LOST_SINCE),
    )


def category_table(result: EqtResult, *, width: int) -> Table:
    """One line per category and last one over all. Shares in per cent, gaps in points, intervals 95%."""
    rows: list[Named] = [*result.by_category.items(), (ALL, result.numbers)]
    numbers = result.numbers
    columns = _columns(
        "category" if result.by_category else "",
        paraphrased=result.spec.paraphrases > 0,
        open_book=numbers.open_book is not None,
        room=TIGHT if numbers.open_book is not None and width < WITH_BOOK else CATEGORY,
    )
    table = table_of(columns, rows, width=width, title="By category" if result.by_category else "Over all concepts")
    underline(table, len(rows) - 2)
    return table


def underline(table: Table, row: int) -> None:
    """A rule below a row, to set the totals apart; nothing for a row that is not there."""
    if 0 <= row < len(table.rows):
        table.rows[row].end_section = True


def category_legend(result: EqtResult, *, width: int) -> Text:
    """What the columns mean."""
    parts = ["acc.: share of closed-book answers with exactly the right options"]
    if result.spec.paraphrases and width >= 78:
        parts += ["orig.: original wording", "para.: paraphrases"]
    if result.spec.paraphrases:
        over, every = result.numbers.consistency.questions, result.numbers.questions
        which = "" if over == every else f", over {over:,} of {figures.count(every, 'question')}"
        parts.append(f"ACS: answer consistency, 1 − (|U| − 1)/|A|{which}")
        parts += ["norm.: (|A| − |U|)/(|A| − 1), 0 … 1"] if width >= 90 else []
    if result.numbers.open_book is not None:
        parts += ["open: with the explanation included", "gap: open book minus closed book, original wording, points"]
    if width >= 100:
        parts.append("format: answers without a readable selection, counted as wrong")
    parts += [f"? {LOST}"] if width >= LOST_SINCE else []
    parts.append(f"95% CI: clustered by {_sharing(result)}")
    if any(number < FEW_CLUSTERS for number in _clusters(result)):
        parts.append(WIDE)
    return Text(" · ".join(parts), "dim")


def _clusters(result: EqtResult) -> list[int]:
    """In each row of the table, how many concepts have answers, where any has."""
    counts = Counter(row.category for row in result.concepts if row.numbers.all.scored)
    return [number for name, number in counts.items() if name in result.by_category] + [counts.total()]


def _sharing(result: EqtResult) -> str:
    """What makes answers alike, by the concepts that have any."""
    several = sum(row.numbers.all.scored > 0 for row in result.concepts) > 1
    return "concept, or by question where only one concept has answers" if several else "question"


@dataclass(frozen=True, slots=True)
class _Letter:
    """One letter with its shares of all choices and of all right options."""

    row: LetterRow
    chosen: float
    right: float
    full: float
    """The share that fills the bar."""


def letter_bar(chosen: float, right: float, full: float, width: int) -> str:
    """A bar of `width` cells for the share `full`: █ chosen as often as right, ▓ more often, ░ less often."""
    if full <= 0:
        return ""
    low, high = (round(share / full * width) for share in sorted((chosen, right)))
    return "█" * low + ("▓" if chosen > right else "░") * (high - low)


def _letter_columns(width: int) -> tuple[Column[_Letter], ...]:
    """The bar takes what the numbers leave."""
    bar = max(0, min(BAR, width - NUMBERS))
    return (
        Column("letter", lambda r: r.row.letter, text=True, fixed=True),
        Column("chosen", lambda r: f"{r.row.chosen:,}"),
        Column("%", lambda r: f"{r.chosen * 100:.1f}"),
        Column("correct", lambda r: f"{r.row.right:,}"),
        Column("%", lambda r: f"{r.right * 100:.1f}"),
        Column("", lambda r: Text(letter_bar(r.chosen, r.right, r.full, bar), STYLES["accuracy"]), text=True),
    )


def letter_part(letters: LetterBias, *, width: int) -> list[RenderableType]:
    """How often each letter is chosen against how often it is right; nothing when no answer could be read."""
    chosen, right = sum(row.chosen for row in letters.letters), sum(row.right for row in letters.letters)
    if not chosen or not right:
        return []
    shares = [(row, row.chosen / chosen, row.right / right) for row in letters.letters]
    full = max(max(pair[1:]) for pair in shares)
    rows = [_Letter(*pair, full) for pair in shares]
    said = "█ chosen as often as correct · ▓ more often · ░ less often"
    if letters.distance is not None:
        said += f" · distance of the two distributions {figures.score(letters.distance)} (0 none, 1 all)"
    if letters.largest is not None:
        said += f" · {one_line(letters.largest)} is chosen more often than correct, beyond chance"
    else:
        said += " · no letter stands out beyond chance"
    title = f"Answer letters: chosen vs. correct, {figures.count(letters.answers, 'closed-book answer')}"
    return ["", table_of(_letter_columns(width), rows, width=width, title=title), Text(said, "dim")]


def attribution_part(row: AttributionRow, judge: str, *, width: int) -> list[RenderableType]:
    """What the judge put a sample of wrong answers down to, with a few cases."""
    scored = sum(row.causes.values())
    lines = [f"{row.sampled:,} of {figures.count(row.wrong, 'wrong closed-book answer')} drawn by seed"]
    lines += [f"{row.unscored} without a verdict"] if row.unscored else []
    parts: list[RenderableType] = ["", Text(f"Causes of wrong answers, as attributed by {model_name(judge)}", "bold")]
    parts.append(Text(figures.joined(lines)))
    causes = {"explanation": "a wrong explanation", "question": "a faulty question", "answer": "a wrong answer"}
    for cause, words in causes.items():
        number = next((n for name, n in row.causes.items() if name == cause), 0)
        share = f"{figures.percent(number / scored):>5}" if scored else "    –"
        parts.append(Text(f"{words:<20} {number:>5} {share}"))
    for case in row.cases[:CASES]:
        place, reason = one_line(figures.place(case.id)), one_line(case.reason)
        parts.append(Text(f"· {place} {case.cause}: {reason}", "dim"))
    if len(row.cases) > CASES:
        parts.append(Text(f"and {len(row.cases) - CASES} more in the result", "dim"))
    return parts
