"""The skills of DepthQA for other people's apps: a one-node graph and a tool each, as in `agents.export`.

What one writes is what the next reads, under the same name: the `depth` of a question; its `reference`; the
`predecessors` that it is taken apart into, each with `question` and `reference`; the `answer`, its `refusal` and its
`score`. Depths are 1 factual and conceptual, 2 procedural, 3 strategic.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from langchain_core.tools import BaseTool

from ...state.depthqa.build import SubQuestion
from ...state.depthqa.items import Depth
from ...state.errors import UsageError
from ...state.records import Rejected
from ...tools.models.as_chat import as_chat
from ...tools.models.clients import Clients
from ..explainer import reference as reference_answer
from ..judge import rating
from ..paraphraser import open_question
from ..prober import answer as prober
from ..questioner import deconstruction
from . import AgentGraph, Model, one_node, tool_of
from .depthqa_shapes import (
    ClassifierInput,
    ClassifierOutput,
    ConversationAnswererInput,
    DeconstructorInput,
    DeconstructorOutput,
    DeepAnswererInput,
    DeepAnswererOutput,
    OpenerInput,
    OpenerOutput,
    Predecessor,
    PromptedAnswererInput,
    Quoted,
    RaterInput,
    RaterOutput,
    ReferencerInput,
    ReferencerOutput,
    RelationRaterInput,
    RelationRaterOutput,
)

ATTEMPTS = 2
"""A question that yes or no still answers is reworded once more."""
MOST = 8
"""Questions that a question is taken apart into, at most."""
WORST = 1
"""The score of a refusal, and of an answer without a word."""
Asking = Literal["alone", "prompt", "conversation"]
"""What is shown beside a question: nothing, simpler questions with answers, or earlier turns."""


def deep_answerer_graph(
    model: Model, clients: Clients | None = None, *, asking: Asking = "alone"
) -> AgentGraph[Any, DeepAnswererOutput]:
    """The Prober: the model's own answer in prose, from memory.

    `asking`: `alone`; `prompt`, with `predecessors` quoted, each with its `answer` or, without one, its `reference`; or
    `conversation`, with earlier `turns`. Which it is, is settled here: predecessors that a host keeps in its state do
    not reach an answerer that is to answer alone. Raises UsageError for another way, and the node does for predecessors
    without an answer to quote.
    """
    chat = as_chat(model, clients)
    if asking not in _ANSWERERS:
        raise UsageError(f"There is no way of asking {asking!r}; the ways are {', '.join(get_args(Asking))}.")
    name, takes = _ANSWERERS[asking]

    async def answer(state: Any) -> DeepAnswererOutput:
        given = await prober.answer_in_depth(
            chat,
            _text(state, "question"),
            context=_quoted(state["predecessors"]) if asking == "prompt" else (),
            earlier=[(turn["question"], turn["answer"]) for turn in state["turns"]] if asking == "conversation" else (),
        )
        return {"answer": given.text, "finish": given.finish, "refusal": given.refusal}

    return one_node(name, answer, takes, DeepAnswererOutput)


_ANSWERERS: dict[str, tuple[str, type]] = {
    "alone": ("deep_answerer", DeepAnswererInput),
    "prompt": ("prompted_answerer", PromptedAnswererInput),
    "conversation": ("conversation_answerer", ConversationAnswererInput),
}


def rater_graph(model: Model, clients: Clients | None = None) -> AgentGraph[RaterInput, RaterOutput]:
    """The Judge: factual correctness of a whole answer against the reference, 1 to 5. Of a refusal, and of an answer
    without a word, it is 1, and nobody is asked."""
    chat = as_chat(model, clients)

    async def mark(state: RaterInput) -> RaterOutput:
        question, reference = _text(state, "question"), _text(state, "reference")
        if state.get("refusal", False) or not state["answer"].strip():
            said = "refused to answer" if state.get("refusal", False) else "said nothing"
            return {"score": WORST, "reason": f"the model {said}"}
        given = await rating.rate(chat, question, reference, state["answer"])
        return {"score": given.score, "reason": given.reason}

    return one_node("rater", mark, RaterInput, RaterOutput)


def classifier_graph(model: Model, clients: Clients | None = None) -> AgentGraph[ClassifierInput, ClassifierOutput]:
    """The Questioner's eye: the depth of knowledge that a question takes."""
    chat = as_chat(model, clients)

    async def classify(state: ClassifierInput) -> ClassifierOutput:
        depth, reason = await deconstruction.classify(chat, _text(state, "question"), state.get("reference", ""))
        return {"depth": depth, "reason": reason}

    return one_node("classifier", classify, ClassifierInput, ClassifierOutput)


def deconstructor_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[DeconstructorInput, DeconstructorOutput]:
    """The Questioner: the questions one depth below that a question rests on. The node raises UsageError for a question
    of another depth than 2 and 3, and for less than 1 or more than 8 questions to write."""
    chat = as_chat(model, clients)

    async def deconstruct(state: DeconstructorInput) -> DeconstructorOutput:
        parts = await deconstruction.deconstruct(
            chat,
            _text(state, "question"),
            _text(state, "reference"),
            _below(state.get("depth", 3)),
            _count(state.get("count", 4)),
            domain=state.get("domain", ""),
            language=state.get("language", "en"),
        )
        below: list[Predecessor] = [{"question": one.question, "reference": one.reference} for one in parts.questions]
        return {"predecessors": below, "reasoning": list(parts.reasoning)}

    return one_node("deconstructor", deconstruct, DeconstructorInput, DeconstructorOutput)


