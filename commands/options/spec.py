"""Words of the command line as parts of a spec; everything wrong is refused here, in one
sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ...graphs.run.checks import checked
from ...sim.faults import Timing
from ...state.errors import UsageError
from ...state.spec import DrillSpec, FaultRates, RunSpec, WorldSpec, is_simulated
from ...tools.facts.plan import FactPlan, anchored, parse_facts
from ...tools.models.address import parse_model

S = TypeVar("S", bound=RunSpec)
TIMING_KEYS = ("latency", "jitter")
"""Keys of `--sim` that shape the world's timing only; they are no part of a spec."""


def choose_facts(
    option: str | None, evaluator: str, env: Mapping[str, str], here: Path
) -> FactPlan:
    """The sources by tier: those of `--facts`, else those that suit the evaluator (of a simulated
    one at an address of its own those that stand there); paths as seen from `here`. Raises as
    `parse_facts` does."""
    address = parse_model(evaluator)
    if not option and address.provider == "sim" and address.base_url is not None:
        option = f"sim@{address.base_url.removesuffix('/v1')}"
    return anchored(parse_facts(option, env, simulated=is_simulated(evaluator)), here)


def in_world(specs: Sequence[S], world: WorldSpec | None) -> list[S]:
    """The specs, those that start a simulated world with it. Raises UsageError for a world that was
    set up and that no run would start."""
    if world is not None and not any(spec.own_world for spec in specs):
        raise UsageError(
            "--sim sets up the simulated world that a run starts for itself, but no model or "
            "source named here is in it: name one such as sim:student, or leave --sim out."
        )
    update = {"world": world or WorldSpec()}
    return [spec.model_copy(update=update) if spec.own_world else spec for spec in specs]


def repeated(spec: DrillSpec) -> list[DrillSpec]:
    """The repeats of a drill: the seed counts up, the pool of aspects is named with the first
    one."""
    if spec.repeats == 1:
        return [spec]
    specs = []
    for number in range(spec.repeats):
        place = {"seed": spec.seed + number, "repeat": number + 1, "pool_seed": spec.seed}
        specs.append(spec.model_copy(update=place))
    return specs


def parse_sim(pairs: Sequence[str]) -> tuple[WorldSpec, Timing]:
    """`KEY=VALUE` pairs as a world and its timing. Raises UsageError with the first fault."""
    values = dict(_pair(text) for text in pairs)
    seconds, faults = dict[str, float](), dict[str, str]()
    for key in [*values]:
        if key in TIMING_KEYS:
            seconds[f"{key}_s"] = _seconds(key, values.pop(key))
        elif key in FaultRates.model_fields:
            faults[key] = values.pop(key)
    try:
        rates = checked(FaultRates, faults)
        return checked(WorldSpec, {"faults": rates, **values}), Timing(**seconds)
    except UsageError as error:
        raise UsageError(f"--sim {error}") from None


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
