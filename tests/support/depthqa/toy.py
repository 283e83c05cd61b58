"""DepthQA in memory: a small graph, a model that plays target and judge by rules, and a run of
it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from fathom.graphs.depthqa import graph as depthqa
from fathom.graphs.depthqa.building import graph as depthqa_build
from fathom.graphs.method import METHODS
from fathom.graphs.run.deps import Clock, RunDeps
from fathom.state.channels import DrillInput
from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.depthqa.spec import DepthQABuildSpec, DepthQASpec, SourceQuestion
from fathom.state.events import Event, ItemFinished
from fathom.state.items import AnyItem
from fathom.state.question_graph import GivenAnswer, Material, QuestionGraph, QuestionNode
from fathom.tools.models.chat import ChatRequest
from fathom.tools.runs.journal import MemorySink
from fathom.tools.similarity import LexicalSimilarity, Similarity

from ..eqt.toy import Rule, ToyModel, block


def node(node_id: str, depth: int, *before: str, **changes: Any) -> QuestionNode:
    """A node whose question and reference name it."""
    values: dict[str, Any] = {"id": node_id, "depth": depth, "predecessors": before}
    values |= {"question": f"What about {node_id}?", "reference": f"The truth about {node_id}."}
    return QuestionNode(**values | changes)


TWO_TREES = QuestionGraph(
    name="toy",
    nodes=(
        node("c", 3, "b1", "b2", domain="one", reasoning=("causal",)),
        node("b1", 2, "a1", "a2", domain="one"),
        node("b2", 2, "a2", "a3", domain="one"),
        node("a1", 1, domain="one"),
        node("a2", 1, domain="one"),
        node("a3", 1, domain="one"),
        node("f", 3, "e", domain="two"),
        node("e", 2, "d", domain="two"),
        node("d", 1, domain="two", question="What about  a2?", reference="The truth about a2."),
    ),
)
"""Two trees: `a2` serves two questions, and `d` holds the same question."""


def asked_about(text: str) -> str:
    """The node a question or an answer names."""
    (name,) = re.findall(r"(?:What|Knows) about\s+(\S+?)[?.](?=\s|$)", text)[-1:]
    return str(name)


class DepthModel(ToyModel):
    """Answers every question and rates every answer; `scores`: node → score, 5 for the others."""

    def __init__(
        self, name: str = "toy:model", scores: Mapping[str, int] | None = None, **rules: Rule
    ) -> None:
        super().__init__(name, **rules)
        self.scores = dict(scores or {})

    def _depth_answer(self, request: ChatRequest) -> str:
        return f"Knows about {asked_about(request.messages[-1].content)}."

    _depth_with_context = _depth_answer

    def _rating(self, request: ChatRequest) -> str:
        name = asked_about(block(request, "question"))
        return json.dumps({"reason": f"It is about {name}.", "score": self.scores.get(name, 5)})


class DepthRun:
    """One run: its result, its events, and the models that played it."""

    def __init__(
        self,
        model: DepthModel | None = None,
        graph: QuestionGraph = TWO_TREES,
        answers: Mapping[str, str] | None = None,
        sink: MemorySink | None = None,
    ) -> None:
        self.model = model or DepthModel()
        given = (
            None
            if answers is None
            else tuple(GivenAnswer(node=name, text=text) for name, text in answers.items())
        )
        self.material = Material(graph=graph, answers=given)
        self.events: list[Event] = []
        self.sink = sink or MemorySink(Clock().now)
        self.sink.listen(self.events.append)

    def spec(self, *modes: str, **changes: Any) -> DepthQASpec:
        values: dict[str, Any] = {
            "graph": "toy",
            "material": self.material.digest,
            "modes": modes or ("zero-shot",),
        }
        values |= {
            "target": "given:somebody" if self.material.answers is not None else "toy:model"
        }
        return DepthQASpec.model_validate(values | {"judge": "toy:model"} | changes)

    def deps(self, **changes: Any) -> RunDeps:
        values: dict[str, Any] = {
            "target": self.model,
            "evaluator": self.model,
            "judge": self.model,
            "sources": {},
        }
        values |= {
            "sink": self.sink,
            "prompts": METHODS["depthqa"].prompts,
            "material": self.material,
            "stream": False,
        }
        return RunDeps(**values | changes)

    async def play(self, spec: DepthQASpec | None = None, **changes: Any) -> DepthQAResult:
        graph = depthqa.build_graph(self.deps(**changes))
        start = DrillInput(
            spec=(spec or self.spec()).model_dump(mode="json"), run_id="toy-0001"
        )
        return DepthQAResult.model_validate((await graph.ainvoke(start))["result"])

    @property
    def items(self) -> dict[str, AnyItem]:
        """Id (without the run's) → item."""
        return items_of(self.events)


def items_of(events: list[Event]) -> dict[str, AnyItem]:
    found = [event.item for event in events if isinstance(event, ItemFinished)]
    return {item.id.partition("/")[2]: item for item in found}


class BuildModel(ToyModel):
    """Takes `What about q1?` apart into `What about q1.1?`, `q1.2`, and so on."""

    def _classification(self, request: ChatRequest) -> str:
        return json.dumps({"reason": "It weighs.", "depth": 3})

    def _reference_answer(self, request: ChatRequest) -> str:
        return json.dumps(
            {"reference": f"Written for {asked_about(block(request, 'question'))}."}
        )

    def _deconstruction(self, request: ChatRequest) -> str:
        name = asked_about(block(request, "question"))
        return json.dumps(
            {"reasoning": ["causal"], "questions": [self.sub(f"{name}.{n}") for n in (1, 2)]}
        )

    def _augmentation(self, request: ChatRequest) -> str:
        name = asked_about(block(request, "question"))
        return json.dumps({"additions": [self.sub(f"{name}.more")]})

    def _open_question(self, request: ChatRequest) -> str:
        return json.dumps(
            {"rewritten": f"How about {asked_about(block(request, 'question'))}?"}
        )

    def _relation(self, request: ChatRequest) -> str:
        numbers = re.findall(r"^(\d+)\. ", block(request, "predecessors"), re.MULTILINE)
        rated = [{"number": int(number), "rating": "implicit"} for number in numbers]
        return json.dumps({"comprehensive": "comprehensive", "missing": "", "implicit": rated})

    @staticmethod
    def sub(name: str) -> dict[str, str]:
        return {"question": f"What about {name}?", "reference": f"The truth about {name}."}


class BuildRun:
    """One build in memory."""

    def __init__(self, model: BuildModel | None = None, sink: MemorySink | None = None) -> None:
        self.model = model or BuildModel()
        self.events: list[Event] = []
        self.sink = sink or MemorySink(Clock().now)
        self.sink.listen(self.events.append)
        self.similarity: Similarity = LexicalSimilarity()

    def spec(self, *names: str, **changes: Any) -> DepthQABuildSpec:
        sources = [
            SourceQuestion(id=n, question=f"What about {n}?", reference=f"Truth of {n}.")
            for n in names or ["q1"]
        ]
        values: dict[str, Any] = {"name": "toy", "questions": sources, "evaluator": "toy:model"}
        return DepthQABuildSpec.model_validate(
            values | {"similarity": self.similarity.name} | changes
        )

    async def play(
        self, spec: DepthQABuildSpec | None = None, **changes: Any
    ) -> DepthQABuildResult:
        values: dict[str, Any] = {
            "target": self.model,
            "evaluator": self.model,
            "judge": self.model,
            "sources": {},
        }
        values |= {
            "sink": self.sink,
            "prompts": METHODS["depthqa_build"].prompts,
            "similarity": self.similarity,
            "stream": False,
        }
        graph = depthqa_build.build_graph(RunDeps(**values | changes))
        start = DrillInput(
            spec=(spec or self.spec()).model_dump(mode="json"), run_id="toy-0001"
        )
        return DepthQABuildResult.model_validate((await graph.ainvoke(start))["result"])

    @property
    def items(self) -> dict[str, AnyItem]:
        return items_of(self.events)
