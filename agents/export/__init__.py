"""The skills for other people's apps: of each a compiled one-node graph with typed input and
output, and a tool.

A model is a provider string, a LangChain chat model, or anything with Fathom's `Chat` protocol.
Everything is bound when the graph or tool is built; nothing is read from the host's context. The
skills of a drill stand here, those of the other methods in `agents.export.eqt`, `.depthqa` and
`.deepquestion`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Required

from langchain_core.tools import BaseTool
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from ...state.errors import UsageError
from ...state.records import Answer, Evidence, Question
from ...state.text import digest
from ...state.tiers import Tier
from ...tools.facts.base import FactQuery, FactSource
from ..explainer.explain import explain
from ..factfinder.find import find_evidence
from ..judge import verdict
from ..prober.answer import answer_question
from ..questioner.question import write_question
from ..skill import Ask
from .tool import WORDS as WORDS
from .tool import Exported as Exported
from .tool import Graph as Graph
from .tool import Language as Language
from .tool import Model as Model
from .tool import Refusal as Refusal
from .tool import as_tool as as_tool
from .tool import doors as doors
from .tool import exported as exported
from .tool import faults
from .tool import graph_of as graph_of
from .tool import plain as plain
from .tool import require_one as require_one
from .tool import require_text as require_text
from .tool import tool_of as tool_of


class Explained(TypedDict):
    """`said`: what the answer calls each of the concepts, in their order."""

    concepts: list[str]
    said: list[str]
    aspects: list[str]


@exported("explain_answer", "Find the concepts an answer mentions.", "evaluator")
async def explainer(
    ask: Ask,
    domain: str,
    concept: str,
    question: str,
    answer: str,
    drilled: Sequence[str] = (),
    count: Annotated[
        int, Field(ge=1, description="Most concepts to name; 8 where it is left out.")
    ] = 8,
) -> Explained:
    """The Explainer: what an answer mentions and can be drilled into."""
    require_one("count", count)
    mentions = await explain(ask, domain, concept, question, answer, drilled, count)
    names, said = (
        [each.name for each in mentions.concepts],
        [each.said for each in mentions.concepts],
    )
    return {"concepts": names, "said": said, "aspects": list(mentions.aspects)}


class Questioned(TypedDict):
    """The question, or None with the reason why what was written cannot be asked."""

    question: str | None
    reference: str | None
    quote: str | None
    rejected: str | None


class Passage(TypedDict, total=False):
    """A passage of evidence: its text, and what else is known of it."""

    text: Required[str]
    title: str
    url: str
    source: str
    tier: Tier
    section: str | None
    revision: str | None
    published: str | None
    retrieved_at: str
    digest: str


def _evidence(passage: str | Mapping[str, Any]) -> Evidence:
    """The passage with what a host leaves out. Raises UsageError for one without a word, or with a
    field that cannot be."""
    fields = {"text": passage} if isinstance(passage, str) else dict(passage)
    text = str(fields.get("text", ""))
    require_text(evidence=text)
    usual = {
        "title": "",
        "url": "",
        "source": "host",
        "tier": Tier.COMMON,
        "retrieved_at": datetime.now(UTC),
    }
    try:
        return Evidence.model_validate({**usual, **fields, "digest": digest(text)})
    except ValidationError as error:
        raise UsageError(
            f"The evidence cannot be used: {faults(error)}; its text alone will do."
        ) from None


@exported("write_question", "Write one factual question from a passage of evidence.", "evaluator")
async def questioner(
    ask: Ask,
    domain: str,
    concept: str,
    evidence: Annotated[
        str | Passage, Field(description="The passage: its text, or what find_evidence returns.")
    ],
    line: Sequence[str] = (),
    said: Sequence[str] = (),
) -> Questioned:
    """The Questioner: one question from one passage. `line`: the concepts drilled before this one,
    `said`: earlier answers and references on that line."""
    written = await write_question(ask, domain, concept, [_evidence(evidence)], line, said)
    if not isinstance(written, Question):
        return {"question": None, "reference": None, "quote": None, "rejected": written[0].reason}
    return {
        "question": written.text,
        "reference": written.reference,
        "quote": written.quote,
        "rejected": None,
    }


class Answered(TypedDict):
    """The whole answer, and why it ended."""

    answer: str
    finish: str
    refusal: bool


def answered(said: Answer) -> Answered:
    """An answer as hosts get it."""
    return {"answer": said.text, "finish": said.finish, "refusal": said.refusal}


@exported("probe_model", "Ask the model under test one question.", "target")
async def prober(ask: Ask, question: str) -> Answered:
    """The Prober: the model's own answer, closed book."""
    return answered(await answer_question(ask, question))


def _day(day: date | str | None) -> date | None:
    """A day, which a host's state may hold as text. Raises UsageError for a text that is none."""
    try:
        return date.fromisoformat(day) if isinstance(day, str) and day else day or None
    except ValueError:
        raise UsageError(f"The day {day!r} is none: write it as 2026-11-20.") from None


class Found(TypedDict):
    """Passages as JSON, in reading order; empty when no source has any."""

    evidence: list[dict[str, Any]]


def utc_today() -> date:
    return datetime.now(UTC).date()


@exported("find_evidence", "Retrieve passages on a concept at a tier.")
async def factfinder(
    domain: str,
    concept: str,
    tier: Tier,
    as_of: Annotated[
        date | None, Field(description="Day that counts as today; today where it is left out.")
    ] = None,
    language: str = "en",
    limit: Annotated[
        int, Field(ge=1, description="Most passages to return; 6 where it is left out.")
    ] = 6,
    line: Sequence[str] = (),
    *,
    sources: Sequence[FactSource],
    today: Callable[[], date] | None = None,
) -> Found:
    """The FactFinder over the given sources, asked in order. `line`: the concepts drilled before
    this one."""
    require_text(domain=domain, concept=concept)
    require_one("limit", limit)
    day = _day(as_of) or (today or utc_today)()
    query = FactQuery(
        concept, domain, Tier(tier), day, language=language, limit=limit, line=tuple(line)
    )
    return {
        "evidence": [each.model_dump(mode="json") for each in await find_evidence(sources, query)]
    }


class Judged(TypedDict):
    """`verdict` is correct, wrong or abstained."""

    verdict: str
    confidence: float | None
    reason: str


@exported("judge_answer", "Judge whether an answer asserts the reference answer.", "judge")
async def judge(ask: Ask, question: str, reference: str, answer: str) -> Judged:
    """The Judge: does the answer assert the reference?"""
    scored = await verdict.judge(ask, question, reference, answer)
    return {"verdict": scored.verdict, "confidence": scored.confidence, "reason": scored.reason}


def factfinder_graph(
    sources: Sequence[FactSource], today: Callable[[], date] | None = None
) -> Graph:
    """The FactFinder's graph over the given sources."""
    return graph_of(factfinder, sources=sources, today=today)


def factfinder_tool(
    sources: Sequence[FactSource], today: Callable[[], date] | None = None
) -> BaseTool:
    """The FactFinder as a tool."""
    return tool_of(factfinder, sources=sources, today=today)


explainer_graph, explainer_tool = doors(explainer)
questioner_graph, questioner_tool = doors(questioner)
prober_graph, prober_tool = doors(prober)
judge_graph, judge_tool = doors(judge)
EXPORTED = (explainer, questioner, prober, factfinder, judge)
