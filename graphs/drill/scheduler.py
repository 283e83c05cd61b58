"""Who is asked how often at the next depth, and which candidates each slot gets: pure, and drawn
from the generator that is given."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ...state.channels import Assigned, Candidate, Origin, Path

OF_FIRST, OF_NEXT = 3, 2
"""Passages that one call of the Questioner is shown, of a concept and of the next one on its
line. A hand has two such sets."""
SHORT = 200
"""Characters: of shorter passages one in four carries a question, of longer ones every other."""
MORE = 2
"""So many concepts beyond a path's share take part in the draw: the evaluator ranks and does not
choose."""


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
    shares = {path: share + (index in favoured) for index, path in enumerate(paths)}
    return {path: probes for path, probes in shares.items() if probes}


def drilling_order(path: Path, share: int, rng: Random) -> list[tuple[str, Origin]]:
    """The concepts of a path in the order in which they are drilled: first, by lot, those up to the
    (`share` + 2)nd that has evidence, of these the ones with a single passage last; then the others
    as they stand. Aspects follow, likewise.

    Those without evidence take part in the lot, so that as many are passed over as would be if all
    were looked up one by one.
    """
    order = list[tuple[str, Origin]]()
    for answered in (True, False):
        concepts = [pair for pair in path["concepts"] if (pair[1] != "aspect") is answered]
        supported = [n for n, (name, _) in enumerate(concepts, 1) if path["found"].get(name)]
        enough = len(supported) >= share + MORE
        among = supported[share + MORE - 1] if enough else len(concepts)
        sample = rng.sample(concepts[:among], among)
        sample.sort(key=lambda pair: len(path["found"].get(pair[0], ())) == 1)
        order += [*sample, *concepts[among:]]
    return order


@dataclass(slots=True)
class Assignment:
    """The outcome."""

    tasks: dict[int, list[Candidate]] = field(default_factory=dict)
    """Slot → its candidates, of those that got any."""
    untried: bool = False
    """Whether a slot is left without a task although its path has concepts nobody has looked up."""
    tried: int = 0
    no_evidence: dict[int, list[str]] = field(default_factory=dict)
    """Slot → concepts of its path that were passed over because nothing was found on them."""
    void: list[int] = field(default_factory=list)
    turned: set[tuple[int, str]] = field(default_factory=set)
    """The (path, concept) pairs given, and those whose turn came now."""


Spare = tuple[int, tuple[str, Origin], str]
"""The place of a path, a concept of it, and the digest of a passage on that."""


@dataclass(slots=True)
class _Pool:
    """What is still to be had."""

    frontier: Sequence[Path]
    used: set[str]
    """Digests of passages used before or assigned now."""
    turned: set[tuple[int, str]]
    """(path, concept) pairs that had their turn at this depth."""
    reserved: set[tuple[int, str]] = field(default_factory=set)
    """Pairs that some slot holds in reserve."""

    def next_concepts(self, index: int) -> Iterator[tuple[str, Origin]]:
        """The looked-up concepts of a path whose turn has not come; taking one is its turn."""
        path = self.frontier[index]
        for concept, origin in path["concepts"]:
            if (index, concept) not in self.turned and concept in path["found"]:
                self.turned.add((index, concept))
                yield concept, origin

    def free(self, index: int, concept: str) -> list[dict[str, Any]]:
        """The passages on a concept that nobody has, short ones last: most of these state nothing
        to ask for."""
        passages = self.frontier[index]["found"].get(concept, ())
        free = [passage for passage in passages if passage["digest"] not in self.used]
        return sorted(free, key=lambda passage: len(passage["text"]) < SHORT)

    def free_concepts(self, index: int) -> list[tuple[str, Origin]]:
        """The concepts of a path that have such passages."""
        concepts = self.frontier[index]["concepts"]
        return [pair for pair in concepts if self.free(index, pair[0])]

    def fullness(self, index: int, concept: str) -> int:
        """How many such passages one call could be shown."""
        return min(OF_FIRST, len(self.free(index, concept)))

    def take(self, index: int, concept: str, most: int) -> list[dict[str, Any]]:
        passages = self.free(index, concept)[:most]
        self.used.update(passage["digest"] for passage in passages)
        return passages

    def candidate(
        self, index: int, concept: tuple[str, Origin], most: int, *, spare: bool
    ) -> Candidate:
        """A concept with up to so many of its passages, which are taken."""
        path, (name, origin) = self.frontier[index], concept
        return Candidate(
            path=index,
            concept=name,
            origin=origin,
            root=path["root"],
            parent=path["id"],
            chain=path["chain"],
            spare=spare,
            passages=self.take(index, name, most),
        )

    def spares(self, rng: Random) -> list[Spare]:
        """All free passages, drawn: concepts nobody drilled come before further passages of drilled
        ones, because the depth should rest on many roots; then those with more passages."""
        ranked = list[tuple[int, int, Spare]]()
        for index, path in enumerate(self.frontier):
            for concept in path["concepts"]:
                fullness = -self.fullness(index, concept[0])
                for nth, passage in enumerate(self.free(index, concept[0])):
                    ranked.append((nth, fullness, (index, concept, passage["digest"])))
        rng.shuffle(ranked)

        def rank(of: tuple[int, int, Spare]) -> tuple[bool, int, int]:
            nth, fullness, (index, concept, _) = of
            return (index, concept[0]) in self.turned, nth, fullness

        return [spare for *_, spare in sorted(ranked, key=rank)]


def short_paths(
    open_slots: Sequence[tuple[int, int]],
    frontier: Sequence[Path],
    used: Collection[str],
    turned: Collection[tuple[int, str]],
    voidable: Collection[int] = (),
) -> list[int]:
    """Paths with a slot for which none of their looked-up concepts serves, and with concepts nobody
    has looked up yet. Arguments as of `assign`."""
    pool = _Pool(frontier, set(used), set(turned))
    empty = _assign_concepts(open_slots, pool, Assignment(), voidable)
    return sorted({index for _, index in empty if _has_unknown(frontier[index])})


def assign(
    open_slots: Sequence[tuple[int, int]],
    frontier: Sequence[Path],
    used: Collection[str],
    turned: Collection[tuple[int, str]],
    rng: Random,
    voidable: Collection[int] = (),
) -> Assignment:
    """Assign each open slot a hand of up to four concepts, no passage twice.

    `open_slots`: (slot, index of its path), in slot order; the paths' concepts stand in drilling
    order. `used`: digests no question may rest on any more. `turned`: (path index, concept) pairs
    that had their turn at this depth. A slot is served by the next concept of its path that has a
    free passage, then by a further passage of the path's own concepts, then by a spare of another
    path, in an order drawn by `rng`; when all slots have one, by further passages and reserves. A
    slot in `voidable` is used up by the first concept that has no evidence (the paper's rule);
    every other slot goes on to the next concept.
    """
    result, pool = Assignment(), _Pool(frontier, set(used), set(turned))
    empty = _assign_concepts(open_slots, pool, result, voidable)
    empty = _assign_further(empty, pool, result)
    empty = _assign_spares(empty, pool, result, rng)
    result.untried = any(_has_unknown(frontier[index]) for _, index in empty)
    result.turned = set(pool.turned)
    _assign_reserves(pool, result, rng)
    return result


def _assign_concepts(
    open_slots: Sequence[tuple[int, int]],
    pool: _Pool,
    result: Assignment,
    voidable: Collection[int],
) -> list[tuple[int, int]]:
    empty = []
    for slot, index in open_slots:
        for concept in pool.next_concepts(index):
            result.tried += 1
            if not pool.frontier[index]["found"][concept[0]]:
                result.no_evidence.setdefault(slot, []).append(concept[0])
                if slot in voidable:
                    result.void.append(slot)
                    break
            elif pool.free(index, concept[0]):
                result.tasks[slot] = [pool.candidate(index, concept, 1, spare=False)]
                break
        else:
            empty.append((slot, index))
    return empty


def _has_unknown(path: Path) -> bool:
    return any(c not in path["found"] and c not in path["failed"] for c, _ in path["concepts"])


def _assign_further(
    empty: Sequence[tuple[int, int]], pool: _Pool, result: Assignment
) -> list[tuple[int, int]]:
    still_empty = []
    for slot, index in empty:
        concepts = pool.free_concepts(index)
        if concepts:
            # every concept of the path had its turn
            concept = _once_more(max(concepts, key=lambda pair: pool.fullness(index, pair[0])))
            result.tasks[slot] = [pool.candidate(index, concept, 1, spare=False)]
        else:
            still_empty.append((slot, index))
    return still_empty


def _once_more(concept: tuple[str, Origin]) -> tuple[str, Origin]:
    """One more side of a concept that was drilled."""
    name, origin = concept
    return name, "aspect" if origin == "answer" else origin


def _assign_spares(
    empty: Sequence[tuple[int, int]], pool: _Pool, result: Assignment, rng: Random
) -> list[tuple[int, int]]:
    waiting = list(empty)
    for index, concept, digest in pool.spares(rng) if waiting else ():
        if not waiting:
            break
        if digest in pool.used:
            continue  # two paths may have found the same page
        slot, _ = waiting.pop(0)
        pool.turned.add((index, concept[0]))
        result.tasks[slot] = [pool.candidate(index, concept, 1, spare=True)]
    return waiting


def _assign_reserves(pool: _Pool, result: Assignment, rng: Random) -> None:
    """What fills up the first call of each slot: further passages of its concept and the next one
    of its path; then the same for a second call: a third concept of the path, else what is left of
    the first, else a spare, and the next one beside it."""
    hands = [result.tasks[slot] for slot in sorted(result.tasks)]
    for first, *_ in hands:
        first["passages"] += pool.take(first["path"], first["concept"], OF_FIRST - 1)
    for hand in hands:
        hand += _next_on_line(pool, hand, OF_NEXT)
    reserves = [_next_on_line(pool, hand, OF_FIRST) for hand in hands]
    helpless = list[list[Candidate]]()
    for hand, reserve in zip(hands, reserves, strict=True):
        hand += reserve
        if reserve:
            hand += _next_on_line(pool, hand, OF_NEXT)
        elif more := pool.take(hand[0]["path"], hand[0]["concept"], OF_FIRST):
            hand[0]["passages"] += more
        else:
            helpless.append(hand)
    spares = pool.spares(rng) if helpless else []
    for hand in helpless:
        hand += _spare_reserve(pool, hand, spares)


def _spare_reserve(
    pool: _Pool, hand: Sequence[Candidate], spares: Sequence[Spare]
) -> list[Candidate]:
    """A spare of another path with more than one passage, and the next one of that path."""
    for index, concept, _ in spares:
        if index != hand[0]["path"] and pool.fullness(index, concept[0]) > 1:
            spare = [pool.candidate(index, concept, OF_FIRST, spare=True)]
            return spare + _next_on_line(pool, spare, OF_NEXT)
    return []


def _next_on_line(pool: _Pool, hand: Sequence[Candidate], most: int) -> list[Candidate]:
    """The concept to hold beside the last one in hand, on its path: one that nobody has, else one
    that others hold, else one more side of one that was drilled; of these the first of those with
    the most passages. None where the path has no more."""
    index, spare = hand[-1]["path"], hand[-1]["spare"]
    in_hand = {(candidate["path"], candidate["concept"]) for candidate in hand}
    concepts = [pair for pair in pool.free_concepts(index) if (index, pair[0]) not in in_hand]
    if not concepts:
        return []

    def fate(concept: tuple[str, Origin]) -> tuple[bool, bool, int]:
        pair = index, concept[0]
        return (
            pair in pool.turned,
            pair in pool.reserved,
            -min(most, pool.fullness(*pair)),
        )

    concept = min(concepts, key=fate)
    if (index, concept[0]) in pool.turned:
        concept = _once_more(concept)
    pool.reserved.add((index, concept[0]))
    return [pool.candidate(index, concept, most, spare=spare)]


def add_up(before: Assigned, assigned: Assignment) -> Assigned:
    """The depth's account so far, this assignment included."""
    return Assigned(
        tried=before["tried"] + assigned.tried,
        no_evidence=[
            *before["no_evidence"],
            *(name for names in assigned.no_evidence.values() for name in names),
        ],
        void=[*before["void"], *assigned.void],
    )
