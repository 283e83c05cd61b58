"""The opening of a drill: the domain's aspects, the roots drawn from them, and their first
passages."""

from contextlib import suppress
from random import Random

from ...agents.explainer.explain import distinct, name_aspects
from ...state.causes import with_causes
from ...state.channels import Path
from ...state.errors import DomainNotFound, RunFailed, SourceFailed
from ...state.records import Call, Tier, Unscored, tier_of
from ...state.spec import DrillSpec
from ...tools.facts.base import Encyclopedia, Titled
from ..run.deps import DrillDeps, Pool, pool_key, pool_seed, together
from ..step import Step, admitted
from .calls import opening_cost
from .look_up import fill_from_journal, look_up

ASKS = 8
"""Times the evaluator is asked for aspects at most."""
IN_VAIN = 2
"""Calls in a row that bring nothing new after which it is not asked again."""
TRIED_NAMED, NEAREST = 8, 5
"""Aspects, and titles of each source, that are named at most where there is no evidence."""
_ADVICE = "Check the spelling and --language, or name another source with --facts."


def wanted(n: int) -> int:
    """⌈1.25·N⌉ aspects: N roots and a quarter of spares."""
    return -(-5 * n // 4)


async def open_domain(
    deps: DrillDeps, spec: DrillSpec, run_id: str, calls: list[Call]
) -> tuple[list[str], list[Path]]:
    """The aspects in drawn order (the first N are the roots), and the first ⌈1.25·N⌉ of them as
    paths whose only concept is the aspect itself. What a resumed run has in its journal is not
    asked for again.

    Raises DomainNotFound when the domain has no page, too few aspects, or no evidence on any of
    them.
    """
    known = deps.sink.run(run_id).opened
    named = list(known.aspects) if known else await _draw(deps, spec, calls)
    paths = [
        Path(
            id=None,
            root=aspect,
            chain=[],
            concepts=[(aspect, "root")],
            said={},
            found={},
            failed={},
        )
        for aspect in named[: wanted(spec.n)]
    ]
    tier, _ = tier_of(1, spec.passes)
    unknown = [path for path in paths if not fill_from_journal(deps, run_id, 1, path)]
    await together(*(look_up(deps, spec, path, tier, enough=1) for path in unknown))
    if not any(any(path["found"].values()) for path in paths):
        failures = [
            Unscored.model_validate(failure)
            for path in paths
            for failure in path["failed"].values()
        ]
        if failures:
            said = (
                f"The fact source for {tier.value} failed on all {len(failures)} aspects of "
                f"{spec.domain!r}"
            )
            raise RunFailed(f"{with_causes(said, failures)}.")
        tried = [path["root"] for path in paths]
        more = f" and {len(tried) - TRIED_NAMED} more" if len(tried) > TRIED_NAMED else ""
        raise DomainNotFound(
            f"No evidence on {spec.domain!r} at {tier.value}; aspects tried: "
            f"{', '.join(tried[:TRIED_NAMED])}{more}."
            f"{await _nearest(deps, spec, tier)} {_ADVICE}"
        )
    return named, paths


async def _draw(deps: DrillDeps, spec: DrillSpec, calls: list[Call]) -> list[str]:
    """The pool of aspects in the order in which this run's seed draws them. All runs of a launch
    share the pool."""
    key, seed = pool_key(spec, deps.prompts), pool_seed(spec)
    pool, _ = await together(
        deps.pools.get(key, lambda: _name_all(deps, spec, seed, calls)), _require_page(deps, spec)
    )
    if 2 * len(pool.aspects) < spec.n:  # only now: a domain without a page is the likelier reason
        raise DomainNotFound(
            f"The evaluator named only {len(pool.aspects)} distinct aspects of {spec.domain!r} "
            f"where {spec.n} are"
            f" wanted and half as many needed ({pool.account}); choose a wider domain or a smaller "
            "-n."
        )
    drawn = sorted(pool.aspects)  # a pool is a set: the order of naming decides nothing
    Random(f"{spec.seed}:{spec.domain}:0:roots").shuffle(drawn)
    return drawn


async def _name_all(deps: DrillDeps, spec: DrillSpec, seed: int, calls: list[Call]) -> Pool:
    async with admitted(deps.budget, lambda: opening_cost(deps, spec)) as payer:
        step = Step(deps, spec.model_copy(update={"seed": seed}), "opening", payer)
        pool = await _ask_for_aspects(spec, step)
        calls += step.calls
        return pool


async def _ask_for_aspects(spec: DrillSpec, step: Step) -> Pool:
    """Asked again for what is missing as long as calls bring something new. A failed call brings
    nothing; it ends the run only where fewer than half of the roots have been named."""
    named: list[str] = []
    account: list[str] = []
    failure: Unscored | None = None
    vain = 0
    while len(named) < spec.pool and len(account) < ASKS and vain < IN_VAIN:
        missing = spec.pool - len(named)
        told = await step.ask(name_aspects.again(len(account)), spec.domain, missing, named)
        given, failure = ([], told) if isinstance(told, Unscored) else (told, failure)
        new = distinct(given, [*named, spec.domain])[:missing]
        named += new
        account.append(
            f"call {len(account) + 1}: {missing} asked, {len(given)} given, {len(new)} new"
        )
        vain = 0 if new else vain + 1
    if failure is not None and 2 * len(named) < spec.n:
        raise RunFailed(
            f"The evaluator could not name the aspects of {spec.domain!r}: {failure.message}"
        )
    return Pool(tuple(named), "; ".join(account))


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
    nearest = await _nearest(deps, spec, tier)
    raise DomainNotFound(
        f"{names} has no page on {spec.domain!r} (language {spec.language!r}).{nearest} {_ADVICE}"
    )


async def _nearest(deps: DrillDeps, spec: DrillSpec, tier: Tier) -> str:
    """` Nearest titles in wikipedia: Cardiology, Cardiac surgery.`, of each source that knows
    any."""
    said = ""
    for source in deps.sources[tier]:
        with suppress(SourceFailed):  # the run has its reason to end; this is only to help
            titles = (
                await source.nearest(spec.domain, spec.language)
                if isinstance(source, Titled)
                else []
            )
            said += (
                f" Nearest titles in {source.name}: {', '.join(titles[:NEAREST])}."
                if titles
                else ""
            )
    return said
