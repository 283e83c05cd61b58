"""What a host hands over for DepthQA, checked: a question graph, given answers, ways of asking,
questions to build from."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...state.depthqa.items import MODES, GivenAnswer, Material, QuestionGraph
from ...state.depthqa.spec import SourceQuestion
from ...state.errors import UsageError
from ...tools.files.depthqa.check import check_graph
from ...tools.files.depthqa.graph import read_graph
from ...tools.files.text import STDIN
from ...tools.files.trees import parse_json
from ..run.options import fault_of

Questions = QuestionGraph | Mapping[str, Any] | str | Path
"""A question graph: itself, as JSON (an object, or the text of one), or a file or folder that
`read_graph` reads."""
Source = str | Mapping[str, Any] | SourceQuestion
"""A question to build from: its text, or its fields."""
UNNAMED = "graph"
_WHERE = Path("the question graph")


async def graph_of(questions: Questions) -> QuestionGraph:
    """The question graph that was handed over, checked; a file is read in a thread of its own.

    Raises UsageError for what is no question graph, for one that cannot be asked (`check_graph`),
    as `read_graph` does, and for the standard input, which is the host's.
    """
    if isinstance(questions, str) and questions.lstrip()[:1] in ("{", "["):
        questions = _object(questions)
    if isinstance(questions, str | Path):
        if Path(questions) == STDIN:
            raise UsageError(
                "A question graph is not read from the standard input here: name a file or a "
                "folder."
            )
        try:
            return (await asyncio.to_thread(read_graph, Path(questions))).graph
        except UsageError:
            raise
        except (OSError, ValueError) as error:  # a text that is no name a file can have
            raise UsageError(
                f"The question graph cannot be read ({error}): give a path, an object or JSON."
            ) from None
    if isinstance(questions, Mapping):
        try:
            questions = QuestionGraph.model_validate(questions)
        except ValidationError as error:
            raise UsageError(
                f"The question graph cannot be read: {fault_of(error)}; see QuestionGraph."
            ) from None
    if not isinstance(questions, QuestionGraph):
        kind = type(questions).__name__
        raise UsageError(
            f"The question graph cannot be of type {kind}: give one, its fields, JSON or a path."
        )
    check_graph(questions.nodes, _WHERE)
    return questions


def _object(text: str) -> Mapping[str, Any]:
    graph = parse_json(text, "The text of the question graph")
    return {"nodes": graph} if isinstance(graph, list) else graph


def answers_of(answers: Mapping[str, str], graph: QuestionGraph) -> tuple[GivenAnswer, ...]:
    """Given answers in the graph's order. Raises UsageError for none, and for one to a node there
    is not."""
    unknown = next((node for node in answers if node not in graph.by_id), None)
    if unknown is not None:
        raise UsageError(
            f"There is an answer for the node {unknown!r}, and no such node: name nodes of "
            "the graph."
        )
    if not answers:
        raise UsageError(
            "There is no answer among the given ones: give at least one, or name a model to ask."
        )
    return tuple(
        GivenAnswer(node=node.id, text=answers[node.id])
        for node in graph.nodes
        if node.id in answers
    )


def modes_of(modes: str | Iterable[str], material: Material) -> tuple[str, ...]:
    """Ways of asking. Raises UsageError for one there is not, for one in which there is nothing to
    ask, and for several of given answers."""
    chosen = (modes,) if isinstance(modes, str) else tuple(modes)
    unknown = next((mode for mode in chosen if mode not in MODES), None)
    if unknown is not None:
        raise UsageError(f"There is no way of asking {unknown!r}; the ways are {', '.join(MODES)}.")
    if material.answers is not None and len(chosen) > 1:
        raise UsageError("Given answers were asked for in one way: name that mode alone.")
    quoting = next((mode for mode in chosen if mode.startswith("prompt-")), None)
    if quoting is not None and material.answers is None and not material.graph.edges:
        raise UsageError(
            f"The mode {quoting} quotes predecessors, and no question of this graph has any: "
            "name another."
        )
    return chosen


def sources_of(questions: Source | Iterable[Source]) -> list[dict[str, Any]]:
    """The fields of questions to build from; those without an id are called q1, q2, … by their
    place. A text is one question, not a list of letters. Raises UsageError for what is no question.
    """
    listed = [questions] if isinstance(questions, str | Mapping | SourceQuestion) else questions
    if not isinstance(listed, Iterable):
        raise UsageError(
            f"Questions to build from cannot be of type {type(listed).__name__}: give a text, "
            "or a list."
        )
    return [{"id": f"q{number}", **_fields(one)} for number, one in enumerate(listed, 1)]


def _fields(question: Source) -> Mapping[str, Any]:
    if isinstance(question, SourceQuestion):
        return question.model_dump()
    if isinstance(question, str):
        return {"question": question}
    if not isinstance(question, Mapping):
        raise UsageError(
            f"A question to build from cannot be {question!r}: give its text, or its fields."
        )
    return question
