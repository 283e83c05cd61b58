"""Look-ups for the next depth: what has a page of its own first, and no more than is needed; and
what they brought, journalled before the depth is dealt, and read back by a run that goes on."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import chain, zip_longest
from typing import Any

from ...agents.explainer.explain import Mentions
from ...agents.explainer.titles import pick_titles
from ...agents.factfinder.find import (
    HEADINGS,
    find_evidence,
    headings_around,
    nearest_titles,
)
from ...state.channels import Path, new_path
from ...state.errors import BudgetSpent, SourceFailed
from ...state.events import ConceptPassages, PassagesFound
from ...state.records import Call, Evidence, Probe, Unscored
from ...state.spec import DrillSpec
from ...state.tiers import Tier, tier_of
from ...tools.facts.base import ByTitle, FactQuery, Titled, Whole, charges
from ..run.deps import RunDeps, together
from ..step import Step, admitted
from .calls import NAMES, titles_cost

UNREAD = "the concepts of this answer"
"""What stands among a path's failed look-ups when its answer's concepts could not be read."""
PASSAGES = 9
"""Most passages kept per concept: those that one slot is given, and some to choose from."""
TITLES = 6
"""Concepts beyond those needed that are looked for by title, which costs next to nothing."""
SPARE = {"title": 4, "search": 1}
"""Concepts with evidence that are wanted beyond those needed: to draw among, and in place of one
whose questions are rejected. A page by its title, or a document here, costs no search."""


class LookUp:
    """Looks concepts up at a tier."""

    def __init__(self, deps: RunDeps, spec: DrillSpec, tier: Tier) -> None:
        self.deps, self.spec, self.tier = deps, spec, tier
        self.sources = deps.sources[tier]

    async def look_up(self, path: Path, enough: int, spent: Collection[str] = ()) -> None:
        """Fill the path's `found` and `failed`, side by side, until `enough` of its next concepts
        have passages other than those in `spent`, which were used. In an encyclopedia those with a
        page of their own come first, all looked for at once; where they are too few, as many others
        are searched for as are wanting and some to spare, all at once, and if these bring too
        little, all that are left (of a source that takes money as many as are wanting). What is not
        needed stays unknown. Where a concept without evidence counts as wrong, the next ones are
        looked up whatever they bring. A failed source is not missing evidence."""
        concepts = NextConcepts(self, path, spent)
        if self.spec.missing == "wrong":
            await concepts.look_up_all(concepts.names[: enough + 1])
            return
        await concepts.find_by_title(concepts.names[: enough + TITLES], enough + SPARE["title"])
        by_search = any(not isinstance(source, Whole) for source in self.sources)
        is_dear = any(map(charges, self.sources))
        wanted, first_search = (
            enough + SPARE["search" if by_search else "title"],
            True,
        )
        while (unknown := concepts.unknown()) and concepts.with_evidence() < enough:
            if first_search or is_dear:
                unknown = unknown[: wanted - concepts.with_evidence()]
            await concepts.look_up_all(unknown)
            wanted, first_search = enough, False

    async def find_titled(self, path: Path) -> None:
        """As `look_up` for all concepts of a path, in an encyclopedia by their titles alone."""
        concepts = NextConcepts(self, path)
        if self.spec.missing == "exclude" and isinstance(self.sources[0], ByTitle):
            await concepts.find_by_title(concepts.names, len(concepts.names))
        else:
            await concepts.look_up_all(concepts.names)

    async def ask_what_is_meant(self, paths: Sequence[Path], enough: int) -> None:
        """Ask the Explainer for titles or other names of what was not found, and look these up: on
        paths of which fewer than `enough` concepts have evidence, or on every path where all
        sources are documents here. One call serves several paths. Where its reply cannot be had,
        nobody knows."""
        if self.spec.missing == "wrong":
            return
        are_local = all(isinstance(source, Whole) for source in self.sources)
        names = list[Name]()
        for path in paths:
            concepts = NextConcepts(self, path)
            if are_local and path["nearest"]:
                # costs nothing, and is not asked about again
                await concepts.look_up_all(concepts.unknown())
            if are_local or sum(map(bool, path["found"].values())) < enough:
                names += [(concepts, name) for name in sorted(path["nearest"])]
        batches = [names[start : start + NAMES] for start in range(0, len(names), NAMES)]
        await together(*(self._ask_for(*batch) for batch in enumerate(batches)))

    async def _ask_for(self, number: int, names: "Sequence[Name]") -> None:
        """One call, which is told of with the first path."""
        deps, first = self.deps, names[0][0].path
        nearest = {name: concepts.path["nearest"][name] for concepts, name in names}
        lines = {name: " › ".join(concepts.path["chain"]) for concepts, name in names}
        headings = await self._headings(names)
        try:
            async with (
                admitted(deps.budget, lambda: titles_cost(deps)) as payer,
                deps.gate,
            ):
                step = Step(deps, self.spec, f"{first['id']} titles {number}", payer)
                meant = await step.ask(pick_titles, self.spec.domain, nearest, lines, headings)
        except BudgetSpent as spent:  # the run ends here, and asks when it is resumed
            deps.gate.cut(str(spent))
            await deps.gate.pass_through()
            return
        calls = [call.model_dump(mode="json") for call in step.calls]
        first["calls"] += calls
        if isinstance(meant, Unscored):
            return
        look_ups = (
            concepts.look_up_under(name, meant.get(name, ())) for concepts, name in names
        )
        await together(*look_ups)
        for concepts, name in names:
            picked = {*nearest[name], *headings} & {*meant.get(name, ())}
            if not picked and not concepts.path["found"].get(name):
                concepts.path["unmeant"].append(name)

    async def _headings(self, names: "Sequence[Name]") -> list[str]:
        """Headings around the names of each path, in turn, so many as one call is shown."""
        by_path = dict[str, tuple[NextConcepts, list[str]]]()
        for concepts, name in names:
            by_path.setdefault(concepts.path["id"] or "", (concepts, []))[1].append(name)
        queries = [concepts.query(" ".join(of_path)) for concepts, of_path in by_path.values()]
        around = await together(*(headings_around(self.sources, query) for query in queries))
        in_turn = dict.fromkeys(chain.from_iterable(zip_longest(*around)))
        return [heading for heading in in_turn if heading][:HEADINGS]


class NextConcepts:
    """The next concepts of a path that nobody has looked up, and what becomes of them."""

    def __init__(self, look_up: LookUp, path: Path, spent: Collection[str] = ()) -> None:
        self.path, self._spec, self._tier = path, look_up.spec, look_up.tier
        self._sources, self._spent = look_up.sources, set(spent)
        self.names = self.unknown()
        """As they were at the beginning."""

    def unknown(self) -> list[str]:
        """Those that nobody has looked up yet."""
        looked_up = self.path["found"].keys() | self.path["failed"].keys()
        return [concept for concept, _ in self.path["concepts"] if concept not in looked_up]

    def with_evidence(self) -> int:
        """How many have passages that were not used."""
        passages = (self.path["found"].get(name, ()) for name in self.names)
        digests = ({passage["digest"] for passage in of_concept} for of_concept in passages)
        return sum(not of_concept <= self._spent for of_concept in digests)

    def query(self, name: str, *concepts: str) -> FactQuery:
        """`concepts`: those that the name stands for."""
        return FactQuery(
            name,
            self._spec.domain,
            self._tier,
            self._spec.as_of,
            self._spec.language,
            limit=PASSAGES,
            line=(*self.path["chain"], *concepts),
        )

    async def find_by_title(self, concepts: Sequence[str], wanted: int) -> None:
        """Take the passages of the first `wanted` that have a page under their own title with some;
        none where the first source has no titles. The other sources of the tier may know a concept
        whose page has none."""
        source = self._sources[0]
        if not isinstance(source, ByTitle):
            return

        async def find(concept: str) -> list[Evidence] | None:
            with suppress(SourceFailed):  # the look-up itself will say so
                return await source.find_titled(self.query(concept))
            return None

        pages = await together(*map(find, concepts))
        for concept, passages in zip(concepts, pages, strict=True):
            if passages and self.with_evidence() < wanted:
                self._keep(concept, passages)

    async def look_up_all(self, concepts: Sequence[str]) -> None:
        """Look them up side by side, whatever they bring."""
        await together(*map(self._look_up, concepts))

    async def _look_up(self, concept: str) -> None:
        try:
            passages = await find_evidence(self._sources, self.query(concept))
        except SourceFailed as error:
            failure = Unscored(stage="facts", kind=error.kind, message=str(error))
            self.path["failed"][concept] = failure.model_dump(mode="json")
            return
        self._keep(concept, passages)
        if not passages and any(isinstance(source, Titled) for source in self._sources):
            titles = await nearest_titles(self._sources, concept, self._spec.language)
            self.path["nearest"][concept] = titles

    async def look_up_under(self, concept: str, names: Sequence[str]) -> None:
        """Take the passages that are found under a title of the source or other names of the
        concept, in turn."""

        async def find(name: str) -> list[Evidence]:
            with suppress(SourceFailed):  # then nobody knows whether it is the same
                return await find_evidence(self._sources, self.query(name, concept))
            return []

        if not names:
            return
        in_turn = chain.from_iterable(zip_longest(*await together(*map(find, names))))
        passages = {passage.digest: passage for passage in in_turn if passage}
        self._keep(concept, [*passages.values()][:PASSAGES])

    def _keep(self, concept: str, passages: Sequence[Evidence]) -> None:
        self.path["found"][concept] = [
            evidence.model_dump(mode="json") for evidence in passages
        ]


Name = tuple[NextConcepts, str]
"""A concept that was not found under its name, with its path."""


class LookUps:
    """A path is looked up for the depth below beside probes that are still asked: as soon as its
    answer is known to be right, or where no source takes money as soon as its concepts are known
    and the answer is not known to be wrong. The depth's barrier waits for the paths that go on.
    What a resumed run needs is begun there; what its journal has is not looked up again."""

    def __init__(self, deps: RunDeps) -> None:
        self._deps = deps
        self._begun: dict[tuple[str, ...], asyncio.Task[Path]] = {}

    def begin(
        self,
        run_id: str,
        spec: DrillSpec,
        path: Path,
        depth: int,
        k: int,
        spent: Collection[str] = (),
    ) -> "asyncio.Task[Path]":
        """Look up the next concepts of a path that a probe of `depth` opened, at the tier below it,
        unless that has begun; the path given is left as it is. `spent`: passages that were used
        when the probe's round began."""
        key = _key(run_id, path)
        task = self._begun.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._begun[key] = asyncio.ensure_future(
                _filled(self._deps, run_id, spec, path, depth + 1, k - 1, spent)
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
        self,
        run_id: str,
        spec: DrillSpec,
        alive: Sequence[Path],
        depth: int,
        k: int,
    ) -> list[Path]:
        """The paths of a closed depth that go on, looked up (k = 0: nothing follows). What was
        begun for the others ends. Raises what a look-up raises."""
        filled = list(alive)
        if k:
            filled = await together(
                *(self.begin(run_id, spec, path, depth, k) for path in alive)
            )
            tier, _ = tier_of(depth + 1, spec.passes)
            await LookUp(self._deps, spec, tier).ask_what_is_meant(filled, k - 1)
        for key in [key for key in self._begun if key[0] == run_id]:
            self._begun.pop(key).cancel()
        return filled


