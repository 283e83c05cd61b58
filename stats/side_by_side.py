"""What comparisons of several runs share, of whatever method: labels, what all of them have finished, and what keeps
their figures from meaning the same."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from ..state.worlds import label_of

Part = TypeVar("Part", bound=Hashable)


class Asked(Protocol):
    """A spec."""

    @property
    def target(self) -> str: ...


class Ended(Protocol):
    """A result."""

    @property
    def run_id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def stop_reason(self) -> str: ...
    @property
    def stop_detail(self) -> str | None: ...


Spec = TypeVar("Spec", bound=Asked)


def with_id(label: str, run: str) -> str:
    """The label of a run that only its id tells from another."""
    return f"{label} [{run}]"


def labels_of(
    runs: Sequence[tuple[str, Spec]], marks: Callable[[Spec], Sequence[str]], apart: Callable[[str, str], str] = with_id
) -> list[str]:
    """Each run, of (run id, spec), under its target's name; those of one target are told apart by their marks, as far
    as these differ among them, and by run id (`apart`) where that is not enough."""
    found = []
    for _, spec in runs:
        namesakes = [marks(other) for _, other in runs if other.target == spec.target]
        tags = dict.fromkeys(m for place, m in enumerate(marks(spec)) if any(own[place] != m for own in namesakes))
        found.append(f"{label_of(spec.target)} ({', '.join(tags)})" if tags else label_of(spec.target))
    times = Counter(found)
    return [apart(label, run) if times[label] > 1 else label for label, (run, _) in zip(found, runs, strict=True)]


def in_common(finished: Iterable[Collection[Part]]) -> tuple[set[Part] | None, int]:
    """The parts that every run with any has finished, None where there are none; how many others only some have."""
    held = [set(own) for own in finished if own]
    anywhere = set[Part]().union(*held)
    common = anywhere.intersection(*held)
    return (common, len(anywhere) - len(common)) if common else (None, 0)


def given_twice(results: Iterable[Ended]) -> list[str]:
    """A note for each run that is given more than once."""
    times = Counter(result.run_id for result in results)
    return [f"run {run} is given more than once and counts once" for run, number in times.items() if number > 1]


def ending(result: Ended) -> str:
    """How a run ended: `budget: 3 of 9 parts`."""
    return f"{result.status}: {result.stop_detail or result.stop_reason}".removeprefix("interrupted: ")


def without_figures(label: str, part: str, why: str) -> str:
    """The note on a run in which no part (`tree`) was finished."""
    return f"{label} has no finished {part} and so no figures ({why.rstrip('.')})"


def partly(common: Collection[object] | None, left_out: int, part: str, each: str) -> list[str]:
    """Over which parts the figures are, where that is not all of them. `each`: what is compared (`target`)."""
    if common is None or not left_out:
        return []
    number = f"the {len(common):,} {part}s" if len(common) > 1 else f"the only {part}"
    more = f"{left_out:,} that only some have finished {'are' if left_out > 1 else 'is'} left out"
    return [f"all figures are over {number} that all {each}s with any finished {part} have finished; {more}"]


def unlike(specs: Sequence[object], fields: Iterable[str], who: str) -> list[str]:
    """The note that specs differ in fields on which the figures depend. `who`: `the targets were not asked alike`."""
    names = [name for name in fields if any(getattr(spec, name) != getattr(specs[0], name) for spec in specs)]
    return [f"{who}: their specs differ in {', '.join(names)}"] if names else []
