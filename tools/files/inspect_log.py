"""What a log of another program holds; logs of Inspect AI: `.eval`, a ZIP archive of JSON, and plain `.json`."""

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from ...state.errors import UsageError, install
from ...state.faults import place_of, rule_of
from .text import fold, quoted, read_data
from .trees import parse_json

MOST_PACKED = 2_000_000_000
MOST_JSON = 512_000_000
"""Bytes of a log in JSON, and of what is read of an `.eval` log once that is unpacked."""
_WORTH = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
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


class Item(NamedTuple):
    key: str
    group: str
    scores: Mapping[str, float | None]
    """Metric → score; None: there is none."""
    columns: Mapping[str, Any]
    """What else is known of it, for `cluster` and `item`."""


class LogContent(NamedTuple):
    of: str
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
        finite = [number for number in numbers if number is not None]
        return sum(finite) / len(finite) if finite and len(finite) == len(numbers) else None
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
    data = read_data(path, "an Inspect log", MOST_JSON)
    return _inspect(
        path, parse_json(data.raw.removeprefix(b"\xef\xbb\xbf"), str(path), foreign=True)
    )


def read_inspect_eval(path: Path) -> LogContent:
    if path.exists() and not path.is_file():  # opening a pipe would never end
        raise UsageError(f"{path} is no regular file: name a log.")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            _require_small(path, archive)
            try:
                return _inspect(path, _unpacked(path, archive, names))
            except NotImplementedError:  # Zstandard, before Python 3.14
                return _inspect(path, _by_inspect_ai(path))
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
    ):  # RuntimeError: it is encrypted
        read_data(path, "an Inspect log", MOST_PACKED)  # says so where there is no file
        raise UsageError(
            f"{path} is no .eval log, or only the beginning of one: name one that Inspect AI "
            "can open."
        ) from None


def _require_small(path: Path, archive: zipfile.ZipFile) -> None:
    """Raises UsageError where what is read of a log unpacks to too much; nothing is unpacked
    before."""
    read = (
        info.file_size for info in archive.infolist() if not info.filename.startswith("samples/")
    )
    if sum(read) > MOST_JSON:
        raise UsageError(
            f"{path} unpacks to more than {MOST_JSON // 1_000_000} MB beside its samples: split it."
        )


def _unpacked(path: Path, archive: zipfile.ZipFile, names: Sequence[str]) -> Mapping[str, Any]:
    """Header and summaries of the samples."""
    if not {"header.json", "summaries.json"} <= {*names}:
        raise UsageError(
            f"{path} is no log that Inspect AI can read (it has no header or no summaries): name "
            "another one."
        )
    header, samples = (
        parse_json(archive.read(name), f"{name} in {path}", foreign=True)
        for name in ("header.json", "summaries.json")
    )
    return {**header, "samples": samples} if isinstance(header, dict) else {}


def _by_inspect_ai(path: Path) -> Mapping[str, Any]:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError as error:
        hint = (
            f"{path} is packed with Zstandard, which needs the extra [inspect]: "
            f"{install('inspect')}."
        )
        raise UsageError(hint) from error
    try:
        log = read_eval_log(str(path), header_only=True).model_dump(mode="json")
        samples = [
            summary.model_dump(mode="json") for summary in read_eval_log_sample_summaries(str(path))
        ]
    except Exception as error:  # whatever a foreign reader trips over
        words = fold(str(error)) or type(error).__name__
        reason = quoted(words, 120)
        raise UsageError(
            f"{path} is no log that Inspect AI can read ({reason}): name another one."
        ) from error
    return {**log, "samples": samples}


def _inspect(path: Path, content: object) -> LogContent:
    try:
        log = _InspectLog.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(
            f"{path} is no log of Inspect AI with its samples ({place_of(fault) or 'as a whole'}: "
            f"{rule_of(fault)}): "
            "name an .eval or .json log of Inspect AI, or samples_*.jsonl of lm-evaluation-harness."
        ) from None
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
        several = isinstance(score.value, dict)
        values = score.value.items() if several else [("", score.value)]
        for name, value in values:
            if isinstance(value, str):
                value = _WORTH.get(value, _WORTH.get(value.lower(), value))
            yield f"{scorer}/{name}" if several else scorer, number_of(value)
