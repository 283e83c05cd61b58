"""A program, `PAUSE_S`: the live tree on this terminal's stderr, fed with the events of two
recorded drills."""

import sys
import time

from rich.console import Console
from tests.support.reports import events_of, interleaved

from fathom.reports.live.display import Gauge, make_display


def main() -> None:
    events = interleaved(events_of("drill"), events_of("drill", run="b1b1b1b1"))
    display = make_display(
        "tree", console=Console(stderr=True), stdout=sys.stdout, gauge=lambda: Gauge(3, 9, 0, 10)
    )
    display.start()
    for event in events:
        display.handle(event)
        time.sleep(float(sys.argv[1]))
    display.stop()
    print("the end")
