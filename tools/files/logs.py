"""Logs of other evaluation programs: Inspect AI's `.eval` files, and the `samples_*.jsonl` of lm-evaluation-harness."""

import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...state.errors import UsageError
from .text import quoted, read_data, some_of

MOST = 2_000_000_000
WANTED = "samples as lm_eval writes them with --log_samples"
_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_HEAVY = ("arguments", "resps", "filtered_resps")
_LETTERS, _WORDS = ("C", "I", "P", "N"), ("yes", "no", "true", "false")
"""What Inspect's `value_to_float` reads beside numbers; it takes any other text for 0, which would make it wrong."""


class ScoreLog(NamedTuple):
    """What one model made of its items, by one metric."""

    path: Path
    of: str
    """`inspect` or `lm-eval`."""
    model: str
    task: str
    metric: str
    scores: Mapping[Hashable, tuple[Hashable, float]]
    """Item → (its group, score). What has no score is left out."""
    simulated: bool
    notes: Sequence[str]
    """What was left out, and what is to be known of the log."""


class _Item(NamedTuple):
    key: Hashable
    group: Hashable
    scores: Mapping[str, float | None]
    """Metric → score; None: there is none."""
    columns: Mapping[str, Any]
    """What else is known of it, for `cluster` and `item`."""


class _Held(NamedTuple):
    of: str
    model: str
    task: str
    items: Sequence[_Item]
    simulated: bool = False
    less_is_better: Sequence[str] = ()
    notes: Sequence[str] = ()


def is_log(name: str) -> bool:
    """Whether a file of this name is a log of another program."""
    return Path(name).suffix in _READERS


def read_log(path: Path, metrics: Sequence[str] = (), cluster: str | None = None, item: str | None = None) -> ScoreLog:
    """The scores in a log. `metrics`: names, of which the log must have exactly one; without any it must have a single
    metric. `cluster`: the column of a document (lm-eval) or of the metadata (Inspect) by which items belong together;
    without it the epochs of a sample do. `item`: the column by which items are the same; without it these are samples
    of the same id and input, and documents of the same hash. Raises UsageError for a file that is no such log, for a
    metric or column that it does not have, and where nothing in it has a score."""
    held = _READERS[path.suffix](path)
    items = held.items if item is None else list(_keyed(path, held.items, item))
    metric = _metric(path, items, metrics)
    scored = [(each, score) for each in items if (score := each.scores.get(metric)) is not None]
    if not scored:
        raise UsageError(f"Nothing in {path} has a score by {quoted(metric)}: name another log, or another --metric.")
    notes, name = list(held.notes), path.name
    if left := len(items) - len(scored):
        notes.append(f"in {name} {left} of {len(items)} items have no score: they are left out, not counted as wrong")
    if metric.partition(",")[0] in held.less_is_better:
        notes.append(f"by {metric} in {name} less is better: the model ahead is the worse one")
    groups = {
        each.key: (_column(path, each, cluster, "--cluster") if cluster else each.group, score)
        for each, score in scored
    }
    return ScoreLog(path, held.of, held.model, held.task, metric, groups, held.simulated, notes)


def _metric(path: Path, items: Sequence[_Item], wanted: Sequence[str]) -> str:
    names = list(dict.fromkeys(name for item in items for name in item.scores))
    if not names:
        raise UsageError(f"Nothing in {path} has a score: name a log of an evaluation that was scored.")
    found = [name for name in names if not wanted or name in wanted]
    if len(found) != 1:
        said = f"has several metrics ({some_of(names, 12)}): choose one"
        if wanted and not found:
            said = f"has no metric {some_of(wanted)}, only {some_of(names, 12)}: name one of them"
        raise UsageError(f"{path} {said} with --metric.")
    return found[0]


def _keyed(path: Path, items: Sequence[_Item], field: str) -> Iterator[_Item]:
    """The items by a column; those with the same value in it belong together."""
    seen: Counter[str] = Counter()
    for item in items:
        value = _column(path, item, field, "--item")
        seen[value] += 1
        yield item._replace(key=(value, seen[value]), group=value)


def _column(path: Path, item: _Item, field: str, option: str) -> str:
    if item.columns.get(field) is None:
        known = some_of(list(item.columns), 12)
        raise UsageError(f"An item of {path} has no column {quoted(field)}, only {known}: name another with {option}.")
    return str(item.columns[field])


