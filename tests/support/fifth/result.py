"""The result of the fifth method."""

from typing import Any

from fathom.graphs.run.record import RunRecord, envelope, provenance_of

from .state import ToyResult


def result_of(record: RunRecord) -> Any:
    calls = [call for item in record.items for call in item.calls]
    return ToyResult(
        **envelope(record, calls),
        answers=record.items,
        notes=record.finished.caveats,
        provenance=provenance_of(record, calls, ("target",)),
    )
