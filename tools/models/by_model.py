"""Options that say something of models: a value for all of them, or MODEL=VALUE; may be repeated."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from ...state.errors import UsageError
from ...state.spec import label_of
from .address import parse_model
from .settings import LABEL

Value = TypeVar("Value")


def by_model(
    option: str, texts: Sequence[str], read: Callable[[str, str], Value]
) -> tuple[dict[str, Value], Value | None]:
    """The values by model, and the one for all others. `read` is given the value as written and the whole text. Raises
    UsageError for a malformed or repeated one."""
    named: dict[str, Value] = {}
    plain: Value | None = None
    for text in texts:
        model, sign, written = text.rpartition("=")
        value = read(written, text)
        if not sign:
            if plain is not None:
                raise UsageError(f"--{option} {text}: there is one {option} for all other models already.")
            plain = value
            continue
        name = model.strip() if LABEL.fullmatch(model.strip()) else parse_model(model).text
        if name in named:
            raise UsageError(f"--{option} {text}: {name} has a {option} already.")
        named[name] = value
    return named, plain


def require_named(option: str, named: Mapping[str, object], models: Iterable[str]) -> None:
    """Raises UsageError when a value was written for a model that is not among those named."""
    used = list(dict.fromkeys(models))
    known = {*used, *map(label_of, used)}
    stray = [model for model in named if model not in known]
    if stray:
        taking = ", ".join(map(label_of, used))
        raise UsageError(f"--{option} names {stray[0]}, which takes no part: the models are {taking}.")
