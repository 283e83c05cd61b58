"""What `fathom ask` is to run, checked."""

from collections.abc import Sequence

from ...state.ask.spec import OwnQuestion
from ...state.errors import UsageError
from ...tools.files.own_questions import OwnRow, read_own_questions
from ...tools.files.rows import parse_columns
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside

UNANSWERED = "Questions without an answer, left out: {}."


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    file = words["questions"]
    rows: Sequence[OwnRow] = words.values.get("rows") or read_own_questions(
        file, parse_columns(words["columns"], OwnRow)
    )
    questions = tuple(
        OwnQuestion(
            text=row.question.strip(),
            answer=row.answer.strip(),
            passage=row.passage.strip(),
            source=row.source.strip(),
            topic=row.topic,
            level=row.level,
        )
        for row in rows
        if row.answer
    )
    if not questions:
        raise UsageError(f"No question of {file} has an answer: fill them in.")
    specs = words.specs(words.targets, name=words["name"] or file.stem, questions=questions)
    unanswered = len(rows) - len(questions)
    notices = [UNANSWERED.format(unanswered)] if unanswered else []
    return PlannedRuns(specs, notices, shown_with=shown_beside(words.values))
