"""What the graphs and tools of `agents.export.depthqa` take and give."""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ...state.depthqa.build import Comprehensive, Implicit
from ...state.depthqa.items import Depth, Score

Language = Annotated[str, Field(description="Code of the language to write in; en where it is left out.")]
Reference = Annotated[str, Field(description="The reference answer.")]


class Predecessor(TypedDict):
    """A question one depth below another, with its reference answer."""

    question: str
    reference: str


class Quoted(TypedDict):
    """A simpler question with the answer to quote: `answer`, or where it is left out the `reference`."""

    question: str
    reference: NotRequired[str]
    answer: NotRequired[str]


class Turn(TypedDict):
    """An earlier question of the same conversation, and what the model said to it."""

    question: str
    answer: str


class DeepAnswererInput(TypedDict):
    question: str


class PromptedAnswererInput(DeepAnswererInput):
    """The answerer's input with simpler questions in the prompt."""

    predecessors: Annotated[list[Quoted], Field(min_length=1, description="Simpler questions with their answers.")]


class ConversationAnswererInput(DeepAnswererInput):
    """The answerer's input with earlier turns; none of them begins a conversation."""

    turns: Annotated[list[Turn], Field(description="The conversation so far, the first question first.")]


class DeepAnswererOutput(TypedDict):
    """The whole answer, and why it ended."""

    answer: str
    finish: str
    refusal: bool


class RaterInput(TypedDict):
    """`refusal`: the endpoint says that the model refused."""

    question: str
    reference: Reference
    answer: str
    refusal: NotRequired[bool]


class RaterOutput(TypedDict):
    """`score`: factual correctness, 1 to 5."""

    score: Score
    reason: str


class ClassifierInput(TypedDict):
    question: str
    reference: NotRequired[Annotated[str, Field(description="The answer, or what it has to say, if that is known.")]]


class ClassifierOutput(TypedDict):
    """`depth`: 1 factual and conceptual, 2 procedural, 3 strategic."""

    depth: Depth
    reason: str


class DeconstructorInput(TypedDict):
    """`depth` is that of the question itself, 3 where it is left out; at most `count` questions are written, 4 where
    that is left out."""

    question: str
    reference: Reference
    depth: NotRequired[Annotated[int, Field(ge=2, le=3, description="Depth of the question: 2 or 3.")]]
    count: NotRequired[Annotated[int, Field(ge=1, le=8, description="Questions to write at most.")]]
    domain: NotRequired[Annotated[str, Field(description="The field of knowledge.")]]
    language: NotRequired[Language]


class DeconstructorOutput(TypedDict):
    """The questions one depth below, unchecked, and the kinds of reasoning that the question itself asks for."""

    predecessors: list[Predecessor]
    reasoning: list[str]


class OpenerInput(TypedDict):
    question: str
    reference: Reference
    language: NotRequired[Language]


class OpenerOutput(TypedDict):
    """The question, asked openly; None where yes or no still answers what was written, twice. `rejected` lists that,
    each with its `text` and the `reason`."""

    open_question: str | None
    reference: str
    """The reference as it answers the open question: without the yes or no it began with."""
    rejected: list[dict[str, Any]]


class ReferencerInput(TypedDict):
    question: str
    key_points: NotRequired[Annotated[str, Field(description="What the answer has to say, if that is known.")]]
    language: NotRequired[Language]


class ReferencerOutput(TypedDict):
    reference: str


class RelationRaterInput(TypedDict):
    question: str
    reference: Reference
    predecessors: Annotated[list[Predecessor], Field(min_length=1, description="The questions one depth below.")]


class RelationRaterOutput(TypedDict):
    """Whether the predecessors cover what has to be known, what is `missing`, and for each of them in its order whether
    it keeps the answer to itself."""

    comprehensive: Comprehensive
    missing: str
    implicit: list[Implicit]