def opener_graph(model: Model, clients: Clients | None = None) -> AgentGraph[OpenerInput, OpenerOutput]:
    """The Paraphraser: a question that yes or no would answer, asked openly. One in English that is open already is
    given back as it is, and nobody is asked; of other languages the form does not tell, and nothing is checked."""
    chat = as_chat(model, clients)

    async def open_up(state: OpenerInput) -> OpenerOutput:
        text, language = _text(state, "question"), state.get("language", "en")
        english = language.split("-")[0] in ("en", "simple")
        reference = _text(state, "reference")
        if english and not open_question.is_binary(text):
            return {"open_question": text, "reference": reference, "rejected": []}
        rejected: list[Rejected] = []
        for _ in range(ATTEMPTS):
            told = await open_question.ask_openly(chat, text, reference, language=language)
            if told and not (english and open_question.is_binary(told)):
                answer = open_question.without_verdict(reference) if english else reference
                return {"open_question": told, "reference": answer, "rejected": _plain(rejected)}
            reason = "yes or no still answers it" if told else "it is empty"
            rejected.append(Rejected(text=told, reason=reason))
            text = told or text
        return {"open_question": None, "reference": reference, "rejected": _plain(rejected)}

    return one_node("opener", open_up, OpenerInput, OpenerOutput)


def referencer_graph(model: Model, clients: Clients | None = None) -> AgentGraph[ReferencerInput, ReferencerOutput]:
    """The Explainer: the reference answer to a deep question, from key points where there are any."""
    chat = as_chat(model, clients)

    async def write(state: ReferencerInput) -> ReferencerOutput:
        text = await reference_answer.write_reference(
            chat, _text(state, "question"), state.get("key_points", ""), language=state.get("language", "en")
        )
        return {"reference": text}

    return one_node("referencer", write, ReferencerInput, ReferencerOutput)


def relation_rater_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[RelationRaterInput, RelationRaterOutput]:
    """The Judge: do the predecessors cover what has to be known for a question, without giving its answer away? The
    node raises UsageError when there are none."""
    chat = as_chat(model, clients)

    async def relate(state: RelationRaterInput) -> RelationRaterOutput:
        below = [SubQuestion(question=each["question"], reference=each["reference"]) for each in state["predecessors"]]
        if not below:
            raise UsageError("There is no predecessor: a relation needs at least one question that leads to another.")
        told = await rating.rate_relation(chat, _text(state, "question"), _text(state, "reference"), below)
        return {
            "comprehensive": told.comprehensive,
            "missing": told.missing,
            "implicit": [each.rating for each in told.implicit],
        }

    return one_node("relation_rater", relate, RelationRaterInput, RelationRaterOutput)


def deep_answerer_tool(model: Model, clients: Clients | None = None, *, asking: Asking = "alone") -> BaseTool:
    """The Prober's deep answer as a tool; `asking` as in `deep_answerer_graph`."""
    graph = deep_answerer_graph(model, clients, asking=asking)
    return tool_of(graph, *_ANSWERING[asking])


_ANSWERING = {
    "alone": ("answer_in_depth", "Have the model under test answer a question in prose, from memory."),
    "prompt": ("answer_with_predecessors", "Have the model answer a question with simpler ones and answers shown."),
    "conversation": ("answer_in_conversation", "Have the model answer the next question of a conversation."),
}


def rater_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The rating of an answer as a tool."""
    description = "Rate the factual correctness of an answer against a reference answer, from 1 to 5."
    return tool_of(rater_graph(model, clients), "rate_answer", description)


def classifier_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The classification of a question as a tool."""
    graph = classifier_graph(model, clients)
    return tool_of(graph, "classify_question", "Say which depth of knowledge a question takes: 1, 2 or 3.")


def deconstructor_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The deconstruction of a question as a tool."""
    graph = deconstructor_graph(model, clients)
    return tool_of(graph, "deconstruct_question", "Take a question apart into the simpler ones it rests on.")


def opener_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The opening of a yes-or-no question as a tool."""
    return tool_of(opener_graph(model, clients), "open_question", "Ask a yes-or-no question openly.")


def referencer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of a reference answer as a tool."""
    graph = referencer_graph(model, clients)
    return tool_of(graph, "write_reference", "Write the reference answer to a question.")


def relation_rater_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The rating of a relation as a tool."""
    description = "Rate whether simpler questions prepare a harder one without giving its answer away."
    return tool_of(relation_rater_graph(model, clients), "rate_relation", description)


def _text(state: Any, name: str) -> str:
    text: str = state[name]
    if not text.strip():
        raise UsageError(f"The {name} is empty: write it.")
    return text


def _below(depth: int) -> Depth:
    if depth not in (2, 3):
        raise UsageError(
            f"A question of depth {depth} cannot be taken apart: only those of depth 2 and 3 rest on others."
        )
    return depth - 1


def _count(count: int) -> int:
    if not 1 <= count <= MOST:
        raise UsageError(f"A question cannot be taken apart into {count}: ask for 1 to {MOST}.")
    return count


def _quoted(predecessors: Sequence[Quoted]) -> list[tuple[str, str]]:
    """(question, answer) pairs: own answers where there are any, else the references."""
    if not predecessors:
        raise UsageError("There is no predecessor to quote: name at least one, or ask the question alone.")
    found = []
    for each in predecessors:
        # an own answer without a word stays one: the reference in its place would give away what it did not say
        said = each["answer"] if "answer" in each else each.get("reference", "")
        if not said.strip() and "answer" not in each:
            raise UsageError(
                f"The predecessor {each['question']!r} has neither answer nor reference: give it one of them."
            )
        found.append((each["question"], said))
    return found


def _plain(rejected: Sequence[Rejected]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json", include={"text", "reason"}) for one in rejected]
