"""The skills of Explain-Query-Test for other people's apps: a one-node graph and a tool each, as in
`agents.export`.

What one writes is what the next reads, under the same name: the concept's `explanation`; its `question` with `options`
and the letters that are `right`; the `paraphrases`; the `answer`, its `letters` and its `reading`. Options are lettered
A, B, … in the order they are given in; whoever shuffles them maps the letters back. `rejected` lists what was written
and thrown away, each with its `text` (of a question the whole draft as JSON) and the `reason`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from ...state.eqt.items import KINDS, Kind, Reading
from ...state.errors import UsageError
from ...state.records import Rejected
from ...tools.models.as_chat import as_chat
from ...tools.models.clients import Clients
from ..answers.letters.read import read_selection
from ..explainer import explain as explainer
from ..paraphraser import paraphrase as paraphraser
from ..prober import answer as prober
from ..questioner import choice_question
from . import AgentGraph, Model, one_node, tool_of
from .eqt_shapes import (
    ChoiceQuestionerInput,
    ChoiceQuestionerOutput,
    ChooserInput,
    ChooserOutput,
    ConceptExplainerInput,
    ConceptExplainerOutput,
    LetterJudgeInput,
    LetterJudgeOutput,
    OpenBookChooserInput,
    ParaphraserInput,
    ParaphraserOutput,
)

ATTEMPTS = 2
"""What is written and cannot be used is asked for once more."""


def concept_explainer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[ConceptExplainerInput, ConceptExplainerOutput]:
    """The Explainer's other skill: the model's own explanation of a concept."""
    chat = as_chat(model, clients)

    async def explain(state: ConceptExplainerInput) -> ConceptExplainerOutput:
        text = await explainer.explain_concept(
            chat, state["concept"], state.get("field", ""), language=state.get("language", "en")
        )
        return {"explanation": text}

    return one_node("concept_explainer", explain, ConceptExplainerInput, ConceptExplainerOutput)


def choice_questioner_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[ChoiceQuestionerInput, ChoiceQuestionerOutput]:
    """The Questioner's other skill: one multi-select question from an explanation. What cannot be asked is asked for
    once more. The node raises UsageError for an unknown kind or a number of options that cannot be lettered."""
    chat = as_chat(model, clients)

    async def write(state: ChoiceQuestionerInput) -> ChoiceQuestionerOutput:
        kind, count = _kind(state.get("kind", "definition")), _count(state.get("count", 10))
        rejected: list[Rejected] = []
        fault: tuple[str, str] | None = None
        for _ in range(ATTEMPTS):
            draft = await choice_question.write_choice_question(
                chat,
                state["concept"],
                state["explanation"],
                kind,
                count,
                language=state.get("language", "en"),
                fault=fault,
            )
            reason = choice_question.find_choice_fault(draft, count)
            if reason is None:
                right = [place for place, option in enumerate(draft.options) if option.correct]
                return {
                    "question": draft.question,
                    "options": [option.text for option in draft.options],
                    "right": _letters(right),
                    "rejected": _plain(rejected),
                    "dropped": None,
                }
            fault = draft.model_dump_json(), reason
            rejected.append(Rejected(text=fault[0], reason=reason))
        dropped = rejected[-1].reason
        return {"question": None, "options": [], "right": [], "rejected": _plain(rejected), "dropped": dropped}

    return one_node("choice_questioner", write, ChoiceQuestionerInput, ChoiceQuestionerOutput)


def paraphraser_graph(model: Model, clients: Clients | None = None) -> AgentGraph[ParaphraserInput, ParaphraserOutput]:
    """The Paraphraser: a question in other words, `k` times, each unlike the question and the ones before it. A
    paraphrase that fails the check (`agents.paraphraser.paraphrase.find_fault`) is asked for once more."""
    chat = as_chat(model, clients)

    async def reword(state: ParaphraserInput) -> ParaphraserOutput:
        question, options = state["question"], _options(state["options"])
        taken: list[str] = []
        rejected: list[Rejected] = []
        for number in range(1, state.get("k", 3) + 1):
            fault: tuple[str, str] | None = None
            for _ in range(ATTEMPTS):
                text = await paraphraser.paraphrase(
                    chat,
                    question,
                    options,
                    paraphraser.manner_of(number),
                    taken,
                    language=state.get("language", "en"),
                    fault=fault,
                )
                reason = paraphraser.find_fault(question, text, taken)
                if reason is None:
                    taken.append(text)
                    break
                rejected.append(Rejected(text=text, reason=reason))
                fault = text, reason
        return {"paraphrases": taken, "rejected": _plain(rejected)}

    return one_node("paraphraser", reword, ParaphraserInput, ParaphraserOutput)


def chooser_graph(
    model: Model, clients: Clients | None = None, *, open_book: bool = False
) -> AgentGraph[Any, ChooserOutput]:
    """The Prober's other skill: the options the model chooses.

    `open_book`: with the `explanation` at hand, which the input then has to hold. Which of the two it is, is settled
    here: an explanation that a host keeps in its state does not reach a chooser that is to answer from memory.
    """
    chat = as_chat(model, clients)

    async def choose(state: OpenBookChooserInput) -> ChooserOutput:
        options = _options(state["options"])
        explanation = state["explanation"] if open_book else None
        answer = await prober.choose(chat, state["question"], options, explanation=explanation)
        letters, reading = _read(answer.text, options, refusal=answer.refusal)
        return {
            "answer": answer.text,
            "finish": answer.finish,
            "refusal": answer.refusal,
            "letters": letters,
            "reading": reading,
        }

    name, takes = ("open_book_chooser", OpenBookChooserInput) if open_book else ("chooser", ChooserInput)
    return one_node(name, choose, takes, ChooserOutput)


def letter_judge_graph() -> AgentGraph[LetterJudgeInput, LetterJudgeOutput]:
    """The Judge's letter check: were exactly the right options chosen? Code alone, no model.

    The node raises UsageError when `right` names no option or one that is not there.
    """

    async def mark(state: LetterJudgeInput) -> LetterJudgeOutput:
        options = _options(state["options"])
        right = _right(state["right"], len(options))
        letters, reading = _read(state["answer"], options, refusal=state.get("refusal", False))
        return {"correct": set(letters) == right, "letters": letters, "reading": reading}

    return one_node("letter_judge", mark, LetterJudgeInput, LetterJudgeOutput)


def concept_explainer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The explaining of a concept as a tool."""
    graph = concept_explainer_graph(model, clients)
    return tool_of(graph, "explain_concept", "Have a concept explained in a few paragraphs.")


