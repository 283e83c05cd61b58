"""So many a second, evenly: the virtual scheduling of the generic cell rate algorithm (ITU-T
I.371)."""

from math import inf


class Pace:
    """`per_s` a second, of which `burst` may come at once; in any window of t seconds no more than
    `burst + per_s * t`. Times are seconds on one clock. Pure."""

    def __init__(self, per_s: float = inf, burst: float = 1.0) -> None:
        self._apart_s, self._burst = 1 / per_s, burst
        self._even_s = -inf
        """When the next one would be due, had all so far come evenly."""

    def due_s(self, now_s: float) -> float:
        """When the next one may come, `now_s` at the earliest."""
        return max(now_s, self._even_s - (self._burst - 1) * self._apart_s)

    def count(self, at_s: float, amount: float = 1.0) -> None:
        """So many have come; below 0: fewer than were counted."""
        self._even_s = max(at_s, self._even_s) + amount * self._apart_s

    def change(self, now_s: float, times: float, burst: float) -> None:
        """From now on so many times as fast; what came too early so far is made up for at the new
        pace."""
        self._even_s = now_s + max(0.0, self._even_s - now_s) / times
        self._apart_s, self._burst = self._apart_s / times, burst
