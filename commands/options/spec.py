"""Words of the command line turned into a spec; everything wrong is refused here, in one
sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ...sim.faults import Timing
from ...state.errors import UsageError
from ...state.faults import rule_of as general_rule
from ...state.option import Option
from ...state.spec import (
    DeepQuestionSpec,
    DepthQABuildSpec,
    DepthQASpec,
    DrillSpec,
    EqtSpec,
    FaultRates,
    WorldSpec,
    is_simulated,
    label_of,
)
from ...tools.facts.plan import FactPlan, anchored, parse_facts
from ...tools.models.address import parse_model
from .lists import models_in, one_model

AnySpec = TypeVar("AnySpec", DrillSpec, EqtSpec, DepthQASpec, DepthQABuildSpec, DeepQuestionSpec)
_RULES_OF = {
    ("threshold", "greater_than"): "it must lie between 0 and 1, both excluded",
    ("threshold", "less_than"): "it must lie between 0 and 1, both excluded",
    (
        "language",
        "string_pattern_mismatch",
    ): "it must be the code of a language in small letters, such as en, de or simple",
}
TIMING_KEYS = ("latency", "jitter")
"""Keys of `--sim` that shape the world's timing only; they are no part of a spec."""


def required(name: str, value: Sequence[str], why: str) -> Sequence[str]:
    """The values; UsageError when there are none or one is blank."""
    if not value or not all(text.strip() for text in value):
        raise UsageError(f"{name} is missing: {why}")
    return value


def chosen_model(flag: str, name: str | None, why: str) -> str:
    """The one model that has to be named. Raises UsageError without it, and as `one_model` does."""
    (named,) = required(flag, [(name or "").strip()], why)
    return one_model(flag, named)


def distinct(values: Sequence[str]) -> list[str]:
    """The values in order, runs of white space folded, repeats dropped."""
    return list(dict.fromkeys(" ".join(value.split()) for value in values))


def choose_targets(target: Sequence[str]) -> tuple[str, ...]:
    """The models under test. Raises UsageError when there is none, and for one that is named twice
    or with others."""
    required("--target", target, "name the model under test, as in --target openai:gpt-5-mini.")
    for text in target:
        if len(models := models_in(text)) > 1:
            raise UsageError(
                f"Several targets: repeat -t ({' '.join(f'-t {model}' for model in models)})."
            )
    names = [label_of(text.strip()) for text in target]
    twice = [name for name in distinct(names) if names.count(name) > 1]
    if twice:
        raise UsageError(
            f"--target names {', '.join(twice)} more than once: name each model once, or tell "
            "them apart by name=LABEL."
        )
    return tuple(text.strip() for text in target)


def optional_model(flag: str, name: str | None) -> str:
    """The model that was named; "" for none. Raises UsageError for a name of nothing but blanks."""
    if name is not None and not name.strip():
        raise UsageError(f"{flag} is empty: name a model, as in {flag} openai:gpt-5.")
    return (name or "").strip()


def choose_facts(
    option: str | None, evaluator: str, env: Mapping[str, str], here: Path
) -> FactPlan:
    """The sources by tier: those of `--facts`, else those that suit the evaluator; paths as seen
    from `here`. Raises as `parse_facts` does."""
    plan = parse_facts(option or _same_world(evaluator), env, simulated=is_simulated(evaluator))
    return anchored(plan, here)


def _same_world(evaluator: str) -> str | None:
    """The source that belongs to a simulated evaluator at an address of its own; None for every
    other evaluator."""
    address = parse_model(evaluator)
    if address.provider != "sim" or address.base_url is None:
        return None
    return f"sim@{address.base_url.removesuffix('/v1')}"


def in_world(specs: Sequence[AnySpec], world: WorldSpec, *, given: bool) -> list[AnySpec]:
    """The specs, those that start a simulated world with it. Raises UsageError for a language it
    lacks, and for a world that was set up (`given`) and that no run would start."""
    for spec in specs:
        language = getattr(spec, "language", "en")
        if language != "en" and any(map(is_simulated, spec.writers)):
            raise UsageError(
                f"--language cannot be {language!r}: the simulated world speaks English only."
            )
    if given and not any(spec.own_world for spec in specs):
        raise UsageError(
            "--sim sets up the simulated world that a run starts for itself, but no model or "
            "source named here is in "
            "it: name one such as sim:student, or leave --sim out."
        )
    return [spec.model_copy(update={"world": world}) if spec.own_world else spec for spec in specs]


