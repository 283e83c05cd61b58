"""The README's pictures in docs/, drawn by the program from recorded runs of two personas of the
simulated world: the same bytes each time. `bench/record_pictures.py` records the runs."""

import io
import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter
from rich.console import Console, RenderableType

from fathom.graphs.deepquestion.page import pictures as deepquestion_pictures
from fathom.graphs.depthqa import page as depthqa_page
from fathom.graphs.drill.page import VIEW as DRILL
from fathom.graphs.drill.page import depth_table
from fathom.graphs.eqt import page as eqt_page
from fathom.graphs.method import steps_of
from fathom.reports.live.display import Gauge
from fathom.reports.live.screen import frame, progress_of
from fathom.reports.page.picture import Picture, write
from fathom.reports.page.terminal import rendered
from fathom.reports.page.view import PageOptions, page
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.eqt.result import EqtResult
from fathom.state.events import Event
from fathom.state.question_graph import QuestionGraph
from fathom.state.result import DrillResult
from fathom.state.results import Result

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
RECORDING: Final = DOCS / "recorded.json.xz"
PERSONAS = ("sim:student", "sim:expert")
"""In every picture with these two's colours, also where one of them is drawn alone."""
WIDTH, HEIGHT = 110, 34


@dataclass(frozen=True, slots=True)
class Recorded:
    """What all pictures are drawn from."""

    events: list[Event]
    """Of a drill, up to a moment."""
    gauge: Gauge
    """At that moment."""
    results: list[Annotated[Result, Field(discriminator="method")]]
    """Of all four methods, by method and then by persona; of drills without their probes."""

    questions: QuestionGraph
    """Of DepthQA."""

    def of(self, kind: type[Any]) -> list[Any]:
        return [result for result in self.results if isinstance(result, kind)]


_FORM: TypeAdapter[Recorded] = TypeAdapter(Recorded)


def recorded() -> Recorded:
    return _FORM.validate_json(lzma.decompress(RECORDING.read_bytes()))


def draw(run: Recorded, folder: Path) -> list[Path]:
    """Write every picture into the folder: the same bytes for the same recording."""
    made = [
        _trace(run, folder / "trace.svg"),
        _result(run.of(DrillResult)[0], folder / "result.svg"),
    ]
    eqts, deepquestions = run.of(EqtResult), run.of(DeepQuestionResult)
    drawn: dict[str, Iterable[Picture]] = {
        "eqt": eqt_page.pictures(eqts),
        "depthqa": depthqa_page.pictures(
            [result.about(run.questions) for result in run.of(DepthQAResult)]
        ),
        "deepquestion": deepquestion_pictures(deepquestions),
    }
    for name, pictures in drawn.items():
        (picture,) = pictures
        made.append(write(folder / f"{name}.svg", picture.svg()))
    return made


def _trace(run: Recorded, path: Path) -> Path:
    last = run.events[-1]
    assert last.at is not None
    screen = frame(progress_of(run.events, steps_of), run.gauge, last.at, HEIGHT)
    save_picture(path, screen, width=WIDTH, title="fathom demo")
    return path


def _result(result: DrillResult, path: Path) -> Path:
    blocks = [
        next(page(DRILL, result, PageOptions())),
        depth_table(result.depths),
    ]
    save_picture(path, rendered(blocks, WIDTH), width=WIDTH, title="fathom show last")
    return path


# what the terminal shows, as a picture that loads nothing: no web font, no script, no address

SVG_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: system-ui, sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
        <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def picture(
    renderable: RenderableType, *, width: int, title: str, height: int | None = None
) -> str:
    """The renderable on a terminal `width` cells wide, as SVG. The same input gives the same
    text."""
    console = Console(
        record=True,
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        highlight=False,
        _environ={},
    )
    console.print(renderable)
    return INDENTED.sub(
        outdent, console.export_svg(title=title, code_format=SVG_FORMAT, unique_id="fathom")
    )


CELL = 12.2
"""Width of a terminal cell in rich's pictures."""
INDENTED = re.compile(
    r'(?P<head><text[^>]* x=")(?P<x>[\d.]+)(?P<middle>"[^>]* '
    r'textLength=")(?P<length>[\d.]+)(?P<tail>"[^>]*>)'
    r"(?P<blanks>(?:&#160;)+)(?P<rest>[^<]*)</text>"
)


def outdent(found: re.Match[str]) -> str:
    """The text without leading blanks, moved to where its first sign stands: some viewers drop such
    blanks."""
    if not found["rest"]:
        return ""
    shift = CELL * found["blanks"].count(";")
    x, length = float(found["x"]) + shift, float(found["length"]) - shift
    return (
        f"{found['head']}{x:g}{found['middle']}{length:g}{found['tail']}{found['rest']}</text>"
    )


def save_picture(
    path: Path, renderable: RenderableType, *, width: int, title: str, height: int | None = None
) -> None:
    """Write the picture to a file."""
    path.write_text(
        picture(renderable, width=width, title=title, height=height), encoding="utf-8"
    )


if __name__ == "__main__":
    print(*(path.name for path in draw(recorded(), DOCS)))
