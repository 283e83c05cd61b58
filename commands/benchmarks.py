"""A benchmark that Explain-Query-Tests are set beside: read, and refused where it has nothing to
compare."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..state.benchmark import BenchmarkScore
from ..state.errors import UsageError
from ..state.spec import EqtSpec
from ..stats.benchmark import OVERALL, model_names, plain
from ..tools.files.benchmark_scores import read_scores


def benchmark_for(file: Path | None, specs: Iterable[EqtSpec]) -> tuple[BenchmarkScore, ...]:
    """The benchmark's scores; none without a file. Raises UsageError for one that cannot be read or
    that has nothing to compare with these runs."""
    scores = read_scores(file) if file is not None else ()
    if scores and file is not None:
        tested = list(specs)
        targets = list(dict.fromkeys(spec.target for spec in tested))
        _require_known(scores, targets, file)
        categories = dict.fromkeys(concept.category for spec in tested for concept in spec.concepts)
        _require_shared(scores, targets, [category for category in categories if category], file)
    return scores


def _require_known(scores: Sequence[BenchmarkScore], targets: Sequence[str], file: Path) -> None:
    """A comparison with nobody in it is a slip in a name, which is better told before anything is
    paid for."""
    models = list(dict.fromkeys(score.model for score in scores))
    held = {name.casefold() for name in models}
    if not any(held & set(model_names(target)) for target in targets):
        raise UsageError(
            f"The benchmark {file} has no score of {' or '.join(targets)}: its models are "
            f"{_some(models)}; name them"
            " there as they are named here, with or without the provider."
        )


def _require_shared(
    scores: Sequence[BenchmarkScore], targets: Sequence[str], categories: Sequence[str], file: Path
) -> None:
    """Of the targets' scores one must be of a category of the concepts, or over all of them."""
    names = {name for target in targets for name in model_names(target)}
    listed = list(
        dict.fromkeys(score.category for score in scores if score.model.casefold() in names)
    )
    if {plain(category) for category in listed} & (
        OVERALL | {plain(category) for category in categories}
    ):
        return
    here = (
        f"the concepts' categories are {_some(categories)}"
        if categories
        else "the concepts have no category"
    )
    raise UsageError(
        f"The benchmark {file} has nothing to compare: its categories are {_some(listed)}, and "
        f"{here}; name them alike,"
        " or add scores of the category overall."
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
