"""A program, `PAUSE_S`: the live tree on this terminal's stderr, fed with synthetic events."""

import sys
import time

from rich.console import Console
from tests.support.drill.synthetic import Plan, events_of, interleaved

from fathom.reports.live.display import Gauge, make_display


def main() -> None:
    first = Plan(n=10, accuracies=(0.9,) * 6)
    events = interleaved(events_of(first), events_of(Plan(run_id="20261120T120000-drill-art-b1b1b1b1", domain="Art")))
    display = make_display("tree", console=Console(stderr=True), stdout=sys.stdout, gauge=lambda: Gauge(3, 9, 0, 10))
    display.start()
    for event in events:
        display.handle(event)
        time.sleep(float(sys.argv[1]))
    display.stop()
    print("the end")
