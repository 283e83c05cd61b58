"""Words of the command line turned into a spec; everything wrong is refused here, in one sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ...graphs.run.launch import check_domain, check_persona
from ...sim.server import Timing
from ...state.errors import UsageError
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
MOST = {
    "n": 10_000,
    "repeats": 1_000,
    "passes": 200,
    "max_depth": 1_000,
    "answer_tokens": 1_000_000,
    "judge_tokens": 1_000_000,
    "questions": 1_000,
    "paraphrases": 100,
    "attribute": 1_000_000,
    "baseline": 1_000_000,
}
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
    ("threshold", "greater_than"): "it must lie between 0 and 1, both excluded",
    ("threshold", "less_than"): "it must lie between 0 and 1, both excluded",
    (
        "language",
        "string_pattern_mismatch",
    ): "it must be the code of a language in small letters, such as en, de or simple",
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


@dataclass(frozen=True, slots=True)
class Cast:
    """The models of a launch: each target is drilled by the same evaluator and judge."""

    targets: tuple[str, ...]
    evaluator: str
    judge: str


def choose_targets(target: Sequence[str]) -> tuple[str, ...]:
    """The models under test. Raises UsageError when there is none, and for one that is named twice or with others."""
    required("--target", target, "name the model under test, as in --target openai:gpt-5-mini.")
    for text in target:
        if len(models := models_in(text)) > 1:
            raise UsageError(f"Several targets: repeat -t ({' '.join(f'-t {model}' for model in models)}).")
    names = [label_of(text.strip()) for text in target]
    twice = [name for name in distinct(names) if names.count(name) > 1]
    if twice:
        raise UsageError(
            f"--target names {', '.join(twice)} more than once: name each model once, or tell them apart by name=LABEL."
        )
    return tuple(text.strip() for text in target)


def choose_models(target: Sequence[str], evaluator: str | None, judge: str | None) -> Cast:
    """The models named. Raises UsageError for one that is missing, malformed or unknown to the simulated world."""
    targets = choose_targets(target)
    why = "it writes, checks and judges the questions, and is never chosen for you; as in --evaluator openai:gpt-5."
    (chosen,) = required("--evaluator", [evaluator or ""], why)
    for name in targets:
        check_persona(name)
    return Cast(
        targets, one_model("--evaluator", chosen), one_model("--judge", optional_model("--judge", judge) or chosen)
    )


def optional_model(flag: str, name: str | None) -> str:
    """The model that was named; "" for none. Raises UsageError for a name of nothing but blanks."""
    if name is not None and not name.strip():
        raise UsageError(f"{flag} is empty: name a model, as in {flag} openai:gpt-5.")
    return (name or "").strip()


def choose_facts(option: str | None, cast: Cast, env: Mapping[str, str]) -> FactPlan:
    """The sources by tier: those of `--facts`, else those that suit the evaluator; paths as seen from the working
    folder. Raises as `parse_facts` does."""
    plan = parse_facts(option or _same_world(cast.evaluator), env, simulated=is_simulated(cast.evaluator))
    return anchored(plan, Path.cwd())


def _same_world(evaluator: str) -> str | None:
    """The source that belongs to a simulated evaluator at an address of its own; None for every other evaluator."""
    address = parse_model(evaluator)
    if address.provider != "sim" or address.base_url is None:
        return None
    return f"sim@{address.base_url.removesuffix('/v1')}"


def make_specs(
    domains: Sequence[str], cast: Cast, *, world: WorldSpec, world_given: bool, **common: Any
) -> list[DrillSpec]:
    """One spec per domain, target and repeat. `common`: the fields all share; `world` goes to those that start one.

    Raises UsageError with the first fault, for a language the simulated world lacks, and for a world that was set up
    (`world_given`) and that no drill would start.
    """
    roles = {"evaluator": cast.evaluator, "judge": cast.judge}
    specs = [
        spec
        for domain in distinct(domains)
        for target in cast.targets
        for spec in repeated(make_spec(DrillSpec, domain=check_domain(domain), target=target, **roles, **common))
    ]
    return in_world(specs, world, given=world_given)


def in_world(specs: Sequence[AnySpec], world: WorldSpec, *, given: bool) -> list[AnySpec]:
    """The specs, those that start a simulated world with it. Raises UsageError for a language it lacks, and for a world
    that was set up (`given`) and that no run would start."""
    for spec in specs:
        language = getattr(spec, "language", "en")
        if language != "en" and any(map(is_simulated, spec.writers)):
            raise UsageError(f"--language cannot be {language!r}: the simulated world speaks English only.")
    if given and not any(spec.own_world for spec in specs):
        raise UsageError(
            "--sim sets up the simulated world that a run starts for itself, but no model or source named here is in "
            "it: name one such as sim:student, or leave --sim out."
        )
    return [spec.model_copy(update={"world": world}) if spec.own_world else spec for spec in specs]


def repeated(spec: DrillSpec) -> list[DrillSpec]:
    """The repeats of a drill: the seed counts up, the pool of aspects is named with the first one."""
    if spec.repeats == 1:
        return [spec]
    return [
        spec.model_copy(update={"seed": spec.seed + nth, "repeat": nth + 1, "pool_seed": spec.seed})
        for nth in range(spec.repeats)
    ]


def make_spec(kind: type[AnySpec], **values: Any) -> AnySpec:
    """A checked spec. Raises UsageError with the first fault, named by its flag."""
    try:
        spec = kind.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"{_flag(fault['loc'][0])} cannot be {_shown(fault['input'])}: {_rule(fault)}.") from None
    require_bounds(spec)
    return spec


def require_bounds(spec: BaseModel) -> None:
    """Raises UsageError for a number beyond `MOST`, and for what no JSON file can hold."""
    for field, most in MOST.items():
        value = getattr(spec, field, 0)
        if isinstance(value, int) and value > most:
            raise UsageError(f"{_flag(field)} cannot be {_shown(value)}: it must be at most {most}.")
    for field, value in spec.model_dump(mode="json").items():
        _keepable(_flag(field), value)


def _flag(field: str | int) -> str:
    names = {"n": "-n", "domain": "DOMAIN", "concepts": "CONCEPT", "modes": "--mode", "similarity": "--embeddings"}
    return names.get(str(field), f"--{str(field).replace('_', '-')}")


def _rule(fault: Mapping[str, Any]) -> str:
    known = _RULES_OF.get((str(fault["loc"][0]), fault["type"])) or _RULES.get(fault["type"])
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


def parse_sim(pairs: Sequence[str], flag: str = "--sim") -> tuple[WorldSpec, Timing]:
    """`KEY=VALUE` pairs as a world and its timing. Raises UsageError, which names the flag."""
    given = dict(_pair(text, flag) for text in pairs)
    seconds = {f"{key}_s": _seconds(key, given.pop(key), flag) for key in TIMING_KEYS if key in given}
    known_faults, known = set(FaultRates.model_fields), set(WorldSpec.model_fields) - {"faults"}
    unknown = sorted(set(given) - known_faults - known)
    if unknown:
        keys = ", ".join(sorted(known | known_faults | set(TIMING_KEYS)))
        raise UsageError(f"{flag} knows no {unknown[0]!r}; it takes KEY=VALUE with one of {keys}.")
    faults = _checked(FaultRates, {key: given[key] for key in known_faults & set(given)}, flag)
    world = _checked(WorldSpec, {"faults": faults, **{key: given[key] for key in known & set(given)}}, flag)
    _keepable(f"{flag} seed", world.seed)
    return world, Timing(**seconds)


def _pair(text: str, flag: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise UsageError(f"{flag} {text!r} is not of the form KEY=VALUE, as in {flag} seed=7.")
    return key.strip(), value.strip()


def _seconds(key: str, value: str, flag: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < 3600:
        raise UsageError(f"{flag} {key}={value} is not a time in seconds (0 to 3600).")
    return number


def _checked(model: type[BaseModel], values: Mapping[str, Any], flag: str) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"{flag} {fault['loc'][0]} cannot be {_shown(fault['input'])}: {_rule(fault)}.") from None
