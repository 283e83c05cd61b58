"""The drill as a LangGraph state machine: open → plan → deal → N × probe → close → … → finish.

A depth is rounds; a round is one superstep with one Send per open slot. Probes read only their
task; everything that crosses slots happens in `close`, `plan` and `deal`, pure and in slot order,
so that the order of completion cannot change the result.
"""

import asyncio
from importlib import import_module
from random import Random
from typing import Any

import structlog
from langgraph.graph import END
from langgraph.types import Send

from ...state.causes import all_alike
from ...state.channels import Assigned, DrillState, Path, ProbeTask, Stop
from ...state.errors import BudgetSpent
from ...state.events import DepthClosed, DepthPlanned, Notice
from ...state.records import tier_of
from ...state.result import DepthRow
from ...state.spec import DrillSpec
from ..run.deps import (
    MethodGraph,
    RunDeps,
    Stages,
    begin,
    caveats,
    compiled,
    fingerprints,
    require_bound,
    together,
    wait_for_cancel,
    wait_while_stopping,
)
from ..run.record import ending, record_now, with_causes_told, with_numbers
from .barrier import (
    ROUNDS,
    drilled,
    in_order,
    ledger_of,
    mark_duplicates,
    open_slots,
    recursion_limit,
    shortage,
    stop_after,
    survivors,
    tally,
)
from .failures import failures_at, tell_failures
from .look_up import LookUps, fill_from_journal, journal_passages, look_up
from .opening import open_domain
from .outcome import FirstQuestions, first_shown
from .probe import GraphRunner, ProbeRun
from .probe_graph import agent_graph_runner
from .result import result_of
from .roots import share_slots
from .scheduler import Assignment, add_up, allocate, assign, drilling_order
from .summary import depth_row
from .survival import evd


def _after_plan(state: DrillState) -> str:
    return "finish" if state["stop"] else "deal"


def _after_deal(state: DrillState) -> str | list[Send]:
    if state["short"]:
        return "top_up"
    ledger = ledger_of([*state["rows"], *(f["row"] for f in in_order(state["fresh"]))])
    # not in the state: every checkpoint would keep one for each task
    tasks = state["tasks"]
    shown = [(task["slot"], first_shown(task)) for task in tasks]
    first = (task["candidates"][0]["passages"][0]["digest"] for task in tasks)
    spent = sorted(_used(state).union(first))
    sends = [
        Send(
            "probe",
            {
                **task,
                "ledger": ledger,
                "lower": shown[:place],
                "spent": spent,
            },
        )
        for place, task in enumerate(tasks)
    ]
    return sends or "close"


def _after_close(state: DrillState) -> str:
    if state["stop"]:
        return "finish"
    return "deal" if state["open"] else "plan"


def build_graph(deps: RunDeps, *, agents_as_nodes: bool = False) -> MethodGraph:
    """The compiled drill. `agents_as_nodes`: each probe is played through `probe_graph`."""
    nodes = Nodes(deps, agent_graph_runner() if agents_as_nodes else None)
    stages: Stages = {
        "open": (nodes.open, "plan"),
        "plan": (nodes.plan, (_after_plan, ["deal", "finish"])),
        "deal": (nodes.assign, (_after_deal, ["probe", "top_up", "close"])),
        "top_up": (nodes.top_up, "deal"),
        "probe": (nodes.probe, "close"),
        "close": (nodes.close, (_after_close, ["deal", "plan", "finish"])),
        "finish": (nodes.finish, END),
    }
    return compiled("drill", DrillState, deps, stages)


NOTHING_ASSIGNED = Assigned(tried=0, no_evidence=[], void=[])


