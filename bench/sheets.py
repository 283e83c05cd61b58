"""Twenty made cases as sheets, to ask a fresh reader for the right action: nothing but the sheet.

    python -m bench.sheets RUNS FOLDER

RUNS: a folder with drills of the simulated world, at least four repeats each of four models that
know more and less (see BASE). FOLDER gets a sheet per case as HTML, Markdown and (where Chromium is
installed) PDF; FOLDER.key.json beside it has the action that is right. Every sheet is SIMULATED;
names, prices and how runs ended are made up.
"""

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.commands.decision import policy_of, require_decided
from fathom.commands.ended import Ended
from fathom.commands.sheet import sections_of
from fathom.graphs.outcome import outcome_of
from fathom.reports.document import sheet
from fathom.state.errors import UsageError
from fathom.state.result import DrillResult
from fathom.tools.runs.folders import run_paths

BASE = {"deep": "0.95", "good": "0.85", "fair": "0.7", "poor": "0.45"}
"""Standing → accuracy of the simulated model: `drill … -t sim:accuracy=0.95 --repeats 4`."""
DAY = "2026-11-27 · made-up case"


@dataclass(frozen=True)
class Model:
    """One model of a case."""

    name: str
    standing: str
    repeats: tuple[int, ...]
    usd: float = 0.004
    seconds: float = 2.0
    ended: str = ""
    """How its runs are made to have ended."""
    honest: bool = False
    """Whether it says that it does not know, where it is not right."""
    roots: int = 0
    """Starting topics that its answers are counted under; 0: their own."""


@dataclass(frozen=True)
class Case:
    """Models with a policy, and the right action."""

    models: Sequence[Model]
    policy: dict[str, Any]
    verdict: str
    action: str


ALL, FIRST, SECOND = (0, 1, 2, 3), (0, 1), (2, 3)
ASTER = Model("Aster", "deep", ALL, usd=0.02, seconds=4.0)
BIRCH = Model("Birch", "good", ALL, usd=0.004, seconds=2.0)
CEDAR = Model("Cedar", "fair", ALL, usd=0.002, seconds=1.0)
DRYAD = Model("Dryad", "poor", ALL, usd=0.001, seconds=0.6)
ELDER = Model("Elder", "fair", FIRST, usd=0.01, seconds=1.5)
TWIN_1 = Model("Aster", "poor", FIRST, usd=0.02, seconds=1.0)
TWIN_2 = Model("Birch", "poor", SECOND, usd=0.004, seconds=3.0)
CHECKED = {"judge_checked": True}
CASES = (
    Case([ASTER, CEDAR], {"margin": 1.0, **CHECKED}, "better_beyond_margin", "take Aster"),
    Case([BIRCH, DRYAD], CHECKED, "better", "take Birch"),
    Case([TWIN_1, TWIN_2], {"margin": 1.5, **CHECKED}, "equal", "take Birch"),
    Case([TWIN_1, TWIN_2], {"margin": 1.5, "prefer": "faster", **CHECKED}, "equal", "take Aster"),
    Case(
        [Model("Aster", "good", (0,)), Model("Birch", "good", (2,))],
        {"margin": 0.5, **CHECKED},
        "not_decided",
        "measure more",
    ),
    Case(
        [Model("Aster", "fair", (0, 1)), Model("Birch", "fair", (2, 3))],
        CHECKED,
        "not_decided",
        "measure more, or state a margin",
    ),
    Case(
        [ASTER, Model("Cedar", "fair", (0,), ended="budget")],
        {"margin": 1.0, **CHECKED},
        "not_certified",
        "do not decide: resume the run that was cut short",
    ),
    Case(
        [BIRCH, Model("Cedar", "fair", (0,), ended="failed")],
        CHECKED,
        "not_certified",
        "do not decide: run again what failed",
    ),
    Case(
        [ASTER, Model("Birch", "good", ALL, honest=True)],
        {"margin": 1.0, "must": ["hallucination_rate <= 30%"], **CHECKED},
        "meets_conditions",
        "take Birch",
    ),
    Case(
        [CEDAR, DRYAD],
        {"must": ["accuracy[common] >= 90%"], **CHECKED},
        "fails_condition",
        "take none",
    ),
    Case(
        [BIRCH, DRYAD],
        {"must": ["accuracy[common] >= 82%"], **CHECKED},
        "not_decided",
        "measure more before taking Birch",
    ),
    Case(
        [Model("Aster", "deep", FIRST), Model("Birch", "good", FIRST)],
        {},
        "not_certified",
        "do not decide: have the judge checked",
    ),
    Case([ASTER], {}, "not_decided", "measure a second model, or state a condition"),
    Case(
        [ASTER],
        {"must": ["accuracy[common] >= 80%"], **CHECKED},
        "meets_conditions",
        "Aster can be taken",
    ),
    Case(
        [DRYAD],
        {"must": ["accuracy[common] >= 80%"], **CHECKED},
        "fails_condition",
        "do not take Dryad",
    ),
    Case(
        [ASTER, BIRCH, CEDAR, DRYAD, ELDER],
        {"margin": 0.5, **CHECKED},
        "better",
        "take Aster",
    ),
    Case(
        [
            Model("Aster", "good", (0, 1, 2), usd=0.02),
            Model("Birch", "good", (1, 2, 3), usd=0.004),
            CEDAR,
            DRYAD,
            ELDER,
        ],
        {"margin": 2.0, **CHECKED},
        "equal",
        "take Birch",
    ),
    Case(
        [
            Model("Aster", "good", (0,)),
            Model("Birch", "good", (1,)),
            Model("Cedar", "good", (2,)),
            Model("Dryad", "fair", (0,)),
            Model("Elder", "fair", (1,)),
        ],
        {"margin": 0.5, **CHECKED},
        "not_decided",
        "measure more",
    ),
    Case(
        [Model("Aster", "deep", (0,), roots=4), Model("Birch", "poor", (0,), roots=4)],
        CHECKED,
        "not_certified",
        "do not decide: too few topics were asked",
    ),
    Case(
        [
            Model("Aster", "poor", FIRST, ended="sources"),
            Model("Birch", "poor", SECOND, ended="sources"),
        ],
        {"margin": 1.5, **CHECKED},
        "not_certified",
        "do not decide: the sources ended too early to call them equal",
    ),
)
ENDINGS = {
    "budget": {"status": "partial", "stop_reason": "budget", "censored": "budget"},
    "failed": {"status": "failed", "stop_reason": "failed", "censored": "failed"},
    "sources": {"stop_reason": "evidence_exhausted", "censored": "evidence_exhausted"},
}


