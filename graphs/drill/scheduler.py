"""Who is asked how often at the next depth, and which candidates each slot gets: pure, and drawn
from the generator that is given."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ...state.channels import Assigned, Candidate, Path
from .look_up import HELD


def allocate(n: int, paths: Sequence[str], rng: Random) -> dict[str, int]:
    """Probes per surviving path, in the order of `paths`; the values sum to `n` unless nothing
    survives.

    P paths get n//P probes each and n % P of them one more; of more than n paths, n get one probe
    each and the others are left out. Who gets more, and who is left out, is drawn: giving the
    remainder to the first paths would, depth after depth, shrink the roots that the run rests on.
    Raises ValueError for n < 1 or a path named twice.
    """
    if n < 1:
        raise ValueError(f"a depth needs at least one probe, got {n}")
    if len(set(paths)) != len(paths):
        raise ValueError("a path was named twice")
    if not paths:
        return {}
    share, rest = divmod(n, len(paths))
    favoured = set(rng.sample(range(len(paths)), rest))
    dealt = {path: share + (place in favoured) for place, path in enumerate(paths)}
    return {path: probes for path, probes in dealt.items() if probes}


@dataclass(slots=True)
class Assignment:
    """The outcome: a task (donor's index in the frontier, candidates) per slot that got one."""

    tasks: dict[int, tuple[int, list[Candidate]]] = field(default_factory=dict)
    short: list[int] = field(default_factory=list)
    """Paths with concepts nobody has looked up yet: those with an empty slot, and for each slot
    whose own path has nothing left another one, drawn, which may have a spare for it."""
    tried: int = 0
    no_evidence: dict[int, list[str]] = field(default_factory=dict)
    """Slot → concepts of its path that were passed over because nothing was found on them."""
    void: list[int] = field(default_factory=list)
    turned: set[tuple[int, str]] = field(default_factory=set)
    """`dealt_concepts` and the concepts whose turn came now."""


@dataclass(slots=True)
class _Table:
    """What is still to be had while dealing."""

    frontier: Sequence[Path]
    taken: set[str]
    """Digests of passages used before or dealt now."""
    turned: set[tuple[int, str]]
    """(path, concept) pairs that had their turn at this depth."""

    def turns(self, index: int) -> Iterator[tuple[str, Any, list[dict[str, Any]]]]:
        """The looked-up concepts of a path whose turn has not come, in drilling order; taking one
        is its turn."""
        path = self.frontier[index]
        for concept, origin in path["concepts"]:
            if (index, concept) not in self.turned and concept in path["found"]:
                self.turned.add((index, concept))
                yield concept, origin, path["found"][concept]

    def take(self, concept: str, origin: Any, evidence: dict[str, Any]) -> Candidate:
        self.taken.add(evidence["digest"])
        return Candidate(concept=concept, origin=origin, evidence=evidence)

    def own_candidates(self, index: int) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Free passages of a path, concept by concept."""
        path = self.frontier[index]
        for concept, origin in path["concepts"]:
            for evidence in path["found"].get(concept, ()):
                if evidence["digest"] not in self.taken:
                    yield concept, origin, evidence


def assign(
    open_slots: Sequence[tuple[int, int]],
    frontier: Sequence[Path],
    used: Collection[str],
    dealt_concepts: Collection[tuple[int, str]],
    rng: Random,
    *,
    voidable: Collection[int] = (),
    only_own: bool = False,
) -> Assignment:
    """Assign one passage and up to two reserves to each open slot.

    `open_slots`: (slot, index of its path), in slot order. `used`: digests no question may rest on
    any more. `dealt_concepts`: (path index, concept) pairs that had their turn at this depth. A
    slot is served by the next concept of its path that has a free passage, then by a further
    passage of the path's own concepts, then (unless `only_own`) by a spare of another path, in an
    order drawn by `rng`. A slot in `voidable` is used up by the first concept that has no evidence
    (the paper's rule); every other slot goes on to the next concept. Concepts that are wanted and
    that nobody has looked up yet: see `short`.
    """
    result, table = Assignment(), _Table(frontier, set(used), set(dealt_concepts))
    empty = _assign_concepts(open_slots, table, result, voidable)
    result.short = sorted({index for _, index in empty if _unknown(frontier[index])})
    empty = _assign_further(empty, table, result) if not (result.short and only_own) else empty
    if not only_own:
        _assign_spares(empty, table, result, rng)
        empty = [(slot, index) for slot, index in empty if slot not in result.tasks]
    result.short = sorted({*result.short, *_donors(empty, table, rng)})
    _assign_reserves(table, result)
    result.turned = table.turned
    return result


def _assign_concepts(
    open_slots: Sequence[tuple[int, int]],
    table: _Table,
    result: Assignment,
    voidable: Collection[int],
) -> list[tuple[int, int]]:
    empty = []
    for slot, index in open_slots:
        for concept, origin, found in table.turns(index):
            result.tried += 1
            if not found:
                result.no_evidence.setdefault(slot, []).append(concept)
                if slot in voidable:
                    result.void.append(slot)
                    break
                continue
            evidence = next((e for e in found if e["digest"] not in table.taken), None)
            if evidence is not None:
                result.tasks[slot] = (index, [table.take(concept, origin, evidence)])
                break
        else:
            empty.append((slot, index))
    return empty


def _unknown(path: Path) -> bool:
    return any(c not in path["found"] and c not in path["failed"] for c, _ in path["concepts"])


def _donors(empty: Sequence[tuple[int, int]], table: _Table, rng: Random) -> list[int]:
    """A path with concepts nobody has looked up for each slot whose own path has nothing left, as
    far as there are."""
    helpless = [
        slot
        for slot, index in empty
        if not _unknown(table.frontier[index]) and next(table.own_candidates(index), None) is None
    ]
    able = (
        [index for index, path in enumerate(table.frontier) if _unknown(path)] if helpless else []
    )
    return rng.sample(able, min(len(able), len(helpless)))


def _assign_further(
    empty: Sequence[tuple[int, int]], table: _Table, result: Assignment
) -> list[tuple[int, int]]:
    left = []
    for slot, index in empty:
        further = next(table.own_candidates(index), None)
        if further is None:
            left.append((slot, index))
        else:
            concept, origin, evidence = further
            # every concept of the path had its turn, so this is one more side of a concept that was
            # drilled
            result.tasks[slot] = (
                index,
                [table.take(concept, "aspect" if origin == "answer" else origin, evidence)],
            )
    return left


def _assign_spares(
    empty: Sequence[tuple[int, int]], table: _Table, result: Assignment, rng: Random
) -> None:
    """Concepts nobody drilled come before further passages of drilled ones: the depth should rest
    on many roots."""
    if not empty:
        return
    pool = [
        (index, nth, candidate)
        for index in range(len(table.frontier))
        for nth, candidate in _numbered(table, index)
    ]
    rng.shuffle(pool)
    pool.sort(key=lambda spare: ((spare[0], spare[2][0]) in table.turned, spare[1]))
    waiting = list(empty)
    for index, _, (concept, origin, evidence) in pool:
        if not waiting:
            break
        if evidence["digest"] in table.taken:
            continue  # two paths may have found the same page
        slot, _ = waiting.pop(0)
        table.turned.add((index, concept))
        result.tasks[slot] = (index, [table.take(concept, origin, evidence)])


def _numbered(table: _Table, index: int) -> Iterator[tuple[int, tuple[str, Any, dict[str, Any]]]]:
    """The free passages of a path, each with its place among those of its concept."""
    counts: Counter[str] = Counter()
    for candidate in table.own_candidates(index):
        yield counts[candidate[0]], candidate
        counts[candidate[0]] += 1


def _assign_reserves(table: _Table, result: Assignment) -> None:
    for slot in sorted(result.tasks):
        index, candidates = result.tasks[slot]
        while len(candidates) < HELD:
            reserve = _next_reserve(table, index, candidates[0]["concept"])
            if reserve is None:
                break
            candidates.append(table.take(*reserve))


def _next_reserve(
    table: _Table, index: int, concept: str
) -> tuple[str, Any, dict[str, Any]] | None:
    """A reserve of the same concept first, then any of the same path."""
    own = list(table.own_candidates(index))
    return next(
        (candidate for candidate in own if candidate[0] == concept), own[0] if own else None
    )


def add_up(before: Assigned, assigned: Assignment) -> Assigned:
    """The depth's account so far, this deal included."""
    return Assigned(
        tried=before["tried"] + assigned.tried,
        no_evidence=[
            *before["no_evidence"],
            *(name for names in assigned.no_evidence.values() for name in names),
        ],
        void=[*before["void"], *assigned.void],
    )
