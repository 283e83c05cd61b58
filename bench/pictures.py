"""The README's pictures, drawn by the program from runs of the simulated world, into docs/."""

import asyncio
from pathlib import Path

from rich.console import Group
from rich.text import Text

from fathom.graphs.run import Launch, LaunchOptions
from fathom.reports.board import board_of
from fathom.reports.depthqa_drawing import save_drawing
from fathom.reports.display import Gauge
from fathom.reports.drill_tables import depth_legend, depth_table
from fathom.reports.picture import save_picture
from fathom.reports.plot import curve_of, survival_plot
from fathom.reports.rows import Rows
from fathom.reports.summary import brief
from fathom.reports.tree import frame
from fathom.sim.server import Timing
from fathom.state.depthqa_build import DepthQABuildResult
from fathom.state.depthqa_spec import DepthQABuildSpec
from fathom.state.events import Event
from fathom.state.spec import DrillSpec, WorldSpec
from fathom.state.tiers import TIERS
from fathom.tools.depthqa_questions import read_questions

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLE = DOCS.parent / "examples" / "depthqa_elements.csv"
WIDTH, HEIGHT = 110, 34
MOMENT_DEPTH = 5
"""The trace is taken while this depth is being asked."""


async def main() -> None:
    now = LaunchOptions().clock.now()
    spec = DrillSpec(
        domain="Chemical elements",
        target="sim:student",
        evaluator="sim:evaluator",
        judge="sim:evaluator",
        facts=dict.fromkeys(TIERS, ("sim",)),
        as_of=now.date(),
        world=WorldSpec(),
    )
    events: list[Event] = []
    moments: list[tuple[int, Gauge]] = []

    def listen(event: Event) -> None:
        events.append(event)
        judged = sum(e.type == "probe_judged" and e.probe.depth == MOMENT_DEPTH for e in events)
        clients = launch.clients
        if judged == 12 and clients is not None and not moments:
            moments.append((len(events), Gauge(clients.in_flight, clients.peak_in_flight, clients.queued, 200)))

    launch = Launch([spec], LaunchOptions(timing=Timing(latency_s=0.25, jitter_s=0.35)), [listen])
    (report,) = await launch.run()
    (count, gauge) = moments[0]
    at = events[count - 1].at or now
    rows = frame(board_of(events[:count]), gauge, at, [report.run_id], WIDTH, HEIGHT)
    DOCS.mkdir(exist_ok=True)
    save_picture(DOCS / "trace.svg", Rows(rows), width=WIDTH, title="fathom demo")
    result = report.result
    assert result is not None
    parts = [
        brief(result, width=WIDTH),
        Text(),
        survival_plot([curve_of(result)], width=WIDTH - 20, spec=spec),
        Text(),
        depth_table(result.depths, width=WIDTH),
        depth_legend(result.depths, width=WIDTH),
    ]
    save_picture(DOCS / "result.svg", Group(*parts), width=WIDTH, title="fathom show last")


async def graph_picture() -> None:
    """A graph built from two of the example's questions."""
    questions, _ = read_questions(EXAMPLE)
    spec = DepthQABuildSpec(
        name="Two deep questions", questions=questions[:2], evaluator="sim:evaluator", width=3, world=WorldSpec()
    )
    (report,) = await Launch[DepthQABuildResult]([spec], LaunchOptions()).run()
    assert report.result is not None
    assert report.result.graph is not None
    save_drawing(DOCS / "graph.svg", report.result.graph)


if __name__ == "__main__":
    asyncio.run(main())
    asyncio.run(graph_picture())
