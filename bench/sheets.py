"""Twenty made cases as sheets, to ask a fresh reader for the right action: nothing but the sheet.

    python -m bench.sheets RUNS FOLDER

RUNS: a folder with runs of the simulated world, made as BASE says. FOLDER gets a sheet per case as
Markdown, HTML and (where Chromium is installed) PDF; FOLDER.key.json beside it the action that is
right, by the measured differences and METHODS alone: it is written before any sheet is. Every sheet
is SIMULATED; names, prices and how runs ended are made up.
"""

import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.commands.decision import policy_of, require_decided
from fathom.commands.finished import FinishedRun, run_in
from fathom.commands.sheet import sections_of
from fathom.reports.document import sheet
from fathom.state.errors import UsageError
from fathom.tools.runs.folders import run_paths

BASE = """
fathom drill Metals -e sim:evaluator -n 12 --repeats 6 --seed 11 -t sim:accuracy=0.94
 -t sim:accuracy=0.93 -t sim:accuracy=0.82 -t sim:accuracy=0.8 -t sim:accuracy=0.62
 -t sim:accuracy=0.6 -t sim:accuracy=0.4 -t sim:accuracy=0.25
fathom depthqa build examples/depthqa_elements.csv -e sim:evaluator -o g.json
fathom depthqa ask g.json --judge sim:evaluator -t sim:d1=0.95,d2=0.95,d3=0.9
 -t sim:d1=0.7,d2=0.6,d3=0.5
fathom deepquestion examples/deepquestion_chemistry.jsonl -e sim:evaluator --generator sim:generator
 -t sim:student -t sim:solve=0.95,mislead=0.02,create=0.8
fathom eqt Iron Neon Gold Copper Zinc Silver Lead Tin Sodium Helium --examiner sim:evaluator
 -t sim:accuracy=0.92 -t sim:accuracy=0.55
"""
DAY = "2026-11-27 · made-up case"
QUESTION = "What should be done, by this sheet?"


@dataclass(frozen=True)
class Model:
    """One model of a case."""

    name: str
    target: str
    """The simulated model whose runs it gets."""
    repeats: int = 6
    usd: float = 0.004
    seconds: float = 2.0
    ended: str = ""
    """How its first run is made to have ended."""
    honest: bool = False
    """Whether it says that it does not know, where it is not right."""
    roots: int = 0
    """Starting topics that its answers are counted under; 0: their own."""


@dataclass(frozen=True)
class Case:
    """Models with a policy, and the right action."""

    method: str
    models: Sequence[Model]
    action: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    judge_checked: bool = True


TAKE = "take {} (it is better, or it alone meets the conditions)"
EQUAL = "take {} (equally good, and preferred for its price or speed)"
MORE = "not decided: collect more answers (or state the difference that matters)"
SECOND = "nothing to decide: measure a second model, or state a condition"
NONE = "take none: a condition fails"
FINISH = "not certified: finish the run that was cut short"
TOPICS = "not certified: ask about more topics"
JUDGE = "not certified: have people check the judge"


def drilled(name: str, accuracy: float, repeats: int = 6, **more: Any) -> Model:
    return Model(name, f"sim:accuracy={accuracy}", repeats, **more)


CASES = (
    Case(
        "drill",
        [drilled("Kestrel", 0.94, 4), drilled("Heron", 0.6, 4)],
        TAKE.format("Kestrel"),
        {"margin": 1.0},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.25), drilled("Heron", 0.93)],
        TAKE.format("Heron"),
        judge_checked=False,
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.62, usd=0.02), drilled("Heron", 0.6, usd=0.004, seconds=3.0)],
        EQUAL.format("Heron"),
        {"margin": 1.0},
    ),
    Case(
        "drill",
        [
            drilled("Kestrel", 0.62, seconds=4.0),
            drilled("Heron", 0.6, usd=0.01, seconds=1.2),
            drilled("Merlin", 0.4, usd=0.001, seconds=2.5),
        ],
        EQUAL.format("Heron"),
        {"margin": 1.0, "prefer": "faster"},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.94, 1, usd=0.02), drilled("Heron", 0.8, 1)],
        MORE,
        {"margin": 0.5},
    ),
    Case("drill", [drilled("Kestrel", 0.4, 3), drilled("Heron", 0.62, 3)], MORE),
    Case(
        "drill",
        [drilled("Kestrel", 0.93), drilled("Heron", 0.6, 1, ended="budget")],
        FINISH,
        {"margin": 1.0},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.93, 1, roots=4), drilled("Heron", 0.8, 1, roots=4)],
        TOPICS,
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.93), drilled("Heron", 0.8, honest=True)],
        TAKE.format("Heron"),
        {"margin": 1.0, "must": ["hallucination_rate <= 30%"]},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.4), drilled("Heron", 0.25)],
        NONE,
        {"must": ["accuracy[common] >= 90%"]},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.25), drilled("Heron", 0.8)],
        MORE,
        {"must": ["accuracy >= 85%"]},
    ),
    Case(
        "drill",
        [drilled("Kestrel", 0.94, 4), drilled("Heron", 0.8, 4)],
        JUDGE,
        judge_checked=False,
    ),
    Case("drill", [drilled("Kestrel", 0.93)], SECOND),
    Case(
        "drill",
        [drilled("Kestrel", 0.94)],
        TAKE.format("Kestrel"),
        {"must": ["accuracy[common] >= 85%"]},
    ),
    Case("eqt", [Model("Heron", "sim:accuracy=0.55")], NONE, {"must": ["accuracy >= 75%"]}),
    Case(
        "drill",
        [
            drilled("Kestrel", 0.6),
            drilled("Heron", 0.8),
            drilled("Merlin", 0.94, usd=0.03),
            drilled("Osprey", 0.25),
            drilled("Plover", 0.4),
        ],
        TAKE.format("Merlin"),
        {"margin": 0.5},
    ),
    Case(
        "drill",
        [
            drilled("Kestrel", 0.93, usd=0.02),
            drilled("Heron", 0.94, usd=0.006),
            drilled("Merlin", 0.8, usd=0.003),
            drilled("Osprey", 0.82, usd=0.005),
            drilled("Plover", 0.6, usd=0.001),
        ],
        EQUAL.format("Heron"),
        {"margin": 3.2},
    ),
    Case(
        "depthqa",
        [
            Model("Kestrel", "sim:d1=0.7,d2=0.6,d3=0.5"),
            Model("Heron", "sim:d1=0.95,d2=0.95,d3=0.9"),
        ],
        TAKE.format("Heron"),
    ),
    Case(
        "deepquestion",
        [
            Model("Kestrel", "sim:solve=0.95,mislead=0.02,create=0.8"),
            Model("Heron", "sim:student"),
        ],
        MORE,
    ),
    Case(
        "eqt",
        [Model("Kestrel", "sim:accuracy=0.92"), Model("Heron", "sim:accuracy=0.55")],
        TAKE.format("Kestrel"),
    ),
)
TITLES = {"depthqa": "Chemistry of materials", "deepquestion": "School chemistry"}

