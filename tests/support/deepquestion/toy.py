"""DeepQuestion in memory: sums to work out, a model that plays every role by rules, and a run of
it."""

import json
import re
from typing import Any

from fathom.graphs.deepquestion import graph as deepquestion
from fathom.graphs.method import METHODS
from fathom.graphs.run.deps import Clock, RunDeps
from fathom.state.channels import DrillInput
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.events import Event
from fathom.state.items import AnyItem
from fathom.state.problems import Problem, ProblemSet, Transformed
from fathom.tools.models.chat import ChatRequest
from fathom.tools.runs.journal import MemorySink

from ..depthqa.toy import items_of
from ..eqt.toy import ToyModel, block

SUMS = tuple(
    Problem(
        id=f"p{n}",
        question=f"What is the sum of {n} and {10 * n}?",
        answer=str(11 * n),
        solution=f"{n} + {10 * n}",
    )
    for n in (2, 3, 4)
)
"""p2 … p4: n and 10 n."""
GUIDES = {"q2s": "Tell a story.", "q2i": "Say the steps."}


def added(text: str) -> str:
    """The sum of what a text names as its two quantities."""
    two = re.search(r"sum of (\d+) and (\d+)", text)
    found = [
        int(n) for n in (two.groups() if two else re.findall(r"(\d+) (?:apples|pears)", text))
    ]
    return str(sum(found)) if len(found) == 2 else ""


class QuestionModel(ToyModel):
    """Plays every role without a mistake; a rule by a prompt's name replaces what it says there."""

    def _prompt_draft(self, request: ChatRequest) -> str:
        return json.dumps(
            {
                "instructions": f"First draft: put the {self._kind(request)} into a story, keep numbers."
            }
        )

    def _prompt_redraft(self, request: ChatRequest) -> str:
        last = block(request, "draft")
        return json.dumps({"instructions": f"{last} Better."})

    def _prompt_score(self, request: ChatRequest) -> str:
        draft = block(request, "draft")
        return json.dumps({"feedback": "Say more.", "score": 5 + 2 * draft.count("Better.")})

    def _scenario(self, request: ChatRequest) -> str:
        one, ten = re.findall(r"\d+", block(request, "problem"))
        told = [
            "Ada goes to market on a bright morning.",
            f"She carries {one} apples.",
            f"Her bag holds {ten} pears.",
        ]
        return json.dumps({"sentences": told, "question": "How many pieces of fruit has she?"})

    def _distractors(self, request: ChatRequest) -> str:
        listed = [
            {"text": f"The stall is {n} years old.", "after": n % 4} for n in range(71, 76)
        ]
        return json.dumps({"distractors": listed})

    def _scenario_check(self, request: ChatRequest) -> str:
        return json.dumps(
            {"reason": "All there.", "missing": [], "bare": False, "gives_away": False}
        )

    def _instruction(self, request: ChatRequest) -> str:
        told = (
            "Write a question in which two numbers are added. Its final answer is "
            f"{block(request, 'answer')}."
        )
        return json.dumps({"instruction": told})

    def _instruction_check(self, request: ChatRequest) -> str:
        return json.dumps({"reason": "It holds back.", "gives_away": False, "complete": True})

    def _solution(self, request: ChatRequest) -> str:
        return f"I add.\nAnswer: {added(request.messages[-1].content)}"

    def _independent_solution(self, request: ChatRequest) -> str:
        answer = added(block(request, "problem"))
        return json.dumps({"working": "I add.", "solvable": bool(answer), "answer": answer})

    def _created_question(self, request: ChatRequest) -> str:
        (wanted,) = re.findall(r"final answer is (\d+)", request.messages[-1].content)
        return f"A box has 1 apples and {int(wanted) - 1} pears. How many pieces of fruit are there?"

    def _instruction_met(self, request: ChatRequest) -> str:
        return json.dumps({"reason": "Two numbers are added.", "met": True})

    def _comparison(self, request: ChatRequest) -> str:
        names = (
            "clarity",
            "reasoning_demand",
            "realism",
            "instruction_following",
            "no_giveaway",
        )
        return json.dumps({"reason": "The first is shorter.", **dict.fromkeys(names, "first")})

    def _verdict(self, request: ChatRequest) -> str:
        same = block(request, "reference").lower() in block(request, "answer").lower()
        verdict = "asserts" if same else "contradicts"
        return json.dumps({"reason": "I compared them.", "verdict": verdict})

    def _kind(self, request: ChatRequest) -> str:
        return "q2s" if "becomes a scenario" in block(request, "task") else "q2i"


class QuestionRun:
    """One run: its result, its events, and the models that played it."""

    def __init__(
        self,
        model: ToyModel | None = None,
        problems: tuple[Problem, ...] = SUMS,
        transformed: tuple[Transformed, ...] | None = None,
        sink: MemorySink | None = None,
    ) -> None:
        self.model = model or QuestionModel()
        self.problems = ProblemSet(name="sums", problems=problems, transformed=transformed)
        self.events: list[Event] = []
        self.sink = sink or MemorySink(Clock().now)
        self.sink.listen(self.events.append)

    def spec(self, **changes: Any) -> DeepQuestionSpec:
        values: dict[str, Any] = {
            "benchmark": "sums",
            "material": self.problems.digest,
            "baseline": 0,
        }
        values |= {
            "problems": len(self.problems.problems),
            "given": self.problems.transformed is not None,
        }
        values |= dict.fromkeys(("target", "generator", "evaluator", "judge"), self.model.name)
        return DeepQuestionSpec.model_validate(values | changes)

    def deps(self, **changes: Any) -> RunDeps:
        values: dict[str, Any] = dict.fromkeys(
            ("target", "generator", "evaluator", "judge"), self.model
        )
        values |= {
            "sources": {},
            "sink": self.sink,
            "prompts": METHODS["deepquestion"].prompts,
            "problems": self.problems,
        }
        return RunDeps(**values | {"stream": False} | changes)

    async def play(
        self, spec: DeepQuestionSpec | None = None, **changes: Any
    ) -> DeepQuestionResult:
        graph = deepquestion.build_graph(self.deps(**changes))
        start = DrillInput(
            spec=(spec or self.spec()).model_dump(mode="json"), run_id="toy-0001"
        )
        return DeepQuestionResult.model_validate((await graph.ainvoke(start))["result"])

    @property
    def items(self) -> dict[str, AnyItem]:
        """Id (without the run's) → item."""
        return items_of(self.events)

    def asked(self, prompt: str) -> list[ChatRequest]:
        """The requests by this prompt."""
        return [request for request in self.model.asked if request.purpose == prompt]
