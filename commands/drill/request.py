"""What `fathom drill` is to run, checked."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ...graphs.drill.roots import check_topics
from ...reports.page.sanitise import one_line
from ...state.errors import UsageError
from ...state.spec import DrillSpec, is_simulated
from ...tools.facts.registry import Sources
from ...tools.files.concepts import read_topics
from ...tools.models.address import is_model
from ...tools.models.settings import defined
from ..declare import Given
from ..options.shared import UNTIL_DECIDED
from ..options.spec import choose_facts, repeated
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside


def ask(words: CommandInput) -> PlannedRuns:
    """The drills of each domain with each target. Raises UsageError with the first fault."""
    domains = list(dict.fromkeys(" ".join(domain.split()) for domain in words["domains"]))
    _require_no_model(domains, words.env)
    topics = read_topics(words["topics"]) if words["topics"] else {}
    if topics and len(domains) > 1:
        raise UsageError(
            f"--topics is about one domain, and {len(domains)} are named: drill them separately."
        )
    plan = choose_facts(words["facts"], words["evaluator"], words.env, words.folder)
    shared = {
        "facts": plan.facts,
        "topics": topics,
        "as_of": words["as_of"] or datetime.now(UTC).date(),
        "missing": "wrong" if words["as_in_paper"] else "exclude",
    }
    if words[UNTIL_DECIDED.key]:
        shared["repeats"] = words[UNTIL_DECIDED.key]
    parts = [{"domain": domain, **target} for domain in domains for target in words.targets]
    drills = words.specs(parts, **shared)
    specs = [check_topics(repeat) for drill in drills for repeat in repeated(drill)]
    # settings of sources are refused here, before a folder is made
    Sources(words.env, clock=lambda: datetime.now(UTC), language=specs[0].language)
    return PlannedRuns(
        specs,
        _shortfalls(specs, plan.notice),
        shown_with=shown_beside(words.values),
    )


def _require_no_model(domains: Sequence[str], env: Mapping[str, str]) -> None:
    """Raises UsageError for a domain that names a model: `-t A B` would drill the domain B."""
    for domain in domains:
        if defined(domain, env) != domain or is_model(domain):
            raise UsageError(
                f"The domain {one_line(domain)} is the name of a model: give every model its own "
                "--target, and the field to drill into in quotes."
            )


def require_meant(values: Given) -> None:
    """Raises UsageError for several domains of one word each, which may be one that lacks its
    quotes."""
    domains = list(dict.fromkeys(values["domains"]))
    if len(domains) > 1 and not values["yes"] and not any(" " in domain for domain in domains):
        raise UsageError(
            f"{len(domains)} domains: {'; '.join(domains)}. To drill one domain, quote it: "
            f'"{" ".join(domains)}". To drill them separately, add --yes.'
        )


def _shortfalls(specs: Sequence[DrillSpec], notice: str | None) -> list[str]:
    """What the sources have nothing on: tiers, and what lies beyond the simulated world."""
    from ...sim.corpus import leads_somewhere

    first = specs[0]
    notices = [notice] if notice and first.max_depth > len(first.facts) * first.passes else []
    if any(map(is_simulated, first.sources)):
        domains = dict.fromkeys(spec.domain for spec in specs)
        unknown = [domain for domain in domains if not leads_somewhere(domain)]
        if unknown:
            notices.append(
                "The simulated world knows only the chemical elements, and nothing on "
                f"{'; '.join(unknown)}."
            )
    return notices
