"""`fathom doctor`: keys, endpoints, sources, versions, disk, and what a run would send to whom."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .environment import RunsDir, environment, runs_dir
from .options.models import model_option
from .show import AsJson
from .streams import print_json

if TYPE_CHECKING:
    from ..tools.doctor.finding import Finding
    from ..tools.doctor.visit import Patient

_TAVILY_KEY = "TAVILY_API_KEY"


def doctor_command(
    target: Annotated[
        list[str] | None,
        model_option("--target", "-t", help="Model under test; may be repeated."),
    ] = None,
    evaluator: Annotated[
        str | None,
        model_option("--evaluator", "-e", help="Model that writes and checks questions."),
    ] = None,
    judge: Annotated[
        str | None,
        model_option("--judge", help="Model that judges. [default: the evaluator]"),
    ] = None,
    facts: Annotated[
        str | None,
        typer.Option("--facts", metavar="SOURCES", help="As for drill. [default: those of the evaluator, if named]"),
    ] = None,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="Language of the sources.")] = "en",
    call: Annotated[bool, typer.Option("--call", help="Also make one call of one token to each model.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Refuse what is not on this machine.")] = False,
    runs: RunsDir = None,
    as_json: AsJson = False,
) -> None:
    """Check what a run needs: versions, folders, keys, models, sources; and say what would leave this machine.

    Endpoints are contacted, but no model is called unless --call is given. Exits with 1 if a problem would
    prevent a run.
    """
    env = environment()
    patient = _patient(target or [], evaluator, judge, facts, language, env, runs_dir(runs, env), offline, call)
    findings = asyncio.run(_visit(patient))
    if as_json:
        print_json([asdict(found) for found in findings])
    else:
        _show(findings)
    raise typer.Exit(1 if any(found.level == "failure" for found in findings) else 0)


def _patient(
    targets: list[str],
    evaluator: str | None,
    judge: str | None,
    facts: str | None,
    language: str,
    env: Mapping[str, str],
    runs: Path,
    offline: bool,
    call: bool,
) -> "Patient":
    from ..tools.doctor.visit import Patient
    from ..tools.facts.plan import check_language
    from ..tools.models.address import parse_model
    from .options.lists import one_model
    from .options.spec import choose_targets

    judged = judge or evaluator
    named = [
        *(("target", model) for model in (choose_targets(targets) if targets else ())),
        *([("evaluator", evaluator)] if evaluator else []),
        *([("judge", judged)] if judged else []),
    ]
    roles = tuple((role, parse_model(one_model(f"--{role}", model)).text) for role, model in named)
    return Patient(
        roles=roles,
        sources=_sources(facts, evaluator, env),
        runs=runs,
        env=env,
        process=os.environ,
        folder=Path.cwd(),
        language=check_language(language),
        offline=offline,
        call=call,
    )


def _sources(facts: str | None, evaluator: str | None, env: Mapping[str, str]) -> tuple[str, ...]:
    """The sources named, or those a drill with this evaluator would use. A missing key is a finding, no refusal."""
    from ..tools.facts.plan import anchored, parse_facts
    from .options.spec import Cast, choose_facts

    if facts is None and evaluator is None:
        return ()
    keyed = env if env.get(_TAVILY_KEY, "").strip() or "tavily" not in (facts or "") else {**env, _TAVILY_KEY: "none"}
    if evaluator is None:
        plan = anchored(parse_facts(facts, keyed, simulated=False), Path.cwd())
    else:
        plan = choose_facts(facts, Cast((), evaluator, evaluator), keyed)
    return tuple(dict.fromkeys(source for names in plan.facts.values() for source in names))


async def _visit(patient: "Patient") -> "list[Finding]":
    from ..tools.doctor.visit import needs_world, visit

    async with AsyncExitStack() as stack:
        url = None
        if needs_world(patient):
            from ..sim.server import start
            from ..state.spec import WorldSpec

            world = await start(WorldSpec())
            stack.push_async_callback(world.aclose)
            url = world.api_url
        return await visit(patient, datetime.now(UTC), sim_url=url)


def _show(findings: "list[Finding]") -> None:
    from ..reports.page.console import stderr_console, stdout_console
    from ..reports.page.doctor import lines, verdict

    console = stdout_console()
    for line in lines(findings):
        console.print(line, soft_wrap=True)
    stderr_console().print(verdict(findings), soft_wrap=True)
