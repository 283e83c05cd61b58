"""A run as a log of Inspect AI: a sample per question put to the target, whatever the method."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from ...state.results import Result
from ...state.rows import AnswerRow
from ..answers import measures_of, rows_of

SCORER = "verdict"
LETTERS = {"right": "C", "wrong": "I", "abstained": "N", "unreadable": "N"}
"""Of answers that are right or not; ratings stay numbers."""
IN_PLACE = ("question", "options", "reference", "answer", "reason")
"""Texts for which a sample has a place of its own; the others are metadata."""


def write_log(result: Result, began: datetime, file: Path) -> int:
    """Write the log; returns the number of its samples, 0 of a run that asks no target, of which
    nothing is written. `began`: UTC."""
    rows = rows_of(result)
    if not rows:
        return 0
    samples = list(_samples(rows))
    scored = sum(sample.metadata["scored"] for sample in samples)
    score = EvalScore(
        name=SCORER,
        scorer=SCORER,
        scored_samples=scored,
        unscored_samples=len(samples) - scored,
        metrics=_metrics(rows),
    )
    log = EvalLog(
        status="success" if result.status == "complete" else "cancelled",
        eval=EvalSpec(
            created=began.isoformat(),
            task=f"fathom/{result.method}",
            task_id=result.run_id,
            run_id=result.run_id,
            eval_id=result.run_id,
            model=rows[0].model,
            dataset=EvalDataset(name=rows[0].domain, samples=len(samples)),
            config=EvalConfig(),
            metadata=dict(rows[0].settings),
            tags=["simulated"] if result.simulated else [],
        ),
        results=EvalResults(
            total_samples=len(samples), completed_samples=len(samples), scores=[score]
        ),
        stats=EvalStats(
            started_at=began.isoformat(),
            completed_at=(began + timedelta(seconds=result.wall_s)).isoformat(),
        ),
        samples=samples,
    )
    write_eval_log(log, str(file))
    return len(samples)


def _samples(rows: Sequence[AnswerRow]) -> Iterator[EvalSample]:
    """Of each item the target's answers, one per epoch; what other models made of it (anchors, the
    drilled model of a replay) is in its metadata."""
    by_item: dict[str, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        by_item[row.item].append(row)
    are_ratings = any(row.score not in (None, 0.0, 1.0) for row in rows)
    for answers in by_item.values():
        condition, others = answers[0].condition, dict[str, str]()
        epochs = list[AnswerRow]()
        for row in answers:
            if row.condition == condition:
                epochs.append(row)
            else:
                others[row.condition] = row.verdict
        for epoch, row in enumerate(epochs, 1):
            yield _sample(row, epoch, others, are_ratings)


def _sample(row: AnswerRow, epoch: int, others: dict[str, str], is_rating: bool) -> EvalSample:
    texts = row.texts
    question, answer = texts.get("question", ""), texts.get("answer", "")
    why = texts.get("reason") or row.stage or None
    metadata = {
        "scored": row.score is not None,
        "condition": row.condition,
        "group": row.group,
        **row.tags,
        **{name: text for name, text in texts.items() if name not in IN_PLACE},
        **others,
    }
    score = Score.unscored(answer=answer, explanation=why)
    if row.score is not None:
        score.value = row.score if is_rating else LETTERS[row.verdict]
    return EvalSample(
        id=row.item,
        epoch=epoch,
        input=question or f"({row.stage or row.item})",
        choices=texts["options"].splitlines() if texts.get("options") else None,
        target=texts.get("reference", ""),
        messages=[ChatMessageUser(content=question), ChatMessageAssistant(content=answer)],
        output=ModelOutput.from_content(row.model, answer),
        scores={SCORER: score},
        metadata=metadata,
    )


def _metrics(rows: Sequence[AnswerRow]) -> dict[str, EvalMetric]:
    """All that the method measures, its headline first, with the ends of the intervals."""
    metrics = dict[str, EvalMetric]()
    for measure in measures_of(rows[0].method):
        estimate = measure.of(rows)
        ends = {"": estimate.value, "_low": estimate.low, "_high": estimate.high}
        about = {"says": measure.says, "n": estimate.n, "at_least": estimate.at_least}
        for end, value in ends.items():
            if value is not None:
                name = f"{measure.name}{end}"
                metrics[name] = EvalMetric(name=name, value=value, metadata=about)
    return metrics
