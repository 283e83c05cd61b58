"""Which topics or aspects a drill opens with, and how its first depth is shared among them: pure,
and drawn from the generator that is given."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import floor
from random import Random
from typing import NamedTuple

from ...state.errors import UsageError
from ...state.spec import DrillSpec
from .scheduler import allocate


class Draw(NamedTuple):
    """`roots`: one name per probe of depth 1 (a topic may have several); `rest`: what may take the
    place of those without evidence, in order."""

    roots: list[str]
    rest: list[str]

    @property
    def names(self) -> list[str]:
        """Each name once."""
        return list(dict.fromkeys((*self.roots, *self.rest)))


def root_generator(spec: DrillSpec) -> Random:
    return Random(f"{spec.seed}:{spec.domain}:0:roots")


def draw_aspects(aspects: Collection[str], n: int, rng: Random) -> Draw:
    """At most n of the aspects, each once."""
    names = sorted(aspects)  # a pool is a set: the order of naming decides nothing
    rng.shuffle(names)
    return Draw(names[:n], names[n:])


def draw_topics(topics: Mapping[str, float], n: int, rng: Random) -> Draw:
    """n roots by systematic sampling in random order: a topic with the share w of all weights has
    n·w of them on average, and never a whole one more or less. The rest is drawn by weight too."""
    names = sorted(topics)
    rng.shuffle(names)
    total = sum(map(Fraction, topics.values()))
    roots, before = list[str](), Fraction(rng.random())
    for name in names:
        after = before + n * Fraction(topics[name]) / total
        roots += [name] * (floor(after) - floor(before))
        before = after
    turns = {name: rng.expovariate(topics[name]) for name in names}
    return Draw(roots, sorted(set(names) - set(roots), key=lambda name: (turns[name], name)))


def check_topics(spec: DrillSpec) -> DrillSpec:
    """The spec. Raises UsageError where its topics give fewer than half as many roots as a depth
    has probes."""
    if not spec.topics:
        return spec
    roots = len(set(draw_topics(spec.topics, spec.n, root_generator(spec)).roots))
    if 2 * roots < spec.n:
        raise UsageError(
            f"The {len(spec.topics)} topics give, by their weights, {roots} different roots for "
            f"the {spec.n} probes of depth 1, and at least {-(-spec.n // 2)} are needed: add "
            "topics, make their weights more alike, or lower -n."
        )
    return spec


def replace_lost(draw: Draw, without: Collection[str]) -> tuple[list[str], list[str]]:
    """The roots when those without evidence have made room for the next ones of the rest, and
    whatever was drawn in vain, in its order."""
    rest, roots, vain = iter(draw.rest), list[str](), dict[str, None]()
    for root in draw.roots:
        name: str | None = root
        while name is not None and name in without:
            vain[name] = None
            name = next(rest, None)
        roots += [] if name is None else [name]
    return roots, [*vain]


def share_slots(roots: Sequence[str], n: int, rng: Random) -> list[int]:
    """Slot of depth 1 → index of its root among the different ones: each root has as many as it
    was drawn; what fewer than n of them leave is shared as any depth is."""
    places = {root: place for place, root in enumerate(dict.fromkeys(roots))}
    slots = Counter(places[root] for root in roots)
    if len(roots) < n:
        for place, more in allocate(n - len(roots), [*map(str, places.values())], rng).items():
            slots[int(place)] += more
    return sorted(slots.elements())
