"""What a report says of how it was made: methods, deviations, versions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.results import Result
from ..page.blocks import Block, Column, Table, Text, bulleted
from ..page.remarks import DEVIATES
from ..page.sanitise import model_name


def how_measured(results: Sequence[Result], methods: Mapping[str, Any]) -> Iterator[Block]:
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
