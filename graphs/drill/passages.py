"""What a depth is dealt from: journalled before it is dealt, and read back by a run that goes on."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...state.channels import Path
from ...state.events import ConceptPassages, PassagesFound
from ...state.records import Evidence
from ..run.deps import DrillDeps


async def journal_passages(
    deps: DrillDeps,
    run_id: str,
    depth: int,
    paths: Iterable[Path],
    *,
    round_: int | None = None,
    before: Sequence[Path] = (),
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
            found = path["found"].get(concept)
            unknown = found is None and concept not in path["failed"]
            if unknown or (path["id"], concept) in earlier:
                continue
            numbers = None
            if found is not None:
                keys = [tuple(evidence.items()) for evidence in found]
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
    deps: DrillDeps, run_id: str, depth: int, path: Path, round_: int | None = None
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
