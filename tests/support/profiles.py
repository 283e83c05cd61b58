"""The recorded results of all four methods with known figures, and rows of a profile by hand."""

from typing import Any

from fathom.state.deepquestion.result import (
    AnswerRow,
    CreatedRow,
    DeepQuestionResult,
    LoadRow,
    ProblemRow,
    Share,
)
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.eqt.result import EqtResult
from fathom.state.profile import ProfileRow
from fathom.state.records import Tier
from fathom.state.result import Interval
from fathom.state.spec import Concept
from fathom.stats.accuracy import wilson

from .edited import edited
from .reports import changed, result_of

DRILL, EQT = (
    "20261120T120000-drill-chemical-elements-aaaa0001",
    "20261121T120000-eqt-6-concepts-aaaa0002",
)
DEPTHQA, DEEP = (
    "20261122T120000-depthqa-elements-aaaa0003",
    "20261123T120000-deepquestion-gsm8k-aaaa0004",
)
RIGHT = (24, 18, 12)
"""Of 30, at the three depths of COMMON."""


def drill(
    model: str = "sim:student",
    run_id: str = DRILL,
    spec: dict[str, Any] | None = None,
    **changes: Any,
) -> Any:
    """EVD .8 + .48 + .192 = 1.472, in an interval from .8 to 1.25 of that."""
    made = result_of("drill")
    marks = {
        getattr(probe.outcome, "verdict", ""): probe
        for probe in made.probes
        if probe.depth <= len(RIGHT)
    }
    rows, probes, survival = [], [], 1.0
    for depth, right in enumerate(RIGHT, 1):
        survival *= right / 30
        rows.append(
            changed(
                made.depths[depth - 1],
                scored=30,
                correct=right,
                accuracy=right / 30,
                survival=survival,
            )
        )
        for slot in range(30):
            probe = marks["correct" if slot < right else "wrong"]
            probes.append(
                changed(probe, id=f"{depth}.{slot}", depth=depth, slot=slot, root=f"root {slot}")
            )
    common = changed(
        made.by_tier[Tier.COMMON], scored=90, correct=54, wrong=36, abstained=0, accuracy=0.6
    )
    evd = sum(row.survival for row in rows)
    about: dict[str, Any] = {
        "run_id": run_id,
        "simulated": "sim" in model,
        "evd": evd,
        "evd_ci": (evd * 0.8, evd * 1.25),
    }
    about |= {
        "depths": tuple(rows),
        "probes": tuple(probes),
        "by_tier": {Tier.COMMON: common},
        "cost_usd": 0.25,
    }
    about |= {
        "stop_reason": "threshold",
        "censored": None,
        "spec__target": model,
        "spec__max_depth": 15,
    }
    return changed(
        made, **about | {f"spec__{name}": value for name, value in (spec or {}).items()} | changes
    )


def eqt(model: str = "sim:student", run_id: str = EQT, **changes: Any) -> EqtResult:
    helpers = {f"spec__{role}": model for role in ("target", "examiner")} | {
        "spec__judge": "sim:evaluator"
    }
    concepts = tuple(
        Concept(name=f"Concept {n}", category=category) for n, category in enumerate("abcdab")
    )
    made: EqtResult = changed(
        result_of("eqt"),
        run_id=run_id,
        simulated="sim" in model,
        spec__concepts=concepts,
        **helpers,
    )
    return made.model_copy(update=changes)


def depthqa(model: str = "sim:student", **changes: Any) -> DepthQAResult:
    """In zero-shot, and before it in another mode; with intervals, for which the recorded run has
    too few trees."""
    run = edited(
        result_of("depthqa"),
        {
            "modes.0.discrepancies.backward.overall.average": 0.125,
            "modes.0.discrepancies.*.overall.average_ci": (0.085, 0.165),
        },
    )
    modes = (changed(run.modes[1], mode="prompt-gold"), run.modes[0])
    made: DepthQAResult = changed(
        run, **{"run_id": DEPTHQA, "spec__target": model, "modes": modes, "changes": (), **changes}
    )
    return made