ENDINGS = {
    "budget": {"status": "partial", "stop_reason": "budget", "censored": "budget"},
    "failed": {"status": "failed", "stop_reason": "failed", "censored": "failed"},
}


def made(base: FinishedRun, model: Model) -> FinishedRun:
    """A run with another name and end; of a drill also with another price and waiting time."""
    assert base.result is not None
    data = base.document
    data |= {"run_id": f"{base.run_id}-{model.name}", **ENDINGS.get(model.ended, {})}
    data["spec"]["target"] = f"sim:accuracy=0.5 name={model.name}"
    if data["method"] == "drill":
        _drilled(data, model)
    result = type(base.result).model_validate(data)
    return FinishedRun(result.run_id, result, base.folder)


def _drilled(data: dict[str, Any], model: Model) -> None:
    data["usage"]["target"]["cost_usd"] = data["cost_usd"] = model.usd * len(data["probes"])
    for probe in data["probes"]:
        if model.honest and probe["outcome"].get("verdict") == "wrong":
            probe["outcome"]["verdict"] = "abstained"
        for call in probe["calls"]:
            if call["role"] == "target":
                call |= {"cost_usd": model.usd, "latency_s": model.seconds, "cached": False}
    if model.roots:
        names = sorted(data["by_root"])
        merged = {name: names[at % model.roots] for at, name in enumerate(names)}
        for probe in data["probes"]:
            probe["root"] = merged[probe["root"]]
        data["by_root"] = {name: data["by_root"][name] for name in names[: model.roots]}


def write(case: Case, bases: Sequence[FinishedRun], place: Path) -> None:
    """Write the sheet of a case."""
    runs = [
        made(base, model)
        for model in case.models
        for base in _own(bases, case.method, model.target)[: model.repeats]
    ]
    policy = {**case.policy, "judge_checked": case.judge_checked}
    held = [*sections_of(require_decided(runs, policy_of({}, policy)), runs)]
    title = TITLES.get(case.method, "Metals")
    page = io.StringIO()
    sheet.write(title, DAY, held, page)
    place.with_suffix(".html").write_text(page.getvalue(), encoding="utf-8")
    with place.with_suffix(".md").open("w", encoding="utf-8") as file:
        sheet.write_markdown(title, DAY, held, file)
    try:
        sheet.print_pdf(page.getvalue(), place.with_suffix(".pdf"))
    except UsageError as error:
        print(error)


def _own(bases: Sequence[FinishedRun], method: str, target: str) -> list[FinishedRun]:
    own = [run for run in bases if run.method == method and _target(run) == target]
    return sorted(own, key=lambda run: getattr(run.result and run.result.spec, "repeat", 0))


def _target(run: FinishedRun) -> str:
    return run.result.spec.target if run.result is not None else ""


def keys() -> dict[str, dict[str, str]]:
    """Case → the question and the right action."""
    return {
        f"{number:02d}": {"question": QUESTION, "action": case.action}
        for number, case in enumerate(CASES, 1)
    }


def main(runs: Path, folder: Path) -> None:
    """Write the key, then all cases."""
    folder.mkdir(parents=True, exist_ok=True)
    key = folder.with_name(f"{folder.name}.key.json")
    key.write_text(json.dumps(keys(), indent=2) + "\n")
    bases = [run_in(path) for path in run_paths(runs)]
    for number, case in enumerate(CASES, 1):
        write(case, bases, folder / f"{number:02d}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
