"""What `fathom drill` was asked for, checked."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import typer

from ...graphs.drill.paired import looks_until
from ...graphs.drill.roots import check_topics
from ...graphs.run.checks import check_domain, check_persona
from ...reports.page.sanitise import one_line
from ...state.errors import UsageError
from ...state.spec import DrillSpec, is_simulated
from ...stats.decision_words import listed
from ...tools.facts.registry import Sources
from ...tools.files.concepts import read_topics
from ...tools.models.address import is_model
from ...tools.models.family import family_notices
from ...tools.models.settings import defined
from ..declare import Given
from ..options.lists import one_model
from ..options.shared import UNTIL_DECIDED
from ..options.spec import (
    choose_facts,
    choose_targets,
    distinct,
    optional_model,
    repeated,
    required,
)
from ..request import Asked, Request, Said
from ..show_options import shown_beside


def ask(said: Said) -> Asked:
    """The specs behind what was said. Raises UsageError with the first fault."""
    required(
        "DOMAIN", said["domains"], "name the field to drill into, in quotes when it has spaces."
    )
    targets = choose_targets(said["target"] or [])
    why = (
        "it writes, checks and judges the questions, and is never chosen for you; as in "
        "--evaluator openai:gpt-5."
    )
    (named,) = required("--evaluator", [said["evaluator"] or ""], why)
    for name in targets:
        check_persona(name)
    evaluator = one_model("--evaluator", named)
    judge = one_model("--judge", optional_model("--judge", said["judge"]) or named)
    plan = choose_facts(said["facts"], evaluator, said.env, said.folder)
    about: dict[str, Any] = {
        "evaluator": evaluator,
        "judge": judge,
        "facts": plan.facts,
    }
    about["anchors"] = _anchors(said["anchors"] or [], targets)
    passes = said["passes"] or DrillSpec.model_fields["passes"].default
    about["max_depth"] = 5 * passes if said["max_depth"] is None else said["max_depth"]
    if said["as_in_paper"]:
        about["missing"] = "wrong"
    about["as_of"] = _date(said["as_of"], datetime.now(UTC).date())
    most = said[UNTIL_DECIDED.key]
    if most is not None:
        about["repeats"] = most
    domains = distinct(said["domains"])
    _require_no_model(domains, said.env)
    about["topics"], topic_notices = _topics(said["topics"], domains)
    each = (
        {"domain": check_domain(domain), "target": target}
        for domain in domains
        for target in targets
    )
    specs = [check_topics(spec) for one in said.specs(each, **about) for spec in repeated(one)]
    # settings of sources are refused here, before a folder is made
    Sources(said.env, clock=lambda: datetime.now(UTC), language=specs[0].language)
    notices = [*topic_notices, *([_looks(most)] if most is not None else [])]
    notices += [text for target in targets for text in family_notices(target, evaluator, judge)]
    if plan.notice and specs[0].max_depth > len(plan.facts) * passes:
        notices.append(plan.notice)
    return Asked(specs, [*notices, *_foreign_notices(specs)], shown_with=shown_beside(said.given))


def _looks(most: int) -> str:
    """What a plan is of, and a run need not come to."""
    looks = listed([str(repeats) for repeats in looks_until(most)])
    return (
        f"--until-decided looks after {looks} repeats and ends once it is decided: a plan is of all "
        "of them, the most that it can take."
    )


def _anchors(names: Sequence[str], targets: Sequence[str]) -> tuple[str, ...]:
    """The models of known strength. Raises UsageError for one that is named twice or is a
    target."""
    anchors = tuple(one_model("--anchor", name) for name in names)
    for name in anchors:
        if anchors.count(name) > 1 or name in targets:
            raise UsageError(
                f"--anchor {one_line(name)} is named twice or is a target: name another model."
            )
    return anchors


def _topics(file: Path | None, domains: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The topics with their weights, and notices. Raises UsageError as `read_topics`, and for
    several domains."""
    if file is None:
        return {}, ()
    if len(domains) > 1:
        raise UsageError(
            f"--topics is about one domain, and {len(domains)} are named: drill them separately."
        )
    return read_topics(file)


def _require_no_model(domains: Sequence[str], env: Mapping[str, str]) -> None:
    """Raises UsageError for a domain that names a model: `-t A B` would drill the domain B."""
    for domain in domains:
        if defined(domain, env) != domain or is_model(domain):
            raise UsageError(
                f"The domain {one_line(domain)} is the name of a model: give every model its own "
                "--target, and"
                " the field to drill into in quotes."
            )


def is_meant(request: Request, given: Given) -> bool:
    """Whether several domains of one word each are no name whose quotes were forgotten: asked at a
    terminal, only said with `--yes`. Raises UsageError elsewhere."""
    domains = list(dict.fromkeys(spec.domain for spec in request.specs))
    if len(domains) < 2 or any(" " in domain for domain in domains):
        return True
    quoted = " ".join(domains)
    said = one_line(
        f'{len(domains)} domains: {"; ".join(domains)}. To drill one domain, quote it: "{quoted}".'
    )
    if not given["yes"]:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(f"{said} To drill them separately, add --yes.")
        return typer.confirm(f"{said} Continue?", err=True)
    if request.display != "none":
        typer.echo(said, err=True)
    return True


def _foreign_notices(specs: Sequence[DrillSpec]) -> list[str]:
    """What is to be known where the simulated world is asked about what it has no page on."""
    from ...sim.corpus import leads_somewhere

    looked_up = [spec.domain for spec in specs if any(map(is_simulated, spec.sources))]
    foreign = [domain for domain in dict.fromkeys(looked_up) if not leads_somewhere(domain)]
    if not foreign:
        return []
    return [
        "The simulated world knows only the chemical elements, and nothing on "
        f"{'; '.join(foreign)}: try"
        ' "Chemical elements", "Noble gases" or the name of an element.'
    ]


def _date(text: str | None, today: date) -> date:
    """`--as-of`: an ISO date, today when it was not given."""
    if text is None:
        return today
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--as-of {text!r} is not a date; write it as {today.isoformat()}."
        ) from None