def repeated(spec: DrillSpec) -> list[DrillSpec]:
    """The repeats of a drill: the seed counts up, the pool of aspects is named with the first
    one."""
    if spec.repeats == 1:
        return [spec]
    return [
        spec.model_copy(
            update={
                "seed": spec.seed + nth,
                "repeat": nth + 1,
                "pool_seed": spec.seed,
            }
        )
        for nth in range(spec.repeats)
    ]


def make_spec(kind: type[AnySpec], **values: Any) -> AnySpec:
    """A checked spec. Raises UsageError with the first fault, named by its flag."""
    try:
        spec = kind.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        flag = _flag(kind, str(fault["loc"][0]))
        raise UsageError(
            f"{flag} cannot be {shown_value(fault['input'])}: {rule_of(fault)}."
        ) from None
    require_bounds(spec)
    return spec


def require_bounds(spec: BaseModel) -> None:
    """Raises UsageError for a number beyond what its option says, and for what no JSON file can
    hold."""
    for name, option in _declared(type(spec)).items():
        value = getattr(spec, name)
        if option.most is not None and isinstance(value, int) and value > option.most:
            raise UsageError(
                f"{option.flag} cannot be {shown_value(value)}: it must be at most {option.most}."
            )
    for name, value in spec.model_dump(mode="json").items():
        _keepable(_flag(type(spec), name), value)


def _declared(kind: type[BaseModel]) -> dict[str, Option]:
    """Field → the option that is declared on it."""
    fields = kind.model_fields.items()
    return {
        name: each for name, field in fields for each in field.metadata if isinstance(each, Option)
    }


def _flag(kind: type[BaseModel], field: str) -> str:
    """What messages call a field: its option, else the argument that it comes from."""
    option = _declared(kind).get(field)
    return (
        option.flag
        if option
        else {"domain": "DOMAIN", "concepts": "CONCEPT"}.get(field, f"--{field.replace('_', '-')}")
    )


def rule_of(fault: Mapping[str, Any]) -> str:
    """What a value must be, in words, for a fault that pydantic found."""
    own = _RULES_OF.get((str(fault["loc"][0]), fault["type"]))
    return own or general_rule(fault)


def shown_value(value: object) -> str:
    """A value for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _keepable(name: str, value: object) -> None:
    """Raises UsageError for what no JSON file can hold: numbers beyond 64 bits, bytes that are not
    UTF-8."""
    try:
        orjson.dumps(value)
    except TypeError as error:
        reason = str(error)[0].lower() + str(error)[1:]
        raise UsageError(
            f"{name} cannot be {shown_value(value)}, because it cannot be kept: {reason}."
        ) from None


def parse_sim(pairs: Sequence[str]) -> tuple[WorldSpec, Timing]:
    """`KEY=VALUE` pairs as a world and its timing. Raises UsageError with the first fault."""
    given = dict(_pair(text) for text in pairs)
    seconds = {f"{key}_s": _seconds(key, given.pop(key)) for key in TIMING_KEYS if key in given}
    known_faults, known = set(FaultRates.model_fields), set(WorldSpec.model_fields) - {"faults"}
    unknown = sorted(set(given) - known_faults - known)
    if unknown:
        keys = ", ".join(sorted(known | known_faults | set(TIMING_KEYS)))
        raise UsageError(f"--sim knows no {unknown[0]!r}; it takes KEY=VALUE with one of {keys}.")
    faults = _checked(FaultRates, {key: given[key] for key in known_faults & set(given)})
    world = _checked(
        WorldSpec, {"faults": faults, **{key: given[key] for key in known & set(given)}}
    )
    _keepable("--sim seed", world.seed)
    return world, Timing(**seconds)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise UsageError(f"--sim {text!r} is not of the form KEY=VALUE, as in --sim seed=7.")
    return key.strip(), value.strip()


def _seconds(key: str, value: str) -> float:
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
        raise UsageError(
            f"--sim {fault['loc'][0]} cannot be {shown_value(fault['input'])}: {rule_of(fault)}."
        ) from None
