"""Logs of other evaluation programs: Inspect AI's `.eval` and `.json` files, and lm-eval's
`samples_*.jsonl`."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ...state.errors import UsageError
from ...state.rows import AnswerRow, RowVerdict
from .inspect_log import Item, LogContent, number_of, read_inspect_eval, read_inspect_json
from .rows import checked
from .text import quoted, read_data, some_of
from .trees import parse_json

MOST = 2_000_000_000
WANTED = "samples as lm_eval writes them with --log_samples"
_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_HEAVY = ("arguments", "resps", "filtered_resps")
_PAIRS = ("word_perplexity", "byte_perplexity", "bits_per_byte", "f1", "mcc")
"""Metrics of lm-eval that have no score per document: what they hold there only counts over all
documents."""
_START = re.compile(rb"\s*\{\s*\"version\"\s*:\s*\d+\s*,\s*\"status\"")
"""How a JSON log of Inspect begins."""
_PERPLEXITIES = (
    "perplexity",
    "word_perplexity",
    "byte_perplexity",
    "bits_per_byte",
    "loss",
    "nll",
)
_RATES = ("wer", "cer", "ter", "word_error_rate", "character_error_rate")
_ERRORS = frozenset((*_PERPLEXITIES, *_RATES, "mae", "mse", "rmse", "brier_score"))
"""Metrics of which less is better, where the log does not say it."""


@dataclass(frozen=True)
class ScoreLog:
    """What one model made of its items, by one metric."""

    path: Path
    of: str
    model: str
    metric: str
    answers: Sequence[AnswerRow]
    """One per item. A score is the metric's own; right is one of 1 at least."""
    less_is_better: bool | None
    """None: the log does not say."""
    simulated: bool
    notes: Sequence[str]
    """What was left out, and what is to be known of the log."""

    @cached_property
    def scores(self) -> Mapping[Hashable, tuple[Hashable, float]]:
        """Item → (its group, score). What has no score is left out."""
        scores = dict[Hashable, tuple[Hashable, float]]()
        for row in self.answers:
            if row.score is not None:
                scores[row.item] = row.group, row.score
        return scores


def logs_in(name: str) -> list[Path]:
    """The logs of other programs behind a name: that of a log, or of a folder with logs in it or
    one level below; none where it is neither."""
    path = Path(name)
    if path.suffix in _READERS:
        return [path]
    try:
        files = sorted((*path.glob("*.*"), *path.glob("*/*.*")))
        return [file for file in files if file.is_file() and _looks_like_log(file)]
    except (OSError, ValueError):  # a name that no folder can have, or one that is closed to us
        return []


def _looks_like_log(file: Path) -> bool:
    if file.suffix == ".json":
        with file.open("rb") as start:
            return bool(_START.match(start.read(200)))
    return file.suffix == ".eval" or bool(_SAMPLES.fullmatch(file.name))


def read_log(
    path: Path, metrics: Sequence[str] = (), cluster: str | None = None, item: str | None = None
) -> ScoreLog:
    """The scores in a log. `metrics`: names, of which the log must have exactly one; without any it
    must have a single metric. `cluster`: the column of a document (lm-eval) or of the metadata
    (Inspect) by which items belong together; without it the epochs of a sample do. `item`: the
    column by which items are the same; without it these are samples of the same id and input, and
    documents of the same hash. Raises UsageError for a file that is no such log, for a metric or
    column that it does not have, and where nothing in it has a score."""
    content = _READERS[path.suffix](path)
    items = content.items if item is None else list(_keyed(path, content.items, item))
    metric = _metric(path, items, metrics)
    count = sum(entry.scores.get(metric) is not None for entry in items)
    if not count:
        raise UsageError(
            f"Nothing in {path} has a score by {quoted(metric)}: name another log, or another "
            "--metric."
        )
    notes, name = list(content.notes), path.name
    if left := len(items) - count:
        notes.append(
            f"in {name} {left} of {len(items)} items have no score: they are left out, not "
            "counted as wrong"
        )
    bare = metric.partition(",")[0]
    more = content.more_is_better.get(bare)
    less = None if more is None else not more
    if bare == "perplexity" and content.of == "lm-eval":
        less = False  # of an item it is the log-likelihood
    answers = list[AnswerRow]()
    for entry in items:
        score = entry.scores.get(metric)
        verdict: RowVerdict = "unscored"
        if score is not None:
            verdict = "right" if score >= 1 else "wrong"
        group = _column(path, entry, cluster, "--cluster") if cluster else entry.group
        answers.append(
            AnswerRow(
                run=str(path),
                method=content.of,
                model=content.model,
                domain=content.task,
                group=group,
                item=entry.key,
                condition=metric,
                score=score,
                verdict=verdict,
            )
        )
    return ScoreLog(
        path,
        content.of,
        content.model,
        metric,
        answers,
        less,
        content.simulated,
        notes,
    )


