"""What asking own questions amounts to."""

from typing import Any, Literal

from ..records import Record
from ..result import Envelope, Interval, RoleUsage
from .spec import AskedQuestion, AskSpec


class Flag(Record):
    """A reference to look at. It stays as it is, and counts."""

    question: int
    """Place in the spec's list, counted from 1."""
    text: str
    reference: str
    why: tuple[str, ...]


class AskResult(Envelope):
    """One target on somebody's own questions."""

    method: Literal["ask"] = "ask"
    spec: AskSpec
    accuracy: float | None
    """Share of the answers with a verdict that are right, 0 … 1; null without any."""
    accuracy_ci: Interval | None
    """95% interval; it allows for questions on the same passage."""
    unscored: dict[str, int]
    """Answers without a verdict, by stage; never counted as wrong."""
    flags: tuple[Flag, ...]
    answers: tuple[AskedQuestion, ...]
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""
