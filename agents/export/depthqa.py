"""The skills of DepthQA for other people's apps: a one-node graph and a tool each, as in
`agents.export`.

What one writes is what the next reads, under the same name: the `depth` of a question; its
`reference`; the `predecessors` that it is taken apart into, each with `question` and `reference`;
the `answer`, its `refusal` and its `score`. Depths are 1 factual and conceptual, 2 procedural, 3
strategic.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.tools import BaseTool
from pydantic import Field
from typing_extensions import TypedDict

from ...state.depthqa.build import Comprehensive, Implicit, SubQuestion
from ...state.depthqa.items import Depth
from ...state.errors import UsageError
from ...tools.models.clients import Clients
from ..explainer.reference import write_reference
from ..judge.rating import Mark, rate, rate_relation
from ..paraphraser.open_question import ask_openly, open_up, without_verdict
from ..prober.answer import answer_in_depth, answer_with_context
from ..questioner.deconstruction import classify, deconstruct
from ..questioner.question_text import form_tells, is_binary
from ..skill import Ask
from . import (
    Answered,
    Exported,
    Graph,
    Language,
    Model,
    Refusal,
    answered,
    doors,
    exported,
    graph_of,
    plain,
    tool_of,
)

MOST = 8
"""Questions that a question is taken apart into, at most."""
WORST = 1
"""The score of a refusal, and of an answer without a word."""
Asking = Literal["alone", "prompt", "conversation"]
"""What is shown beside a question: nothing, simpler questions with answers, or earlier turns."""
Reference = Annotated[str, Field(description="The reference answer.")]


class Predecessor(TypedDict):
    """A question one depth below another, with its reference answer."""

    question: str
    reference: str


class Quoted(TypedDict):
    """A simpler question with the answer to quote: `answer`, or where it is left out the
    `reference`."""

    question: str
    reference: NotRequired[str]
    answer: NotRequired[str]


class Turn(TypedDict):
    """An earlier question of the same conversation, and what the model said to it."""

    question: str
    answer: str


@exported(
    "answer_in_depth",
    "Have the model under test answer a question in prose, from memory.",
    "target",
)
async def deep_answerer(ask: Ask, question: str) -> Answered:
    """The Prober: the model's own answer in prose, from memory."""
    return answered(await answer_in_depth(ask, question))


@exported(
    "answer_with_predecessors",
    "Have the model answer a question with simpler ones and answers shown.",
    "target",
)
async def prompted_answerer(
    ask: Ask,
    question: str,
    predecessors: Annotated[
        list[Quoted], Field(min_length=1, description="Simpler questions with their answers.")
    ],
) -> Answered:
    """The answerer with simpler questions in the prompt. Raises UsageError for one without an
    answer to quote."""
    return answered(await answer_with_context(ask, question, _quoted(predecessors)))


@exported(
    "answer_in_conversation", "Have the model answer the next question of a conversation.", "target"
)
async def conversation_answerer(
    ask: Ask,
    question: str,
    turns: Annotated[
        list[Turn], Field(description="The conversation so far, the first question first.")
    ],
) -> Answered:
    """The answerer with earlier turns; none of them begins a conversation."""
    return answered(
        await answer_in_depth(ask, question, [(turn["question"], turn["answer"]) for turn in turns])
    )


@exported(
    "rate_answer",
    "Rate the factual correctness of an answer against a reference answer, from 1 to 5.",
    "judge",
    "answer",
)
async def rater(
    ask: Ask,
    question: str,
    reference: Reference,
    answer: str,
    refusal: Refusal = False,
) -> Mark:
    """The Judge: factual correctness of a whole answer against the reference, 1 to 5. Of a refusal,
    and of an answer without a word, it is 1, and nobody is asked."""
    if refusal or not answer.strip():
        return Mark(
            score=WORST, reason=f"the model {'refused to answer' if refusal else 'said nothing'}"
        )
    return await rate(ask, question, reference, answer)


class Classified(TypedDict):
    """`depth`: 1 factual and conceptual, 2 procedural, 3 strategic."""

    depth: Depth
    reason: str


@exported(
    "classify_question", "Say which depth of knowledge a question takes: 1, 2 or 3.", "evaluator"
)
async def classifier(
    ask: Ask,
    question: str,
    reference: Annotated[
        str, Field(description="The answer, or what it has to say, if that is known.")
    ] = "",
) -> Classified:
    """The Questioner's eye: the depth of knowledge that a question takes."""
    depth, reason = await classify(ask, question, reference)
    return {"depth": depth, "reason": reason}


class Deconstructed(TypedDict):
    """The questions one depth below, unchecked, and the kinds of reasoning that the question itself
    asks for."""

    predecessors: list[Predecessor]
    reasoning: list[str]


@exported(
    "deconstruct_question", "Take a question apart into the simpler ones it rests on.", "evaluator"
)
async def deconstructor(
    ask: Ask,
    question: str,
    reference: Reference,
    depth: Annotated[int, Field(ge=2, le=3, description="Depth of the question: 2 or 3.")] = 3,
    count: Annotated[int, Field(ge=1, le=MOST, description="Questions to write at most.")] = 4,
    domain: Annotated[str, Field(description="The field of knowledge.")] = "",
    language: Language = "en",
) -> Deconstructed:
    """The Questioner: the questions one depth below that a question rests on; `depth` is that of
    the question itself, 3 where it is left out, and at most `count` are written, 4 where that is
    left out. Raises UsageError for another depth than 2 and 3, and for less than 1 or more than 8
    questions to write."""
    parts = await deconstruct(
        ask.in_language(language), question, reference, _below(depth), _count(count), domain
    )
    below: list[Predecessor] = [
        {"question": one.question, "reference": one.reference} for one in parts.questions
    ]
    return {"predecessors": below, "reasoning": list(parts.reasoning)}