class Nodes:
    """The nodes, bound to their dependencies. Each returns an update and mutates nothing."""

    def __init__(self, deps: RunDeps, graph_runner: GraphRunner | None = None) -> None:
        """`graph_runner`: what takes probes from step to step; None: they do so themselves."""
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
                    opened, paths = await open_domain(self.deps, spec, state["run_id"])
                except BudgetSpent as spent:
                    self.deps.gate.cut(str(spent))
            await self.deps.gate.pass_through()
        finally:
            # LangGraph asks a numpy that it sees whether an error is an array; half loaded, it
            # cannot say
            await loading
        await self.deps.emit(opened)
        await tell_failures(self.deps, state["run_id"], spec, 1, paths)
        await journal_passages(self.deps, state["run_id"], 1, paths)
        return {
            "roots": list(opened.roots),
            "lost_roots": list(opened.lost_roots),
            "depth": 0,
            "frontier": paths,
            "stop": None,
            **dict.fromkeys(
                ("fresh", "rows", "depths")
            ),  # a host's thread may hold an earlier drill
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
            "topped_up": False,
            "assigned": account,
        }

    async def assign(self, state: DrillState) -> dict[str, Any]:
        """Give each open slot its own passages, without asking anybody."""
        await wait_while_stopping(self.deps, state["run_id"])
        spec = _spec(state)
        rows = [f["row"] for f in in_order(state["fresh"])]
        marked = mark_duplicates(rows, state["rows"])
        still_open = open_slots(spec.n, marked, state["assigned"]["void"])
        frontier = self._in_drilling_order(state, spec)
        assigned = assign(
            [(slot, state["slots"][slot]) for slot in still_open],
            frontier,
            _used(state),
            {(index, concept) for index, concept in state["turned"]} | drilled(rows, frontier),
            Random(f"{spec.seed}:{spec.domain}:{state['depth']}:spares:{state['round']}"),
            # a slot that had a probe was lost to something else than the want of evidence
            voidable=set(still_open) - {row["slot"] for row in rows}
            if spec.missing == "wrong"
            else (),
            only_own=not state["topped_up"],
        )
        if assigned.short and not state["topped_up"]:
            return {"short": assigned.short, "tasks": []}
        if not state["topped_up"]:  # nothing to look up: assign again, with spares this time
            return await self.assign({**state, "topped_up": True})
        return {
            "short": [],
            "untried": bool(assigned.short)
            and len(assigned.tasks) + len(assigned.void) < len(still_open),
            "tasks": self._tasks(state, spec, assigned),
            "turned": sorted(assigned.turned),
            "assigned": add_up(state["assigned"], assigned),
        }

    def _in_drilling_order(self, state: DrillState, spec: DrillSpec) -> list[Path]:
        """The frontier, each path's concepts drawn by its share of the depth."""
        frontier = list[Path]()
        for index, path in enumerate(state["frontier"]):
            rng = Random(f"{spec.seed}:{spec.domain}:{state['depth']}:{index}:concepts")
            order = drilling_order(path, state["slots"].count(index), rng)
            frontier.append({**path, "concepts": order})
        return frontier

    def _tasks(self, state: DrillState, spec: DrillSpec, assigned: Assignment) -> list[ProbeTask]:
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

    async def top_up(self, state: DrillState) -> dict[str, Any]:
        """One look-up step for the paths that lack passages for their share."""
        spec, run_id, depth, round_ = _spec(state), state["run_id"], state["depth"], state["round"]
        tier, _ = tier_of(depth, spec.passes)
        frontier: list[Path] = [
            {
                **path,
                "found": dict(path["found"]),
                "failed": dict(path["failed"]),
            }
            for path in state["frontier"]
        ]
        shares, used = [state["slots"].count(index) for index in range(len(frontier))], _used(state)
        unknown = [
            index
            for index in state["short"]
            if not fill_from_journal(self.deps, run_id, depth, frontier[index], round_)
        ]
        await together(
            *(
                look_up(self.deps, spec, frontier[index], tier, max(1, shares[index]), used)
                for index in unknown
            )
        )
        await tell_failures(self.deps, run_id, spec, depth, frontier)
        await journal_passages(
            self.deps, run_id, depth, frontier, round_=round_, before=state["frontier"]
        )
        return {"frontier": frontier, "topped_up": True}

    async def probe(self, state: ProbeTask) -> dict[str, Any]:
        """One probe, from its passage to its verdict."""
        await wait_while_stopping(self.deps, state["run_id"])
        self._first_questions.begin(state)
        run = ProbeRun(self.deps, state, self._look_ups, self._first_questions, self._graph_runner)
        with structlog.contextvars.bound_contextvars(probe=run.id):
            try:
                return {"fresh": [await run.play()]}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
                self._first_questions.end(state, spent)
        return await wait_for_cancel()

    async def close(self, state: DrillState) -> dict[str, Any]:
        """Settle the round: replace what has no verdict, or close the depth and see whether the
        drill goes on."""
        await self.deps.gate.pass_through()
        spec, depth = _spec(state), state["depth"]
        fresh = in_order(state["fresh"])
        rows = mark_duplicates([f["row"] for f in fresh], state["rows"])
        missing = open_slots(spec.n, rows, state["assigned"]["void"])
        failures = failures_at(self.deps.sink, state["run_id"], depth, rows) if missing else []
        stop = shortage(
            spec, depth, rows, state["assigned"], state["slots"], state["frontier"], failures
        )
        hopeless = stop is not None and stop["reason"] == "infrastructure" and all_alike(failures)
        may_mend = len(missing) < spec.n or not hopeless
        if (
            missing
            and may_mend
            and (state["tasks"] or state["untried"])
            and state["round"] + 1 < ROUNDS
        ):
            await self._announce(
                state, depth, state["round"] + 1, len(state["frontier"]), len(missing)
            )
            return {
                "round": state["round"] + 1,
                "topped_up": False,
                "open": True,
            }
        if stop is not None:
            await self.deps.emit(
                Notice(run_id=state["run_id"], level="warning", message=stop["detail"])
            )
            return {
                "stop": stop,
                "rows": rows,
                "fresh": None,
                "open": False,
            }
        not_found = self.deps.sink.run(state["run_id"]).not_found.get(depth, {})
        done = tally(spec.n, rows, state["assigned"], not_found)
        earlier = [DepthRow.model_validate(row) for row in state["depths"]]
        row = depth_row(
            depth=depth,
            passes=spec.passes,
            planned=spec.n,
            before=[(r.correct, r.scored) for r in earlier],
            **done.figures(),
        )
        counts = [(r.correct, r.scored) for r in (*earlier, row)]
        excluded = {r["id"]: r["excluded"] for r in rows if r["excluded"] is not None}
        await self.deps.emit(
            DepthClosed(
                run_id=state["run_id"],
                row=row,
                evd=float(evd(counts)),
                excluded=excluded,
            )
        )
        frontier = survivors(
            fresh, {r["id"] for r in rows if r["status"] == "correct" and r["excluded"] is None}
        )
        self._first_questions.forget(state["run_id"])
        stop = stop_after(spec, depth, counts)
        k = 0 if stop else self._lookahead(spec, depth, len(state["frontier"]))
        looked_up = await self._look_ups.settle(state["run_id"], spec, frontier, depth, k)
        if k:
            await tell_failures(self.deps, state["run_id"], spec, depth + 1, looked_up)
            await journal_passages(self.deps, state["run_id"], depth + 1, looked_up)
        return {
            "stop": stop,
            "rows": rows,
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

    async def finish(self, state: DrillState) -> dict[str, Any]:
        """The result, from the rows and the probes the sink holds."""
        stop = state["stop"] or Stop(reason="failed", detail="the drill ended without a reason")
        sink, run_id = self.deps.sink, state["run_id"]
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", stop, caveats(self.deps))
        record = with_causes_told(record_now(sink, run_id, ended))
        result = await asyncio.to_thread(result_of, record)
        await self.deps.emit(with_numbers(record.finished, result))
        self.deps.sink.forget(state["run_id"])
        return {"result": result.model_dump(mode="json", by_alias=True), "frontier": []}


def _used(state: DrillState) -> set[str]:
    """Passages that no question may rest on any more."""
    rows = (*state["rows"], *(fresh["row"] for fresh in in_order(state["fresh"])))
    return {digest for row in rows for digest in row["passages"]}


def _spec(state: DrillState) -> DrillSpec:
    return DrillSpec.model_validate(state["spec"])
