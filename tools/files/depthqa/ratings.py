"""Scores that people gave to answers: a table with the columns id, rater and score."""

import re
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from ....state.depthqa.items import Mode
from ....state.depthqa.result import HumanScore
from ....state.errors import UsageError
from ..table.cells import Id, Name, text
from ..table.read import Aliases, Row, read_table
from ..text import quoted, read_data

_SCORE = re.compile(r"[1-4](?:[.,][0-9]{1,20})?|5(?:[.,]0{1,20})?")


def _score(value: object) -> float:
    written = text(value).strip()
    if not _SCORE.fullmatch(written):
        raise ValueError(f"has the {{}} {quoted(written)}: it must be a number from 1 to 5")
    return float(written.replace(",", "."))


def _mode(value: object) -> object:
    return value.strip().casefold() if isinstance(value, str) else value


class _Rating(Row):
    aliases: ClassVar[Aliases] = {"id": ("id", "node", "nodeid", "qid")}

    id: Id
    rater: Annotated[Name, Field(max_length=120)]
    score: Annotated[float, BeforeValidator(_score)]
    mode: Annotated[Mode, BeforeValidator(_mode)] = "zero-shot"


def read_human_scores(path: Path) -> tuple[HumanScore, ...]:
    """The scores of a table in its order; `-` is the standard input.

    Columns: id (or node, nodeid, qid), rater, score (a number from 1 to 5), and, if it is not
    zero-shot throughout, mode. Raises UsageError, with the row, as `read_table` does, and for two
    scores of one rater for one answer.
    """
    rows = read_table(read_data(path, "human scores with id, rater and score"), _Rating)
    seen: dict[tuple[str, str, str], _Rating] = {}
    for row in rows:
        before = seen.setdefault((row.id, row.rater.casefold(), row.mode), row)
        if before is not row:
            raise UsageError(
                f"{before.place} and {row.place} score {row.id} for {quoted(row.rater)}: keep one."
            )
    return tuple(
        HumanScore(node=row.id, rater=row.rater, score=row.score, mode=row.mode) for row in rows
    )
