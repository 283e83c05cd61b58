"""Options of multiple choice as a text shows them."""

import re
from dataclasses import dataclass
from functools import lru_cache

_OPTION = re.compile(r"([A-Z])\. (\S.*)")


@dataclass(frozen=True, slots=True)
class Shown:
    """A question as it was shown: its options in the order of their letters."""

    stem: str
    options: tuple[str, ...]


@lru_cache(maxsize=4096)
def read_shown(text: str) -> Shown | None:
    """A question with lettered options, A on, at least two and each on a line of its own; None when there is none."""
    lines = text.splitlines()
    runs: list[tuple[int, list[str]]] = []
    for place, line in enumerate(lines):
        found = _OPTION.fullmatch(line.strip())
        if found and runs and found[1] == chr(65 + len(runs[-1][1])) and place == runs[-1][0] + len(runs[-1][1]):
            runs[-1][1].append(" ".join(found[2].split()))
        elif found and found[1] == "A":
            runs.append((place, [" ".join(found[2].split())]))
    whole = [run for run in runs if len(run[1]) >= 2]
    if not whole:
        return None
    start, options = whole[-1]
    return Shown("\n".join(lines[:start]).strip(), tuple(options))
