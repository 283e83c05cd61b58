"""A chart with its words, as a file that loads nothing: no font, no script, no address but SVG's
own namespace."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ....state.errors import UsageError
from ..sanitise import one_line
from .axes import Spec
from .names import sentences, widest

SUFFIXES = (".svg", ".png", ".pdf")
PADDING = 14
"""Around the picture, in pixels."""
LETTERS = 11
"""Size of the small print, in pixels."""
SHARP = 2
"""Pixels of a PNG for each of the picture's."""
_WIDTH = re.compile(r'width="(\d+(?:\.\d+)?)"')


@dataclass(frozen=True, slots=True)
class Ground:
    """The colours of what is no figure."""

    ground: str
    ink: str
    faint: str
    grid: str


LIGHT = Ground("white", "#1a1a1a", "#595959", "#dddddd")
OF_PAGE = Ground(*(f"var(--{name})" for name in ("ground", "ink", "faint", "grid")))
"""Those of the page that shows the picture, whatever they are at the time."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is written around a chart, and the chart."""

    name: str
    """Of its file, without a suffix."""
    title: str
    said: Sequence[str]
    """Under the title."""
    figures: Sequence[str]
    """The figures in words, for those who cannot see them."""
    width: float
    """Of the chart, about, in pixels."""
    chart: Spec
    legend: Sequence[str] = ()
    """Labels that stand below each other at the bottom."""

    def svg(self) -> str:
        """The same input gives the same text. Ids begin with the name, so that several pictures can
        stand in one page."""
        import vl_convert

        subtitle = sentences(self.said, max(480, self.width))
        spec = self.spec(LIGHT) | {"title": {"text": self.title, "subtitle": subtitle}}
        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        least = 2 * PADDING + max(
            widest(subtitle), 95 + widest(self.legend), round(1.6 * widest([self.title]))
        )
        return self._described(_at_least(svg, least))

    def inline_svg(self, letters: int = LETTERS) -> str:
        """The chart alone in the colours of the page that holds it. `letters`: their size."""
        import vl_convert

        spec = self.spec(OF_PAGE, letters)
        return self._described(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))

    def spec(self, ground: Ground, letters: int = LETTERS) -> Spec:
        """The chart alone, as Vega-Lite."""
        params = [{"name": name, "value": getattr(ground, name)} for name in ("ink", "faint")]
        return self.chart | {"config": _config(ground, letters), "params": params}

    def _described(self, svg: str) -> str:
        """The SVG with its title and description as SVG has them, and no address that it does not
        use."""
        head, _, rest = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1).partition(
            ">"
        )
        description = " ".join([*self.said, *self.figures])
        return (
            f'{head} role="img" aria-labelledby="{self.name}-title {self.name}-desc">'
            f'<title id="{self.name}-title">{escape(one_line(self.title))}</title>'
            f'<desc id="{self.name}-desc">{escape(one_line(description))}</desc>{rest}\n'
        )


def place_of(target: Path, pictures: Iterable[Picture]) -> list[tuple[Path, Picture]]:
    """Where each picture goes: into a folder as SVG, or into a file of that kind; several are told
    apart by names."""
    if target.suffix.casefold() not in SUFFIXES:
        return [(target / f"{picture.name}.svg", picture) for picture in pictures]
    drawn_pictures = [*pictures]
    single = len(drawn_pictures) == 1
    return [
        (target if single else target.with_stem(f"{target.stem}-{picture.name}"), picture)
        for picture in drawn_pictures
    ]


def save(target: Path, pictures: Iterable[Picture]) -> list[Path]:
    """Write the pictures (see `place_of`) and return their files; the folder is made. Raises
    UsageError when that cannot be."""
    folder = target.parent if target.suffix.casefold() in SUFFIXES else target
    _make_folder(folder)
    paths = []
    for path, picture in place_of(target, pictures):
        write(path, picture.svg())
        paths.append(path)
    return paths


def write(path: Path, svg: str) -> Path:
    """Write an SVG document as what the file's suffix says. Raises UsageError when that cannot
    be."""
    try:
        if path.suffix.casefold() == ".svg":
            path.write_text(svg, encoding="utf-8", newline="\n")
        else:
            path.write_bytes(_converted(svg, path.suffix.casefold()))
    except OSError as error:
        raise UsageError(
            f"The picture {path} cannot be written ({error.strerror or error}): fix that, or "
            "name another place."
        ) from None
    return path


def _converted(svg: str, suffix: str) -> bytes:
    import vl_convert

    return (
        vl_convert.svg_to_pdf(svg) if suffix == ".pdf" else vl_convert.svg_to_png(svg, scale=SHARP)
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (
            "a file has that name"
            if isinstance(error, FileExistsError)
            else error.strerror or error
        )
        raise UsageError(
            f"The folder {folder} for the pictures cannot be made ({reason}): name another one."
        ) from None


def _at_least(svg: str, width: int) -> str:
    """The picture not narrower than this: the widths of text were measured with another font than a
    viewer's."""
    head, end, rest = svg.partition("/>")  # the svg element and the ground
    match = _WIDTH.search(head)
    if match is None or float(match[1]) >= width:
        return svg
    box = f'viewBox="0 0 {match[1]} '
    return (
        head.replace(match[0], f'width="{width}"').replace(box, f'viewBox="0 0 {width} ')
        + end
        + rest
    )


def _config(of: Ground, letters: int) -> Mapping[str, Any]:
    text = {
        "labelColor": of.ink,
        "titleColor": of.ink,
        "labelFontSize": letters,
        "titleFontSize": letters,
        "labelLimit": 0,
    }
    heads = {
        "titleFontWeight": "normal",
        "gridColor": of.grid,
        "domainColor": of.faint,
        "tickColor": of.faint,
    }
    return {
        "aria": False,  # the picture is described as a whole
        "background": of.ground,
        "font": "sans-serif",
        "padding": PADDING,
        "axis": text | heads,
        "header": {"labelColor": of.ink},
        "legend": text | {"symbolSize": 80},
        "view": {"stroke": of.grid},
        "text": {"fontSize": letters, "fill": of.ink},
        "title": {
            "anchor": "start",
            "color": of.ink,
            "fontSize": 16,
            "subtitleColor": of.faint,
            "subtitleFontSize": LETTERS,
            "subtitleLineHeight": 15,
            "subtitlePadding": 5,
            "offset": 14,
        },
    }
