"""What a provider allows is shared out: never more than that in all, and nothing left idle once
calls have ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("distributed")

from fathom.graphs.campaign.plugins import Order, Shares

TOTALS = {"http://a/v1": 10, "sim": 3}


class Workers:
    """Workers that keep to what they are told, and say when they are down to it if they are let."""

    def __init__(self) -> None:
        self.shares = Shares()
        self.may: dict[tuple[str, str], int] = {}
        self.under_way: dict[tuple[str, str], int] = {}

    def hear(self, orders: list[Order]) -> None:
        for order in orders:
            place = order.worker, order.where
            self.may[place] = order.slots
            # the worst that it can do: as many calls as it may
            self.under_way[place] = max(self.under_way.get(place, 0), order.slots)

    def come_down(self, worker: str) -> None:
        for (own, where), slots in list(self.may.items()):
            if own == worker and self.under_way[own, where] > slots:
                self.under_way[own, where] = slots
                self.hear(list(self.shares.down(worker, where, slots)))

    def vanish(self, worker: str) -> None:
        self.shares.lose(worker)
        for where in TOTALS:
            self.may.pop((worker, where), None)

    def forget(self, worker: str) -> None:
        """As long as a call may last has passed since it was lost."""
        if (worker, "sim") not in self.may:
            for where in TOTALS:
                self.under_way.pop((worker, where), None)
            self.hear(list(self.shares.free(worker)))

    def total(self, where: str) -> int:
        return sum(calls for (_, own), calls in self.under_way.items() if own == where)


STEPS = st.lists(
    st.tuples(st.sampled_from(["join", "down", "lose", "forget"]), st.sampled_from("abcde")),
    max_size=40,
)


def step_of(workers: Workers, live: set[str], step: str, name: str) -> None:
    if step == "join" and name not in live and (name, "sim") not in workers.under_way:
        workers.hear(list(workers.shares.join(name, TOTALS)))
        live.add(name)
    elif step == "down" and name in live:
        workers.come_down(name)
    elif step == "lose" and name in live:
        workers.vanish(name)
        live.discard(name)
    elif step == "forget":
        workers.forget(name)


@given(STEPS)
def test_never_more_than_is_allowed_and_all_of_it_once_everybody_is_down(
    steps: list[tuple[str, str]],
) -> None:
    workers, live = Workers(), set[str]()
    for step, name in [*steps, *(("forget", name) for name in "abcde")]:
        step_of(workers, live, step, name)
        assert all(workers.total(where) <= most for where, most in TOTALS.items())
    for name in [*live, *live]:
        workers.come_down(name)
    for where, most in TOTALS.items():
        held = [workers.may[name, where] for name in live]
        assert sum(held) == (most if live else 0)
        assert not held or max(held) - min(held) <= 1


def test_the_share_of_one_that_was_lost_comes_back_only_when_its_calls_have_ended() -> None:
    shares = Shares()
    list(shares.join("a", {"sim": 4}))
    assert list(shares.join("b", {"sim": 4})) == [
        Order("a", "sim", 2, 0.5),
        Order("b", "sim", 0, 0.5),
    ]
    assert list(shares.down("a", "sim", 2)) == [Order("b", "sim", 2, 0.5)]
    shares.lose("a")
    assert list(shares.orders()) == [Order("b", "sim", 2, 1.0)], "a rate needs no confirmation"
    assert list(shares.free("a")) == [Order("b", "sim", 4, 1.0)]
