"""What the user says of single models, as MODEL=VALUE, and of all others, as VALUE: prices and rates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from ...state.errors import UsageError
from ...state.spec import label_of
from .address import parse_model
from .settings import LABEL

T = TypeVar("T")


def by_model(what: str, options: Sequence[str], read: Callable[[str, str], T]) -> tuple[dict[str, T], T | None]:
    """The values by model, and the one of all others, from options called `--what`; `read` takes the value and the
    whole option. Raises UsageError for a malformed or repeated one."""
    named: dict[str, T] = {}
    plain: T | None = None
    for text in options:
        model, sign, amounts = text.rpartition("=")
        value = read(amounts, text)
        if not sign:
            if plain is not None:
                raise UsageError(f"--{what} {text}: there is one {what} for all other models already.")
            plain = value
            continue
        name = model.strip() if LABEL.fullmatch(model.strip()) else parse_model(model).text
        if name in named:
            raise UsageError(f"--{what} {text}: {name} has a {what} already.")
        named[name] = value
    return named, plain


def require_used(what: str, named: Iterable[str], models: Iterable[str]) -> None:
    """Raises UsageError when one of the names is that of no model."""
    used = list(dict.fromkeys(models))
    known = {*used, *map(label_of, used)}
    stray = [model for model in named if model not in known]
    if stray:
        everyone = ", ".join(map(label_of, used))
        raise UsageError(f"--{what} names {stray[0]}, which takes no part: the models are {everyone}.")


def value_of(named: Mapping[str, T], model: str) -> T | None:
    """What was said of this very model, or of its label."""
    found = named.get(model)
    return named.get(label_of(model)) if found is None else found
