"""What `fathom ask` is to run, checked; and what own questions lack, looked for in the sources before
any target is asked."""

import asyncio
import shlex
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from ...agents.explainer.explain import explain
from ...agents.factfinder.answer import find_answer
from ...agents.factfinder.find import find_evidence
from ...graphs.method import prompts_of
from ...graphs.run.checks import checked
from ...graphs.run.deps import RunDeps, together
from ...graphs.run.due import PlannedCall, step_cost
from ...graphs.run.resources import Resources, open_run
from ...graphs.run.resume_check import opened_budget
from ...graphs.step import Step, admitted
from ...reports.page.sanitise import one_line
from ...state.ask.spec import OwnQuestion
from ...state.errors import BudgetSpent, RunFailed, SourceFailed, UsageError
from ...state.records import Evidence, Unscored
from ...state.spec import DrillSpec, WorldSpec
from ...state.tiers import TIERS
from ...tools.facts.base import FactQuery
from ...tools.files.own_questions import OwnRow, read_own_questions, write_own_questions
from ...tools.files.rows import parse_columns
from ..declare import Given
from ..options.spec import choose_facts
from ..request import CommandInput, LaunchCost, PlannedRuns, Request, launched, requested
from ..show_options import shown_beside
from ..writable import require_file

PASSAGES = 8
"""Passages of one look-up."""
SUBJECTS = 3
"""Things that a question names, at most, that it is looked up under beside its topic."""
ROOM = 8_000
"""Bytes of a question with its passages."""
TO_COME = "looked for"
"""Stands for an answer while the rest is checked."""


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    file, rows = words["questions"], words.values.get("rows") or _read_rows(words.values)
    questions = [
        OwnQuestion(
            text=row.question.strip(),
            answer=row.answer.strip(),
            passage=row.passage.strip(),
            source=row.source.strip(),
            topic=row.topic,
            level=row.level,
        )
        for row in rows
        if row.answer
    ]
    if not questions:
        raise UsageError(f"No question of {file} has an answer: fill them in.")
    specs = words.specs(words.targets, name=words["name"] or file.stem, questions=questions)
    unanswered = len(rows) - len(questions)
    notices = [f"Questions without an answer, left out: {unanswered}."] if unanswered else []
    return PlannedRuns(specs, notices, shown_with=shown_beside(words.values))


def launch(method: Any, values: Given) -> int:
    """Complete the questions and run what was asked for; returns the exit code. Raises UsageError
    before anything is looked up, and RunFailed where no question has an answer after all."""
    rows: Sequence[OwnRow] = _read_rows(values)
    missing = sum(not row.answer for row in rows)
    output: Path | None = values["answered"]
    if missing and output is None and not values["accept_answers"]:
        raise UsageError(
            f"{missing} of {len(rows)} questions have no answer: --answered FILE has them looked up "
            "and written there for you to check, --accept-answers asks with what is found."
        )
    if output is not None:
        require_file(output, "--answered", ".csv", force=bool(values["force"]))
    expected = [row.model_copy(update={"answer": row.answer or TO_COME}) for row in rows]
    request = requested(method, {**values, "rows": expected})
    cost = LaunchCost()
    if missing or values["facts"]:
        rows, cost = asyncio.run(_completed(request, values, rows))
    left = sum(not row.answer for row in rows)
    if output is not None:
        write_own_questions(output, rows)
        typer.echo(
            f"{missing - left} of {missing} missing answers are written to {output}. Check them, "
            f"then: fathom ask {shlex.quote(str(output))} …",
            err=True,
        )
        return 1 if left else 0
    if left == len(rows):
        raise RunFailed(
            f"The sources answer no question of {values['questions']}: fill them in."
        )
    request = requested(method, {**values, "rows": rows})
    request.tell()
    return launched(request.after(cost))


def _read_rows(values: Given) -> tuple[OwnRow, ...]:
    return read_own_questions(values["questions"], parse_columns(values["columns"], OwnRow))


