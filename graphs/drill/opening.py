"""The opening of a drill: the population of its roots, the roots drawn from it, and their first
passages."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from random import Random

from ...agents.explainer.explain import distinct, name_aspects
from ...state.causes import with_causes
from ...state.channels import Path
from ...state.errors import DomainNotFound, RunFailed, SourceFailed
from ...state.events import Opened
from ...state.records import Call, Tier, Unscored, tier_of
from ...state.result import Population
from ...state.spec import DrillSpec
from ...state.text import normalise
from ...tools.facts.base import Contents, Encyclopedia, Titled
from ..run.deps import Pool, RunDeps, pool_key, pool_seed, together
from ..step import Step, admitted
from .calls import opening_cost
from .look_up import fill_from_journal, find_titled, look_up
from .roots import (
    Draw,
    check_topics,
    draw_aspects,
    draw_topics,
    replace_lost,
    root_generator,
)

ASKS = 8
"""Times the evaluator is asked for aspects at most."""
IN_VAIN = 2
"""Calls in a row that bring nothing new after which it is not asked again."""
LISTED, SAMPLED = 3000, 300
"""Titles that a source lists at most, and of them those that the evaluator chooses among."""
TRIED_PER_ROOT = 4
"""Names looked up at most for each root that is wanted."""
TRIED_NAMED, NEAREST = 8, 5
"""Aspects, and titles of each source, that are named at most where there is no evidence."""
_ADVICE = "Check the spelling and --language, or name another source with --facts."


def with_spares(n: int) -> int:
    """⌈1.25·n⌉: as many names and a quarter of spares."""
    return -(-5 * n // 4)


async def open_domain(deps: RunDeps, spec: DrillSpec, run_id: str) -> tuple[Opened, list[Path]]:
    """The opening, and what was looked up for it as paths whose only concept is a root itself: the
    roots, then spares. What a resumed run has in its journal is not asked for again.

    Raises DomainNotFound when the domain has no page, too few aspects, or evidence on fewer than
    half as many as there are probes; UsageError as `check_topics`.
    """
    journalled, calls = deps.sink.run(run_id).opened, list[Call]()
    population: Population = journalled.population if journalled else "free"
    if spec.topics:
        draw = draw_topics(check_topics(spec).topics, spec.n, root_generator(spec))
        population = "topics"
    elif journalled:
        draw = Draw([*journalled.aspects[: spec.n]], [*journalled.aspects[spec.n :]])
    else:
        draw, population = await _draw(deps, spec, calls)
    paths = [_path(name) for name in draw.names[: TRIED_PER_ROOT * spec.n]]
    if all(fill_from_journal(deps, run_id, 1, path) for path in paths):
        paths = [path for path in paths if path["found"] or path["failed"]]
    else:
        paths = await _look_up_roots(deps, spec, draw)
    roots, lost_roots = _roots_of(spec, draw, paths)
    opened = journalled or Opened(
        run_id=run_id,
        aspects=tuple(draw.names),
        roots=tuple(roots),
        calls=tuple(calls),
        population=population,
        lost_roots=tuple(lost_roots),
    )
    if journalled is None:
        await _require_evidence(deps, spec, opened, paths)
    names = dict.fromkeys((*opened.roots, *draw.names))
    places = {name: place for place, name in enumerate(names)}
    return opened, sorted(paths, key=lambda path: places[path["root"]])


def _path(name: str) -> Path:
    return Path(
        id=None, root=name, chain=[], concepts=[(name, "root")], said={}, found={}, failed={}
    )


async def _look_up_roots(deps: RunDeps, spec: DrillSpec, draw: Draw) -> list[Path]:
    """The roots and, of a quarter of spares, those with pages of their own; and further names while
    a root without evidence has nothing in its place."""
    tier, _ = tier_of(1, spec.passes)
    names = draw.names[: TRIED_PER_ROOT * spec.n]
    paths = list[Path]()
    roots = len(set(draw.roots))
    titled = [_path(name) for name in names[roots : with_spares(roots)]]
    more = [_path(name) for name in names[:roots]]
    while more:
        await together(
            *(look_up(deps, spec, path, tier, enough=1) for path in more),
            *(find_titled(deps, spec, path, tier) for path in titled),
        )
        paths += [*more, *(path for path in titled if path["found"] or path["failed"])]
        lacking = len(draw.roots) - len(_roots_of(spec, draw, paths)[0])
        tried = {path["root"] for path in paths}
        titled = []
        more = []
        if lacking:
            untried = [name for name in names if name not in tried]
            more = [_path(name) for name in untried[: with_spares(lacking)]]
    return paths


def _roots_of(spec: DrillSpec, draw: Draw, paths: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The roots and those lost for want of evidence, as `replace_lost`; where such concepts count
    as wrong they stay."""
    without = {path["root"] for path in paths if path["found"].get(path["root"]) == []}
    if spec.missing == "wrong":
        roots = dict.fromkeys(draw.roots)
        return draw.roots, [root for root in roots if root in without]
    looked_up = {path["root"] for path in paths}
    rest = [name for name in draw.rest if name in looked_up]
    return replace_lost(Draw(draw.roots, rest), without)


