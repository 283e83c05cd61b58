"""Words of the command line turned into a spec; everything wrong is refused here, in one sentence."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ..agents.prompting import override
from ..agents.prompts import PROMPTS
from ..state.errors import UsageError
from ..state.spec import DrillSpec, FaultRates, WorldSpec

TIMING_KEYS = ("latency", "jitter", "reverse_window")
"""Keys of `--sim` that shape the world's timing only; they are no part of a spec."""


def required(name: str, value: Sequence[str], why: str) -> Sequence[str]:
    """The values; UsageError when there are none or one is blank."""
    if not value or not all(text.strip() for text in value):
        raise UsageError(f"{name} is missing: {why}")
    return value


def distinct(values: Sequence[str]) -> list[str]:
    """The values in order, repeats dropped, spaces around them too."""
    return list(dict.fromkeys(value.strip() for value in values))


def make_spec(**values: Any) -> DrillSpec:
    """A checked spec. Raises UsageError with the first fault, named by its flag."""
    try:
        return DrillSpec.model_validate(values)
    except ValidationError as error:
        raise UsageError(_first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    field = str(fault["loc"][0])
    flag = "-n" if field == "n" else f"--{field.replace('_', '-')}"
    rule = fault["msg"][0].lower() + fault["msg"][1:]
    return f"{flag} cannot be {fault['input']!r}: {rule}."


def parse_sim(pairs: Sequence[str]) -> tuple[WorldSpec, dict[str, float]]:
    """`--sim KEY=VALUE` pairs as a world and its timing (s). Raises UsageError for an unknown key or bad value."""
    given = dict(_pair(text) for text in pairs)
    timing = {key: _number(key, given.pop(key)) for key in TIMING_KEYS if key in given}
    known_faults, known = set(FaultRates.model_fields), set(WorldSpec.model_fields) - {"faults"}
    unknown = sorted(set(given) - known_faults - known)
    if unknown:
        keys = ", ".join(sorted(known | known_faults | set(TIMING_KEYS)))
        raise UsageError(f"--sim knows no {unknown[0]!r}; it takes KEY=VALUE with one of {keys}.")
    faults = _checked(FaultRates, {key: given[key] for key in known_faults & set(given)})
    return _checked(WorldSpec, {"faults": faults, **{key: given[key] for key in known & set(given)}}), timing


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise UsageError(f"--sim {text!r} is not of the form KEY=VALUE, as in --sim seed=7.")
    return key.strip(), value.strip()


def _number(key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < 3600:
        raise UsageError(f"--sim {key}={value} is not a time in seconds (0 to 3600).")
    return number


def _checked(model: type[BaseModel], values: Mapping[str, Any]) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        rule = fault["msg"][0].lower() + fault["msg"][1:]
        raise UsageError(f"--sim {fault['loc'][0]}={fault['input']} will not do: {rule}.") from None


def read_prompts(pairs: Sequence[str]) -> dict[str, str]:
    """`--prompt NAME=FILE` pairs as texts, checked against the places each prompt must have."""
    texts = {}
    for pair in pairs:
        name, sign, file = pair.partition("=")
        if not sign:
            raise UsageError(f"--prompt {pair!r} is not of the form NAME=FILE; names are {', '.join(sorted(PROMPTS))}.")
        try:
            texts[name] = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UsageError(f"The prompt file {file} cannot be read: {reason}.") from None
    override(PROMPTS, texts)
    return texts


def parse_date(text: str | None, today: date) -> date:
    """`--as-of`: an ISO date, today when it was not given."""
    if text is None:
        return today
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--as-of {text!r} is not a date; write it as {today.isoformat()}.") from None
