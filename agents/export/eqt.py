"""The skills of Explain-Query-Test for other people's apps: a one-node graph and a tool each, as in
`agents.export`.

What one writes is what the next reads, under the same name: the concept's `explanation`; its
`question` with `options` and the letters that are `right`; the `paraphrases`; the `answer`, its
`letters` and its `reading`. Options are lettered A, B, … in the order they are given in; whoever
shuffles them maps the letters back. `rejected` lists what was written and thrown away, each with
its `text` (of a question the whole draft as JSON) and the `reason`.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from pydantic import Field
from typing_extensions import TypedDict

from ...state.eqt.items import KINDS, Kind, Reading
from ...state.errors import UsageError
from ...state.records import Answer, Rejected
from ...tools.models.clients import Clients
from ..answers.letters.read import read_selection
from ..explainer.explain import explain_concept
from ..paraphraser.paraphrase import find_fault, manner_of, paraphrase
from ..prober.answer import choose, choose_open_book
from ..questioner.choice_question import Draft, find_choice_fault, write_choice_question
from ..skill import Ask
from ..twice import Written, write_twice
from . import (
    Answered,
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

Options = Annotated[
    list[str], Field(min_length=2, max_length=26, description="The options in the order of A, B, …")
]
Explanation = Annotated[str, Field(description="The explanation of the concept.")]


class ConceptExplained(TypedDict):
    explanation: str


@exported("explain_concept", "Have a concept explained in a few paragraphs.", "examiner")
async def concept_explainer(
    ask: Ask,
    concept: str,
    field: Annotated[str, Field(description="The field the concept is meant in.")] = "",
    language: Language = "en",
) -> ConceptExplained:
    """The Explainer's other skill: the model's own explanation of a concept."""
    return {"explanation": await explain_concept(ask.in_language(language), concept, field)}


class ChoiceQuestionWritten(TypedDict):
    """The question, or None with the reason in `dropped` why what was written twice cannot be
    asked."""

    question: str | None
    options: list[str]
    right: list[str]
    rejected: list[dict[str, Any]]
    dropped: str | None


@exported(
    "write_choice_question", "Write one multi-select question from an explanation.", "examiner"
)
async def choice_questioner(
    ask: Ask,
    concept: str,
    explanation: Explanation,
    kind: Annotated[
        Kind, Field(description="What is asked for; definition where it is left out.")
    ] = "definition",
    count: Annotated[
        int, Field(ge=2, le=26, description="Number of options; 10 where it is left out.")
    ] = 10,
    language: Language = "en",
) -> ChoiceQuestionWritten:
    """The Questioner's other skill: one multi-select question from an explanation. What cannot be
    asked is asked for once more. Raises UsageError for an unknown kind or a number of options that
    cannot be lettered."""
    if kind not in KINDS:
        raise UsageError(
            f"There is no kind of question {kind!r}; the kinds are {', '.join(KINDS)}."
        )
    _require_letters(count)
    asking = ask.in_language(language)

    async def write(last: Rejected | None) -> Draft:
        return await write_choice_question(asking, concept, explanation, kind, count, last=last)

    async def check(draft: Draft) -> str | None:
        return find_choice_fault(draft, count)

    written = await write_twice(write, check, Draft.model_dump_json)
    options = written.sound.options if written.sound else []
    return {
        "question": written.sound.question if written.sound else None,
        "options": [option.text for option in options],
        "right": _letters(place for place, option in enumerate(options) if option.correct),
        "rejected": plain(written.rejected),
        "dropped": None if written.sound else written.rejected[-1].reason,
    }


class Paraphrased(TypedDict):
    """Paraphrases that passed the check: fewer than were asked for where one failed it twice."""

    paraphrases: list[str]
    rejected: list[dict[str, Any]]


@exported(
    "paraphrase_question",
    "Put a question in other words that leave the same options right.",
    "examiner",
)
async def paraphraser(
    ask: Ask,
    question: str,
    options: Options,
    k: Annotated[
        int, Field(ge=1, description="Number of paraphrases; 3 where it is left out.")
    ] = 3,
    language: Language = "en",
) -> Paraphrased:
    """The Paraphraser: a question in other words, `k` times, each unlike the question and the ones
    before it. A paraphrase that fails the check (`agents.paraphraser.paraphrase.find_fault`) is
    asked for once more."""
    _require_letters(len(options))
    taken, rejected = list[str](), list[Rejected]()
    asking = ask.in_language(language)

    async def reworded(manner: str) -> Written[str]:
        async def write(last: Rejected | None) -> str:
            return await paraphrase(asking, question, options, manner, taken, last)

        async def check(text: str) -> str | None:
            return find_fault(question, text, taken)

        return await write_twice(write, check)

    for number in range(1, k + 1):
        written = await reworded(manner_of(number))
        taken += [written.sound] if written.sound else []
        rejected += written.rejected
    return {"paraphrases": taken, "rejected": plain(rejected)}


class Chosen(Answered):
    """The whole answer, the letters it chooses, and how it was read; see
    `state.eqt.items.Reading`."""

    letters: list[str]
    reading: Reading


@exported(
    "choose_options", "Have the model under test choose the right options of a question.", "target"
)
async def chooser(ask: Ask, question: str, options: Options) -> Chosen:
    """The Prober's other skill: the options the model chooses, from memory."""
    _require_letters(len(options))
    return _chosen(await choose(ask, question, options), options)


