"""The README's pictures in docs/, drawn by the program from recorded runs of two personas of the simulated world: the
same bytes each time. `bench/record_pictures.py` records the runs."""

import lzma
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter
from rich.console import Group
from rich.text import Text

from fathom.reports.live.display import Gauge
from fathom.reports.live.progress import progress_of
from fathom.reports.live.screen import frame
from fathom.reports.page.picture import save_picture
from fathom.reports.page.rows import Rows
from fathom.reports.views.deepquestion import plots as deepquestion_plots
from fathom.reports.views.depthqa import plots as depthqa_plots
from fathom.reports.views.depthqa.drawing import save_drawing
from fathom.reports.views.drill.curve import curve_of, survival_plot
from fathom.reports.views.drill.summary import brief
from fathom.reports.views.drill.tables import depth_legend, depth_table
from fathom.reports.views.eqt import plots as eqt_plots
from fathom.reports.views.profile.plot import save_profile_plot
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.depthqa.items import QuestionGraph
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.eqt.result import EqtResult
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.state.results import Result
from fathom.stats.deepquestion.table import compare_deepquestion
from fathom.stats.eqt.table import compare_eqt
from fathom.stats.profile.figures import Run, profile_document

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
    graph: QuestionGraph
    """Built from two of the example's questions."""

    def of(self, kind: type[Any]) -> list[Any]:
        return [result for result in self.results if isinstance(result, kind)]


_FORM: TypeAdapter[Recorded] = TypeAdapter(Recorded)


def recorded() -> Recorded:
    return _FORM.validate_json(lzma.decompress(RECORDING.read_bytes()))


def draw(run: Recorded, folder: Path) -> list[Path]:
    """Write every picture into the folder: the same bytes for the same recording."""
    made = [_trace(run, folder / "trace.svg"), _result(run.of(DrillResult)[0], folder / "result.svg")]
    eqts, deepquestions = run.of(EqtResult), run.of(DeepQuestionResult)
    with tempfile.TemporaryDirectory() as name:
        plots = Path(name)
        eqt_plots.save_plots(plots, eqts, compare_eqt(eqts))
        depthqa_plots.save_plots(plots, run.of(DepthQAResult))
        deepquestion_plots.save_plots(plots, deepquestions, compare_deepquestion(deepquestions))
        for drawn, kept in {
            eqt_plots.ACCURACY: "eqt.svg",
            depthqa_plots.DISCREPANCIES: "depthqa.svg",
            deepquestion_plots.DROP: "deepquestion.svg",
        }.items():
            made.append((plots / drawn).rename(folder / kept))
    document = profile_document([Run(result) for result in run.results], "Chemistry of the elements")
    made.append(save_profile_plot(folder / "profile.svg", document))
    return [*made, save_drawing(folder / "graph.svg", run.graph)]


def _trace(run: Recorded, path: Path) -> Path:
    last = run.events[-1]
    assert last.at is not None
    rows = frame(progress_of(run.events), run.gauge, last.at, last.run_id, WIDTH, HEIGHT)
    save_picture(path, Rows(rows), width=WIDTH, title="fathom demo")
    return path


def _result(result: DrillResult, path: Path) -> Path:
    parts = [
        brief(result, width=WIDTH),
        Text(),
        survival_plot([curve_of(result)], width=WIDTH - 20, spec=result.spec, models=PERSONAS),
        Text(),
        depth_table(result.depths, width=WIDTH),
        depth_legend(result.depths, width=WIDTH),
    ]
    save_picture(path, Group(*parts), width=WIDTH, title="fathom show last")
    return path


if __name__ == "__main__":
    print(*(path.name for path in draw(recorded(), DOCS)))
