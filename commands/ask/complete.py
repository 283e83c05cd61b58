"""What own questions lack, looked for in the sources and shown before any target is asked."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import typer
from pydantic import Field

from ...agents.explainer.explain import explain
from ...agents.factfinder.answer import find_answer
from ...agents.factfinder.find import find_evidence
from ...graphs.run.checks import checked, one_model
from ...graphs.run.deps import RunDeps, together
from ...graphs.run.due import PlannedCall, step_cost
from ...graphs.run.options import LaunchOptions
from ...graphs.run.resources import Resources, open_run
from ...graphs.run.resume_check import opened_budget
from ...graphs.step import Step, admitted
from ...reports.page import figures
from ...reports.page.sanitise import one_line
from ...state.errors import BudgetSpent, SourceFailed, UsageError
from ...state.records import Evidence, Question, Unscored
from ...state.tiers import TIERS, Tier
from ...state.worlds import RunSpec, WorldSpec
from ...tools.facts.base import FactQuery
from ...tools.files.own_questions import OwnRow, read_own_questions, write_own_questions
from ...tools.files.rows import parse_columns
from ..declare import Given
from ..environment import environment, runs_dir
from ..options.shared import launch_options
from ..options.spec import choose_facts, in_world, parse_sim
from ..request import LaunchCost
from ..writable import require_file

PASSAGES = 8
"""Passages of one look-up."""
SUBJECTS = 3
"""Things that a question names, at most, that it is looked up under beside its topic."""
FAULTS = 3
"""Reasons that are said, of all why something could not be looked up."""
ROOM = 8_000
"""Bytes of a question with its passages."""


class Search(RunSpec):
    """What is asked while a file of questions is completed: nothing is kept of it but the file."""

    method: Literal["ask"] = "ask"
    domain: str
    evaluator: str
    facts: dict[Tier, tuple[str, ...]]
    seed: int = 42
    language: str = "en"
    prompts: dict[str, str] = Field(default_factory=dict)
    world: WorldSpec | None = None

    @property
    def target(self) -> str:
        return self.evaluator

    @property
    def models(self) -> dict[str, str]:
        return {"evaluator": self.evaluator}

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.facts.values() for name in names))


def completed(values: Given) -> tuple[list[OwnRow], LaunchCost]:
    """The questions, with what was found of missing answers and passages and accepted, and what the
    search has cost. Raises UsageError where answers are to be looked through first."""
    file: Path = values["questions"]
    rows = [*read_own_questions(file, parse_columns(values["columns"], OwnRow))]
    unanswered = [row for row in rows if not row.answer]
    if not unanswered and not values["facts"]:
        return rows, LaunchCost()
    output = values["answered"] or file.with_name(f"{file.stem}-answered.csv")
    is_terminal = _is_terminal()
    ask_first = bool(unanswered) and not values["accept_answers"]
    if ask_first and not is_terminal:
        require_file(output, "--answered", force=bool(values["force"]))
    spec = _search(values)
    typer.echo("Looking in the sources for what the questions lack.", err=True)
    result, cost = asyncio.run(_searched(spec, values, rows))
    rows = [_with(row, question) for row, question in zip(rows, result, strict=True)]
    if not ask_first:
        return rows, cost
    if is_terminal:
        new = {row.place for row in unanswered if row.place}
        return [_confirmed(row) if row.place in new and row.answer else row for row in rows], cost
    write_own_questions(output, rows)
    missing = sum(not row.answer for row in rows)
    count = f"{len(unanswered) - missing} of {figures.count(len(unanswered), 'missing answer')}"
    raise UsageError(
        f"{count} found in the sources and written to {output}; no target was asked. Look through "
        f"them, then: fathom ask {shlex.quote(str(output))} …"
    )


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _with(row: OwnRow, result: Question | None) -> OwnRow:
    """The row with what was found; what it has stays."""
    if result is None:
        return row
    evidence = result.evidence
    passage = {
        "passage": evidence.text,
        "source": evidence.url,
        "quote": result.quote,
    }
    answer = {"answer": row.answer or result.answer}
    return row.model_copy(update={**({} if row.passage else passage), **answer})


def _confirmed(row: OwnRow) -> OwnRow:
    """The row with the answer that somebody at the terminal accepts, or gives."""
    parts = {
        "answer": row.answer,
        "quote": row.quote,
        "source": row.source,
    }
    typer.echo(f"\n{one_line(row.question)}", err=True)
    for name, text in parts.items():
        typer.echo(f"  {name}: {one_line(text)}", err=True)
    choice = typer.prompt("  Ask with it? y, n, or the answer", default="y", err=True).strip()
    if choice.casefold() in ("y", "yes"):
        return row
    is_refused = choice.casefold() in ("n", "no")
    return row.model_copy(update={"answer": "" if is_refused else choice})


async def _searched(
    spec: Search, values: Given, rows: Sequence[OwnRow]
) -> tuple[list[Question | None], LaunchCost]:
    """What the sources say on each question that lacks something; None: nothing, or it lacks
    nothing."""
    options = _options(values)
    async with AsyncExitStack() as stack:
        resources = Resources([spec], options, stack)  # type: ignore[list-item]  # no run is of it
        await resources.open()
        run = open_run(stack, options, (), spec, None)  # type: ignore[arg-type]
        usd, calls = options.budget_usd, options.max_calls
        is_limited = usd is not None or calls is not None
        budget = opened_budget(usd, calls, []) if is_limited else None
        deps = resources.deps(run, budget, options)
        search = _Search(
            deps,
            spec,
            everything=bool(values["facts"]),
        )
        result = await together(*map(search.look_up, rows))
        for fault in list(search.faults)[:FAULTS]:
            typer.echo(f"Something could not be looked up: {one_line(fault)}", err=True)
        return result, LaunchCost(run.tally.usd, run.tally.calls)


def _options(values: Given) -> LaunchOptions:
    env = environment()
    return launch_options(env, runs_dir(values["runs"], env), values)


def _search(values: Given) -> Search:
    if not values["evaluator"]:
        raise UsageError("--evaluator is missing: name the model that reads the sources.")
    evaluator = one_model("--evaluator", values["evaluator"])
    plan = choose_facts(values["facts"], evaluator, environment(), Path.cwd())
    fields: dict[str, Any] = {name: values[name] for name in ("seed", "language")}
    fields = {name: value for name, value in fields.items() if value is not None}
    fields |= {
        "domain": str(values["questions"]),
        "evaluator": evaluator,
        "facts": plan.facts,
    }
    world = parse_sim(values["sim"])[0] if values["sim"] else None
    return in_world([checked(Search, fields)], world)[0]


class _Search:
    """Looks questions up."""

    def __init__(self, deps: RunDeps, spec: Search, *, everything: bool) -> None:
        """`everything`: passages too that questions with an answer lack."""
        self.deps, self.spec, self.all = deps, spec, everything
        self.faults: dict[str, None] = {}
        """Why look-ups and calls failed, each sentence once."""

    async def look_up(self, row: OwnRow) -> Question | None:
        """The answer that a passage gives: the row's own, or one of the sources."""
        if row.answer and (row.passage or not self.all):
            return None
        purposes = ["source_answer"] if row.passage else ["concepts", "source_answer"]
        due = [PlannedCall("evaluator", purpose, room=ROOM) for purpose in purposes]
        try:
            async with admitted(self.deps.budget, lambda: step_cost(self.deps, due)) as payer:
                step = Step(self.deps, self.spec, "search", payer)  # type: ignore[arg-type]
                passages = [row.passage] if row.passage else await self._passages(step, row)
                if not passages:
                    return None
                result = await step.ask(find_answer, row.question, passages)
        except BudgetSpent as spent:
            self.faults[str(spent)] = None
            return None
        if isinstance(result, Unscored):
            self.faults[result.message] = None
            return None
        return result

    async def _passages(self, step: Step, row: OwnRow) -> list[Evidence | str]:
        """From the level of the question, or the lowest one, upwards, until there are some."""
        passages: dict[str, Evidence] = {}
        subjects = await self._subjects(step, row)
        first = TIERS.index(row.level) if row.level else 0
        for tier in [tier for tier in (*TIERS[first:], *TIERS[:first]) if tier in self.spec.facts]:
            for subject in subjects:
                passages |= {
                    passage.digest: passage
                    for passage in await self._find(subject, row.question, tier)
                }
            if len(passages) > PASSAGES:
                break
        return [*passages.values()]

    async def _find(self, subject: str, question: str, tier: Tier) -> list[Evidence]:
        day, language = datetime.now(UTC).date(), self.spec.language
        query = FactQuery(subject, question, tier, day, language, PASSAGES)
        try:
            return await find_evidence(self.deps.sources[tier], query)
        except SourceFailed as fault:
            self.faults[str(fault)] = None
            return []

    async def _subjects(self, step: Step, row: OwnRow) -> list[str]:
        """What a question names, and its topic."""
        about = (row.topic or "any", row.topic or "any", row.question, row.question)
        mentions = await step.ask(explain, *about, (), SUBJECTS)
        names = list[str]()
        if isinstance(mentions, Unscored):
            self.faults[mentions.message] = None
        else:
            names = [concept.name for concept in mentions.concepts]
        topics = [row.topic] if row.topic else []
        return [*dict.fromkeys([*names, *topics])] or [row.question]