def _inspect(path: Path) -> _Held:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
        from inspect_ai.scorer import value_to_float
    except ImportError as error:
        said = "Logs of Inspect AI need the extra [inspect]: pip install 'fathom-eval[inspect]'."
        raise UsageError(said) from error
    if not zipfile.is_zipfile(path):
        read_data(path, "an Inspect log", MOST)  # says so where there is no file
        raise UsageError(f"{path} is no .eval log, or only the beginning of one: name one that Inspect AI can open.")
    try:
        log = read_eval_log(str(path), header_only=True)
        samples = read_eval_log_sample_summaries(str(path))
    except Exception as error:  # whatever a foreign reader trips over
        reason = quoted(" ".join(str(error).split()) or type(error).__name__, 120)
        raise UsageError(f"{path} is no log that Inspect AI can read ({reason}): name another one.") from error
    to_float = value_to_float()
    items = [
        _Item(
            (str(sample.id), _text(sample.input), sample.epoch),
            (log.eval.task, str(sample.id)),
            {} if sample.error else dict(_values(sample.scores or {}, to_float)),
            {"id": sample.id, "input": _text(sample.input), **sample.metadata},
        )
        for sample in samples
    ]
    spec = log.eval
    notes = [] if log.status == "success" else [f"in {path.name} items may be missing: its status is {log.status}"]
    return _Held("inspect", spec.model, spec.task, items, bool((spec.metadata or {}).get("simulated")), (), notes)


def _text(said: Any) -> str:
    """What a model was asked; messages have ids that no two logs share."""
    return said if isinstance(said, str) else "\n".join(f"{message.role}: {message.text}" for message in said)


def _values(scores: Mapping[str, Any], to_float: Callable[[Any], float]) -> Iterator[tuple[str, float | None]]:
    """Scorer → score; of a scorer with several values `scorer/name`."""
    for scorer, score in scores.items():
        several = isinstance(score.value, Mapping)
        for name, value in score.value.items() if several else [("", score.value)]:
            known = not isinstance(value, str) or value in _LETTERS or value.lower() in _WORDS
            read = to_float(value) if known and isinstance(value, str | int | float) else value
            yield f"{scorer}/{name}" if several else scorer, _number(read)


def _number(value: object) -> float | None:
    """None for what is no finite number."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


class _Sample(BaseModel):
    """A line that lm-eval wrote: a document under one filter. Each metric is a field of its own."""

    model_config = ConfigDict(extra="allow")
    doc_id: int | str
    doc_hash: str
    metrics: list[str] = Field(min_length=1)
    filter: str = "none"
    doc: Any = None


def _lm_eval(path: Path) -> _Held:
    lines = read_data(path, WANTED, MOST).raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    samples = [_sample(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    several = len({sample.filter for sample in samples}) > 1
    scores: dict[int | str, dict[str, float | None]] = {}
    for sample in samples:
        own = scores.setdefault(sample.doc_id, {})
        for metric in sample.metrics:
            name = f"{metric},{sample.filter}" if several else metric
            if name in own:
                raise UsageError(f"{path} has two scores of document {sample.doc_id} by {quoted(name)}: keep one.")
            own[name] = _number((sample.model_extra or {}).get(metric))
    seen: Counter[str] = Counter()
    items = []
    for sample in {sample.doc_id: sample for sample in samples}.values():
        seen[sample.doc_hash] += 1
        columns = {"doc_id": sample.doc_id, **(sample.doc if isinstance(sample.doc, dict) else {})}
        items.append(_Item((sample.doc_hash, seen[sample.doc_hash]), sample.doc_hash, scores[sample.doc_id], columns))
    named = _SAMPLES.fullmatch(path.name)
    task = named["task"] if named else path.stem
    results = _results(path, named["stamp"]) if named else {}
    better = (results.get("higher_is_better") or {}).get(task) or {}
    model = str(results.get("model_name") or path.resolve().parent.name)
    return _Held("lm-eval", model, task, items, False, [name for name, more in better.items() if more is False])


def _sample(path: Path, number: int, line: bytes) -> _Sample:
    try:
        # orjson knows no NaN, which lm-eval writes
        read: object = json.loads(line) if b"NaN" in line or b"Infinity" in line else orjson.loads(line)
    except ValueError:
        raise UsageError(
            f"Line {number} of {path} is not JSON: was the file cut off? Name one with {WANTED}."
        ) from None
    try:
        light = {name: read[name] for name in read if name not in _HEAVY} if isinstance(read, dict) else read
        return _Sample.model_validate(light)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "as a whole"
        raise UsageError(
            f"Line {number} of {path} is no sample of lm-evaluation-harness 0.4.7 or later ({where}:"
            f" {error.errors()[0]['msg']}): name a file with {WANTED}."
        ) from None


def _results(path: Path, stamp: str) -> Mapping[str, Any]:
    """The results of the same evaluation, which lm-eval writes beside the samples; nothing where they are missing."""
    for beside in path.parent.glob(f"*_{stamp}.json"):
        try:
            read = orjson.loads(beside.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(read, dict):
            return read
    return {}


_READERS: Mapping[str, Callable[[Path], _Held]] = {".eval": _inspect, ".jsonl": _lm_eval}
