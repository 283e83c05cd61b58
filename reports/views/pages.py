"""How each method's results are told."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ...tools.on_demand import found_in
from ..page.blocks import Block
from ..page.terminal import rendered
from ..page.view import How, View, page

PAGES: Mapping[str, View] = found_in(
    __package__,
    {
        "drill": ".drill.summary:VIEW",
        "eqt": ".eqt.summary:VIEW",
        "depthqa": ".depthqa.summary:VIEW",
        "depthqa_build": ".depthqa.building.summary:VIEW",
        "deepquestion": ".deepquestion.summary:VIEW",
        "replay": ".replay.summary:REPLAY",
        "rejudge": ".replay.summary:REJUDGE",
    },
)
"""By method; a further method is entered here."""


def page_of(result: Any, how: How) -> Iterator[Block]:
    """A result of whatever kind, as `fathom show` prints it."""
    return page(PAGES[result.method], result, how)


def summary_of(result: Any, *, width: int, kept: Path | None = None) -> RenderableType:
    """The same on a terminal of that width. `kept`: the run's folder."""
    return rendered(page_of(result, How(kept)), width)