def _key(run_id: str, path: Path) -> tuple[str, ...]:
    """The ids of two runs' probes may be alike, and a probe that is asked again may get another
    answer."""
    return run_id, path["id"] or "", *(concept for concept, _ in path["concepts"])


async def _filled(
    deps: RunDeps,
    run_id: str,
    spec: DrillSpec,
    path: Path,
    depth: int,
    enough: int,
    spent: Collection[str],
) -> Path:
    path = deepcopy(path)
    if not fill_from_journal(deps, run_id, depth, path):
        tier, _ = tier_of(depth, spec.passes)
        await LookUp(deps, spec, tier).look_up(path, enough, spent)
    return path


async def journal_passages(
    deps: RunDeps,
    run_id: str,
    depth: int,
    paths: Sequence[Path],
    *,
    round_: int | None = None,
    before: Sequence[Path] = (),
) -> None:
    """Journal what look-ups for a depth brought. `before`: the same paths as they were before the
    look-ups of this round."""
    earlier = set[tuple[str | None, str]]()
    for path in before:
        earlier |= {(path["id"], concept) for concept in (*path["found"], *path["failed"])}
    places: dict[tuple[Any, ...], int] = {}
    concepts, calls = list[ConceptPassages](), list[Call]()
    for path in paths:
        calls += map(Call.model_validate, path["calls"])
        path["calls"] = []
        for concept, _ in path["concepts"]:
            passages = path["found"].get(concept)
            is_unknown = passages is None and concept not in path["failed"]
            if is_unknown or (path["id"], concept) in earlier:
                continue
            numbers = None
            if passages is not None:
                keys = [tuple(evidence.items()) for evidence in passages]
                numbers = tuple(places.setdefault(key, len(places)) for key in keys)
            entry = ConceptPassages(
                parent=path["id"],
                concept=concept,
                passages=numbers,
                nearest=tuple(path["nearest"].get(concept, ())),
                unmeant=concept in path["unmeant"],
            )
            concepts.append(entry)
    event = PassagesFound(
        run_id=run_id,
        depth=depth,
        round=round_,
        concepts=tuple(concepts),
        passages=tuple(Evidence.model_validate(dict(key)) for key in places),
        calls=tuple(calls),
    )
    await deps.emit(event)


