"""Where a run deviates from the published method, and which of its open choices it takes: a table per method."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Deviation:
    """One that some runs have. `text`: `name: sentence`, in which `{spec.threshold}` stands for a value, or what makes
    that from the spec."""

    when: Callable[[Any], object]
    """Of a spec: whether it has this one."""
    text: str | Callable[[Any], str]

    def told(self, spec: Any) -> str:
        """As results list it."""
        return self.text.format(spec=spec) if isinstance(self.text, str) else self.text(spec)


OWN_PROMPTS = Deviation(
    lambda spec: spec.prompts, lambda spec: f"own-prompts: {', '.join(sorted(spec.prompts))} replaced by the user"
)


def conformance(table: Iterable[str | Deviation], spec: Any) -> tuple[str, ...]:
    """What a result lists, in the table's order; a text alone holds for every run."""
    rows = [each for each in table if isinstance(each, str) or each.when(spec)]
    return tuple(each if isinstance(each, str) else each.told(spec) for each in rows)