async def _completed(
    request: Request, values: Given, rows: Iterable[OwnRow]
) -> tuple[list[OwnRow], LaunchCost]:
    """The rows with what the sources say of those that lack something, and what that has cost."""
    options, spec = request.options, request.specs[0]
    worlds = [spec.world for spec in request.specs if spec.world is not None]
    facts = choose_facts(values["facts"], spec.evaluator, options.env, Path.cwd()).facts
    fields = {
        "domain": "own questions",
        "target": spec.evaluator,
        "evaluator": spec.evaluator,
        "facts": facts,
        "as_of": datetime.now(UTC).date(),
        "seed": spec.seed,
        "language": spec.language,
        "world": worlds[0] if worlds else WorldSpec(),
    }
    search = checked(DrillSpec, fields)
    async with AsyncExitStack() as stack:
        resources = Resources([search, *request.specs], options, stack)
        await resources.open()
        typer.echo("Looking in the sources for what the questions lack.", err=True)
        run = open_run(stack, options, (), search, None)
        budget = opened_budget(options.budget_usd, options.max_calls, [])
        deps = replace(resources.deps(run, budget, options), prompts=prompts_of(spec))
        look_up = _LookUp(deps, search, everything=bool(values["facts"]))
        filled_rows = await together(*map(look_up.complete, rows))
        for fault in look_up.faults:
            typer.echo(f"Something could not be looked up: {one_line(fault)}", err=True)
        return filled_rows, LaunchCost(run.tally.usd, run.tally.calls)


class _LookUp:
    """Looks questions up. `everything`: passages too that questions with an answer lack."""

    def __init__(self, deps: RunDeps, spec: DrillSpec, *, everything: bool) -> None:
        self._deps, self._spec, self._everything = deps, spec, everything
        self.faults: dict[str, None] = {}
        """Why look-ups and calls failed, each sentence once."""

    async def complete(self, row: OwnRow) -> OwnRow:
        """The row with the answer that a passage gives, its own or one of the sources; what it has
        stays."""
        if row.answer and (row.passage or not self._everything):
            return row
        purposes = ["source_answer"] if row.passage else ["concepts", "source_answer"]
        due = [PlannedCall("evaluator", purpose, room=ROOM) for purpose in purposes]
        try:
            async with admitted(self._deps.budget, lambda: step_cost(self._deps, due)) as payer:
                step = Step(self._deps, self._spec, "search", payer)
                passages = [row.passage] if row.passage else await self._passages(step, row)
                if not passages:
                    return row
                question = await step.ask(find_answer, row.question, passages)
        except BudgetSpent as spent:
            self.faults[str(spent)] = None
            return row
        if isinstance(question, Unscored):
            self.faults[question.message] = None
            return row
        if question is None:
            return row
        update = {"answer": row.answer or question.answer}
        if not row.passage:
            evidence = question.evidence
            update |= {
                "passage": evidence.text,
                "source": evidence.url,
                "quote": question.quote,
            }
        return row.model_copy(update=update)

    async def _passages(self, step: Step, row: OwnRow) -> list[Evidence | str]:
        """From the level of the question, or the lowest one, upwards, until there are some."""
        passages: dict[str, Evidence] = {}
        subjects = await self._subjects(step, row)
        spec, first = self._spec, TIERS.index(row.level) if row.level else 0
        for tier in (*TIERS[first:], *TIERS[:first]):
            for subject in subjects if tier in spec.facts else ():
                query = FactQuery(
                    subject, row.question, tier, spec.as_of, spec.language, PASSAGES
                )
                try:
                    evidence = await find_evidence(self._deps.sources[tier], query)
                except SourceFailed as fault:
                    self.faults[str(fault)] = None
                else:
                    passages |= {passage.digest: passage for passage in evidence}
            if len(passages) > PASSAGES:
                break
        return [*passages.values()]

    async def _subjects(self, step: Step, row: OwnRow) -> list[str]:
        """What a question names, and its topic."""
        about = (row.topic or "any", row.topic or "any", row.question, row.question)
        mentions = await step.ask(explain, *about, (), SUBJECTS)
        names = [row.topic] if row.topic else []
        if isinstance(mentions, Unscored):
            self.faults[mentions.message] = None
        else:
            names = [*(concept.name for concept in mentions.concepts), *names]
        return [*dict.fromkeys(names)] or [row.question]
