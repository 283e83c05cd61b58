"""What a run of any method costs: never more than its budget, nothing that was paid for twice, and
the same result whatever was cut off, came from the cache, or arrived when."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.sim.server import Timing
from fathom.tools.runs.folders import read_events

from ...support.command_line import Caller, on_a_thread, world
from ...support.killed import METHODS as ALL
from ...support.killed import picture
from .test_faltering import run_in

METHODS = {name: words for name, words in ALL.items() if name != "drill"}
"""A drill's budget is in `test_budget`."""
SHARING = ("depthqa build", "depthqa ask", "eqt")
"""Methods whose parts need each other, or of which one may need as many calls as all made: so few
may be too few for the first one."""
PRICED = ["--price", "1/4"]
JITTER = Timing(latency_s=0.001, jitter_s=0.005)


def calls_of(event: Any) -> Iterator[Any]:
    """Those that this event is the first to tell of."""
    made = (
        getattr(event, "calls", ())
        if event.type == "opened"
        else getattr(event, "new_calls", ())
    )
    return (call for call in made if not call.cached)


def paid(run: Path) -> tuple[int, Any]:
    """Calls and USD, by the journal."""
    costs = [call.cost_usd or 0.0 for event in read_events(run) for call in calls_of(event)]
    return len(costs), pytest.approx(sum(costs))


@pytest.mark.parametrize("method", METHODS)
def test_a_number_of_calls_is_never_exceeded_and_more_give_the_whole_result(
    method: str, call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole, cut, again = (tmp_path / name for name in ("whole", "cut", "again"))
    for folder in (whole, cut, again):
        folder.mkdir()
    with on_a_thread(world) as served:
        base = served.base_url

        def started(folder: Path, cache: Path, *more: str) -> tuple[int, Path]:
            monkeypatch.setenv("FATHOM_CACHE", str(cache / "cache.sqlite"))
            said = call(*METHODS[method](base, folder), *PRICED, *more)
            return said.code, run_in(folder, method)

        code, run = started(whole, whole)
        assert code == 0
        expected, (calls, cost) = picture(run, base), paid(run)
        assert json.loads((run / "result.json").read_text())["cost_usd"] == cost
        asked = len(served.log)
        code, same = started(again, whole)
        assert (code, picture(same, base), paid(same)) == (0, expected, (0, 0.0))
        assert not [
            one for one in list(served.log)[asked:] if one.kind in ("chat", "structured")
        ], "all was kept"
    with on_a_thread(lambda: world(timing=JITTER)) as served:
        base = served.base_url
        most = 9 * calls // 10
        code, run = started(cut, cut, "--max-calls", str(most))
        assert code == 3
        assert paid(run)[0] <= most
        assert paid(run)[0] > 0 or method in SHARING
        events = list(read_events(run))
        assert events[-1].type == "run_finished"
        assert (events[-1].status, events[-1].stop_reason) == ("partial", "budget")
        resumed = ["resume", run.name, "--runs", str(run.parent), "--display", "none", *PRICED]
        assert call(*resumed, "--max-calls", "1000").code == 0
        assert picture(run, base) == expected
        assert paid(run) == (calls, cost)
