"""The channels of the drill's graph: plain JSON values, so that any checkpointer keeps them as they
are."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from .result import StopReason

Origin = Literal["root", "answer", "aspect"]


class Path(TypedDict):
    """A correct probe that can be continued (at depth 1: an aspect that can be opened with)."""

    id: str | None
    """The probe; None for an opening aspect."""
    root: str
    chain: list[str]
    """Concepts from the root to this one."""
    concepts: list[tuple[str, Origin]]
    """What can be drilled next, in the Explainer's order, aspects last."""
    found: dict[str, list[dict[str, Any]]]
    """Concept → its passages (Evidence as JSON) at the depth's tier; an empty list: no evidence
    exists."""
    failed: dict[str, dict[str, Any]]
    """Concept whose look-up failed for a fault of the source → why (Unscored as JSON)."""
    nearest: dict[str, list[str]]
    """Concept that was not found → the titles of the source nearest to it."""
    unmeant: list[str]
    """Those of them whose titles the Explainer was shown, and meant none."""
    calls: list[dict[str, Any]]
    """What it took to ask (Call as JSON)."""


def new_path(
    probe_id: str | None,
    root: str,
    chain: Sequence[str] = (),
    concepts: Iterable[tuple[str, Origin]] = (),
) -> Path:
    """One of which nothing is looked up yet."""
    return Path(
        id=probe_id,
        root=root,
        chain=list(chain),
        concepts=list(concepts),
        found={},
        failed={},
        nearest={},
        unmeant=[],
        calls=[],
    )


class Candidate(TypedDict):
    """A concept that a question can be asked on: where it was drawn from, and its passages."""

    path: int
    """Its path's place in the frontier."""
    concept: str
    origin: Origin
    root: str
    parent: str | None
    chain: list[str]
    """Concepts from the root to the parent's."""
    spare: bool
    passages: list[dict[str, Any]]
    """Evidence as JSON, one at least."""


class ProbeTask(TypedDict):
    """Everything one probe may read: the argument of its Send."""

    run_id: str
    spec: dict[str, Any]
    depth: int
    """Depth, counted from 1."""
    slot: int
    """Place within the depth, counted from 0."""
    round: int
    candidates: list[Candidate]
    """One to four; two are shown together where they are on one path."""
    no_evidence: list[str]
    """Concepts of the path that were passed over because nothing was found on them."""
    ledger: NotRequired[list[tuple[str, str]]]
    """Facts already asked for when the round began. Added when it is sent, as what follows is."""
    lower: NotRequired[list[tuple[int, list[str]]]]
    """The lower slots of its round, each with the digests of the passages it is shown first."""
    spent: NotRequired[list[str]]
    """Passages that were used when the round began, and what each slot is to begin with."""
    k: int
    """How many concepts of a correct answer are looked up at once for the next depth; 0 at the last
    depth."""


class ProbeOutcome(TypedDict):
    """What one probe hands to the barrier."""

    id: str
    passages: list[str]
    """Digests of those that its questions were written from."""
    path: Path | None
    """The continuation, when the answer was correct."""


class Assigned(TypedDict):
    """The account of a depth's dealing."""

    tried: int
    """Concepts whose turn came."""
    no_evidence: list[str]
    """Concepts among them that have no evidence."""
    void: list[int]
    """Slots counted as wrong because their concept has no evidence (only with `missing="wrong"`).
    """


class Stop(TypedDict):
    """Why a drill ended: a `StopReason` and a sentence for people."""

    reason: StopReason
    detail: str


def gather(old: list[Any], new: list[Any] | None) -> list[Any]:
    """Reducer: what is given adds up; None clears the channel."""
    return [] if new is None else [*old, *new]


class DrillInput(TypedDict):
    """What a host gives: the spec (`DrillSpec` as JSON) and a name for the run."""

    spec: dict[str, Any]
    run_id: str


class DrillOutput(TypedDict):
    """What a host gets: the result (`DrillResult` as JSON)."""

    result: dict[str, Any]


class DrillState(TypedDict):
    """All channels. `ledger`, `used` and `depths` grow by what a closed depth adds; `frontier` and
    `fresh` are overwritten."""

    spec: dict[str, Any]
    run_id: str
    roots: list[str]
    """One per probe of depth 1."""
    lost_roots: list[str]
    """Roots that were drawn and have no evidence."""
    depth: int
    """Depth, counted from 1."""
    round: int
    frontier: list[Path]
    slots: list[int]
    """Slot → index of its path in the frontier."""
    tasks: list[ProbeTask]
    turned: list[tuple[int, str]]
    """(path, concept) pairs that had their turn at this depth."""
    open: bool
    """Whether the depth goes into another round."""
    untried: bool
    """Whether paths still have concepts nobody has looked up, for slots that got no task."""
    assigned: Assigned
    fresh: Annotated[list[ProbeOutcome], gather]
    ledger: Annotated[list[tuple[str, str]], gather]
    """The facts that the closed depths have asked for."""
    used: Annotated[list[str], gather]
    """The passages that their questions were written from."""
    depths: Annotated[list[dict[str, Any]], gather]
    stop: Stop | None
    result: dict[str, Any]
