"""Words of the command line turned into a spec; everything wrong is refused here, in one sentence."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from ..agents.prompting import override
from ..agents.prompts import PROMPTS
from ..state.errors import UsageError
from ..state.spec import DrillSpec, FaultRates, WorldSpec

MOST = {"n": 10_000, "passes": 200, "max_depth": 1_000, "answer_tokens": 1_000_000}
"""Beyond these a number is a slip of the finger, and the statistics would run out of memory."""
_RULES = {
    "greater_than_equal": "it must be at least {ge}",
    "greater_than": "it must be above {gt}",
    "less_than_equal": "it must be at most {le}",
    "less_than": "it must be below {lt}",
    "literal_error": "it must be {expected}",
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
}
"""Kinds of faults pydantic finds, in words for somebody who wrote a command line."""
_RULES_OF = {
    "threshold": "it must lie between 0 and 1, both excluded",
    "language": "it must be the code of a wiki's language in small letters, such as en, de or simple",
}
TIMING_KEYS = ("latency", "jitter", "reverse_window")
"""Keys of `--sim` that shape the world's timing only; they are no part of a spec."""


def required(name: str, value: Sequence[str], why: str) -> Sequence[str]:
    """The values; UsageError when there are none or one is blank."""
    if not value or not all(text.strip() for text in value):
        raise UsageError(f"{name} is missing: {why}")
    return value


def distinct(values: Sequence[str]) -> list[str]:
    """The values in order, runs of white space folded, repeats dropped."""
    return list(dict.fromkeys(" ".join(value.split()) for value in values))


def one_name(domain: str) -> str:
    """The domain. Raises UsageError when it holds what is no text: control characters, or bytes that are not UTF-8."""
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in domain):
        raise UsageError(f"DOMAIN cannot be {domain!r}: it holds control characters or bytes that are not UTF-8 text.")
    return domain


def own_world(spec: DrillSpec) -> bool:
    """Whether the drill starts a simulated world for itself; one at an address was set up by whoever serves it."""
    sources = {source for names in spec.facts.values() for source in names}
    return "sim" in sources or any(name.startswith("sim:") for name in (spec.target, spec.evaluator, spec.judge))


def make_spec(**values: Any) -> DrillSpec:
    """A checked spec. Raises UsageError with the first fault, named by its flag."""
    try:
        spec = DrillSpec.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"{_flag(fault['loc'][0])} cannot be {_shown(fault['input'])}: {_rule(fault)}.") from None
    for field, most in MOST.items():
        if getattr(spec, field) > most:
            raise UsageError(f"{_flag(field)} cannot be {_shown(getattr(spec, field))}: it must be at most {most}.")
    for field, value in spec.model_dump(mode="json").items():
        _keepable(_flag(field), value)
    return spec


def _flag(field: str | int) -> str:
    names = {"n": "-n", "domain": "DOMAIN"}
    return names.get(str(field), f"--{str(field).replace('_', '-')}")


def _rule(fault: Mapping[str, Any]) -> str:
    known = _RULES_OF.get(str(fault["loc"][0])) or _RULES.get(fault["type"])
    return known.format(**fault.get("ctx", {})) if known else fault["msg"][0].lower() + fault["msg"][1:]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _keepable(name: str, value: object) -> None:
    """Raises UsageError for what no JSON file can hold: numbers beyond 64 bits, bytes that are not UTF-8."""
    try:
        orjson.dumps(value)
    except TypeError as error:
        reason = str(error)[0].lower() + str(error)[1:]
        raise UsageError(f"{name} cannot be {_shown(value)}, because it cannot be kept: {reason}.") from None


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
    world = _checked(WorldSpec, {"faults": faults, **{key: given[key] for key in known & set(given)}})
    _keepable("--sim seed", world.seed)
    return world, timing


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
        raise UsageError(f"--sim {fault['loc'][0]} cannot be {_shown(fault['input'])}: {_rule(fault)}.") from None


def read_prompts(pairs: Sequence[str]) -> dict[str, str]:
    """`--prompt NAME=FILE` pairs as texts, checked against the places each prompt must have."""
    texts = {}
    for pair in pairs:
        name, sign, file = pair.partition("=")
        if not sign or not name.strip() or not file.strip():
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
