"""Why calls and look-ups failed: of many failures the commonest, with its count and one sample."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from .records import Unscored

FINAL = frozenset({"bad_request", "bad_reply", "parse"})
"""Kinds of failure that another question does not mend."""
_LONGEST = 300
"""Characters of a sample."""

Fault = tuple[str, str]
"""Stage and kind."""


def fault_of(failure: Unscored) -> Fault:
    """Where it failed and how: what failures are counted by."""
    return failure.stage, failure.kind


def causes_of(failures: Sequence[Unscored], most: int = 3) -> str:
    """The commonest causes, `28 of 30 (judge, parse): the model answered with nothing`; empty
    without failures. Each has the message that is most often among its own."""
    messages: defaultdict[Fault, Counter[str]] = defaultdict(Counter)
    for failure in failures:
        messages[fault_of(failure)][failure.message] += 1
    every = Counter(map(fault_of, failures)).most_common(most)
    return "; ".join(
        _told(fault, number, len(failures), messages[fault]) for fault, number in every
    )


def _told(fault: Fault, number: int, total: int, messages: Counter[str]) -> str:
    ((message, _),) = messages.most_common(1)
    sample = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
    return f"{number:,} of {total:,} ({', '.join(fault)}): {sample.rstrip('.')}"


def with_causes(sentence: str, failures: Sequence[Unscored]) -> str:
    """A sentence without its full stop, and the commonest cause of what it speaks of."""
    cause = causes_of(failures, most=1)
    return f"{sentence}; commonest cause: {cause}" if cause else sentence


def all_alike(failures: Iterable[Unscored]) -> bool:
    """Whether they failed in one and the same way, which will not pass."""
    faults = set(map(fault_of, failures))
    return len(faults) == 1 and next(iter(faults))[1] in FINAL
