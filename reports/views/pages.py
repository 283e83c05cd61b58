"""How each method's results are told."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..page.blocks import Block
from ..page.terminal import rendered
from ..page.view import How, View, page
from .deepquestion.summary import VIEW as DEEPQUESTION
from .depthqa.building.summary import VIEW as DEPTHQA_BUILD
from .depthqa.summary import VIEW as DEPTHQA
from .drill.summary import VIEW as DRILL
from .eqt.summary import VIEW as EQT
from .replay.summary import REJUDGE, REPLAY

PAGES: dict[str, View] = {
    "drill": DRILL,
    "eqt": EQT,
    "depthqa": DEPTHQA,
    "depthqa_build": DEPTHQA_BUILD,
    "deepquestion": DEEPQUESTION,
    "replay": REPLAY,
    "rejudge": REJUDGE,
}
"""By method; a further method is entered here."""


def page_of(result: Any, how: How) -> Iterator[Block]:
    """A result of whatever kind, as `fathom show` prints it."""
    return page(PAGES[result.method], result, how)


def summary_of(result: Any, *, width: int, kept: Path | None = None) -> RenderableType:
    """The same on a terminal of that width. `kept`: the run's folder."""
    return rendered(page_of(result, How(kept)), width)
