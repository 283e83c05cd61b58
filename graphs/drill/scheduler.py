"""Who is asked how often at the next depth: pure, and drawn from the generator it is given."""

from collections.abc import Sequence
from random import Random


def allocate(n: int, paths: Sequence[str], rng: Random) -> dict[str, int]:
    """Probes per surviving path, in the order of `paths`; the values sum to `n` unless nothing survives.

    P paths get n//P probes each and n % P of them one more; of more than n paths, n get one probe each and the others
    are left out. Who gets more, and who is left out, is drawn: giving the remainder to the first paths would, depth
    after depth, shrink the roots that the run rests on. Raises ValueError for n < 1 or a path named twice.
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