class Opened(TypedDict):
    """The question, asked openly; None where yes or no still answers what was written, twice.
    `rejected` lists that, each with its `text` and the `reason`."""

    open_question: str | None
    reference: str
    """The reference as it answers the open question: without the yes or no it began with."""
    rejected: list[dict[str, Any]]


@exported("open_question", "Ask a yes-or-no question openly.", "evaluator")
async def opener(
    ask: Ask, question: str, reference: Reference, language: Language = "en"
) -> Opened:
    """The Paraphraser: a question that yes or no would answer, asked openly. One in English that is
    open already is given back as it is, and nobody is asked; of other languages the form does not
    tell, and nothing is checked."""
    if form_tells(language) and not is_binary(question):
        return {"open_question": question, "reference": reference, "rejected": []}
    asking = ask.in_language(language)
    written = await open_up(lambda text: ask_openly(asking, text, reference), question, language)
    if written.sound and form_tells(language):
        reference = without_verdict(reference)
    return {
        "open_question": written.sound,
        "reference": reference,
        "rejected": plain(written.rejected),
    }


class Referenced(TypedDict):
    reference: str


@exported("write_reference", "Write the reference answer to a question.", "evaluator")
async def referencer(
    ask: Ask,
    question: str,
    key_points: Annotated[
        str, Field(description="What the answer has to say, if that is known.")
    ] = "",
    language: Language = "en",
) -> Referenced:
    """The Explainer: the reference answer to a deep question, from key points where there are
    any."""
    return {"reference": await write_reference(ask.in_language(language), question, key_points)}


class Related(TypedDict):
    """Whether the predecessors cover what has to be known, what is `missing`, and for each of them
    in its order whether it keeps the answer to itself."""

    comprehensive: Comprehensive
    missing: str
    implicit: list[Implicit]


@exported(
    "rate_relation",
    "Rate whether simpler questions prepare a harder one without giving its answer away.",
    "evaluator",
)
async def relation_rater(
    ask: Ask,
    question: str,
    reference: Reference,
    predecessors: Annotated[
        list[Predecessor], Field(min_length=1, description="The questions one depth below.")
    ],
) -> Related:
    """The Judge: do the predecessors cover what has to be known for a question, without giving its
    answer away? Raises UsageError when there are none."""
    below = [
        SubQuestion(question=each["question"], reference=each["reference"]) for each in predecessors
    ]
    if not below:
        raise UsageError(
            "There is no predecessor: a relation needs at least one question that leads to another."
        )
    told = await rate_relation(ask, question, reference, below)
    implicit = [each.rating for each in told.implicit]
    return {"comprehensive": told.comprehensive, "missing": told.missing, "implicit": implicit}


ANSWERERS: Mapping[str, Exported] = {
    "alone": deep_answerer,
    "prompt": prompted_answerer,
    "conversation": conversation_answerer,
}


def deep_answerer_graph(
    model: Model, clients: Clients | None = None, *, asking: Asking = "alone"
) -> Graph:
    """The answerer's graph. `asking`: `alone`; `prompt`, with `predecessors` quoted, each with its
    `answer` or, without one, its `reference`; or `conversation`, with earlier `turns`. Which it is,
    is settled here: predecessors that a host keeps in its state do not reach an answerer that is to
    answer alone. Raises UsageError for another way."""
    return graph_of(_answerer(asking), model, clients)


def deep_answerer_tool(
    model: Model, clients: Clients | None = None, *, asking: Asking = "alone"
) -> BaseTool:
    """The answerer as a tool; `asking` as in `deep_answerer_graph`."""
    return tool_of(_answerer(asking), model, clients)


rater_graph, rater_tool = doors(rater)
classifier_graph, classifier_tool = doors(classifier)
deconstructor_graph, deconstructor_tool = doors(deconstructor)
opener_graph, opener_tool = doors(opener)
referencer_graph, referencer_tool = doors(referencer)
relation_rater_graph, relation_rater_tool = doors(relation_rater)
EXPORTED = (deep_answerer, rater, classifier, deconstructor, opener, referencer, relation_rater)


def _answerer(asking: str) -> Exported:
    if asking not in ANSWERERS:
        raise UsageError(
            f"There is no way of asking {asking!r}; the ways are {', '.join(ANSWERERS)}."
        )
    return ANSWERERS[asking]


def _below(depth: int) -> Depth:
    if depth not in (2, 3):
        raise UsageError(
            f"A question of depth {depth} cannot be broken down: only those of depth 2 and 3 "
            "rest on others."
        )
    return depth - 1


def _count(count: int) -> int:
    if not 1 <= count <= MOST:
        raise UsageError(f"A question cannot be broken down into {count}: ask for 1 to {MOST}.")
    return count


def _quoted(predecessors: Sequence[Quoted]) -> list[tuple[str, str]]:
    """(question, answer) pairs: own answers where there are any, else the references."""
    if not predecessors:
        raise UsageError(
            "There is no predecessor to quote: name at least one, or ask the question alone."
        )
    found = []
    for each in predecessors:
        # an own answer without a word stays one: the reference in its place would give away what it
        # did not say
        said = each["answer"] if "answer" in each else each.get("reference", "")
        if not said.strip() and "answer" not in each:
            raise UsageError(
                f"The predecessor {each['question']!r} has neither answer nor reference: give "
                "it one of them."
            )
        found.append((each["question"], said))
    return found