def choice_questioner_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The writing of a multi-select question as a tool."""
    graph = choice_questioner_graph(model, clients)
    return tool_of(graph, "write_choice_question", "Write one multi-select question from an explanation.")


def paraphraser_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The Paraphraser as a tool."""
    graph = paraphraser_graph(model, clients)
    return tool_of(graph, "paraphrase_question", "Put a question in other words that leave the same options right.")


def chooser_tool(model: Model, clients: Clients | None = None, *, open_book: bool = False) -> BaseTool:
    """The choosing of options as a tool; `open_book` as in `chooser_graph`."""
    graph = chooser_graph(model, clients, open_book=open_book)
    if open_book:
        return tool_of(graph, "choose_options_open_book", "Have the model choose options with a text at hand.")
    return tool_of(graph, "choose_options", "Have the model under test choose the right options of a question.")


def letter_judge_tool() -> BaseTool:
    """The letter check as a tool."""
    return tool_of(letter_judge_graph(), "judge_letters", "Check whether an answer chooses just the right options.")


def _read(answer: str, options: Sequence[str], *, refusal: bool) -> tuple[list[str], Reading]:
    if refusal:
        return [], "refused"
    selection = read_selection(answer, options)
    return _letters(selection.places), selection.reading


def _letters(places: Iterable[int]) -> list[str]:
    return [chr(65 + place) for place in sorted(places)]


def _plain(rejected: Sequence[Rejected]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json", include={"text", "reason"}) for one in rejected]


def _kind(named: str) -> Kind:
    for kind in KINDS:
        if kind == named:
            return kind
    raise UsageError(f"There is no kind of question {named!r}; the kinds are {', '.join(KINDS)}.")


def _count(count: int) -> int:
    if not 2 <= count <= 26:
        raise UsageError(f"A question cannot have {count} options: 2 to 26 can be lettered.")
    return count


def _options(options: Sequence[str]) -> Sequence[str]:
    _count(len(options))
    return options


def _right(letters: Sequence[str], count: int) -> set[str]:
    known = _letters(range(count))
    right = {letter.strip().upper() for letter in letters}
    if not right or not right <= set(known):
        named = ", ".join(sorted(right)) or "no letter"
        raise UsageError(f"The right options are given as {named}: give at least one letter from A to {known[-1]}.")
    return right
