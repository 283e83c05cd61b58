"""Look-ups for the next depth: what has a page of its own first, and no more than is needed; and
what they brought, journalled before the depth is dealt, and read back by a run that goes on."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...agents.factfinder.find import find_evidence
from ...state import channels
from ...state.errors import SourceFailed
from ...state.events import ConceptPassages, PassagesFound
from ...state.records import Evidence, Tier, Unscored, tier_of
from ...state.spec import DrillSpec
from ...tools.facts.base import ByTitle, FactQuery, Whole, charges
from ..run.deps import DrillDeps, together

HELD = 3
"""Passages that a slot is dealt: one, and reserves for questions that are rejected."""
PASSAGES = 2 * HELD
"""Most passages kept per concept: one task and as many again."""
TITLES = 4
"""Concepts beyond those needed that are looked for by title, which costs next to nothing."""


async def look_up(
    deps: DrillDeps, spec: DrillSpec, path: channels.Path, tier: Tier, enough: int
) -> None:
    """Fill the path's `found` and `failed`, side by side, until `enough` of its next concepts have
    passages. In an encyclopedia those with a page of their own come first, as many as give reserves
    for `enough` slots; the others cost a search, and are looked up for want of better ones: first
    as many as are wanted, then all at once. Of a source that takes money one more is looked up for
    reserves. What is not needed stays unknown. Elsewhere, and where a concept without evidence
    counts as wrong, the next `enough` and one more are looked up, whatever they bring. A failed
    source is not missing evidence."""
    names = [concept for concept, _ in path["concepts"]]
    unknown = [
        concept
        for concept in names
        if concept not in path["found"] and concept not in path["failed"]
    ]
    sources = deps.sources[tier]
    next_ones = _Near(deps, spec, path, tier, enough, unknown[: enough + 1])
    if spec.missing == "wrong" or all(isinstance(source, Whole) for source in sources):
        await next_ones.all_of(next_ones.concepts)
    elif isinstance(sources[0], ByTitle):
        ahead, first = names[: enough + TITLES], tuple(unknown[: enough + TITLES])
        for close in dict.fromkeys(
            (tuple(concept for concept in unknown if concept in ahead), first)
        ):
            near = _Near(deps, spec, path, tier, enough, close)
            if titled := await near.by_title(sources[0]):
                break  # whether those ahead have titles is known from before
        await near.until_enough(titled, reserves=len(titled))
        await near.until_enough(
            [concept for concept in near.concepts if concept not in titled], reserves=0
        )
    elif any(map(charges, sources)):
        await next_ones.until_enough(next_ones.concepts)
    else:
        await next_ones.all_of(next_ones.concepts)


@dataclass(frozen=True, slots=True)
class _Near:
    """The next concepts of a path, and how many are wanted."""

    deps: DrillDeps
    spec: DrillSpec
    path: channels.Path
    tier: Tier
    enough: int
    concepts: Sequence[str]

    async def by_title(self, source: ByTitle) -> list[str]:
        """Those with a page under their own title; the passages of the first `enough` come along
        with it. A page that has none leaves the concept to the look-up, which asks the other
        sources of the tier too."""

        async def find(concept: str) -> bool:
            found = await source.find_titled(self._query(concept))
            if found:
                self.path["found"][concept] = [
                    evidence.model_dump(mode="json") for evidence in found
                ]
            return found is not None

        async def ask(place: int, concept: str) -> bool:
            with suppress(SourceFailed):  # the look-up itself will say so
                return await (
                    find(concept) if place < self.enough else source.is_titled(self._query(concept))
                )
            return False

        titled = await together(
            *(ask(place, concept) for place, concept in enumerate(self.concepts))
        )
        return [concept for concept, has in zip(self.concepts, titled, strict=True) if has]

    async def until_enough(self, concepts: Sequence[str], reserves: int = 1) -> None:
        """Look concepts up until `enough` of the near ones have passages, then `reserves` more
        while slots lack some. Without reserves to come, all that are left are looked up together
        when the first have brought too little."""
        left, again = [concept for concept in concepts if concept not in self.path["found"]], False
        while left:
            found = [
                len(passages)
                for concept in self.concepts
                if (passages := self.path["found"].get(concept))
            ]
            wanted = self.enough - len(found)
            if wanted <= 0:
                if sum(found) >= self.enough * HELD or not reserves:
                    return
                wanted, reserves = 1, reserves - 1
            elif again and not reserves:
                wanted = len(left)
            asked, left, again = left[:wanted], left[wanted:], True
            await self.all_of(asked)

    async def all_of(self, concepts: Sequence[str]) -> None:
        """Look them up side by side, whatever they bring."""
        await together(*(self._look_up(concept) for concept in concepts))

    def _query(self, concept: str) -> FactQuery:
        line, spec = tuple(self.path["chain"]), self.spec
        return FactQuery(
            concept, spec.domain, self.tier, spec.as_of, spec.language, limit=PASSAGES, line=line
        )

    async def _look_up(self, concept: str) -> None:
        try:
            found = await find_evidence(self.deps.sources[self.tier], self._query(concept))
        except SourceFailed as error:
            failure = Unscored(stage="facts", kind=error.kind, message=str(error))
            self.path["failed"][concept] = failure.model_dump(mode="json")
            return
        self.path["found"][concept] = [evidence.model_dump(mode="json") for evidence in found]


class LookUps:
    """A path is looked up for the depth below beside probes that are still asked: as soon as its
    answer is known to be right, or where no source takes money as soon as its concepts are known
    and the answer is not known to be wrong. The depth's barrier waits for the paths that go on.
    What a resumed run needs is begun there; what its journal has is not looked up again."""

    def __init__(self, deps: DrillDeps) -> None:
        self._deps = deps
        self._begun: dict[tuple[str, ...], asyncio.Task[channels.Path]] = {}

    def begin(
        self, run_id: str, spec: DrillSpec, path: channels.Path, depth: int, k: int
    ) -> "asyncio.Task[channels.Path]":
        """Look up the next concepts of a path that a probe of `depth` opened, at the tier below it,
        unless that has begun; the path given is left as it is."""
        key = _key(run_id, path)
        task = self._begun.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._begun[key] = asyncio.ensure_future(
                _filled(self._deps, run_id, spec, path, depth + 1, k - 1)
            )
            task.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # nobody may wait for it
        return task

    def may_begin_early(self, depth: int, spec: DrillSpec) -> bool:
        """Whether the tier below a depth may be asked before it is known that the answer is right:
        where no source takes money for it."""
        sources = self._deps.sources.get(tier_of(depth + 1, spec.passes)[0]) or ()
        return not any(map(charges, sources))

    async def settle(
        self, run_id: str, spec: DrillSpec, alive: Sequence[channels.Path], depth: int, k: int
    ) -> list[channels.Path]:
        """The paths of a closed depth that go on, looked up (k = 0: nothing follows). What was
        begun for the others ends. Raises what a look-up raises."""
        filled = (
            await together(*(self.begin(run_id, spec, path, depth, k) for path in alive))
            if k
            else list(alive)
        )
        for key in [key for key in self._begun if key[0] == run_id]:
            self._begun.pop(key).cancel()
        return filled


def _key(run_id: str, path: channels.Path) -> tuple[str, ...]:
    """The ids of two runs' probes may be alike, and a probe that is asked again may get another
    answer."""
    return run_id, path["id"] or "", *(concept for concept, _ in path["concepts"])


async def _filled(
    deps: DrillDeps, run_id: str, spec: DrillSpec, path: channels.Path, depth: int, enough: int
) -> channels.Path:
    path = {**path, "found": dict(path["found"]), "failed": dict(path["failed"])}
    if not fill_from_journal(deps, run_id, depth, path):
        tier, _ = tier_of(depth, spec.passes)
        await look_up(deps, spec, path, tier, enough)
    return path


async def journal_passages(
    deps: DrillDeps,
    run_id: str,
    depth: int,
    paths: Sequence[channels.Path],
    *,
    round_: int | None = None,
    before: Sequence[channels.Path] = (),
) -> None:
    """Journal what look-ups for a depth brought. `before`: the same paths as they were before the
    look-ups of this round."""
    earlier = {
        (path["id"], concept) for path in before for concept in (*path["found"], *path["failed"])
    }
    places: dict[tuple[Any, ...], int] = {}
    concepts: list[ConceptPassages] = []
    for path in paths:
        for concept, _ in path["concepts"]:
            passages = path["found"].get(concept)
            unknown = passages is None and concept not in path["failed"]
            if unknown or (path["id"], concept) in earlier:
                continue
            numbers = None
            if passages is not None:
                keys = [tuple(evidence.items()) for evidence in passages]
                numbers = tuple(places.setdefault(key, len(places)) for key in keys)
            concepts.append(ConceptPassages(parent=path["id"], concept=concept, passages=numbers))
    event = PassagesFound(
        run_id=run_id,
        depth=depth,
        round=round_,
        concepts=tuple(concepts),
        passages=tuple(Evidence.model_validate(dict(key)) for key in places),
    )
    await deps.emit(event)


def fill_from_journal(
    deps: DrillDeps, run_id: str, depth: int, path: channels.Path, round_: int | None = None
) -> bool:
    """Fill the path's `found` and `failed` with what was journalled; whether there was anything of
    this depth, or of a round of it."""
    event = deps.sink.passages(run_id, depth, round_)
    if event is None:
        return False
    failures = deps.sink.run(run_id).failed
    own = {concept for concept, _ in path["concepts"]}
    for entry in event.concepts:
        if entry.parent != path["id"] or entry.concept not in own:
            continue
        if entry.passages is None:
            why = failures.get((depth, entry.parent, entry.concept))
            path["failed"][entry.concept] = why.failure.model_dump(mode="json") if why else {}
            continue
        passages = [event.passages[number] for number in entry.passages]
        path["found"][entry.concept] = [each.model_dump(mode="json") for each in passages]
    return True
