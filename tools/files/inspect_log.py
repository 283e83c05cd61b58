"""What a log of another program holds; logs of Inspect AI: `.eval`, a ZIP archive of JSON, and plain `.json`."""

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from ...state.errors import UsageError, install
from .rows import checked
from .text import fold, quoted, read_data
from .trees import parse_json

MOST_PACKED = 2_000_000_000
MOST_JSON = 512_000_000
"""Bytes of a log in JSON, and of what is read of an `.eval` log once that is unpacked."""
_WORTH = {
    "c": 1.0,
    "i": 0.0,
    "p": 0.5,
    "n": 0.0,
    "yes": 1.0,
    "true": 1.0,
    "no": 0.0,
    "false": 0.0,
}
"""What Inspect's `value_to_float` reads beside numbers; it takes any other text for 0, which would
make it wrong."""
_SHOWN = 200
"""Characters of an input by which samples are the same; summaries have no more than the beginning
of a long one."""
_HEAD, _SAMPLES = "header.json", "summaries.json"


class Item(NamedTuple):
    key: str
    group: str
    scores: Mapping[str, float | None]
    """Metric → score; None: there is none."""
    columns: Mapping[str, Any]
    """What else is known of it, for `cluster` and `item`."""


class LogContent(NamedTuple):
    of: str
    """`inspect` or `lm-eval`."""
    model: str
    task: str
    items: Sequence[Item]
    simulated: bool = False
    more_is_better: Mapping[str, bool] = {}
    """Metric → what the log itself says of its direction."""
    notes: Sequence[str] = ()


def number_of(value: object) -> float | None:
    """The mean of a list; None for what is no finite number."""
    if isinstance(value, list):
        numbers = [number_of(entry) for entry in value]
        return (
            None
            if None in numbers or not numbers
            else sum(filter(None, numbers)) / len(numbers)
        )
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


class _Score(BaseModel):
    value: Any = None


class _InspectSample(BaseModel):
    """A sample, or what the log's summaries have of it."""

    id: int | str
    epoch: int = 1
    input: str | list[Any] = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    scores: dict[str, _Score] | None = None
    error: Any = None


class _InspectTask(BaseModel):
    task: str
    model: str
    metadata: dict[str, Any] | None = None


class _InspectLog(BaseModel):
    status: str = "started"
    eval: _InspectTask
    samples: list[_InspectSample]


def read_inspect_json(path: Path) -> LogContent:
    raw = read_data(path, "an Inspect log", MOST_JSON).raw
    return _inspect(path, parse_json(raw.removeprefix(b"\xef\xbb\xbf"), str(path)))


def read_inspect_eval(path: Path) -> LogContent:
    if path.exists() and not path.is_file():  # opening a pipe would never end
        raise UsageError(f"{path} is no regular file: name a log.")
    try:
        with zipfile.ZipFile(path) as archive:
            read = {
                name: archive.getinfo(name).file_size
                for name in (_HEAD, _SAMPLES)
                if name in archive.namelist()
            }
            if len(read) < 2 or sum(read.values()) > MOST_JSON:
                most = MOST_JSON // 1_000_000
                raise UsageError(
                    f"{path} must hold {_HEAD} and {_SAMPLES}, of at most {most} MB: it has {read}."
                )
            try:
                header, samples = (parse_json(archive.read(name), str(path)) for name in read)
            except NotImplementedError:  # Zstandard, before Python 3.14
                header, samples = _by_inspect_ai(path)
    # RuntimeError: it is encrypted
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError):
        read_data(path, "an Inspect log", MOST_PACKED)  # says so where there is no file
        raise UsageError(
            f"{path} is no .eval log, or only the beginning of one: name one that Inspect AI "
            "can open."
        ) from None
    return _inspect(
        path, {**header, "samples": samples} if isinstance(header, dict) else header
    )


def _by_inspect_ai(path: Path) -> tuple[Mapping[str, Any], list[Any]]:
    """Header and summaries of the samples."""
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError as error:
        raise UsageError(
            f"{path} is packed with Zstandard, which needs the extra [inspect]: "
            f"{install('inspect')}."
        ) from error
    try:
        header = read_eval_log(str(path), header_only=True).model_dump(mode="json")
        summaries = read_eval_log_sample_summaries(str(path))
        return header, [summary.model_dump(mode="json") for summary in summaries]
    except Exception as error:  # whatever a foreign reader trips over
        reason = quoted(fold(str(error)) or type(error).__name__, 120)
        raise UsageError(
            f"{path} is no log that Inspect AI can read ({reason}): name another one."
        ) from error


def _inspect(path: Path, content: object) -> LogContent:
    log = checked(_InspectLog, content, f"{path}, read as a log of Inspect AI,")
    items = []
    for sample in log.samples:
        input_text = _text(sample.input)
        items.append(
            Item(
                f"{sample.id} · {fold(input_text)[:_SHOWN]} · {sample.epoch}",
                f"{log.eval.task} · {sample.id}",
                {} if sample.error else dict(_values(sample.scores or {})),
                {"id": sample.id, "input": input_text, **sample.metadata},
            )
        )
    notes = []
    if log.status != "success":
        notes.append(f"in {path.name} items may be missing: its status is {log.status}")
    simulated = bool((log.eval.metadata or {}).get("simulated"))
    return LogContent("inspect", log.eval.model, log.eval.task, items, simulated, {}, notes)


def _text(input_text: str | Sequence[Any]) -> str:
    """What a model was asked; messages have ids that no two logs share."""
    if isinstance(input_text, str):
        return input_text
    lines = []
    for message in input_text:
        fields = message if isinstance(message, dict) else {}
        content = fields.get("content")
        parts = content if isinstance(content, list) else [content]
        texts = [part.get("text", "") if isinstance(part, dict) else part for part in parts]
        lines.append(f"{fields.get('role')}: {' '.join(map(str, texts))}")
    return "\n".join(lines)


def _values(scores: Mapping[str, _Score]) -> Iterator[tuple[str, float | None]]:
    """Scorer → score; of a scorer with several values `scorer/name`."""
    for scorer, score in scores.items():
        values = {scorer: score.value}
        if isinstance(score.value, dict):
            values = {f"{scorer}/{name}": value for name, value in score.value.items()}
        for name, value in values.items():
            worth = _WORTH.get(value.lower(), value) if isinstance(value, str) else value
            yield name, number_of(worth)