def share(count: int, n: int) -> Share:
    return Share(n=n, count=count, share=count / n if n else None, ci=wilson(count, n))


def load(
    name: Any, distractors: int, right: int, n: int, ends: Interval, p: float = 0.5
) -> LoadRow:
    """Of n problems that were all solved as they stood. `p`: of McNemar's exact test."""
    about = {"load": name, "distractors": distractors, "scenarios": n, "accuracy": share(right, n)}
    drop: dict[str, Any] = {
        "n": n,
        "both": right,
        "only_original": n - right,
        "only_transformed": 0,
        "neither": 0,
        "original": 1.0,
    }
    drop |= {"transformed": right / n, "drop": (n - right) / n, "ci": ends, "mcnemar_p": p}
    made: LoadRow = changed(
        result_of("deepquestion").q2s[0],
        **about,
        **{f"drop__{name}": value for name, value in drop.items()},
    )
    return made


def problem(name: str, original: Any, created: Any) -> ProblemRow:
    """With these marks; `created` None: no attempt at Q2I."""
    attempt = (
        None
        if created is None
        else CreatedRow(id=name, instruction="i", mark=created, question="q")
    )
    answer = AnswerRow(id=name, mark=original, said="", read="")
    return ProblemRow(
        id=name, question="q", answer="1", answer_kind="number", original=answer, created=attempt
    )


def deepquestion(model: str = "sim:student", **changes: Any) -> DeepQuestionResult:
    """40 of 40 originals; 38 and 32 of 40 without and with distractors; 12 of 40 in Q2I."""
    helper = "sim:evaluator" if "sim" in model else "openai:gpt-5"
    about: dict[str, Any] = {
        f"spec__{role}": helper for role in ("generator", "evaluator", "judge")
    }
    about |= {
        "spec__target": model,
        "spec__material": "0" * 16,
        "spec__distractors": ("none", "some"),
    }
    about |= {
        "run_id": DEEP,
        "simulated": "sim" in model,
        "original": share(40, 40),
        "problems": (),
        "cost_usd": 0.5,
    }
    about |= {"q2s": (load("none", 0, 38, 40, (-0.01, 0.17)), load("some", 2, 32, 40, (0.1, 0.35)))}
    about |= {
        "q2i__accuracy": share(12, 40),
        "q2i__distance": 0.7,
        "q2i__distance_ci": (0.53, 0.82),
    }
    made: DeepQuestionResult = changed(result_of("deepquestion"), **about | changes)
    return made


METHOD_OF = {
    **dict.fromkeys(("evd", "tier_common"), "drill"),
    **dict.fromkeys(("eqt_accuracy", "acs_normalised"), "eqt"),
    **dict.fromkeys(("depthqa_d3", "backward"), "depthqa"),
    **dict.fromkeys(
        ("original", "drop_none", "drop_some", "drop_many", "q2i", "distance"), "deepquestion"
    ),
}


def row(measure: str, low: float, high: float, **changes: Any) -> ProfileRow:
    """A row whose interval has these ends; of a run of its method's name, about tea."""
    method = METHOD_OF[measure]
    units = {"evd": "depths", "depthqa_d3": "score", "backward": "gap", "distance": "gap"}
    made: dict[str, Any] = {
        "measure": measure,
        "label": measure,
        "unit": units.get(measure, "gap" if measure.startswith("drop") else "share"),
        "value": (low + high) / 2,
        "ci": (low, high),
        "scale": (0.0, 15.0 if measure == "evd" else 1.0),
        "tier_depths": 3 if measure == "evd" else None,
        "n": 30,
        "p": 0.01 if measure.startswith("drop") else None,
        "method": method,
        "domain": "tea",
        "run_ids": (f"run of {method}",),
        "started": None,
        "cost_usd": 0.1,
        "simulated": False,
        "status": "complete",
    }
    return ProfileRow(**made | changes)
