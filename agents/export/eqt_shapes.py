"""What the graphs and tools of `agents.export.eqt` take and give."""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ...state.eqt.items import Kind, Reading

Language = Annotated[str, Field(description="Code of the language to write in; en where it is left out.")]
Options = Annotated[list[str], Field(min_length=2, max_length=26, description="The options in the order of A, B, …")]
Explanation = Annotated[str, Field(description="The explanation of the concept.")]


class ConceptExplainerInput(TypedDict):
    concept: str
    field: NotRequired[Annotated[str, Field(description="The field the concept is meant in.")]]
    language: NotRequired[Language]


class ConceptExplainerOutput(TypedDict):
    explanation: str


class ChoiceQuestionerInput(TypedDict):
    """`count` options are written, 10 where it is left out; `kind` defaults to `definition`."""

    concept: str
    explanation: Explanation
    kind: NotRequired[Annotated[Kind, Field(description="What is asked for; definition where it is left out.")]]
    count: NotRequired[Annotated[int, Field(ge=2, le=26, description="Number of options; 10 where it is left out.")]]
    language: NotRequired[Language]


class ChoiceQuestionerOutput(TypedDict):
    """The question, or None with the reason in `dropped` why what was written twice cannot be asked."""

    question: str | None
    options: list[str]
    right: list[str]
    rejected: list[dict[str, Any]]
    dropped: str | None


class ParaphraserInput(TypedDict):
    question: str
    options: Options
    k: NotRequired[Annotated[int, Field(ge=1, description="Number of paraphrases; 3 where it is left out.")]]
    language: NotRequired[Language]


class ParaphraserOutput(TypedDict):
    """Paraphrases that passed the check: fewer than were asked for where one failed it twice."""

    paraphrases: list[str]
    rejected: list[dict[str, Any]]


class ChooserInput(TypedDict):
    question: str
    options: Options


class OpenBookChooserInput(ChooserInput):
    """The chooser's input with the explanation at hand."""

    explanation: Explanation


class ChooserOutput(TypedDict):
    """The whole answer, the letters it chooses, and how it was read; see `state.eqt.Reading`."""

    answer: str
    finish: str
    refusal: bool
    letters: list[str]
    reading: Reading


class LetterJudgeInput(TypedDict):
    """`refusal`: the endpoint says that the model refused."""

    answer: str
    options: Options
    right: Annotated[list[str], Field(min_length=1, description="The letters of the right options.")]
    refusal: NotRequired[bool]


class LetterJudgeOutput(TypedDict):
    """`correct`: exactly the right letters were chosen."""

    correct: bool
    letters: list[str]
    reading: Reading
