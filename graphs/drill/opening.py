"""The opening of a drill: the population of its roots, the roots drawn from it, and their first
passages."""

from collections.abc import Sequence
from itertools import chain
from random import Random

from ...agents.explainer.explain import distinct, name_aspects
from ...state.causes import with_causes
from ...state.channels import Path, new_path
from ...state.errors import DomainNotFound, RunFailed, SourceFailed
from ...state.events import Opened
from ...state.records import Call, Unscored
from ...state.result import Population
from ...state.spec import DrillSpec
from ...state.text import normalise
from ...state.tiers import tier_of
from ...tools.facts.base import Contents, Encyclopedia
from ..run.deps import Pool, RunDeps, pool_key, pool_seed, together
from ..step import Step, admitted
from .calls import opening_cost
from .look_up import LookUp, fill_from_journal
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
TRIED_NAMED = 8
"""Aspects that are named at most where there is no evidence."""
_ADVICE = "Check the spelling and --language, or name another source with --facts."


def with_spares(n: int) -> int:
    """⌈1.25·n⌉: as many names and a quarter of spares."""
    return -(-5 * n // 4)


class Opening:
    """One opening: names, the roots drawn of them, passages at the lowest tier."""

    def __init__(self, deps: RunDeps, spec: DrillSpec) -> None:
        self.deps, self.spec, self.calls = deps, spec, list[Call]()
        self.tier, _ = tier_of(1, spec.passes)
        self.sources = deps.sources[self.tier]

    async def open(self, run_id: str) -> tuple[Opened, list[Path]]:
        """The opening, and what was looked up for it as paths whose only concept is a root itself:
        the roots, then spares. What a resumed run has in its journal is not asked for again.

        Raises DomainNotFound when the domain has no page, too few aspects, or evidence on fewer
        than half as many as there are probes; UsageError as `check_topics`.
        """
        spec, journalled = self.spec, self.deps.sink.run(run_id).opened
        population: Population = journalled.population if journalled else "free"
        if spec.topics:
            draw = draw_topics(check_topics(spec).topics, spec.n, root_generator(spec))
            population = "topics"
        elif journalled:
            draw = Draw([*journalled.aspects[: spec.n]], [*journalled.aspects[spec.n :]])
        else:
            draw, population = await self._draw()
        paths = [_path(name) for name in draw.names[: TRIED_PER_ROOT * spec.n]]
        if all(fill_from_journal(self.deps, run_id, 1, path) for path in paths):
            paths = [path for path in paths if path["found"] or path["failed"]]
        else:
            paths = await self._look_up_roots(draw)
        roots, lost_roots = self._roots_of(draw, paths)
        opened = journalled or Opened(
            run_id=run_id,
            aspects=tuple(draw.names),
            roots=tuple(roots),
            lost_roots=tuple(lost_roots),
            calls=tuple(self.calls),
            population=population,
        )
        if journalled is None:
            self._require_evidence(opened, paths)
        order = [*opened.roots, *draw.names]
        return opened, sorted(paths, key=lambda path: order.index(path["root"]))

    # the aspects

    async def _draw(self) -> tuple[Draw, Population]:
        """What this run's seed draws of the pool of aspects, which all runs of a launch share."""
        spec, key = self.spec, pool_key(self.spec)
        pool, _ = await together(self.deps.pools.get(key, self._name_all), self._require_page())
        if (
            2 * len(pool.aspects) < spec.n
        ):  # only now: a domain without a page is the likelier reason
            raise DomainNotFound(
                f"The evaluator named only {len(pool.aspects)} distinct aspects of "
                f"{spec.domain!r} where {spec.n} are wanted and half as many needed "
                f"({pool.account}); choose a wider domain or a smaller -n."
            )
        return draw_aspects(pool.aspects, spec.n, root_generator(spec)), pool.population

    async def _name_all(self) -> Pool:
        seed = pool_seed(self.spec)
        titles = await self._sample_contents(seed)
        async with admitted(
            self.deps.budget, lambda: opening_cost(self.deps, self.spec, titles)
        ) as payer:
            shared = self.spec.model_copy(update={"seed": seed})
            step = Step(self.deps, shared, "opening", payer)
            pool = await self._ask_for_aspects(step, titles)
            self.calls += step.calls
            return pool

    async def _sample_contents(self, seed: int) -> list[str]:
        """Titles that the evaluator chooses the aspects among; none where a source of the lowest
        tier lists nothing, or all of them fewer than there are roots."""
        listing = [source for source in self.sources if isinstance(source, Contents)]
        if len(listing) < len(self.sources):
            return []
        by_source = await together(*(source.contents(LISTED) for source in listing))
        titles = distinct(chain(*by_source), [self.spec.domain])
        if len(titles) < self.spec.n:
            return []
        rng = Random(f"{seed}:{self.spec.domain}:0:contents")
        return rng.sample(titles, min(SAMPLED, len(titles)))

    async def _ask_for_aspects(self, step: Step, titles: Sequence[str]) -> Pool:
        """Asked again for what is missing as long as calls bring something new: among the titles,
        and where they give fewer than the roots for the rest without them. A failed call brings
        nothing; it ends the run only where fewer than half of the roots have been named."""
        spec, names, account = self.spec, list[str](), list[str]()
        failure: Unscored | None = None
        population: Population = "contents" if titles else "free"
        among = {normalise(title): title for title in titles}
        wanted, in_vain = min(spec.pool, len(titles) or spec.pool), 0
        while len(names) < wanted and len(account) < ASKS and in_vain < IN_VAIN:
            missing = wanted - len(names)
            skill = name_aspects.again(len(account))
            reply = await step.ask(skill, spec.domain, missing, names, [*among.values()])
            failure = reply if isinstance(reply, Unscored) else failure
            named = [] if isinstance(reply, Unscored) else reply
            fitting = [among.get(normalise(name), "") for name in named] if among else named
            new = distinct(fitting, [*names, spec.domain])[:missing]
            names += new
            call = f"call {len(account) + 1}: {missing} asked"
            account.append(f"{call}, {len(named)} given, {len(new)} new")
            in_vain = 0 if new else in_vain + 1
            if in_vain == IN_VAIN and among and len(names) < spec.n:
                among, population, wanted, in_vain = {}, "free", spec.pool, 0
        if failure is not None and 2 * len(names) < spec.n:
            raise RunFailed(
                f"The evaluator could not name the aspects of {spec.domain!r}: {failure.message}"
            )
        return Pool(tuple(names), "; ".join(account), population)

    # their passages

    async def _look_up_roots(self, draw: Draw) -> list[Path]:
        """The roots and, of a quarter of spares, those with pages of their own; and further names
        while a root without evidence has nothing in its place."""
        names, roots = (
            draw.names[: TRIED_PER_ROOT * self.spec.n],
            len(set(draw.roots)),
        )
        paths = list[Path]()
        by_title = [_path(name) for name in names[roots : with_spares(roots)]]
        in_full = [_path(name) for name in names[:roots]]
        while in_full:
            look_ups = LookUp(self.deps, self.spec, self.tier)
            await together(
                *(look_ups.look_up(path, enough=1) for path in in_full),
                *(look_ups.find_titled(path) for path in by_title),
            )
            paths += [
                *in_full,
                *(path for path in by_title if path["found"] or path["failed"]),
            ]
            missing = len(draw.roots) - len(self._roots_of(draw, paths)[0])
            tried = {path["root"] for path in paths}
            untried = [name for name in names if name not in tried]
            by_title, in_full = [], []
            if missing:
                in_full = [_path(name) for name in untried[: with_spares(missing)]]
        return paths

    def _roots_of(self, draw: Draw, paths: Sequence[Path]) -> tuple[list[str], list[str]]:
        """The roots and those lost for want of evidence, as `replace_lost`; where such concepts
        count as wrong they stay."""
        without = {path["root"] for path in paths if path["found"].get(path["root"]) == []}
        if self.spec.missing == "wrong":
            return draw.roots, [root for root in dict.fromkeys(draw.roots) if root in without]
        looked_up = {path["root"] for path in paths}
        rest = [name for name in draw.rest if name in looked_up]
        return replace_lost(Draw(draw.roots, rest), without)

    def _require_evidence(self, opened: Opened, paths: Sequence[Path]) -> None:
        spec, tier = self.spec, self.tier
        failures = [
            Unscored.model_validate(failure)
            for path in paths
            for failure in path["failed"].values()
        ]
        supported = sum(any(path["found"].values()) for path in paths)
        if failures and not supported:
            reason = (
                f"The fact source for {tier.value} failed on all {len(failures)} aspects of "
                f"{spec.domain!r}"
            )
            raise RunFailed(f"{with_causes(reason, failures)}.")
        if supported and 2 * len(set(opened.roots)) >= spec.n:
            return
        names, more = (
            opened.lost_roots[:TRIED_NAMED],
            len(opened.lost_roots) - TRIED_NAMED,
        )
        raise DomainNotFound(
            f"Of {len(paths)} starting topics tried in {spec.domain!r} {supported} have evidence "
            f"at {tier.value}, where {spec.n} are wanted and half as many needed; without "
            f"evidence: {', '.join(names)}{f' and {more} more' if more > 0 else ''}. {_ADVICE}"
        )

    async def _require_page(self) -> None:
        """A domain that none of its encyclopedias knows is a mistake, most often of spelling."""
        spec = self.spec
        failure: SourceFailed | None = None
        encyclopedias = [source for source in self.sources if isinstance(source, Encyclopedia)]
        if len(encyclopedias) < len(self.sources):
            return  # a source without pages of its own cannot say
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
            f"{names} has no page on {spec.domain!r} (language {spec.language!r}). {_ADVICE}"
        )


def _path(name: str) -> Path:
    return new_path(None, name, concepts=[(name, "root")])
