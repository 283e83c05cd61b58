"""The opening of a drill: the domain's aspects, the roots drawn from them, and their first passages."""

from random import Random

from ..agents.explainer import name_aspects
from ..state.channels import Path
from ..state.errors import CallFailed, DomainNotFound, ReplyUnreadable, RunFailed, SourceFailed
from ..state.records import Call
from ..state.spec import DrillSpec
from ..state.tiers import tier_of
from ..tools.facts.base import Encyclopedia
from ..tools.models.meter import Metered
from .deps import DrillDeps
from .lookups import look_up, together

ASKS = 3
"""Times the evaluator is asked for aspects before the domain counts as too narrow."""


def wanted(n: int) -> int:
    """⌈1.25·N⌉ aspects: N roots and a quarter of spares."""
    return -(-5 * n // 4)


async def open_domain(deps: DrillDeps, spec: DrillSpec, calls: list[Call]) -> tuple[list[str], list[Path]]:
    """The aspects in drawn order (the first N are the roots), each as a path whose only concept is itself.

    Raises DomainNotFound when the domain has no page, too few aspects, or no evidence on any of them.
    """
    named, _ = await together(_name_all(deps, spec, calls), _require_page(deps, spec))
    if len(named) < spec.n:  # only now: a domain without a page is the likelier reason, and the better sentence
        raise DomainNotFound(
            f"The evaluator named only {len(named)} distinct aspects of {spec.domain!r} where {spec.n} are needed; "
            "choose a wider domain or a smaller -n."
        )
    Random(f"{spec.seed}:{spec.domain}:0:roots").shuffle(named)
    paths = [Path(id=None, root=aspect, chain=[], concepts=[(aspect, "root")], found={}, failed=[]) for aspect in named]
    tier, _ = tier_of(1, spec.passes)
    await together(*(look_up(deps, spec, path, [path["root"]], tier) for path in paths))
    if not any(any(path["found"].values()) for path in paths):
        failed = sum(len(path["failed"]) for path in paths)
        if failed:
            raise RunFailed(
                f"The fact source for {tier.value} failed on all {failed} aspects of {spec.domain!r}; "
                "check its address and try again."
            )
        raise DomainNotFound(
            f"No evidence was found on any aspect of {spec.domain!r} at {tier.value}; "
            "check the spelling and --language, or name another source with --facts."
        )
    return named, paths


async def _name_all(deps: DrillDeps, spec: DrillSpec, calls: list[Call]) -> list[str]:
    model, need = Metered(deps.evaluator, "evaluator", calls), wanted(spec.n)
    named: list[str] = []
    for _ in range(ASKS):
        try:
            more = await name_aspects(
                model,
                spec.domain,
                need - len(named),
                named,
                language=spec.language,
                seed=spec.seed,
                prompt=deps.prompts["aspects"],
            )
        except (CallFailed, ReplyUnreadable) as error:
            raise RunFailed(f"The evaluator could not name the aspects of {spec.domain!r}: {error}") from error
        named += more
        if len(named) >= need or not more:
            break
    return named


async def _require_page(deps: DrillDeps, spec: DrillSpec) -> None:
    """A domain that none of its encyclopedias knows is a mistake, most often of spelling."""
    tier, _ = tier_of(1, spec.passes)
    encyclopedias = [source for source in deps.sources[tier] if isinstance(source, Encyclopedia)]
    if len(encyclopedias) < len(deps.sources[tier]):
        return  # a source without pages of its own cannot say
    failure: SourceFailed | None = None
    for source in encyclopedias:
        try:
            if await source.has_page(spec.domain, spec.language):
                return
        except SourceFailed as error:
            failure = error
    if failure is not None:
        raise RunFailed(
            f"The fact source could not be asked for {spec.domain!r}: {failure} "
            "Check its address and the network, or name another source with --facts."
        ) from failure
    names = ", ".join(source.name for source in encyclopedias)
    raise DomainNotFound(
        f"{names} has no page on {spec.domain!r} (language {spec.language!r}); "
        "check the spelling and --language, or name another source with --facts."
    )
