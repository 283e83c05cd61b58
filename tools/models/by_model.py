"""What the user says of single models, as MODEL=VALUE, and of all others, as VALUE: prices and
rates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...state.errors import UsageError
from ...state.spec import label_of
from .address import parse_model
from .settings import LABEL

T = TypeVar("T")


@dataclass(frozen=True)
class ByModel(Generic[T]):
    """`what`: the option without its dashes; `plain`: of every model that is not named."""

    what: str
    named: Mapping[str, T]
    plain: T | None = None

    @classmethod
    def parse(
        cls, what: str, options: Sequence[str], read: Callable[[str, str], T]
    ) -> "ByModel[T]":
        """`read` takes a value and the whole option. Raises UsageError for a malformed or repeated
        one."""
        named: dict[str, T] = {}
        plain: T | None = None
        for text in options:
            model, sign, amounts = text.rpartition("=")
            value = read(amounts, text)
            if not sign:
                if plain is not None:
                    raise UsageError(
                        f"--{what} {text}: there is one {what} for all other models already."
                    )
                plain = value
                continue
            name = model.strip() if LABEL.fullmatch(model.strip()) else parse_model(model).text
            if name in named:
                raise UsageError(f"--{what} {text}: {name} has a {what} already.")
            named[name] = value
        return cls(what, named, plain)

    def own(self, model: str) -> T | None:
        """What was said of this very model, of its label, or of its name whatever its settings."""
        return next((self.named[name] for name in _names(model) if name in self.named), None)

    def require_named(self, models: Iterable[str]) -> None:
        """Raises UsageError when something was said of a model that is not among those named."""
        used = list(dict.fromkeys(models))
        known = {name for model in used for name in _names(model)}
        stray = [model for model in self.named if model not in known]
        if stray:
            named = ", ".join(map(label_of, used))
            raise UsageError(
                f"--{self.what} names {stray[0]}, which is not a model of this run: its "
                f"models are {named}."
            )


def _names(model: str) -> tuple[str, ...]:
    """The closest first: two efforts of one model may have a price each, or one for both."""
    label = label_of(model)
    return model, label, label.partition(" ")[0]
