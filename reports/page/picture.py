"""A chart with its words, as a file that loads nothing: no font, no script, no address but SVG's
own namespace."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

from ...state.errors import UsageError
from .chart import Spec
from .sanitise import one_line

SUFFIXES = (".svg", ".png", ".pdf")
LETTERS = 11
"""Size of the small print, in pixels."""
LETTER_WIDTH = 6.5
"""Of the small print. Which font a viewer has is not known: this is a wide one's."""
NARROW = 480
"""Pixels that the words have at least."""


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

    def svg(self) -> str:
        """The same input gives the same text. Ids begin with the name, so that several pictures can
        stand in one page."""
        letters = int(max(NARROW, self.width) / LETTER_WIDTH)
        words = [line for text in self.said for line in wrap(one_line(text), letters)]
        return self._drawn(
            self.spec(LIGHT) | {"title": {"text": self.title, "subtitle": words}}
        )

    def inline_svg(self, letters: int = LETTERS) -> str:
        """The chart alone in the colours of the page that holds it. `letters`: their size."""
        return self._drawn(self.spec(OF_PAGE, letters))

    def spec(self, ground: Ground, letters: int = LETTERS) -> Spec:
        """The chart alone, as Vega-Lite."""
        params = [
            {"name": "ink", "value": ground.ink},
            {"name": "faint", "value": ground.faint},
        ]
        return self.chart | {"config": _config(ground, letters), "params": params}

    def _drawn(self, spec: Spec) -> str:
        """The SVG with its title and description as SVG has them, and no address that it does not
        use."""
        import vl_convert

        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1)
        head, _, rest = svg.partition(">")
        description = " ".join([*self.said, *self.figures])
        return (
            f'{head} role="img" aria-labelledby="{self.name}-title {self.name}-desc">'
            f'<title id="{self.name}-title">{escape(one_line(self.title))}</title>'
            f'<desc id="{self.name}-desc">{escape(one_line(description))}</desc>{rest}\n'
        )


def save(target: Path, pictures: Iterable[Picture]) -> list[Path]:
    """Write the pictures into a folder as SVG, or into a file of that kind, several told apart by
    their names; returns the files. Raises UsageError when that cannot be."""
    is_file = target.suffix.casefold() in SUFFIXES
    all_pictures = [*pictures]
    paths = []
    try:
        (target.parent if is_file else target).mkdir(parents=True, exist_ok=True)
        for picture in all_pictures:
            path = target if is_file else target / f"{picture.name}.svg"
            if is_file and len(all_pictures) > 1:
                path = target.with_stem(f"{target.stem}-{picture.name}")
            paths.append(write(path, picture.svg()))
    except OSError as error:
        raise UsageError(
            f"{error.filename or target} cannot be written ({error.strerror or error}): name "
            "another place for the pictures."
        ) from None
    return paths


def write(path: Path, svg: str) -> Path:
    """Write an SVG document as what the file's suffix says."""
    import vl_convert

    if path.suffix.casefold() == ".svg":
        path.write_text(svg, encoding="utf-8", newline="\n")
    elif path.suffix.casefold() == ".pdf":
        path.write_bytes(vl_convert.svg_to_pdf(svg))
    else:
        path.write_bytes(vl_convert.svg_to_png(svg, scale=2))
    return path


def _config(of: Ground, letters: int) -> Spec:
    text = {
        "labelColor": of.ink,
        "titleColor": of.ink,
        "labelFontSize": letters,
        "titleFontSize": letters,
        "labelLimit": 400,
    }
    lines = {
        "titleFontWeight": "normal",
        "gridColor": of.grid,
        "domainColor": of.faint,
        "tickColor": of.faint,
    }
    return {
        "aria": False,  # the picture is described as a whole
        "background": of.ground,
        "font": "sans-serif",
        "padding": 14,
        "axis": text | lines,
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