@exported(
    "choose_options_open_book", "Have the model choose options with a text at hand.", "target"
)
async def open_book_chooser(
    ask: Ask, question: str, options: Options, explanation: Explanation
) -> Chosen:
    """The chooser with the explanation at hand."""
    _require_letters(len(options))
    return _chosen(await choose_open_book(ask, question, options, explanation), options)


class LettersJudged(TypedDict):
    """`correct`: exactly the right letters were chosen."""

    correct: bool
    letters: list[str]
    reading: Reading


@exported("judge_letters", "Check whether an answer chooses just the right options.")
async def letter_judge(
    answer: str,
    options: Options,
    right: Annotated[
        list[str], Field(min_length=1, description="The letters of the right options.")
    ],
    refusal: Refusal = False,
) -> LettersJudged:
    """The Judge's letter check: were exactly the right options chosen? Code alone, no model.

    Raises UsageError when `right` names no option or one that is not there.
    """
    _require_letters(len(options))
    wanted = _right(right, len(options))
    letters, reading = _read(answer, options, refusal=refusal)
    return {"correct": set(letters) == wanted, "letters": letters, "reading": reading}


def chooser_graph(
    model: Model, clients: Clients | None = None, *, open_book: bool = False
) -> Graph:
    """The chooser's graph. `open_book`: with the `explanation` at hand, which the input then has to
    hold. Which of the two it is, is settled here: an explanation that a host keeps in its state
    does not reach a chooser that is to answer from memory."""
    return graph_of(open_book_chooser if open_book else chooser, model, clients)


def chooser_tool(
    model: Model, clients: Clients | None = None, *, open_book: bool = False
) -> BaseTool:
    """The chooser as a tool; `open_book` as in `chooser_graph`."""
    return tool_of(open_book_chooser if open_book else chooser, model, clients)


concept_explainer_graph, concept_explainer_tool = doors(concept_explainer)
choice_questioner_graph, choice_questioner_tool = doors(choice_questioner)
paraphraser_graph, paraphraser_tool = doors(paraphraser)
letter_judge_graph, letter_judge_tool = doors(letter_judge)
EXPORTED = (concept_explainer, choice_questioner, paraphraser, chooser, letter_judge)


def _chosen(answer: Answer, options: Sequence[str]) -> Chosen:
    letters, reading = _read(answer.text, options, refusal=answer.refusal)
    return {**answered(answer), "letters": letters, "reading": reading}


def _read(answer: str, options: Sequence[str], *, refusal: bool) -> tuple[list[str], Reading]:
    if refusal:
        return [], "refused"
    selection = read_selection(answer, options)
    return _letters(selection.places), selection.reading


def _letters(places: Iterable[int]) -> list[str]:
    return [chr(65 + place) for place in sorted(places)]


def _require_letters(count: int) -> None:
    if not 2 <= count <= 26:
        raise UsageError(f"A question cannot have {count} options: 2 to 26 can be lettered.")


def _right(letters: Sequence[str], count: int) -> set[str]:
    known = _letters(range(count))
    right = {letter.strip().upper() for letter in letters}
    if not right or not right <= set(known):
        named = ", ".join(sorted(right)) or "no letter"
        raise UsageError(
            f"The right options are given as {named}: give at least one letter from A to "
            f"{known[-1]}."
        )
    return right
