"""The sheet of a decision, from the runs that it was made from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .decision import Decided
from .ended import answers_of

if TYPE_CHECKING:
    from ..reports.document.report import Section


def sections_of(decided: Decided, *, drawn: bool = True) -> "Iterator[Section]":
    """Its parts. `drawn`: with the curve."""
    from ..reports.views.pages import PAGES
    from ..reports.views.sheet import sheet_sections

    rows = {
        label: [row for run in runs for row in answers_of(run)]
        for label, runs in decided.runs.items()
    }
    results = [run.result for runs in decided.runs.values() for run in runs if run.result]
    method, picture = decided.compared.of, None
    draw = PAGES[method].pictures if method in PAGES else None
    if drawn and draw is not None and results:
        picture = next(iter(draw(results, None)), None)
    return sheet_sections(
        decided.decision,
        decided.compared,
        {
            label: [row for row in own if not row.condition.startswith("anchor ")]
            for label, own in rows.items()
        },
        results,
        picture,
    )