def made(base: DrillResult, model: Model, number: int) -> Ended:
    """A drill with another name, price, waiting time and end."""
    data = base.model_dump(mode="json", by_alias=True)
    run_id = f"{base.run_id}-{model.name}{number}"
    data |= {"run_id": run_id, **ENDINGS.get(model.ended, {})}
    data["spec"]["target"] = f"sim:accuracy=0.5 name={model.name}"
    data["usage"]["target"]["cost_usd"] = model.usd * len(data["probes"])
    data["cost_usd"] = data["usage"]["target"]["cost_usd"]
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
    result = DrillResult.model_validate(data)
    return Ended(run_id, result, None)


def write(case: Case, bases: dict[str, list[DrillResult]], place: Path) -> tuple[str, str]:
    """Write the sheet of a case; returns the verdict and the answer."""
    runs = [
        made(bases[model.standing][number], model, number)
        for model in case.models
        for number in model.repeats
    ]
    decided = require_decided(runs, policy_of({}, case.policy))
    held = [*sections_of(decided)]
    title = "Chemical elements"
    page = io.StringIO()
    sheet.write(title, DAY, held, page)
    place.with_suffix(".html").write_text(page.getvalue(), encoding="utf-8")
    with place.with_suffix(".md").open("w", encoding="utf-8") as file:
        sheet.write_markdown(title, DAY, held, file)
    try:
        sheet.print_pdf(page.getvalue(), place.with_suffix(".pdf"))
    except UsageError as error:
        print(error)
    return decided.decision.verdict, decided.decision.answer


def main(runs: Path, folder: Path) -> None:
    """Write all cases and the key."""
    folder.mkdir(parents=True, exist_ok=True)
    results = [outcome_of(path) for path in run_paths(runs)]
    bases: dict[str, list[DrillResult]] = {
        standing: sorted(
            (
                result
                for result in results
                if isinstance(result, DrillResult)
                and result.spec.target == f"sim:accuracy={accuracy}"
            ),
            key=lambda result: result.spec.repeat,
        )
        for standing, accuracy in BASE.items()
    }
    key = {}
    for number, case in enumerate(CASES, 1):
        name = f"case-{number:02d}"
        verdict, answer = write(case, bases, folder / name)
        right = "" if verdict == case.verdict else f"  NOT {case.verdict}"
        print(f"{name}  {verdict}{right}: {answer}")
        key[name] = {"action": case.action, "verdict": case.verdict}
    folder.with_name(f"{folder.name}.key.json").write_text(json.dumps(key, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
