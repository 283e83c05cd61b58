"""A chart as an SVG file that loads nothing: no font, no script, no address but SVG's own namespace."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ....state.errors import UsageError
from ..sanitise import one_line
from .names import widest

if TYPE_CHECKING:
    from typing import TypeAlias

    from altair import ConcatChart, FacetChart, LayerChart

    Drawn: TypeAlias = ConcatChart | FacetChart | LayerChart

PADDING = 14
"""Around the picture, in pixels."""
INK, FAINT, GRID = "#1a1a1a", "#595959", "#dddddd"
_WIDTH = re.compile(r'width="(\d+(?:\.\d+)?)"')


@dataclass(frozen=True, slots=True)
class Words:
    """What is written around a chart."""

    title: str
    subtitle: Sequence[str]
    """Lines."""
    description: str
    """For those who cannot see the picture."""
    legend: Sequence[str] = ()
    """Labels that stand below each other at the bottom."""


def make_folder(folder: Path) -> None:
    """Raises UsageError when that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = "a file has that name" if isinstance(error, FileExistsError) else error.strerror or error
        raise UsageError(f"The folder {folder} for the pictures cannot be made ({said}): name another one.") from None


def saved(path: Path, chart: "Drawn", words: Words) -> Path:
    """Write the chart with its words; the same input gives the same bytes. Raises UsageError for a file that cannot be
    written."""
    svg = svg_of(chart, words, name=path.stem)
    try:
        path.write_text(svg, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"The picture {path} cannot be written ({error.strerror or error}): mend that, or name another folder."
        ) from None
    return path


def svg_of(chart: "Drawn", words: Words, *, name: str) -> str:
    """The chart as SVG. `name` begins the ids, so that several pictures can stand in one page."""
    import vl_convert

    # into the finished document: each setting that is made through altair copies the whole chart
    spec = chart.to_dict() | {"config": _CONFIG, "title": {"text": words.title, "subtitle": list(words.subtitle)}}
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    least = 2 * PADDING + max(widest(words.subtitle), 95 + widest(words.legend), round(1.6 * widest([words.title])))
    return _described(_at_least(svg, least), words, name)


def _at_least(svg: str, width: int) -> str:
    """The picture not narrower than this: the widths of text were measured with another font than a viewer's."""
    head, end, rest = svg.partition("/>")  # the svg element and the white ground
    found = _WIDTH.search(head)
    if found is None or float(found[1]) >= width:
        return svg
    box = f'viewBox="0 0 {found[1]} '
    return head.replace(found[0], f'width="{width}"').replace(box, f'viewBox="0 0 {width} ') + end + rest


_TEXT = {"labelColor": INK, "titleColor": INK, "labelFontSize": 11, "titleFontSize": 11, "labelLimit": 0}
_CONFIG = {
    "aria": False,  # the picture is described as a whole
    "background": "white",
    "font": "sans-serif",
    "padding": PADDING,
    "axis": _TEXT | {"titleFontWeight": "normal", "gridColor": GRID, "domainColor": FAINT, "tickColor": FAINT},
    "legend": _TEXT | {"symbolSize": 80},
    "view": {"stroke": GRID},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 16,
        "subtitleColor": FAINT,
        "subtitleFontSize": 11,
        "subtitleLineHeight": 15,
        "subtitlePadding": 5,
        "offset": 14,
    },
}


def _described(svg: str, words: Words, name: str) -> str:
    """The SVG with its title and description as SVG has them, and no address that it does not use."""
    head, _, rest = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1).partition(">")
    return (
        f'{head} role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(one_line(words.title))}</title>'
        f'<desc id="{name}-desc">{escape(one_line(words.description))}</desc>{rest}\n'
    )
