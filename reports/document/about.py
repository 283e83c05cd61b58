"""What a report says of how it was made: methods, deviations, versions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from ...state.results import Result
from ..page.blocks import Block, Column, Table, Text, bulleted
from ..page.remarks import DEVIATES
from ..page.sanitise import model_name


class Described(Protocol):
    """What a method says of itself."""

    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...


Methods = Mapping[str, Described]


def how_measured(results: Sequence[Result], methods: Methods) -> Iterator[Block]:
    """A paragraph on each method for a methods section, and where the runs deviate from what was
    published."""
    for method in dict.fromkeys(result.method for result in results):
        of_method = [result for result in results if result.method == method]
        paragraphs = dict.fromkeys(
            _paragraph(result, methods[method].about) for result in of_method
        )
        yield Text([*paragraphs], methods[method].title)
        listed = dict.fromkeys(
            line for result in of_method for line in getattr(result, "conformance", ())
        )
        yield from bulleted(DEVIATES, [*listed])


def _paragraph(result: Result, about: str) -> str:
    spec = result.spec
    roles = {
        role: model_name(str(getattr(spec, role, "")))
        for role in ("evaluator", "judge", "examiner", "generator")
    }
    return " ".join(about.split()).format(spec=spec, **roles)


def provenance(results: Sequence[Any]) -> Iterator[Block]:
    """What made each run: versions, the models as they call themselves, digests."""
    rows = []
    for result in results:
        made_with = result.provenance
        models = made_with.get("models", {}).items()
        named = [f"{role}: {', '.join(names)}" for role, names in models if names]
        seed = getattr(result.spec, "seed", "")
        row = {"run": result.run_id, "names": "; ".join(named), "seed": f"{seed}"}
        rows.append({**made_with, **row})
    columns = (
        Column("run", "run"),
        Column("models, as they call themselves", "names"),
        Column("seed", "seed"),
        Column("digest of the spec", "spec_digest"),
        Column("Fathom", "fathom"),
        Column("Python", "python"),
    )
    note = "each run's own page has the rest of its provenance in its JSON"
    yield Table("", columns, rows, [note])


def about(results: Sequence[Result], methods: Methods) -> Iterable[tuple[str, Iterable[Block]]]:
    """The sections: title and blocks."""
    return (
        ("How it was measured", how_measured(results, methods)),
        ("Provenance", provenance(results)),
    )
