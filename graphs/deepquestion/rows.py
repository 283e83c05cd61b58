"""A DeepQuestion run as rows of answers."""

from collections.abc import Callable, Iterable, Iterator

from ...state.deepquestion.result import DeepQuestionResult, Mark, ProblemRow
from ...state.rows import AnswerRow, RowVerdict, Tag
from ...state.text import digest
from ...stats.deepquestion.marks import REFUSED
from ...stats.deepquestion.shares import CREATED, ORIGINAL, scenario
from ..answers import row_maker


def rows_of(result: DeepQuestionResult) -> list[AnswerRow]:
    """Of each problem the original, its scenarios by load, and the question that the target wrote.
    A problem is the same in two runs where id, question and answer are."""
    return problem_rows(result.problems, row_maker(result))


def problem_rows(problems: Iterable[ProblemRow], make: Callable[..., AnswerRow]) -> list[AnswerRow]:
    """The rows of these problems."""
    return [make(**fields) for row in problems for fields in _tasks(row)]


def _tasks(row: ProblemRow) -> Iterator[dict[str, object]]:
    group = f"{row.id} {digest(f'{row.question} {row.answer}')}"
    solved = [(ORIGINAL, row.question, row.original)]
    solved += [
        (scenario(load), row.scenarios.get(load, ""), answer) for load, answer in row.solved.items()
    ]
    for task, question, answer in solved:
        if answer is not None:
            load = task.partition(" ")[2]
            tags: dict[str, Tag] = {"load": load or None, "read": answer.read}
            texts = {
                "question": question,
                "reference": row.answer,
                "answer": answer.said,
            }
            yield _fields(row, group, task, answer.mark, answer.reason, tags, texts)
    if row.created is not None:
        created = row.created
        texts = {
            "question": created.instruction,
            "reference": row.answer,
            "answer": created.question,
        }
        tags = {"invalid": created.invalid}
        yield _fields(row, group, CREATED, created.mark, created.reason, tags, texts)


def _fields(
    row: ProblemRow,
    group: str,
    task: str,
    mark: Mark,
    reason: str,
    tags: dict[str, Tag],
    texts: dict[str, str],
) -> dict[str, object]:
    stage, score = "", None
    verdict: RowVerdict = mark
    if mark == "unscored":
        stage = reason.partition(":")[0]
    else:
        score = float(mark == "right")
        verdict = "abstained" if reason == REFUSED else mark
    return {
        "group": group,
        "item": f"{group} {task}",
        "condition": task,
        "score": score,
        "verdict": verdict,
        "stage": stage,
        "tags": {
            "problem": row.id,
            "category": row.domain,
            "task": task,
            **tags,
        },
        "texts": {**texts, "reason": reason},
    }
