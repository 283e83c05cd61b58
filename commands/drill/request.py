"""What `fathom drill` was asked for, checked: the specs, and how they are to be run."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import typer

from ...agents.prompts import PROMPTS
from ...graphs.run.options import LaunchOptions
from ...reports.live.display import DisplayKind
from ...reports.page.sanitise import one_line
from ...state.errors import UsageError
from ...state.spec import DrillSpec, WorldSpec, is_simulated
from ..environment import environment, runs_dir
from ..launch import pick_display
from ..options.models import LAUNCHING, launch_options
from ..options.spec import choose_facts, choose_models, make_specs, parse_sim, required
from ..prompt_files import read_prompts

MEASURING = ("n", "passes", "threshold", "seed", "missing", "verify_questions", "language", "answer_tokens", "repeats")


@dataclass(frozen=True, slots=True)
class DrillRequest:
    """A checked request."""

    specs: Sequence[DrillSpec]
    options: LaunchOptions
    display: DisplayKind
    notices: Sequence[str]
    """What the user should know before anything is asked."""


def drill_request(given: dict[str, Any]) -> DrillRequest:
    """The request behind the options of `fathom drill`, by parameter name. Raises UsageError with the first fault."""
    from ...tools.facts.registry import Sources
    from ...tools.models.family import family_notices

    shown = pick_display(given["display"], given["as_json"])
    required("DOMAIN", given["domains"], "name the field to drill into, in quotes when it has spaces.")
    cast = choose_models(given["target"] or [], given["evaluator"], given["judge"])
    env = environment()
    world, timing = parse_sim(given["sim"] or [])
    plan = choose_facts(given["facts"], cast, env)
    options = launch_options(env, runs_dir(given["runs"], env), **{name: given[name] for name in LAUNCHING})
    specs = make_specs(
        given["domains"],
        cast,
        world=world,
        world_given=bool(given["sim"]),
        facts=plan.facts,
        max_depth=5 * given["passes"] if given["max_depth"] is None else given["max_depth"],
        as_of=_date(given["as_of"], options.clock.now().date()),
        prompts=read_prompts(given["prompt"] or [], PROMPTS),
        **{name: given[name] for name in MEASURING},
    )
    # settings of sources are refused here, before a folder is made
    Sources(env, clock=options.clock.now, language=given["language"])
    notices = [text for target in cast.targets for text in family_notices(target, cast.evaluator, cast.judge)]
    if plan.notice and specs[0].max_depth > len(plan.facts) * given["passes"]:
        notices.append(plan.notice)
    notices += _foreign_notices(specs)
    return DrillRequest(specs, replace(options, timing=timing), shown, list(dict.fromkeys(notices)))


def tell(request: DrillRequest) -> None:
    """Say on stderr what is to be known beforehand."""
    if request.display != "none":
        for notice in request.notices:
            typer.echo(one_line(notice), err=True)


def is_meant(request: DrillRequest, *, yes: bool) -> bool:
    """Whether several domains of one word each are no name whose quotes were forgotten: asked of who sits at a
    terminal; elsewhere, and with `yes`, only said."""
    domains = list(dict.fromkeys(spec.domain for spec in request.specs))
    if len(domains) < 2 or any(" " in domain for domain in domains):
        return True
    quoted = " ".join(domains)
    said = one_line(f'{len(domains)} domains: {"; ".join(domains)}. To drill one domain, quote it: "{quoted}".')
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        return typer.confirm(f"{said} Continue?", err=True)
    if request.display != "none":
        typer.echo(said, err=True)
    return True


def _foreign_notices(specs: Sequence[DrillSpec]) -> list[str]:
    """What is to be known where the simulated world is asked about what it has no page on."""
    from ...sim.world import World

    takes_part = [spec.domain for spec in specs if any(map(is_simulated, (*spec.asked, *spec.sources)))]
    foreign = [domain for domain in dict.fromkeys(takes_part) if not World(WorldSpec()).leads_somewhere(domain)]
    if not foreign:
        return []
    return [
        f"The simulated world knows only the chemical elements, and nothing on {'; '.join(foreign)}: try"
        ' "Chemical elements", "Noble gases" or the name of an element.'
    ]


def _date(text: str | None, today: date) -> date:
    """`--as-of`: an ISO date, today when it was not given."""
    if text is None:
        return today
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--as-of {text!r} is not a date; write it as {today.isoformat()}.") from None
