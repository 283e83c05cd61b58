"""A campaign's cells: what is due, what is tried again, and that they never cost more than they
may."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.campaign.campaign import Campaign, Engine
from fathom.graphs.campaign.runner import Limit, Tell, Watch
from fathom.state.campaign import CellState, WorkerState, cell_of
from fathom.state.events import RunFinished, RunResumed
from fathom.state.spec import DrillSpec
from fathom.tools.runs.index import open_index

from ...support.drill.drills import sim_spec

DOMAINS = "abcdefgh"


class KeptInMemory:
    """An index without a file."""

    def __init__(self, states: Iterable[CellState] = ()) -> None:
        self.states = {state.cell: state for state in states}

    async def began(self, study: str, today: date, *, keep: bool = True) -> date:
        return today

    async def read(self, cells: Sequence[str]) -> dict[str, CellState]:
        return {cell: self.states[cell] for cell in cells if cell in self.states}

    async def write(self, states: Iterable[CellState]) -> None:
        self.states |= {state.cell: state for state in states}

    async def aclose(self) -> None: ...

    async def opened(self) -> "KeptInMemory":
        return self


class Scripted:
    """Plays cells as the script has it: cell and how often it was played before → what becomes of
    it."""

    slots, in_flight = 3, 0
    workers: Sequence[WorkerState] = ()

    def __init__(self, script: Callable[[CellState, int, Limit], CellState]) -> None:
        self.script = script
        self.played: list[str] = []
        self.limits: list[Limit] = []

    async def open(self, begun: Mapping[str, str], tell: Tell) -> None: ...

    async def play(self, state: CellState, limit: Limit) -> CellState:
        before = self.played.count(state.domain)
        self.played.append(state.domain)
        self.limits.append(limit)
        return self.script(state, before, limit)

    def stop(self) -> None: ...

    async def aclose(self) -> None: ...


def specs(domains: str = DOMAINS) -> dict[str, DrillSpec]:
    return {spec.digest: spec for spec in (sim_spec(domain=domain * 3) for domain in domains)}


def complete(state: CellState, _: int = 0, __: Limit = (None, None)) -> CellState:
    return state.model_copy(update={"status": "complete", "share": 1.0, "run": state.domain})


async def played(campaign: Campaign, engine: Engine) -> dict[str, CellState]:
    await campaign.read()
    return {state.domain[0]: state for state in await campaign.run(engine)}


async def test_what_is_finished_is_not_asked_and_what_was_added_is_run_alone() -> None:
    index, engine = KeptInMemory(), Scripted(complete)
    await played(Campaign(specs("ab"), index.opened), engine)
    again = Scripted(complete)
    states = await played(Campaign(specs("abc"), index.opened), again)
    assert again.played == ["ccc"]
    assert [state.status for state in states.values()] == ["complete"] * 3
    assert index.states[states["c"].cell].run == "ccc"


async def test_failures_stay_and_are_retried_when_asked() -> None:
    def fails(state: CellState, before: int, limit: Limit) -> CellState:
        return (
            complete(state)
            if state.domain != "bbb"
            else state.model_copy(update={"status": "failed", "error": "x"})
        )

    index = KeptInMemory()
    engine = Scripted(fails)
    states = await played(Campaign(specs("abc"), index.opened), engine)
    assert sorted(engine.played) == [
        "aaa",
        "bbb",
        "bbb",
        "ccc",
    ]  # once more in the same session, since all may pass
    assert states["b"].status == "failed"
    quiet = Scripted(complete)
    assert (await played(Campaign(specs("abc"), index.opened), quiet))["b"].error == "x"
    assert quiet.played == []
    asked = Scripted(complete)
    states = await played(Campaign(specs("abc"), index.opened, retry_failed=True), asked)
    assert asked.played == ["bbb"]
    assert states["b"].status == "complete"


async def test_a_cell_is_tried_again_for_as_long_as_it_gets_further() -> None:
    def further(state: CellState, before: int, limit: Limit) -> CellState:
        share = (0.2, 0.5, 0.7, 0.7)[before]
        return state.model_copy(update={"status": "failed", "error": "lost", "share": share})

    engine = Scripted(further)
    await played(Campaign(specs("a"), KeptInMemory().opened), engine)
    assert engine.played == ["aaa"] * 4


async def test_a_slow_target_never_holds_all_places() -> None:
    others_over = asyncio.Event()

    class WithASlowOne(Scripted):
        async def play(self, state: CellState, limit: Limit) -> CellState:
            if state.target == "sim:novice":
                await others_over.wait()
            after = await super().play(state, limit)
            if self.played.count("quick") == 4:
                others_over.set()
            return after

    slow = [sim_spec(domain=domain * 3, target="sim:novice") for domain in DOMAINS]
    quick = [sim_spec(domain="quick", seed=seed) for seed in range(4)]
    campaign = Campaign({spec.digest: spec for spec in slow + quick}, KeptInMemory().opened)
    async with asyncio.timeout(30):  # else it would wait for ever
        states = await played(campaign, WithASlowOne(complete))
    assert {state.status for state in states.values()} == {"complete"}


@pytest.mark.parametrize(
    ("calls", "paid", "usd"), [(0, None, 0.0), (3, None, None), (3, 0.25, 0.5)]
)
def test_what_was_not_asked_costs_nothing_and_what_has_no_price_is_not_known(
    calls: int, paid: float | None, usd: float | None
) -> None:
    ((_, spec),) = specs("a").items()
    watch = Watch(cell_of(spec), spec, lambda _: None)
    watch(
        RunResumed(
            run_id="r", spec=spec, version="1", probes=0, spent_usd=paid, spent_calls=calls
        )
    )
    watch.spent = lambda: (paid or 0.0, calls)
    numbers = {
        "spent_usd": paid,
        "spent_calls": calls,
        "cost_usd": paid,
        "evd": None,
        "evd_ci": None,
        "wall_s": 1,
    }
    watch(RunFinished(run_id="r", status="interrupted", stop_reason="interrupted", **numbers))
    assert (watch.state.calls, watch.state.usd) == (2 * calls, usd)


async def test_two_programs_that_begin_a_new_study_mean_the_same_runs(tmp_path: Path) -> None:
    runs: list[set[tuple[str, str]]] = [set(), set()]

    def noting(mine: set[tuple[str, str]]) -> Scripted:
        def note(state: CellState, before: int, limit: Limit) -> CellState:
            mine.add((state.cell, state.run))
            return state.model_copy(update={"status": "complete"})

        return Scripted(note)

    campaigns = [Campaign(specs(), partial(open_index, tmp_path, None)) for _ in runs]
    for campaign in campaigns:
        await campaign.read()  # nobody has begun a cell yet
    await asyncio.gather(
        *(campaign.run(noting(mine)) for campaign, mine in zip(campaigns, runs, strict=True)),
    )
    assert runs[0] == runs[1]
    assert len({run for _, run in runs[0]}) == len(DOMAINS)
    for campaign in campaigns:
        await campaign.aclose()


async def test_after_a_stop_no_cell_begins() -> None:
    def stops(state: CellState, before: int, limit: Limit) -> CellState:
        campaign.stop()
        return complete(state)

    campaign = Campaign(specs(), KeptInMemory().opened)
    engine = Scripted(stops)
    states = await played(campaign, engine)
    assert len(engine.played) == 3
    assert [state.status for state in states.values()].count("waiting") == 5


@given(
    st.floats(0.5, 20),
    st.lists(st.floats(0, 4), min_size=8, max_size=8),
    st.integers(1, 40),
    st.none() | st.floats(0.1, 30),
)
async def test_cells_never_cost_more_than_the_campaign_may(
    budget: float, prices: list[float], most: int, need: float | None
) -> None:
    price = dict(zip((domain * 3 for domain in DOMAINS), prices, strict=True))

    def spends(state: CellState, before: int, limit: Limit) -> CellState:
        usd, calls = limit
        assert usd is not None
        assert calls is not None
        paid, asked = min(usd, price[state.domain]), min(calls, 5)
        whole = paid == price[state.domain] and asked == 5
        share = min(paid / (price[state.domain] or 1), asked / 5)
        changed = {
            "usd": paid,
            "calls": asked,
            "share": share,
            "status": "complete" if whole else "partial",
        }
        return state.model_copy(update=changed)

    campaign = Campaign(specs(), KeptInMemory().opened, limit=(budget, most), need=(need, None))
    states = await played(campaign, Scripted(spends))
    assert sum(state.usd or 0 for state in states.values()) <= budget + 1e-6
    assert sum(state.calls for state in states.values()) <= most
    if budget >= sum(prices) * 3 and most >= 120:
        assert all(state.status == "complete" for state in states.values())


@pytest.mark.parametrize(
    ("limit", "need"),
    [((6.0, None), (2.0, None)), ((None, 24), (None, 7.5)), ((6.0, 99), (2.0, 1))],
)
async def test_a_budget_that_lasts_for_some_brings_these_to_their_end(
    limit: Limit, need: Limit
) -> None:
    """Each needs USD 1.5 or six calls, and is expected to take a little more."""

    def spends(state: CellState, before: int, limit: Limit) -> CellState:
        usd, calls = (
            (1.5 if limit[0] is None else limit[0]),
            (6 if limit[1] is None else limit[1]),
        )
        share = min(1, usd / 1.5, calls / 6)
        paid = {"usd": min(1.5, usd), "calls": min(6, calls)}
        return state.model_copy(
            update={**paid, "share": share, "status": "complete" if share == 1 else "partial"}
        )

    campaign = Campaign(specs(), KeptInMemory().opened, limit=limit, need=need)
    states = await played(campaign, Scripted(spends))
    assert [state.status for state in states.values()].count("complete") == 4
