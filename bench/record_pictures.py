"""The runs from which the README's pictures and figures come, made anew with the commands that the
README shows, on the simulated world: about two minutes. What pictures do not show is left out, so
that docs/recorded.json.xz stays small."""

import asyncio
import json
import lzma
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.reports.live.display import Gauge
from fathom.sim.server import Timing
from fathom.state.events import EVENT, Event
from fathom.state.spec import DrillSpec, WorldSpec
from fathom.state.tiers import TIERS

ROOT = Path(__file__).resolve().parent.parent
RECORDING, EXAMPLES = ROOT / "docs" / "recorded.json.xz", ROOT / "examples"
PERSONAS = ("sim:student", "sim:expert")
DOMAIN = "Chemical elements"
ELEMENTS = [
    "Iron",
    "Neon",
    "Gold",
    "Tin",
    "Argon",
    "Sodium",
    "Carbon",
    "Uranium",
    "Helium",
    "Zinc",
]
MOMENT_DEPTH, MOMENT_JUDGED = 5, 12
"""The screen is taken when so many probes of this depth are judged."""
UNSEEN = {"request", "reference", "quote", "reason", "digest", "explanation", "said", "probes"}
"""Fields that no picture shows."""


def record() -> None:
    """Make all runs anew and write what the pictures need of them."""
    events, gauge, student = asyncio.run(_demo())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        personas, judge = (
            [word for each in PERSONAS for word in ("-t", each)],
            ["--judge", "sim:evaluator"],
        )
        drilled = _fathom(folder, "drill", DOMAIN, *personas[2:], "-e", "sim:evaluator")
        made = [
            student,
            *drilled,
            *_fathom(folder, "eqt", *ELEMENTS, *personas, "--examiner", "sim:expert"),
        ]
        _build(folder, EXAMPLES / "depthqa_elements.csv", "whole.json")
        made += _fathom(folder, "depthqa", "ask", "whole.json", *personas, *judge)
        questions = json.loads((folder / "whole.json").read_bytes())
        writers = [
            "--generator",
            "sim:generator",
            "-e",
            "sim:evaluator",
            "--distractors",
            "none,some,many",
        ]
        made += _fathom(
            folder,
            "deepquestion",
            str(EXAMPLES / "deepquestion_chemistry.jsonl"),
            *personas,
            *writers,
        )
    held = {
        "events": events,
        "gauge": asdict(gauge),
        "results": [_bare(result) for result in made],
        "questions": questions,
    }
    RECORDING.write_bytes(lzma.compress(json.dumps(held).encode(), preset=9))


async def _demo() -> tuple[list[Any], Gauge, dict[str, Any]]:
    """A drill as `fathom demo` makes it: what its screen needs up to a moment, and its result."""
    now = LaunchOptions().clock.now()
    spec = DrillSpec(
        domain=DOMAIN,
        target=PERSONAS[0],
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
        if judged == MOMENT_JUDGED and clients is not None and not moments:
            moments.append(
                (
                    len(events),
                    Gauge(
                        clients.meter.in_flight, clients.meter.peak, clients.meter.queued, 200
                    ),
                )
            )

    launch = Launch(
        [spec], LaunchOptions(timing=Timing(latency_s=0.25, jitter_s=0.35)), [listen]
    )
    (report,) = await launch.run()
    assert report.result is not None
    ((count, gauge),) = moments
    return (
        [_bare(EVENT.dump_python(event, mode="json")) for event in events[:count]],
        gauge,
        report.result.model_dump(mode="json", by_alias=True),
    )


def _bare(value: Any, name: str = "") -> Any:
    """An event or a result without what is not shown, which would make up most of the recording."""
    if isinstance(value, dict):
        unseen = UNSEEN | ({"text"} if name in ("evidence", "answer") else set())
        return {
            key: type(inner)()
            if key in unseen and isinstance(inner, (str, list))
            else _bare(inner, key)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_bare(inner, name) for inner in value]
    return value


def _build(folder: Path, questions: Path, output: str) -> None:
    _fathom(folder, "depthqa", "build", str(questions), "-e", "sim:evaluator", "-o", output)


def _fathom(folder: Path, *words: str) -> list[dict[str, Any]]:
    """Run a command; the results of the runs that it has made, by persona."""
    runs = folder / "runs"
    before = set(runs.glob("2*"))
    command = [sys.executable, "-m", "fathom", *words, "--display", "none", "--runs", str(runs)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    made = [
        json.loads((path / "result.json").read_bytes())
        for path in set(runs.glob("2*")) - before
    ]
    return sorted(
        made, key=lambda result: result["spec"].get("target", ""), reverse=True
    )  # the student first


if __name__ == "__main__":
    record()
