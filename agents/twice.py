"""What is written, checked, and when it will not do written once more."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..state.records import Rejected, Unscored
from ..tools.models.chat import Message

T = TypeVar("T")
TRIES = 2
"""What will not do is asked for once more (METHODS.md: malformed twice, dropped)."""


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """What came of it."""

    sound: T | None
    """None: nothing that will do."""
    rejected: tuple[Rejected, ...]
    """What was written in vain, with the reasons."""
    failure: Unscored | None = None
    """The call, of the writer or of who checks, that ended it."""


async def write_twice(
    write: Callable[[Rejected | None], Awaitable[T | Unscored]],
    check: Callable[[T], Awaitable[str | Unscored | None]],
    text: Callable[[T], str] = str,
) -> Written[T]:
    """`write`: given what was rejected last; `check`: why it will not do, None when it will;
    `text`: as it is kept."""
    rejected: tuple[Rejected, ...] = ()
    for _ in range(TRIES):
        draft = await write(rejected[-1] if rejected else None)
        if isinstance(draft, Unscored):
            return Written(None, rejected, draft)
        fault = await check(draft)
        if isinstance(fault, Unscored):
            return Written(None, rejected, fault)
        if fault is None:
            return Written(draft, rejected)
        rejected = (*rejected, Rejected(text=text(draft), reason=fault))
    return Written(None, rejected)


def turns_after(last: Rejected | None, request: str) -> tuple[Message, ...]:
    """What follows the prompt where a reply cannot be used: that reply, and the request for another
    one, with a place for the `{reason}`."""
    if last is None:
        return ()
    words = request.format(reason=last.reason)
    return Message("assistant", last.text or "(nothing)"), Message("user", words)
