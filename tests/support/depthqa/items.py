"""Small graphs of questions, and items of asking them that never happened."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

from fathom.graphs.depthqa.discrepancy import Key, Node, nodes_of
from fathom.graphs.depthqa.result import figures_of
from fathom.graphs.depthqa.rows import answer_rows, asked_answers
from fathom.state.depthqa.items import DepthAnswer, Rating
from fathom.state.depthqa.result import Asked, DepthQAResult
from fathom.state.items import DepthQAItem
from fathom.state.question_graph import Mode, QuestionGraph, QuestionNode
from fathom.state.records import Answer, Stage, Unscored
from fathom.state.rows import AnswerRow
from fathom.state.spec import DepthQASpec

RUN = "7f3a9c01"


def graph_of(edges: Mapping[str, str], **about: Mapping[str, Any]) -> QuestionGraph:
    """Nodes in the order named, each with its predecessors: `{"a_d3": "a_d2 b_d2", "a_d2": ""}`.
    The digit after `d` is the depth. `about`: node → further fields; without a question of its own
    a node asks for its id."""
    return QuestionGraph(
        name="made",
        nodes=tuple(
            QuestionNode.model_validate(
                {
                    "id": name,
                    "depth": depth_of(name),
                    "question": f"What is {name}?",
                    "reference": f"It is {name}.",
                }
                | {"predecessors": tuple(below.split())}
                | dict(about.get(name, {}))
            )
            for name, below in edges.items()
        ),
    )


def depth_of(name: str) -> int:
    found = re.search(r"d([123])", name)
    assert found is not None
    return int(found[1])


def spec_of(*modes: Mode, **changes: Any) -> DepthQASpec:
    defaults = {
        "graph": "made",
        "material": "0" * 16,
        "target": "openai:gpt-5",
        "judge": "openai:judge",
    }
    return DepthQASpec.model_validate(defaults | {"modes": modes or ("zero-shot",)} | changes)


def lost(stage: Stage) -> Unscored:
    return Unscored(stage=stage, kind="timeout", message=f"no {stage} within 60 s")


def answer_id(name: str, mode: Mode = "zero-shot", leading_to: str | None = None) -> str:
    return f"{RUN}/{leading_to}@{mode}@{name}" if leading_to else f"{RUN}/{name}@{mode}"


def answer(
    *nodes: str, mode: Mode = "zero-shot", leading_to: str | None = None, **changes: Any
) -> DepthAnswer:
    """The answer to the question that these nodes hold; with a `fault` there is none."""
    said = None if "fault" in changes else Answer(text=f"{nodes[0]} it is.", finish="stop")
    return DepthAnswer.model_validate(
        {"id": answer_id(nodes[0], mode, leading_to), "tree": 0, "mode": mode, "nodes": nodes}
        | {"conversation": leading_to, "answer": said}
        | changes
    )


def rating(of: DepthAnswer, score: int | None, **changes: Any) -> Rating:
    """The judge's, or (score None) what is left when the judge failed."""
    return Rating.model_validate(
        {
            "id": f"{of.id}@score",
            "tree": of.tree,
            "of": of.id,
            "mode": of.mode,
            "nodes": of.nodes,
        }
        | {
            "conversation": of.conversation,
            "score": score,
            "fault": None if score else lost("judge"),
        }
        | {"reason": f"worth {score}" if score else "", "judge": "openai:judge"}
        | changes
    )


def rated(
    *nodes: str, score: int | None, mode: Mode = "zero-shot", **changes: Any
) -> list[DepthQAItem]:
    """An answer and its rating."""
    given = answer(*nodes, mode=mode, **changes)
    return [given, rating(given, score)]


def all_rated(scores: Mapping[str, int | None], mode: Mode = "zero-shot") -> list[DepthQAItem]:
    """An answer of its own for every node."""
    return [
        item for name, score in scores.items() for item in rated(name, score=score, mode=mode)
    ]


def logprobs(*values: float) -> Answer:
    return Answer(text="said", finish="stop", logprobs=values)


ROW = partial(AnswerRow, run="run-1", method="depthqa", model="m", domain="made")


def tables_of(
    spec: DepthQASpec,
    graph: QuestionGraph,
    items: Iterable[DepthQAItem],
    closed: Collection[int],
) -> Any:
    """The figures over the trees that are finished."""
    answers = asked_answers(graph, items, closed)
    rows = answer_rows(graph, answers, closed, spec.modes, ROW)
    return SimpleNamespace(**figures_of(spec, graph, answers, rows))


def nodes_with(
    graph: QuestionGraph, scores: Mapping[str, Fraction | int], mode: Mode = "zero-shot"
) -> dict[Key, Node]:
    """Nodes with these scores, each of as many answers as it takes; the others were asked too."""
    answers = []
    for node in graph.nodes:
        score = Fraction(scores[node.id]) if node.id in scores else None
        answers += _answers_of(node.id, score, mode)
    return nodes_of(answer_rows(graph, answers, range(len(graph.trees)), [mode], ROW))


def _answers_of(name: str, score: Fraction | None, mode: Mode) -> list[Asked]:
    """Answers whose mean is the score."""
    times = score.denominator if score is not None else 1
    low, high = divmod(score.numerator, times) if score is not None else (None, 0)
    return [
        Asked.model_construct(
            id=f"{name}-{place}",
            mode=mode,
            nodes=(name,),
            conversation=None,
            answer="",
            refused=False,
            score=None if low is None else low + (place < high),
            reason="",
            min_k=None,
            unscored=None,
        )
        for place in range(times)
    ]


def result_of(
    spec: DepthQASpec, tables: Any, run_id: str = "run-1", open_trees: Sequence[str] = ()
) -> DepthQAResult:
    """A whole result with these figures."""
    return DepthQAResult(
        run_id=run_id,
        spec=spec,
        simulated=spec.simulated,
        status="interrupted" if open_trees else "complete",
        stop_reason="interrupted" if open_trees else "all_asked",
        stop_detail="",
        open_trees=tuple(open_trees),
        **vars(tables),
        usage={},
        cost_usd=None,
        wall_s=1.0,
        conformance=(),
        notes=(),
        provenance={},
    )
