"""Runs as logs of Inspect AI: the rows of `rows.py` as samples, what a run came to as the log's
results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..state.depthqa.items import QuestionGraph
from ..state.errors import UsageError
from .rows import ITEMS, RUN, Row, rows_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

STATUS = {
    "complete": "success",
    "partial": "cancelled",
    "interrupted": "cancelled",
    "failed": "error",
}
"""Status of a run → of a log."""


@dataclass(frozen=True, slots=True)
class _As:
    """Which columns of an item are what of a sample; the others are its metadata."""

    score: str
    values: Mapping[Any, str | int] = field(default_factory=dict)
    """Value in the column of the score → in Inspect. Any other is no score."""
    input: tuple[str, ...] = ("question",)
    missing: tuple[str, ...] = ("unscored",)
    """Why there is no score."""
    scorer: str = "judge"


_PROBE = _As(
    "verdict",
    {"correct": "C", "wrong": "I", "abstained": "N"},
    missing=("status", "unscored_stage", "unscored_kind", "reason"),
)
SAMPLES: Mapping[str, _As] = {
    "drill": _PROBE,
    "replay": _PROBE,
    "eqt": _As("correct", {True: "C", False: "I"}, input=("asked", "options"), scorer="letters"),
    "depthqa": _As("score", {score: score for score in range(1, 6)}),
    "deepquestion": _As(
        "mark", {"right": "C", "wrong": "I"}, missing=("reason",), scorer="final_answer"
    ),
}
_FIGURES = ("evd", "accuracy", "acs")


def inspect_log(result: Any, began: datetime, graph: QuestionGraph | None = None) -> "EvalLog":
    """The log of a run. `graph`: of a DepthQA run, whose result has no texts of questions. Raises
    UsageError for a method without items, and without the extra."""
    if result.method not in ITEMS:
        raise UsageError(
            f"{result.run_id} is of the method {result.method}, which has no items: name "
            "other runs."
        )
    try:
        from inspect_ai import log
    except ImportError as error:
        said = "Logs of Inspect AI need the extra [inspect]: pip install 'fathom-eval[inspect]'."
        raise UsageError(said) from error
    known = SAMPLES[result.method]
    (run,), items = rows_of("runs", [result]), rows_of("items", [result])
    samples = [_sample(_with_texts(row, graph), known) for row in items]
    scored = sum(bool(sample.scores) for sample in samples)
    figures = {
        name: log.EvalMetric(name=name, value=value) for name, value in _figures(result, run)
    }
    result_of = log.EvalScore(
        name=known.scorer,
        scorer=known.scorer,
        scored_samples=scored,
        unscored_samples=len(samples) - scored,
        metrics=figures,
    )
    created = began.isoformat()
    return log.EvalLog(
        status=STATUS[result.status],
        eval=log.EvalSpec(
            eval_id=result.run_id,
            run_id=result.run_id,
            task_id=result.run_id.rpartition("-")[2],
            created=created,
            task=f"{result.method}: {run['domain']}",
            model=run["target"],
            dataset=log.EvalDataset(
                name=run["domain"], samples=len(samples), sample_ids=[s.id for s in samples]
            ),
            config=log.EvalConfig(epochs=1),
            packages={"fathom": str(run["fathom"])},
            tags=["simulated"] if result.simulated else [],
            metadata={name: run[name] for name in (*RUN, "stop_reason", "stop_detail", "cost_usd")}
            | {
                "conformance": list(getattr(result, "conformance", ())),
                "notes": list(result.notes),
            },
            scorers=[{"name": known.scorer, "options": {"model": run["judge"]}}],
        ),
        results=log.EvalResults(
            total_samples=len(samples), completed_samples=scored, scores=[result_of]
        ),
        stats=_stats(result, created, (began + timedelta(seconds=result.wall_s)).isoformat()),
        error=log.EvalError(message=result.stop_detail, traceback="", traceback_ansi="")
        if result.status == "failed"
        else None,
        samples=samples,
    )


def _with_texts(row: Row, graph: QuestionGraph | None) -> Row:
    if graph is None:
        return row
    nodes = [graph.by_id[name] for name in row["nodes"].split("; ") if name in graph.by_id]
    texts = (
        ("question", {node.question for node in nodes}),
        ("reference", {node.reference for node in nodes}),
    )
    return row | {name: "\n".join(sorted(text)) for name, text in texts}


def _sample(row: Row, known: _As) -> "EvalSample":
    """A sample without a score has an error, and one that does not count the score that Inspect
    leaves out."""
    from inspect_ai import log
    from inspect_ai.model import ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    asked = "\n\n".join(str(row[name]) for name in known.input if row.get(name))
    answer, value = row["answer"] or "", known.values.get(row[known.score])
    output = ModelOutput.from_content(row["target"], answer)
    error = score = None
    if value is None:
        reason = ": ".join(str(row[name]) for name in known.missing if row.get(name)) or "unscored"
        error = log.EvalError(message=reason, traceback="", traceback_ansi="")
    elif row.get("excluded"):
        score = Score.unscored(reason=row["excluded"], answer=answer, explanation=row.get("reason"))
    else:
        score = Score(value=value, answer=answer, explanation=row.get("reason"))
    taken = {*RUN, *known.input, "id", "reference", "answer"}
    return log.EvalSample(
        id=row["id"].partition("/")[2]
        or row["id"],  # without the run, so that runs of the same questions share it
        epoch=1,
        input=asked,
        target=str(row.get("reference") or ""),
        messages=[ChatMessageUser(content=asked), *([output.choices[0].message] if answer else [])],
        output=output,
        scores={known.scorer: score} if score else None,
        metadata={
            name: value for name, value in row.items() if name not in taken and value is not None
        },
        error=error,
        total_time=row.get("elapsed_s"),
    )


def _figures(result: Any, run: Row) -> Iterator[tuple[str, float]]:
    """Fathom's own figures with their intervals; of a DepthQA run the mean score in each mode."""
    for name in _FIGURES:
        for part in (name, f"{name}_low", f"{name}_high"):
            if run[part] is not None:
                yield part, run[part]
    for mode in getattr(result, "modes", ()):
        row = mode.accuracy.get("overall")
        if row is not None and row.mean is not None:
            low, high = row.ci or (None, None)
            for part, value in (
                (mode.mode, row.mean),
                (f"{mode.mode}_low", low),
                (f"{mode.mode}_high", high),
            ):
                if value is not None:
                    yield part, value


def _stats(result: Any, began: str, ended: str) -> Any:
    from inspect_ai import log
    from inspect_ai.model import ModelUsage

    models: dict[str, ModelUsage] = {}
    roles = {}
    for role, used in result.usage.items():
        total = used.input_tokens + used.output_tokens
        roles[role] = ModelUsage(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            total_tokens=total,
            input_tokens_cache_read=used.cached_input_tokens,
            total_cost=used.cost_usd,
        )
        if model := getattr(result.spec, role, None):
            models[model] = models[model] + roles[role] if model in models else roles[role]
    return log.EvalStats(started_at=began, completed_at=ended, model_usage=models, role_usage=roles)
