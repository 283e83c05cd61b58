"""The drill as a LangGraph state machine: open → plan → deal → N × probe → close → … → finish.

A depth is rounds; a round is one superstep with one Send per open slot. Probes read only their
task; everything that crosses slots happens in `close`, `plan` and `deal`, pure and in slot order,
so that the order of completion cannot change the result.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from copy import deepcopy
from importlib import import_module
from random import Random
from typing import Any

import structlog
from langgraph.graph import END
from langgraph.types import Send

from ...state.causes import all_alike, with_causes
from ...state.channels import Assigned, DrillState, Path, ProbeTask, Stop
from ...state.errors import BudgetSpent
from ...state.events import DepthClosed, DepthPlanned, LookUpFailed, Notice
from ...state.records import Probe, Unscored
from ...state.result import DepthRow
from ...state.spec import DrillSpec
from ...state.tiers import tier_of
from ..run.deps import (
    MethodGraph,
    RunDeps,
    Stages,
    begin,
    caveats,
    compiled,
    fingerprints,
    last_begin,
    require_bound,
    together,
    wait_for_cancel,
    wait_while_stopping,
)
from ..run.record import ending, record_now, with_causes_told, with_numbers
from .barrier import (
    ROUNDS,
    drilled,
    fact_asked,
    mark_duplicates,
    open_slots,
    recursion_limit,
    shortage,
    stop_after,
    survivors,
    tally,
)
from .first_questions import FirstQuestions
from .look_up import LookUp, LookUps, fill_from_journal, journal_passages
from .opening import Opening
from .probe import GraphRunner, ProbeRun
from .probe_graph import agent_graph_runner
from .result import result_of
from .resumed import continue_finished, first_shown
from .roots import share_slots
from .scheduler import Assignment, add_up, allocate, assign, drilling_order, short_paths
from .summary import depth_row
from .survival import evd

NOTHING_ASSIGNED = Assigned(tried=0, no_evidence=[], void=[])


def build_graph(deps: RunDeps, *, agents_as_nodes: bool = False) -> MethodGraph:
    """The compiled drill. `agents_as_nodes`: each probe is played through `probe_graph`."""
    nodes = Nodes(deps, agent_graph_runner() if agents_as_nodes else None)
    stages: Stages = {
        "open": (nodes.open, "plan"),
        "plan": (nodes.plan, (_after_plan, ["deal", "finish"])),
        "deal": (nodes.deal, (nodes.after_deal, ["probe", "close"])),
        "probe": (nodes.probe, "close"),
        "close": (nodes.close, (_after_close, ["deal", "plan", "finish"])),
        "finish": (nodes.finish, END),
    }
    return compiled("drill", DrillState, deps, stages)


def _after_plan(state: DrillState) -> str:
    return "finish" if state["stop"] else "deal"


def _after_close(state: DrillState) -> str:
    if state["stop"]:
        return "finish"
    return "deal" if state["open"] else "plan"


class Nodes:
    """The nodes, bound to their dependencies. Each returns an update and mutates nothing."""

    def __init__(self, deps: RunDeps, graph_runner: GraphRunner | None = None) -> None:
        """`graph_runner`: what takes probes from stage to stage; None: they do so themselves."""
        self.deps, self._graph_runner, self._look_ups = deps, graph_runner, LookUps(deps)
        self._first_questions = FirstQuestions(deps.sink)

    async def open(self, state: DrillState) -> dict[str, Any]:
        """Name the aspects, draw the roots, look up their first passages."""
        spec = _spec(state)
        require_bound(self.deps, spec)
        await begin(
            self.deps,
            state["run_id"],
            spec,
            recursion_limit(spec),
            await fingerprints(self.deps.sources),
        )
        # what the intervals are computed with takes a while to load: beside the first replies
        # (no task: a listener that breaks off here leaves none behind)
        loading = asyncio.get_running_loop().run_in_executor(None, import_module, "numpy")
        try:
            async with self.deps.gate:
                try:
                    opened, paths = await Opening(self.deps, spec).open(state["run_id"])
                except BudgetSpent as spent:
                    self.deps.gate.cut(str(spent))
            await self.deps.gate.pass_through()
        finally:
            # LangGraph asks a numpy that it sees whether an error is an array; half loaded, it
            # cannot say
            await loading
        await self.deps.emit(opened)
        await self._tell_failures(state["run_id"], spec, 1, paths)
        await journal_passages(self.deps, state["run_id"], 1, paths)
        return {
            "roots": list(opened.roots),
            "lost_roots": list(opened.lost_roots),
            "depth": 0,
            "frontier": paths,
            "stop": None,
            # a host's thread may hold an earlier drill
            **dict.fromkeys(("fresh", "ledger", "used", "depths")),
        }

    async def plan(self, state: DrillState) -> dict[str, Any]:
        """Share the next depth's N probes among the paths that survived."""
        await wait_while_stopping(self.deps, state["run_id"])
        spec, depth = _spec(state), state["depth"] + 1
        tier, _ = tier_of(depth, spec.passes)
        if not self.deps.sources.get(tier):
            detail = f"{tier.value} has no fact source, so the run ends after depth {depth - 1}"
            return {"stop": Stop(reason="no_source", detail=detail)}
        rng = Random(f"{spec.seed}:{spec.domain}:{depth}:plan")
        frontier, account = state["frontier"], NOTHING_ASSIGNED
        if depth == 1:
            slots = share_slots(state["roots"], spec.n, rng)
            if spec.missing == "exclude":  # else those without evidence have their turn
                names = state["lost_roots"]
                account = Assigned(tried=len(names), no_evidence=names, void=[])
        else:
            shares = allocate(spec.n, [str(index) for index in range(len(frontier))], rng)
            slots = [int(index) for index, share in shares.items() for _ in range(share)]
        alive = len(set(state["roots"])) if depth == 1 else len(frontier)
        await self._announce(state, depth, 0, alive, len(slots))
        return {
            "depth": depth,
            "round": 0,
            "slots": slots,
            "fresh": None,
            "turned": [],
            "assigned": account,
        }

    async def deal(self, state: DrillState) -> dict[str, Any]:
        """Give each open slot its own passages; where those of its path run out, its next concepts
        are looked up first."""
        await wait_while_stopping(self.deps, state["run_id"])
        spec, probes = _spec(state), self._fresh_probes(state)
        marked = mark_duplicates(probes, state["ledger"])
        still_open = open_slots(spec.n, marked, state["assigned"]["void"])
        voidable = set[int]()
        if spec.missing == "wrong":
            # a slot that had a probe was lost to something else than the want of evidence
            voidable = set(still_open) - {probe.slot for probe in probes}
        slots = [(slot, state["slots"][slot]) for slot in still_open]
        used, frontier = _used(state), state["frontier"]
        turned = {(index, concept) for index, concept in state["turned"]}
        turned |= drilled(probes, frontier)
        in_order = self._in_drilling_order(state, frontier)
        short = short_paths(slots, in_order, used, turned, voidable)
        if short:
            frontier = await self._top_up(state, short)
            in_order = self._in_drilling_order(state, frontier)
        rng = Random(f"{spec.seed}:{spec.domain}:{state['depth']}:spares:{state['round']}")
        assigned = assign(slots, in_order, used, turned, rng, voidable)
        return {
            "frontier": frontier,
            "untried": assigned.untried,
            "tasks": self._tasks(state, spec, assigned),
            "turned": sorted(assigned.turned),
            "assigned": add_up(state["assigned"], assigned),
        }

    def _fresh_probes(self, state: DrillState) -> list[Probe]:
        """The finished probes of the depth, by round and slot, whatever the order of completion."""
        last_begin(self.deps, state["run_id"])  # raises where the journal is gone
        probes = list[Probe]()
        for outcome in state["fresh"]:
            probe = self.deps.sink.get(state["run_id"], outcome["id"])
            assert probe is not None  # it was journalled before its outcome was handed over
            probes.append(probe)
        return sorted(probes, key=lambda probe: (probe.round, probe.slot))

    def after_deal(self, state: DrillState) -> str | list[Send]:
        """A probe for each slot that was dealt to."""
        facts = map(fact_asked, self._fresh_probes(state))
        ledger = [*state["ledger"], *(fact for fact in facts if fact is not None)]
        # not in the state: every checkpoint would keep one for each task
        tasks = state["tasks"]
        lower = [(task["slot"], first_shown(task)) for task in tasks]
        first = (task["candidates"][0]["passages"][0]["digest"] for task in tasks)
        spent = sorted(_used(state).union(first))
        sends = list[Send]()
        for number, task in enumerate(tasks):
            more = {"ledger": ledger, "lower": lower[:number], "spent": spent}
            sends.append(Send("probe", {**task, **more}))
        return sends or "close"

    def _in_drilling_order(self, state: DrillState, frontier: Sequence[Path]) -> list[Path]:
        """The frontier, each path's concepts drawn by its share of the depth."""
        spec, in_order = _spec(state), list[Path]()
        for index, path in enumerate(frontier):
            rng = Random(f"{spec.seed}:{spec.domain}:{state['depth']}:{index}:concepts")
            order = drilling_order(path, state["slots"].count(index), rng)
            in_order.append({**path, "concepts": order})
        return in_order

    def _tasks(
        self, state: DrillState, spec: DrillSpec, assigned: Assignment
    ) -> list[ProbeTask]:
        k = self._lookahead(spec, state["depth"], len(state["frontier"]))
        return [
            ProbeTask(
                run_id=state["run_id"],
                spec=state["spec"],
                depth=state["depth"],
                slot=slot,
                round=state["round"],
                candidates=candidates,
                no_evidence=assigned.no_evidence.get(slot, []),
                k=k,
            )
            for slot, candidates in sorted(assigned.tasks.items())
        ]

    def _lookahead(self, spec: DrillSpec, depth: int, paths: int) -> int:
        """k = ⌈N/c(d−1)⌉ + 1 concepts looked up beside the judging; 0 when no depth follows."""
        next_tier, _ = tier_of(depth + 1, spec.passes)
        if depth >= spec.max_depth or not self.deps.sources.get(next_tier):
            return 0
        return 2 if depth == 1 else -(-spec.n // paths) + 1

    async def _top_up(self, state: DrillState, short: Sequence[int]) -> list[Path]:
        """The frontier with one look-up step for the paths that lack passages for their share."""
        spec, run_id, depth = _spec(state), state["run_id"], state["depth"]
        tier, _ = tier_of(depth, spec.passes)
        frontier, used = deepcopy(state["frontier"]), _used(state)
        looking = list[Awaitable[None]]()
        for index in short:
            path, share = frontier[index], max(1, state["slots"].count(index))
            if not fill_from_journal(self.deps, run_id, depth, path, state["round"]):
                looking.append(LookUp(self.deps, spec, tier).look_up(path, share, used))
        await together(*looking)
        await self._tell_failures(run_id, spec, depth, frontier)
        round_, before = state["round"], state["frontier"]
        await journal_passages(self.deps, run_id, depth, frontier, round_=round_, before=before)
        return frontier

    async def probe(self, state: ProbeTask) -> dict[str, Any]:
        """One probe, from its passage to its verdict; of one that the journal has what follows."""
        await wait_while_stopping(self.deps, state["run_id"])
        self._first_questions.begin(state)
        shared = (self._look_ups, self._first_questions, self._graph_runner)
        run = ProbeRun(self.deps, state, *shared)
        known = self.deps.sink.get(state["run_id"], run.id)
        with structlog.contextvars.bound_contextvars(probe=run.id):
            try:
                outcome = await (run.play() if known is None else continue_finished(run, known))
                return {"fresh": [outcome]}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
                self._first_questions.end(state, spent)
        return await wait_for_cancel()

    async def close(self, state: DrillState) -> dict[str, Any]:
        """Settle the round: replace what has no verdict, or close the depth and see whether the
        drill goes on."""
        await self.deps.gate.pass_through()
        spec, depth = _spec(state), state["depth"]
        probes = mark_duplicates(self._fresh_probes(state), state["ledger"])
        missing = open_slots(spec.n, probes, state["assigned"]["void"])
        failures = self._failures_at(state["run_id"], depth, probes) if missing else []
        stop = shortage(
            spec,
            depth,
            probes,
            state["assigned"],
            state["slots"],
            state["frontier"],
            failures,
        )
        hopeless = (
            stop is not None and stop["reason"] == "infrastructure" and all_alike(failures)
        )
        may_mend = len(missing) < spec.n or not hopeless
        may_ask = bool(state["tasks"] or state["untried"]) and state["round"] + 1 < ROUNDS
        if missing and may_mend and may_ask:
            following = state["round"] + 1
            await self._announce(state, depth, following, len(state["frontier"]), len(missing))
            return {"round": following, "open": True}
        if stop is not None:
            await self._warn(state["run_id"], stop["detail"])
            return {"stop": stop, "fresh": None, "open": False}
        return await self._close_depth(state, spec, probes)

    async def _close_depth(
        self, state: DrillState, spec: DrillSpec, probes: Sequence[Probe]
    ) -> dict[str, Any]:
        run_id, depth = state["run_id"], state["depth"]
        not_found = self.deps.sink.run(run_id).not_found.get(depth, {})
        earlier = [DepthRow.model_validate(row) for row in state["depths"]]
        before = [(row.correct, row.scored) for row in earlier]
        row = depth_row(
            depth=depth,
            passes=spec.passes,
            planned=spec.n,
            before=before,
            **tally(spec.n, probes, state["assigned"], not_found),
        )
        counts = [*before, (row.correct, row.scored)]
        excluded = {probe.id: probe.excluded for probe in probes if probe.excluded is not None}
        closed = DepthClosed(run_id=run_id, row=row, evd=float(evd(counts)), excluded=excluded)
        await self.deps.emit(closed)
        self._first_questions.forget(run_id)
        stop = stop_after(spec, depth, counts)
        k = 0 if stop else self._lookahead(spec, depth, len(state["frontier"]))
        alive = survivors(state["fresh"], probes)
        looked_up = await self._look_ups.settle(run_id, spec, alive, depth, k)
        if k:
            await self._tell_failures(run_id, spec, depth + 1, looked_up)
            await journal_passages(self.deps, run_id, depth + 1, looked_up)
        return {
            "stop": stop,
            "ledger": [fact for probe in probes if (fact := fact_asked(probe)) is not None],
            "used": [digest for outcome in state["fresh"] for digest in outcome["passages"]],
            "depths": [row.model_dump(mode="json", by_alias=True)],
            "frontier": looked_up,
            "fresh": None,
            "open": False,
        }

    async def _announce(
        self, state: DrillState, depth: int, round_: int, paths: int, slots: int
    ) -> None:
        tier, tier_pass = tier_of(depth, _spec(state).passes)
        await self.deps.emit(
            DepthPlanned(
                run_id=state["run_id"],
                depth=depth,
                round=round_,
                tier=tier,
                tier_pass=tier_pass,
                paths=paths,
                slots=slots,
            ),
        )

    async def _tell_failures(
        self, run_id: str, spec: DrillSpec, depth: int, paths: Iterable[Path]
    ) -> None:
        """Journal why look-ups for a depth failed, those that are not known yet, and say the
        commonest cause."""
        tier, _ = tier_of(depth, spec.passes)
        failures = list[Unscored]()
        for path in paths:
            for concept, failure in path["failed"].items():
                place = depth, path["id"], concept
                if not failure or place in self.deps.sink.run(run_id).failed:
                    continue
                failures.append(Unscored.model_validate(failure))
                event = LookUpFailed(
                    run_id=run_id,
                    depth=depth,
                    tier=tier,
                    parent=path["id"],
                    concept=concept,
                    failure=failures[-1],
                )
                await self.deps.emit(event)
        if failures:
            number = f"Depth {depth} ({tier.value}): {len(failures)} look-ups failed"
            await self._warn(run_id, f"{with_causes(number, failures)}.")

    def _failures_at(self, run_id: str, depth: int, probes: Sequence[Probe]) -> list[Unscored]:
        """Why look-ups for a depth failed, and why its probes could not be scored."""
        events = self.deps.sink.run(run_id).failed.values()
        failures = [event.failure for event in events if event.depth == depth]
        outcomes = (probe.outcome for probe in probes)
        return failures + [outcome for outcome in outcomes if isinstance(outcome, Unscored)]

    async def _warn(self, run_id: str, message: str) -> None:
        await self.deps.emit(Notice(run_id=run_id, level="warning", message=message))

    async def finish(self, state: DrillState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        stop = state["stop"] or Stop(reason="failed", detail="the drill ended without a reason")
        sink, run_id = self.deps.sink, state["run_id"]
        ended = ending(
            sink,
            run_id,
            self.deps.clock.now(),
            "complete",
            stop,
            caveats(self.deps),
        )
        record = with_causes_told(record_now(sink, run_id, ended))
        result = await asyncio.to_thread(result_of, record)
        await self.deps.emit(with_numbers(record.finished, result))
        self.deps.sink.forget(state["run_id"])
        return {
            "result": result.model_dump(mode="json", by_alias=True),
            "frontier": [],
        }


def _used(state: DrillState) -> set[str]:
    """Passages that no question may rest on any more."""
    return set(state["used"]).union(*(outcome["passages"] for outcome in state["fresh"]))


def _spec(state: DrillState) -> DrillSpec:
    return DrillSpec.model_validate(state["spec"])
