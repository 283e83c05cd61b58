"""`fathom doctor`: whether keys, disk, models and sources are in order for a run."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..state.option import MODELS, Option
from .declare import Command, Given
from .environment import environment, runs_dir
from .options.shared import AS_JSON, RUNS, TOPICS, model
from .streams import print_json

if TYPE_CHECKING:
    from ..state.tiers import Tier
    from ..tools.doctor import Asking, Checkup, Finding
    from ..tools.models.chat import Chat

_TAVILY_KEY = "TAVILY_API_KEY"
_SIGNS = {
    "ok": "✓",
    "warning": "!",
    "failure": "✗",
}


def _doctor(given: Given) -> None:
    findings = asyncio.run(_examined(_checkup(given, environment())))
    if given["json"]:
        print_json([asdict(finding) for finding in findings])
    else:
        _show(findings)
    raise typer.Exit(1 if any(finding.level == "failure" for finding in findings) else 0)


DOCTOR = Command(
    _doctor,
    """Check what a run needs: keys, disk, models and sources.

Endpoints are contacted, but no model is called unless --call is given. Exits with 1 if a problem would prevent a \
run.""",
    (
        model("--target -t", "Model under test; may be repeated.", type=list[str]),
        model("--evaluator -e", "Model that writes and checks questions."),
        model("--judge", "Model that judges.", default="the evaluator"),
        Option(
            "--facts",
            "SOURCES",
            "As for drill.",
            MODELS,
            kind="sources",
            default="those of the evaluator, if named",
        ),
        replace(
            TOPICS,
            help="Say on how many of these topics the sources on this machine have passages.",
        ),
        Option(
            "--language",
            "CODE",
            "Language of the sources.",
            default="en",
        ),
        Option(
            "--call",
            "",
            "Also call each model as a run does, and search where a key is taken.",
        ),
        AS_JSON,
        RUNS,
    ),
)


def _checkup(given: Given, env: Mapping[str, str]) -> "Checkup":
    from ..graphs.run.checks import one_model
    from ..tools.doctor import Checkup
    from ..tools.facts.plan import check_language
    from ..tools.files.concepts import read_topics
    from ..tools.models.address import parse_model

    evaluator = given["evaluator"]
    named = [("target", name) for name in given["target"] or []]
    named += [("evaluator", evaluator), ("judge", given["judge"] or evaluator)]
    roles = []
    for role, name in named:
        if name:
            roles.append((role, parse_model(one_model(f"--{role}", name)).text))
    topics = tuple(read_topics(given["topics"])) if given["topics"] else ()
    looks = evaluator or topics or given["facts"] is not None
    facts = _facts(given["facts"], evaluator, env) if looks else {}
    return Checkup(
        roles=tuple(roles),
        facts=facts,
        runs=runs_dir(given["runs"], env),
        env=env,
        askings=_askings() if given["call"] else {},
        language=check_language(given["language"] or "en"),
        topics=topics,
    )


def _askings() -> "Mapping[str, Asking]":
    """As a run asks: with its prompts, its limits and, for all but a target, the shape of the
    reply."""
    from ..agents.judge.verdict import judge
    from ..agents.prober.answer import answer_question
    from ..agents.skill import Ask

    question = "Which noble gas glows red in a discharge tube?"

    async def answered(chat: "Chat") -> object:
        return await answer_question(Ask(chat, seed=1), question)

    async def marked(chat: "Chat") -> object:
        return await judge(
            Ask(chat, seed=1),
            question,
            "Neon.",
            "It is neon.",
        )

    return {"target": answered, "evaluator": marked, "judge": marked}


def _facts(
    facts: str | None,
    evaluator: str | None,
    env: Mapping[str, str],
) -> "Mapping[Tier, tuple[str, ...]]":
    """The sources named, or those a drill with this evaluator would use. A missing key is a
    finding, no refusal."""
    from ..tools.facts.plan import anchored, parse_facts
    from .options.spec import choose_facts

    keyed = dict(env)
    if "tavily" in (facts or "") and not env.get(_TAVILY_KEY, "").strip():
        keyed[_TAVILY_KEY] = "none"
    if evaluator is None:
        return anchored(parse_facts(facts, keyed, simulated=False), Path.cwd()).facts
    return choose_facts(
        facts,
        evaluator,
        keyed,
        Path.cwd(),
    ).facts


async def _examined(checkup: "Checkup") -> "list[Finding]":
    from ..state.spec import is_simulated
    from ..tools.doctor import examine

    async with AsyncExitStack() as stack:
        url = None
        ours = [model for model in checkup.models if is_simulated(model)]
        if checkup.askings and any(not model.startswith("sim@") for model in ours):
            from ..sim.server import start
            from ..state.spec import WorldSpec

            world = await start(WorldSpec())
            stack.push_async_callback(world.aclose)
            url = world.api_url
        return await examine(checkup, datetime.now(UTC), sim_url=url)


def _show(findings: "list[Finding]") -> None:
    from ..reports.page.console import stdout_console
    from ..reports.page.sanitise import one_line

    console = stdout_console()
    for finding in findings:
        line = f"{_SIGNS[finding.level]} {finding.subject}: {finding.message}"
        console.print(one_line(line), soft_wrap=True)
    failures = sum(finding.level == "failure" for finding in findings)
    typer.echo(
        f"{failures} to be fixed before a run." if failures else "All checks passed.", err=True
    )
