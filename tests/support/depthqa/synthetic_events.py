"""DepthQA runs and a build that never happened, as items and as streams of events, for tests of the screen.

Everything follows from the arguments. Some texts are hostile on purpose: escape sequences, markup, direction
overrides, wide scripts, long questions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from random import Random

from fathom.graphs.depthqa.protocol import PlannedQuestion, owner_of, planned_questions
from fathom.state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Removal,
    Rewritten,
    Sifted,
    SubQuestion,
)
from fathom.state.depthqa.items import DepthAnswer, GivenAnswer, Material, Mode, QuestionGraph, Rating
from fathom.state.depthqa.spec import DepthQABuildSpec, DepthQASpec, SourceQuestion
from fathom.state.events import Event, ItemFinished, Marks, Notice, RunFinished, RunStarted, TreeClosed
from fathom.state.items import BuildItem, DepthQAItem
from fathom.state.records import Answer, Call, Sent, Unscored, Usage
from fathom.state.result import Status, StopReason

from ..drill.synthetic import START
from .synthetic import graph

LATE = Unscored(stage="judge", kind="timeout", message="The judge did not\x1b[2J answer within 60 s.")
DOWN = Unscored(stage="answer", kind="server", message="The endpoint said 500.")
SHUT = "1_d1_n4\x1b[2J"
"""A node whose name would clear the screen."""
QUESTIONS = {
    "1_d1_n1": "原子番号とは何ですか？ " + "Read on. " * 40,
    "1_d2_n2": "[red]By which steps[/red] is pure copper\x1b[31m obtained?",
    "2_d1_n2": "What is the \u202enoitarugifnoc\u202c of sodium?",
}


@dataclass(frozen=True)
class DepthPlan:
    """What a synthetic run looks like. `faults`: have one of each thing that can go wrong."""

    run_id: str = "20261120T120000-depthqa-elements-sim-student-d3d3d3d3"
    target: str = "sim:student"
    modes: tuple[Mode, ...] = ("zero-shot",)
    trees: int = 3
    faults: bool = True
    simulated: bool = True
    cost: float | None = 0.0002
    done: int | None = None
    """Trees that are finished; None: all."""
    status: Status = "complete"
    stop_reason: StopReason = "all_asked"

    @cached_property
    def material(self) -> Material:
        over = hostile(graph(self.trees))
        given = self.target.startswith("given:")
        answers = tuple(GivenAnswer(node=node.id, text=f"Given for {node.question}") for node in over.nodes)
        return Material(graph=over, answers=answers if given else None)

    @cached_property
    def spec(self) -> DepthQASpec:
        return DepthQASpec(
            graph=self.material.graph.name,
            material=self.material.digest,
            target=self.target,
            judge="sim:judge" if self.simulated else "openai:gpt-5",
            modes=self.modes,
        )

    @property
    def short(self) -> str:
        return self.run_id.rpartition("-")[2]


def hostile(over: QuestionGraph) -> QuestionGraph:
    """The graph with texts and one name that would act on a terminal."""
    nodes = []
    for node in over.nodes:
        below = tuple(SHUT if name == "1_d1_n4" else name for name in node.predecessors)
        name = SHUT if node.id == "1_d1_n4" else node.id
        question = QUESTIONS.get(node.id, node.question)
        nodes.append(node.model_copy(update={"id": name, "predecessors": below, "question": question}))
    return over.model_copy(update={"name": "elements\x1b[1m", "nodes": tuple(nodes)})


def _call(plan: DepthPlan, role: str, failure: str | None = None) -> Call:
    return Call.model_validate(
        {
            "role": role,
            "purpose": "depth_answer",
            "model": plan.target,
            "usage": Usage() if failure else Usage(input_tokens=300, output_tokens=50),
            "cost_usd": None if failure else plan.cost,
            "failure": failure,
        }
    )


def _pair(plan: DepthPlan, planned: PlannedQuestion) -> Iterator[DepthQAItem]:
    """An answer and, where there is one, its rating."""
    node, rng = plan.material.graph.by_id[planned.node], Random(f"{plan.target}/{planned.place}")
    held = {"mode": planned.mode, "nodes": planned.nodes, "conversation": planned.conversation}
    tree = owner_of(plan.material.graph, planned)
    place = f"{plan.short}/{planned.place}"
    down = plan.faults and planned.node == "2_d2_n1" and planned.mode == plan.modes[-1]
    silent = plan.faults and planned.node == "1_d1_n5"
    refused = plan.faults and planned.node == "1_d1_n8"
    text = "I cannot." if refused else f"It is [b]known[/b]\x1b[8m about {planned.node}.\n\nThat is all."
    said = Answer(text=planned.given or text, finish="stop", refusal=refused, logprobs=(-0.1, -2.5, -0.2))
    asked = (Sent(role="system", text="Answer the\x1b[1m question."), Sent(role="user", text=node.question))
    yield DepthAnswer.model_validate(
        {
            **held,
            "id": place,
            "tree": tree,
            "scored": planned.scored,
            "prompt": () if planned.given else asked,
            "fault": DOWN if down else None,
            "answer": None if down or silent else said,
            "calls": () if planned.given else (_call(plan, "target", "server" if down else None),),
            "elapsed_s": 2.5,
        }
    )
    if not planned.scored or down:
        return
    late = plan.faults and planned.node == "3_d3"
    score = 1 if silent or refused else min(5, max(1, round(rng.gauss(4.6 - 0.4 * node.depth, 0.8))))
    yield Rating.model_validate(
        {
            **held,
            "id": f"{place}@score",
            "of": place,
            "tree": tree,
            "prompt": () if silent or refused else (Sent(role="user", text=f"Mark: {text}"),),
            "fault": LATE if late else None,
            "score": None if late else score,
            "reason": "" if late else "the model said nothing" if silent else "It says [i]most\x1b[2J[/i] of it.",
            "judge": "" if silent or refused else plan.spec.judge,
            "calls": () if silent or refused else (_call(plan, "judge", "timeout" if late else None),),
            "elapsed_s": 1.25,
        }
    )


def items_of(plan: DepthPlan) -> list[DepthQAItem]:
    """All steps of the finished trees, tree by tree."""
    trees = planned_questions(plan.spec, plan.material)[: plan.trees if plan.done is None else plan.done]
    return [item for own in trees for planned in own for item in _pair(plan, planned)]


def _closed(plan: DepthPlan, index: int, items: Iterable[DepthQAItem]) -> TreeClosed:
    marks: dict[int, list[int | None]] = {}
    for item in items:
        depth = plan.material.graph.by_id[item.nodes[0]].depth
        if isinstance(item, Rating) or item.fault is not None:
            marks.setdefault(depth, []).append(item.score if isinstance(item, Rating) else None)
    root = plan.material.graph.trees[index].root
    depths = {
        depth: Marks(
            scored=sum(score is not None for score in found),
            unscored=sum(score is None for score in found),
            total=sum(score or 0 for score in found),
        )
        for depth, found in marks.items()
    }
    return TreeClosed.model_validate({"run_id": plan.run_id, "index": index, "root": root, "depths": depths})


def _steps(plan: DepthPlan) -> Iterator[Event]:
    run, spec, items = plan.run_id, plan.spec, items_of(plan)
    simulated = plan.simulated
    yield RunStarted(
        run_id=run, spec=spec, spec_digest=spec.digest, version="0.1.0", simulated=simulated, material=plan.material
    )
    yield Notice(run_id=run, level="warning", message="The judge is of the target's own [bold]family\x1b[1m.")
    streams = {tree: [i for i in items if i.tree == tree] for tree in dict.fromkeys(i.tree for i in items)}
    waiting = {tree: list(own) for tree, own in streams.items()}
    while any(waiting.values()):  # two trees at a time, taking turns
        for tree in [tree for tree, own in waiting.items() if own][:2]:
            yield ItemFinished(run_id=run, item=waiting[tree].pop(0))
            if not waiting[tree]:
                yield _closed(plan, tree, streams[tree])
    yield _end(plan)


def _end(plan: DepthPlan) -> RunFinished:
    return RunFinished(
        run_id=plan.run_id,
        status=plan.status,
        stop_reason=plan.stop_reason,
        evd=None,
        evd_ci=None,
        cost_usd=None if plan.cost is None else 0.12,
        wall_s=75.2,
    )


def _numbered(steps: Iterable[Event]) -> list[Event]:
    """The events a quarter of a second apart, numbered from 1."""
    return [
        event.model_copy(update={"seq": seq, "at": START + timedelta(seconds=0.25 * (seq - 1))})
        for seq, event in enumerate(steps, start=1)
    ]


def events_of(plan: DepthPlan) -> list[Event]:
    """The whole stream of one run."""
    return _numbered(_steps(plan))


BUILD = DepthQABuildSpec(
    name="elements",
    questions=(
        SourceQuestion(id="q1", question="How would you choose a metal\x1b[2J for a ship?", key_points="corrosion"),
        SourceQuestion(id="q2", question="What is copper?", reference="A metal."),
        SourceQuestion(id="q3", question="Which way of recovering copper is to be preferred?", reference="By yield."),
    ),
    evaluator="sim:evaluator",
    classify=True,
    check=True,
)
BUILD_RUN = "20261120T120000-depthqa_build-elements-sim-evaluator-b7b7b7b7"


def build_items() -> list[BuildItem]:
    """The steps of a build, one of each kind and of each thing that can go wrong."""
    from fathom.state.depthqa.items import QuestionNode

    subs = tuple(SubQuestion(question=f"Part [b]{n}\x1b[8m?", reference=f"It is {n}.") for n in (1, 2))
    nodes = (
        QuestionNode(id="q1", depth=3, question=BUILD.questions[0].question, reference="R", predecessors=("q1.1",)),
        QuestionNode(id="q1.1", depth=2, question="Part 1?", reference="It is 1.", predecessors=("q1.1.1",)),
        QuestionNode(id="q1.1.1", depth=1, question="What covers it?", reference="Salt."),
    )
    gone = Removal(
        node="q1.2", depth=2, question="Part 2?", reason="repeated", like="q1.1", like_question="P1?", similarity=0.93
    )
    sent = (Sent(role="user", text="Take apart:\x1b[1m this."),)

    def place(name: str, tree: int = 0) -> dict[str, object]:
        call = Call(role="evaluator", purpose="x", model="sim-e", usage=Usage(input_tokens=5), cost_usd=0.001)
        return {"id": f"b7b7b7b7/{name}", "tree": tree, "prompt": sent, "calls": (call,), "elapsed_s": 1.5}

    return [
        Classified.model_validate({**place("q1@depth"), "depth": 3, "reason": "it [b]weighs\x1b[2J"}),
        Classified.model_validate({**place("q2@depth", 1), "depth": 1, "reason": "it names a thing"}),
        Classified.model_validate({**place("q3@depth", 2), "fault": DOWN}),
        ReferenceWritten.model_validate({**place("q1@reference"), "node": "q1", "text": "It depends on salt."}),
        Deconstructed.model_validate(
            {**place("q1@parts"), "node": "q1", "questions": subs, "reasoning": ("evaluative",)}
        ),
        Rewritten.model_validate({**place("q1.1@open"), "node": "q1.1", "before": "Is it 1?", "text": "Part 1?"}),
        Rewritten.model_validate({**place("q1.3@open"), "node": "q1.3", "before": "Is it?", "dropped": "yes or no"}),
        Deconstructed.model_validate({**place("q1.1@parts"), "node": "q1.1", "questions": subs[:1]}),
        Sifted.model_validate(
            {**place("sift-abc"), "settled": False, "nodes": nodes[:2], "removed": (gone,), "gaps": {"q1": 1}}
        ),
        Deconstructed.model_validate({**place("q1@more"), "node": "q1", "gap": True}),
        Sifted.model_validate(
            {**place("settle-abc"), "settled": True, "nodes": nodes, "removed": (), "gaps": {"q1": 1}}
        ),
        RelationChecked.model_validate(
            {
                **place("q1@relation-12ab34"),
                "node": "q1",
                "comprehensive": "partial",
                "missing": "the price",
                "implicit": {"q1.1": "revealing"},
            }
        ),
        RelationChecked.model_validate({**place("q1.1@relation-56cd78"), "node": "q1.1", "fault": LATE}),
    ]


def build_events() -> list[Event]:
    """The whole stream of a build."""
    started = RunStarted(run_id=BUILD_RUN, spec=BUILD, spec_digest=BUILD.digest, version="0.1.0", simulated=True)
    plan = DepthPlan(run_id=BUILD_RUN)
    finished = (ItemFinished(run_id=BUILD_RUN, item=item) for item in build_items())
    return _numbered([started, *finished, _end(plan)])