def less_is_better(logs: Sequence[ScoreLog]) -> bool:
    """The direction of what the logs hold: by their own word, else by the metric's name. Raises
    UsageError where they do not agree."""
    stated = {log.less_is_better for log in logs if log.less_is_better is not None}
    by_name = set()
    for log in logs:
        name = log.metric.partition(",")[0]
        by_name.add(name.lower() in _ERRORS)
    directions = stated or by_name
    if len(directions) > 1:
        names = some_of(list(dict.fromkeys(log.metric for log in logs)))
        raise UsageError(
            f"Of {names} less is better in some logs and more in others: choose one with --metric."
        )
    return directions.pop()


def _metric(path: Path, items: Sequence[Item], wanted: Sequence[str]) -> str:
    names = list(dict.fromkeys(name for item in items for name in item.scores))
    if not names:
        raise UsageError(
            f"Nothing in {path} has a score: name a log of an evaluation that was scored."
        )
    chosen = [name for name in names if not wanted or name in wanted]
    if len(chosen) != 1:
        fault = f"has several metrics ({some_of(names, 12)}): choose one"
        if wanted and not chosen:
            fault = (
                f"has no metric {some_of(wanted)}, only {some_of(names, 12)}: name one of them"
            )
        raise UsageError(f"{path} {fault} with --metric.")
    return chosen[0]


def _keyed(path: Path, items: Sequence[Item], field: str) -> Iterator[Item]:
    """The items by a column; those with the same value in it belong together."""
    counts: Counter[str] = Counter()
    for item in items:
        value = _column(path, item, field, "--item")
        counts[value] += 1
        yield item._replace(key=f"{value} · {counts[value]}", group=value)


def _column(path: Path, item: Item, field: str, option: str) -> str:
    if item.columns.get(field) is None:
        names = some_of(list(item.columns), 12)
        raise UsageError(
            f"An item of {path} has no column {quoted(field)}, only {names}: name another "
            f"with {option}."
        )
    return str(item.columns[field])


class _Sample(BaseModel):
    """A line that lm-eval wrote: a document under one filter. Each metric is a field of its own."""

    model_config = ConfigDict(extra="allow")
    doc_id: int | str
    doc_hash: str
    metrics: list[str] = Field(min_length=1)
    filter: str = "none"
    doc: Any = None


def _lm_eval(path: Path) -> LogContent:
    lines = read_data(path, WANTED, MOST).raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    samples = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            samples.append(_sample(path, number, line))
    several = len({sample.filter for sample in samples}) > 1
    scores: dict[int | str, dict[str, float | None]] = {}
    for sample in samples:
        scores_of_doc = scores.setdefault(sample.doc_id, {})
        for metric in sample.metrics:
            name = f"{metric},{sample.filter}" if several else metric
            if name in scores_of_doc:
                raise UsageError(
                    f"{path} has two scores of document {sample.doc_id} by {quoted(name)}: "
                    "keep one."
                )
            value = None if metric in _PAIRS else (sample.model_extra or {}).get(metric)
            scores_of_doc[name] = number_of(value)
    counts: Counter[str] = Counter()
    items = []
    last_of_doc = {sample.doc_id: sample for sample in samples}
    for sample in last_of_doc.values():
        name = sample.doc_hash
        counts[name] += 1
        fields = sample.doc if isinstance(sample.doc, dict) else {}
        columns = {"doc_id": sample.doc_id, **fields}
        items.append(Item(f"{name} · {counts[name]}", name, scores[sample.doc_id], columns))
    named = _SAMPLES.fullmatch(path.name)
    task = named["task"] if named else path.stem
    results = _results(path, named["stamp"]) if named else {}
    better = (results.get("higher_is_better") or {}).get(task) or {}
    model = str(results.get("model_name") or path.resolve().parent.name)
    return LogContent("lm-eval", model, task, items, False, better)


def _sample(path: Path, number: int, line: bytes) -> _Sample:
    where = (
        f"Line {number} of {path}, read as a sample of lm-evaluation-harness 0.4.7 or later,"
    )
    fields = parse_json(line, where)
    if isinstance(fields, dict):
        for name in _HEAVY:
            fields.pop(name, None)
    return checked(_Sample, fields, where)


def _results(path: Path, stamp: str) -> Mapping[str, Any]:
    """The results of the same evaluation, which lm-eval writes beside the samples; nothing where
    they are missing."""
    for file in path.parent.glob(f"*_{stamp}.json"):
        try:
            read = parse_json(read_data(file, "results").raw, str(file))
        except UsageError:
            continue
        if isinstance(read, dict):
            return read
    return {}


_READERS: Mapping[str, Callable[[Path], LogContent]] = {
    ".eval": read_inspect_eval,
    ".json": read_inspect_json,
    ".jsonl": _lm_eval,
}
