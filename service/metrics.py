"""What Prometheus asks for, counted from the journals: a server that starts anew goes on where the
last one was."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ..state.worlds import label_of
from .stream import lines_behind


@dataclass(slots=True)
class Metrics:
    """Counters over the journals of runs, read on from where they were."""

    counters: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By metric and labels."""
    waiting: dict[str, set[str]] = field(default_factory=dict)
    """By run, the probes that were asked and have no verdict."""
    _offsets: dict[Path, int] = field(default_factory=dict)

    def read(self, folders: Iterable[Path]) -> None:
        """Take in what is new."""
        for folder in folders:
            while lines := lines_behind(folder, self._offsets.get(folder, 0)):
                for _, line in lines:
                    self._take(folder.name, orjson.loads(line))
                self._offsets[folder] = lines[-1][0]

    def text(self, states: Iterable[str]) -> str:
        """In the format of Prometheus. `states`: those of all runs."""
        values = {("runs", f'state="{name}"'): n for name, n in Counter(states).items()}
        values["probes_in_flight", ""] = sum(map(len, self.waiting.values()))
        lines = [f"fathom_{name}{{{labels}}} {n:g}" for (name, labels), n in values.items()]
        for (name, labels), value in sorted(self.counters.items()):
            lines.append(f"fathom_{name}_total{{{labels}}} {value:g}")
        return "\n".join([*lines, ""])

    def _take(self, run: str, event: dict[str, Any]) -> None:
        waiting = self.waiting.setdefault(run, set())
        record = event.get("probe") or event.get("item") or event
        calls, added = record.get("calls") or [], event.get("added")
        if event["type"] == "probe_asked":
            waiting.add(event["probe_id"])
        elif event["type"] in ("run_resumed", "run_finished"):
            waiting.clear()
        if event.get("carried"):
            return
        if event["type"] in ("probe_judged", "item_finished"):
            waiting.discard(record["id"])
            if added is None:
                outcome = record.get("outcome") or {}
                end = outcome.get("verdict") or outcome.get("status") or "finished"
                self.counters["probes", f'outcome="{end}"'] += 1
        for call in calls if added is None else calls[len(calls) - added :]:
            self._count(call)

    def _count(self, call: dict[str, Any]) -> None:
        model, usage = orjson.dumps(label_of(call["model"])).decode(), call["usage"]
        counts: dict[str, Any] = {
            "calls": 1,
            "call_seconds": call["latency_s"],
            "repeated_requests": max(0, call["attempts"] - 1),
            "cost_usd": call["cost_usd"] or 0,
            **usage,
        }
        if call["cached"]:
            counts = {"cached_calls": 1}
        labels = f'role="{call["role"]}",model={model}'
        for name, value in counts.items():
            self.counters[name, labels] += value
        if call["failure"]:  # rate_limit is a 429
            self.counters["failed_calls", f'{labels},kind="{call["failure"]}"'] += 1
