"""What Prometheus asks for, counted from the journals: a server that starts anew goes on where the
last one was."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from .stream import lines_behind

KINDS = {
    "fathom_probes_total": "Finished probes and steps by what came of them.",
    "fathom_calls_total": "Model calls by role and model.",
    "fathom_cached_calls_total": "Calls that were answered from the cache.",
    "fathom_failed_calls_total": "Calls without a usable reply, by kind; rate_limit is a 429.",
    "fathom_repeated_requests_total": "Requests that were sent again, after a 429 or another fault.",
    "fathom_input_tokens_total": "Tokens sent.",
    "fathom_output_tokens_total": "Tokens received.",
    "fathom_cost_usd_total": "US dollars paid, as far as prices are known.",
    "fathom_call_seconds_sum": "Seconds from requests to their replies; over fathom_calls_total.",
}


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
        lines = ["# TYPE fathom_runs gauge"]
        lines += [f'fathom_runs{{state="{name}"}} {n}' for name, n in Counter(states).items()]
        waiting = sum(map(len, self.waiting.values()))
        lines += ["# TYPE fathom_probes_in_flight gauge", f"fathom_probes_in_flight {waiting}"]
        for kind, about in KINDS.items():
            lines += [f"# HELP {kind} {about}", f"# TYPE {kind} counter"]
            lines += [
                f"{kind}{{{labels}}} {value:g}"
                for (name, labels), value in sorted(self.counters.items())
                if name == kind
            ]
        return "\n".join([*lines, ""])

    def _take(self, run: str, event: dict[str, Any]) -> None:
        waiting = self.waiting.setdefault(run, set())
        record = event.get("probe") or event.get("item") or event
        if event["type"] == "probe_asked":
            waiting.add(event["probe_id"])
        elif event["type"] in ("run_resumed", "run_finished"):
            waiting.clear()
        elif event["type"] in ("probe_judged", "item_finished"):
            waiting.discard(record["id"])
            if not event.get("carried") and event.get("added") is None:
                outcome = record.get("outcome") or {}
                said = outcome.get("verdict") or outcome.get("status") or "finished"
                self.counters["fathom_probes_total", f'outcome="{said}"'] += 1
        calls = record.get("calls") or []
        added = event.get("added")
        for call in calls if added is None else calls[len(calls) - added :]:
            if not event.get("carried"):
                self._count(call)

    def _count(self, call: dict[str, Any]) -> None:
        model = orjson.dumps(call["model"]).decode()
        labels, usage = f'role="{call["role"]}",model={model}', call["usage"]
        counts: dict[str, Any] = {"fathom_calls_total": 1}
        if call["cached"]:
            counts = {"fathom_cached_calls_total": 1}
        else:
            counts["fathom_repeated_requests_total"] = max(0, call["attempts"] - 1)
            counts["fathom_input_tokens_total"] = usage["input_tokens"]
            counts["fathom_output_tokens_total"] = usage["output_tokens"]
            counts["fathom_cost_usd_total"] = call["cost_usd"] or 0
            counts["fathom_call_seconds_sum"] = call["latency_s"]
        for name, value in counts.items():
            self.counters[name, labels] += value
        if call["failure"]:
            failed = f'{labels},kind="{call["failure"]}"'
            self.counters["fathom_failed_calls_total", failed] += 1
