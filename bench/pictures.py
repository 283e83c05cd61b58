"""The README's pictures, drawn by the program from one drill of the simulated world, into docs/."""

import asyncio
from pathlib import Path

from rich.console import Group
from rich.text import Text

from fathom.graphs.run import Launch, LaunchOptions
from fathom.reports.board import board_of
from fathom.reports.display import Gauge
from fathom.reports.drill_tables import depth_legend, depth_table
from fathom.reports.picture import save_picture
from fathom.reports.plot import curve_of, survival_plot
from fathom.reports.rows import Rows
from fathom.reports.summary import brief
from fathom.reports.tree import frame
from fathom.sim.server import Timing
from fathom.state.events import Event
from fathom.state.spec import DrillSpec, WorldSpec
from fathom.state.tiers import TIERS

DOCS = Path(__file__).parent.parent / "docs"
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


if __name__ == "__main__":
    asyncio.run(main())
