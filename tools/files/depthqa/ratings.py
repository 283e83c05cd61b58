"""Scores that people gave to answers: a CSV file with the columns id, rater and score."""

import re
from pathlib import Path

from ....state.depthqa.items import MODES, Mode
from ....state.depthqa.result import HumanScore
from ....state.errors import UsageError
from ..table import row as cells
from ..table.csv_rows import csv_rows
from ..table.read import MAX_ROWS, Row, read_data
from ..text import fold, quoted, unseen

IDS = ("id", "node", "nodeid", "qid")
MAX_RATER = 120
HIGHEST = 5
_SCORE = re.compile(r"[1-5](?:[.,][0-9]{1,20})?")
_HOLDS = "human scores with id, rater and score"


def read_human_scores(path: Path) -> tuple[HumanScore, ...]:
    """The scores of a CSV file in its order; `-` is the standard input.

    The first line names the columns: id (or node, nodeid, qid), rater, score (a number from 1 to 5), and, if it is not
    zero-shot throughout, mode. Raises UsageError, with the line, for what cannot be read, a column or a cell that is
    missing, a score out of range, an unknown mode, and two scores of one rater for one answer.
    """
    data = read_data(path, _HOLDS)
    rows = csv_rows(data.text, data.path, (*IDS, "rater", "score", "mode"), MAX_ROWS)
    if not rows:
        raise UsageError(f"The file {data.path} has no line after its first: it needs a score per line.")
    if len(rows) > MAX_ROWS:
        raise UsageError(f"The file {data.path} has more than {MAX_ROWS:,} lines: split it.")
    for wanted in (IDS, ("rater",), ("score",)):
        if not set(wanted) & set(rows[0].cells):
            raise UsageError(f"The first line of {data.path} names no column {' or '.join(wanted)}: add it.")
    seen: dict[tuple[str, str, str], Row] = {}
    scores = []
    for row in rows:
        score = _score(row)
        before = seen.setdefault((score.node, score.rater.casefold(), score.mode), row)
        if before is not row:
            raise UsageError(
                f"{before.place} and {row.place.split(' of ')[0].lower()} are two scores of {quoted(score.rater)} for "
                f"{score.node}: keep one."
            )
        scores.append(score)
    return tuple(scores)


def _score(row: Row) -> HumanScore:
    rater = fold(cells.text(row, row.place, "rater") or "")
    if not rater or len(rater) > MAX_RATER or unseen(rater):
        raise UsageError(f"{row.place} has no rater: write a name of at most {MAX_RATER} signs that can be seen.")
    said = (cells.text(row, row.place, "score") or "").strip()
    score = float(said.replace(",", ".")) if _SCORE.fullmatch(said) else None
    if score is None or score > HIGHEST:
        raise UsageError(f"{row.place} has the score {quoted(said)}: it must be a number from 1 to 5.")
    return HumanScore(node=cells.id_of(row, *IDS), rater=rater, score=score, mode=_mode(row))


def _mode(row: Row) -> Mode:
    said = (cells.text(row, row.place, "mode") or "").strip().casefold()
    found: Mode | None = next((mode for mode in MODES if mode == said), None)
    if found is None and said:
        raise UsageError(f"{row.place} has the mode {quoted(said)}: it must be one of {', '.join(MODES)}.")
    return found or "zero-shot"