def fill_from_journal(
    deps: RunDeps, run_id: str, depth: int, path: Path, round_: int | None = None
) -> bool:
    """Fill the path's `found` and `failed` with what was journalled; whether there was anything of
    this depth, or of a round of it."""
    event = deps.sink.passages(run_id, depth, round_)
    if event is None:
        return False
    failures = deps.sink.run(run_id).failed
    concepts = {concept for concept, _ in path["concepts"]}
    for entry in event.concepts:
        if entry.parent != path["id"] or entry.concept not in concepts:
            continue
        if entry.passages is None:
            why = failures.get((depth, entry.parent, entry.concept))
            path["failed"][entry.concept] = why.failure.model_dump(mode="json") if why else {}
            continue
        passages = [event.passages[number] for number in entry.passages]
        path["found"][entry.concept] = [passage.model_dump(mode="json") for passage in passages]
    return True


def explained(probe: Probe, mentions: Mentions | Unscored) -> Probe:
    """The probe with its concepts, or without where they could not be read."""
    if isinstance(mentions, Unscored):
        return probe.model_copy(update={"unexplained": True})
    concepts = {
        "concepts": tuple(concept.name for concept in mentions.concepts),
        "said": tuple(concept.said for concept in mentions.concepts),
        "aspects": mentions.aspects,
        "unexplained": False,
    }
    return probe.model_copy(update=concepts)


def path_of(
    probe_id: str, root: str, chain: Sequence[str], mentions: Mentions | Unscored
) -> Path:
    """A path before anything is looked up for it."""
    path = new_path(probe_id, root, chain)
    if isinstance(mentions, Unscored):
        path["failed"] = {UNREAD: mentions.model_dump(mode="json")}
        return path
    path["concepts"] += [(concept.name, "answer") for concept in mentions.concepts]
    path["concepts"] += [(aspect, "aspect") for aspect in mentions.aspects]
    return path
