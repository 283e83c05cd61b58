"""Replays in memory, for tests: a drill of the toy world, and its questions put to others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fathom.graphs.drill.graph import build_graph as build_drill
from fathom.graphs.method import prompts_of
from fathom.graphs.replay.graph import build_graph, recursion_limit
from fathom.graphs.replay.question_set import digest_of, questions_of, replay_spec
from fathom.graphs.replay.result import result_of
from fathom.graphs.run.record import record_of
from fathom.sim.personas import PERSONAS
from fathom.sim.world import World
from fathom.state.channels import DrillInput
from fathom.state.events import Event
from fathom.state.records import Probe
from fathom.state.replay import RejudgeResult, ReplayResult
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier
from fathom.tools.runs.journal import MemorySink

from .drill.toy import START, ToyChat, ToySource, toy_deps, toy_spec

DRILL, REPLAY = (
    "20260101T000000-drill-toys-toy-aaaa0001",
    "20260102T000000-replay-toys-other-bbbb0002",
)


class Named(ToyChat):
    """A toy model under a name of its own, whose marking can be turned round for some questions."""

    def __init__(self, name: str, *, contrary: Sequence[str] = (), **options: Any) -> None:
        super().__init__(**options)
        self._name, self.contrary = name, contrary

    @property
    def name(self) -> str:
        return self._name

    def mark(self, text: str) -> dict[str, object]:
        marking = super().mark(text)
        if any(question in text for question in self.contrary):
            verdict = "contradicts" if marking["verdict"] == "asserts" else "asserts"
            marking = {"verdict": verdict, "reason": "contrary"}
        return marking


async def toy_drill(**options: object) -> DrillResult:
    """A finished drill of the toy target."""
    graph = build_drill(toy_deps(ToyChat(), ToySource()))
    spec = toy_spec(**options)
    start = DrillInput(spec=spec.model_dump(mode="json"), run_id=DRILL)
    output = await graph.ainvoke(start, {"recursion_limit": 500})
    return DrillResult.model_validate(output["result"])


class Replay:
    """One replay of a drill; `sink` and `events` outlive an attempt that failed."""

    def __init__(
        self,
        drill: DrillResult,
        target: Named,
        judge: Named,
        *,
        evaluator: Named | None = None,
        second: Named | None = None,
        calibration: int = 0,
    ) -> None:
        self.drill, self.target, self.judge = drill, target, judge
        self.evaluator, self.second = evaluator or target, second
        self.events: list[Event] = []
        self.sink = MemorySink(lambda: START, [self.events.append])
        further: dict[str, Any] = {"calibration": calibration}
        further |= {"evaluator": evaluator.name} if evaluator else {}
        further |= {"second_evaluator": second.name} if second else {}
        self.spec = replay_spec(drill, target.name, judge.name, **further)
        self.questions: dict[str, Sequence[Probe]] = {self.spec.questions: questions_of(drill)}
        assert digest_of(questions_of(drill)) == self.spec.questions

    async def run(self) -> ReplayResult | RejudgeResult:
        """The result. What the sink holds already is not asked for again."""
        deps = toy_deps(self.target, ToySource(), self.sink)
        others: dict[str, Any] = {"judge": self.judge, "evaluator": self.evaluator}
        others |= {"prompts": prompts_of(self.spec), "questions": self.questions}
        others |= {"anchors": {"second_evaluator": self.second}} if self.second else {}
        graph = build_graph(replace(deps, **others))
        start = DrillInput(spec=self.spec.model_dump(mode="json"), run_id=REPLAY)
        output = await graph.ainvoke(start, {"recursion_limit": recursion_limit(self.spec)})
        kind = RejudgeResult if output["result"]["method"] == "rejudge" else ReplayResult
        return kind.model_validate(output["result"])

    def again(self) -> ReplayResult | RejudgeResult:
        """The result computed from the events alone."""
        return result_of(record_of(self.events))


def true_difference(spec: WorldSpec, result: ReplayResult) -> float:
    """What the difference would be over all facts of a simulated world, at the tiers of the
    questions that were put."""
    world, apart = World(spec), dict[Tier, list[int]]()
    source, target = (
        PERSONAS[name.removeprefix("sim:")]
        for name in (result.source.target, result.spec.target)
    )
    for fact in world.facts:
        apart.setdefault(fact.tier, []).append(
            world.knows(target, fact) - world.knows(source, fact)
        )
    tiers = Counter(pair.tier for pair in result.pairs)
    return sum(
        many * sum(apart[tier]) / len(apart[tier]) for tier, many in tiers.items()
    ) / len(result.pairs)
