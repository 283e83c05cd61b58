"""What one log of another program holds: items with their scores."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple


class Item(NamedTuple):
    key: Hashable
    group: Hashable
    scores: Mapping[str, float | None]
    """Metric → score; None: there is none."""
    columns: Mapping[str, Any]
    """What else is known of it, for `cluster` and `item`."""


class Held(NamedTuple):
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