async def _require_evidence(
    deps: RunDeps, spec: DrillSpec, opened: Opened, paths: Sequence[Path]
) -> None:
    tier, _ = tier_of(1, spec.passes)
    failures = [
        Unscored.model_validate(failure) for path in paths for failure in path["failed"].values()
    ]
    supported = sum(any(path["found"].values()) for path in paths)
    if failures and not supported:
        said = (
            f"The fact source for {tier.value} failed on all {len(failures)} aspects of "
            f"{spec.domain!r}"
        )
        raise RunFailed(f"{with_causes(said, failures)}.")
    if supported and 2 * len(set(opened.roots)) >= spec.n:
        return
    more = (
        f" and {len(opened.lost_roots) - TRIED_NAMED} more"
        if opened.lost_roots[TRIED_NAMED:]
        else ""
    )
    raise DomainNotFound(
        f"Of {len(paths)} starting topics tried in {spec.domain!r} {supported} have evidence at "
        f"{tier.value}, where {spec.n} are wanted and half as many needed; without evidence: "
        f"{', '.join(opened.lost_roots[:TRIED_NAMED])}{more}.{await _nearest(deps, spec, tier)} {_ADVICE}"
    )


async def _draw(deps: RunDeps, spec: DrillSpec, calls: list[Call]) -> tuple[Draw, Population]:
    """What this run's seed draws of the pool of aspects, which all runs of a launch share."""
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
    return draw_aspects(pool.aspects, spec.n, root_generator(spec)), pool.population


async def _name_all(deps: RunDeps, spec: DrillSpec, seed: int, calls: list[Call]) -> Pool:
    titles = await _sample_contents(deps, spec, seed)
    async with admitted(deps.budget, lambda: opening_cost(deps, spec, titles)) as payer:
        step = Step(deps, spec.model_copy(update={"seed": seed}), "opening", payer)
        pool = await _ask_for_aspects(spec, step, titles)
        calls += step.calls
        return pool


async def _sample_contents(deps: RunDeps, spec: DrillSpec, seed: int) -> list[str]:
    """Titles that the evaluator chooses the aspects among; none where a source of the lowest tier
    lists nothing, or all of them fewer than there are roots."""
    tier, _ = tier_of(1, spec.passes)
    sources = deps.sources[tier]
    listing = [source for source in sources if isinstance(source, Contents)]
    if len(listing) < len(sources):
        return []
    listed = await together(*(source.contents(LISTED) for source in listing))
    titles = distinct(chain(*listed), [spec.domain])
    if len(titles) < spec.n:
        return []
    return Random(f"{seed}:{spec.domain}:0:contents").sample(titles, min(SAMPLED, len(titles)))


async def _ask_for_aspects(spec: DrillSpec, step: Step, titles: Sequence[str]) -> Pool:
    """Asked again for what is missing as long as calls bring something new: among the titles, and
    where they give fewer than the roots for the rest without them. A failed call brings nothing; it
    ends the run only where fewer than half of the roots have been named."""
    named, account = list[str](), list[str]()
    failure: Unscored | None = None
    population: Population = "contents" if titles else "free"
    among = {normalise(title): title for title in titles}
    wanted, vain = min(spec.pool, len(titles) or spec.pool), 0
    while len(named) < wanted and len(account) < ASKS and vain < IN_VAIN:
        missing = wanted - len(named)
        reply = await step.ask(
            name_aspects.again(len(account)), spec.domain, missing, named, [*among.values()]
        )
        given, failure = ([], reply) if isinstance(reply, Unscored) else (reply, failure)
        fitting = [among.get(normalise(name), "") for name in given] if among else given
        new = distinct(fitting, [*named, spec.domain])[:missing]
        named += new
        account.append(
            f"call {len(account) + 1}: {missing} asked, {len(given)} given, {len(new)} new"
        )
        vain = 0 if new else vain + 1
        if vain == IN_VAIN and among and len(named) < spec.n:
            among, population, wanted, vain = {}, "free", spec.pool, 0
    if failure is not None and 2 * len(named) < spec.n:
        raise RunFailed(
            f"The evaluator could not name the aspects of {spec.domain!r}: {failure.message}"
        )
    return Pool(tuple(named), "; ".join(account), population)


async def _require_page(deps: RunDeps, spec: DrillSpec) -> None:
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


async def _nearest(deps: RunDeps, spec: DrillSpec, tier: Tier) -> str:
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
