"""What a list of runs shows of a spec and of a result: single fields of JSON, read without building
either."""

from typing import Any

import orjson
from pydantic import ValidationError

from ...state.errors import RunFailed
from ...state.result import Interval
from ...state.spec import EqtSpec

EQT, DEPTHQA, BUILD, DEEPQUESTION = "eqt", "depthqa", "depthqa_build", "deepquestion"
USUAL_LOAD = "some"
"""Of distractors in Q2S: the one that is shown where there are several."""
_NAMED = {
    DEPTHQA: "graph",
    BUILD: "name",
    DEEPQUESTION: "benchmark",
}
"""Method → the field of its spec that says what the run is about."""


def json_object(raw: bytes | dict[str, Any]) -> dict[str, Any]:
    """A JSON object, from its bytes or as it is. Raises RunFailed for anything else, and
    JSONDecodeError."""
    value = orjson.loads(raw) if isinstance(raw, bytes) else raw
    if not isinstance(value, dict):
        raise RunFailed("a JSON object was expected")
    return value


def interval(ends: Any) -> Interval | None:
    """The ends of an interval; None where there is none."""
    return (ends[0], ends[1]) if ends else None


def subject_of(spec: dict[str, Any]) -> str:
    """What a run is about; empty where it cannot be read."""
    method = spec.get("method")
    if method in _NAMED:
        return str(spec.get(_NAMED[method], ""))
    if method != EQT:
        return str(spec.get("domain", "") or json_object(spec.get("source", {})).get("domain", ""))
    try:
        return EqtSpec.model_validate(spec).domain
    except ValidationError:
        return ""


def numbers_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `RunEntry` that a result of its method fills; nothing without a result, and
    of a drill."""
    read = {
        EQT: _of_eqt,
        DEPTHQA: _of_depthqa,
        DEEPQUESTION: _of_deepquestion,
    }.get(str(facts.get("method")))
    return read(facts) if read else {}


def _of_eqt(facts: dict[str, Any]) -> dict[str, Any]:
    """Accuracy and ACS, with their intervals."""
    numbers = json_object(facts.get("numbers", {}))
    row, consistency = (
        json_object(numbers.get("all", {})),
        json_object(numbers.get("consistency", {})),
    )
    measured = row.get("accuracy") is not None
    return {
        "accuracy": row.get("accuracy"),
        "accuracy_ci": interval(row.get("ci_clustered") or row.get("ci")) if measured else None,
        "acs": consistency.get("acs"),
        "acs_ci": interval(consistency.get("acs_ci")),
    }


def _of_depthqa(facts: dict[str, Any]) -> dict[str, Any]:
    """Mean scores, in zero-shot or without it the first mode."""
    modes = [json_object(mode) for mode in facts.get("modes", ())]
    main = next((mode for mode in modes if mode.get("mode") == "zero-shot"), next(iter(modes), {}))
    accuracy = json_object(main.get("accuracy", {}))
    overall, deep = (json_object(accuracy.get(level, {})) for level in ("overall", "D3"))
    return {
        "mean": overall.get("mean"),
        "mean_ci": interval(overall.get("ci")),
        "mean_d3": deep.get("mean"),
        "mean_d3_ci": interval(deep.get("ci")),
    }


def _of_deepquestion(facts: dict[str, Any]) -> dict[str, Any]:
    """Accuracy on the originals, in Q2S with some distractors (without that load: at the highest)
    and in Q2I, and the load of Q2S."""
    loads = [json_object(row) for row in facts.get("q2s") or ()]
    main = next((row for row in loads if row.get("load") == USUAL_LOAD), loads[-1] if loads else {})
    shares = {
        "original": facts.get("original"),
        "q2s": main.get("accuracy"),
        "q2i": json_object(facts.get("q2i") or {}).get("accuracy"),
    }
    found = {
        name: value
        for key, share in shares.items()
        for name, value in _share(key, share or {}).items()
    }
    return {**found, "q2s_load": str(main.get("load", ""))}


def _share(name: str, share: dict[str, Any]) -> dict[str, Any]:
    value = share.get("share")
    measured = value is not None
    ends = interval(share.get("ci")) if measured else None
    return {name: value, f"{name}_ci": ends}
