"""The page of the fifth method."""

from collections.abc import Iterator, Sequence

from fathom.reports.page.blocks import Block
from fathom.reports.page.forms import written
from fathom.reports.page.picture import Picture
from fathom.reports.page.view import PageOptions, View
from fathom.reports.views.by_tag import by_tag
from fathom.reports.views.pictures import points_of

from .measures import MEASURES, answered
from .rows import rows_of
from .state import ToyResult


def blocks(result: ToyResult, options: PageOptions) -> Iterator[Block]:
    yield by_tag("By topic", rows_of(result), MEASURES, "topic")


def pictures(results: Sequence[ToyResult]) -> Iterator[Picture]:
    return points_of("right", "Answered", results, rows_of, MEASURES)


VIEW = View(
    headline=lambda result: f"answered {written(answered(rows_of(result)).value, 'percent')}",
    blocks=blocks,
    pictures=pictures,
)
