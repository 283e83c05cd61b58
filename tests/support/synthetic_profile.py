"""Results of all four methods with known figures, and rows of a profile by hand."""

from typing import Any

from fathom.state.deepquestion.result import (
    AnswerRow,
    Comparisons,
    CreatedRow,
    DeepQuestionResult,
    Drop,
    InstructionRow,
    LoadRow,
    ProblemRow,
    Share,
)
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.eqt.result import EqtResult
from fathom.state.profile import ProfileRow
from fathom.state.result import DrillResult, Interval
from fathom.state.spec import Concept

from .depthqa import synthetic as synthetic_depthqa
from .drill import synthetic, synthetic_result
from .reports import changed, result_of

DRILL, EQT = "20261120T120000-drill-chemical-elements-aaaa0001", "20261121T120000-eqt-6-concepts-aaaa0002"
DEPTHQA, DEEP = "20261122T120000-depthqa-elements-aaaa0003", "20261123T120000-deepquestion-gsm8k-aaaa0004"


def drill(model: str = "sim:student", run_id: str = DRILL, spec: dict[str, Any] | None = None, **changes: Any) -> Any:
    """24, 18 and 12 of 30 right at the three depths of COMMON: EVD .8 + .48 + .192 = 1.472."""
    plan = synthetic.Plan(run_id=run_id, target=model, n=30, accuracies=(0.8, 0.6, 0.4), simulated="sim" in model)
    made: DrillResult = synthetic_result.result_of(plan)
    return made.model_copy(update={"spec": made.spec.model_copy(update=spec or {}), **changes})


def eqt(model: str = "sim:student", run_id: str = EQT, **changes: Any) -> EqtResult:
    helpers = {f"spec__{role}": model for role in ("target", "examiner")} | {"spec__judge": "sim:evaluator"}
    concepts = tuple(Concept(name=f"Concept {n}", category=category) for n, category in enumerate("abcdab"))
    made: EqtResult = changed(
        result_of("eqt"), run_id=run_id, simulated="sim" in model, spec__concepts=concepts, **helpers
    )
    return made.model_copy(update=changes)


def depthqa(model: str = "sim:student", **changes: Any) -> DepthQAResult:
    return synthetic_depthqa.result(model, ("prompt-gold", "zero-shot"), **{"run_id": DEPTHQA, **changes})


def share(count: int, n: int) -> Share:
    return Share(n=n, count=count, share=count / n if n else None, ci=synthetic.wilson(count, n))


def load(name: Any, distractors: int, right: int, n: int, ends: Interval, p: float = 0.5) -> LoadRow:
    """Of n problems that were all solved as they stood. `p`: of McNemar's exact test."""
    drop = Drop(
        n=n,
        both=right,
        only_original=n - right,
        only_transformed=0,
        neither=0,
        original=1.0,
        transformed=right / n,
        drop=(n - right) / n,
        ci=ends,
        mcnemar_p=p,
        mcnemar_mid_p=0.4,
    )
    return LoadRow(
        load=name,
        distractors=distractors,
        scenarios=n,
        unscored=0,
        accuracy=share(right, n),
        drop=drop,
        words=80.0,
    )


def problem(name: str, original: Any, created: Any) -> ProblemRow:
    """With these marks; `created` None: no attempt at Q2I."""
    attempt = None if created is None else CreatedRow(id=name, instruction="i", mark=created, question="q")
    answer = AnswerRow(id=name, mark=original, said="", read="")
    return ProblemRow(id=name, question="q", answer="1", answer_kind="number", original=answer, created=attempt)


def deepquestion(model: str = "sim:student", **changes: Any) -> DeepQuestionResult:
    """40 of 40 originals; 38 and 32 of 40 without and with distractors; 12 of 40 in Q2I."""
    helper = "sim:evaluator" if "sim" in model else "openai:gpt-5"
    spec = DeepQuestionSpec(
        benchmark="gsm8k",
        material="0" * 16,
        problems=40,
        target=model,
        generator=helper,
        evaluator=helper,
        judge=helper,
        distractors=("none", "some"),
    )
    attempts = InstructionRow(
        instructions=40,
        unscored=0,
        accuracy=share(12, 40),
        distance=0.7,
        distance_ci=(0.53, 0.82),
        comparisons=Comparisons(pairs=0, unscored=0, criteria=(), position=()),
    )
    made = DeepQuestionResult(
        run_id=DEEP,
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="",
        prompts=(),
        original=share(40, 40),
        original_unscored=0,
        q2s=(load("none", 0, 38, 40, (-0.01, 0.17)), load("some", 2, 32, 40, (0.1, 0.35))),
        q2i=attempts,
        baseline=None,
        rejected=(),
        unwritten={},
        problems=(),
        transformed=(),
        usage={},
        cost_usd=0.5,
        wall_s=60.0,
        conformance=(),
        notes=(),
        provenance={},
    )
    return made.model_copy(update=changes)


METHOD_OF = {
    **dict.fromkeys(("evd", "tier_common"), "drill"),
    **dict.fromkeys(("eqt_accuracy", "acs_normalised"), "eqt"),
    **dict.fromkeys(("depthqa_d3", "backward"), "depthqa"),
    **dict.fromkeys(("original", "drop_none", "drop_some", "drop_many", "q2i", "distance"), "deepquestion"),
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
