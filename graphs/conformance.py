"""Where a drill deviates from the published method (DepthCharge, arXiv 2603.23514), by name."""

from ..state.spec import DrillSpec
from ..state.tiers import Tier

ALWAYS = (
    "random-remainder: when N does not divide by the surviving paths, who gets one probe more is drawn at random "
    "(the reference gives the remainder to the first paths, which leaves deep depths resting on few roots)",
    "wilson-accuracy: accuracy intervals are Wilson's, survival intervals a mid-p beta product, the interval of EVD a "
    "simulation of the protocol widened for shared roots (the paper bootstraps paths, which covers too little)",
    "exact-stop: the stop rule compares exact fractions, not floats",
    "constant-n: probes that cannot be scored are replaced, so that accuracy rests on N verdicts",
    "abstention-apart: refusals and 'I do not know' end a path like wrong answers, and are reported apart from them",
    "whole-answer: an answer that asserts the reference and also something incompatible is wrong",
    "no-repeats: no passage and no fact is used twice in a run",
    "concepts-by-lot: which of the mentioned concepts are drilled is drawn by seed, not chosen by the evaluator",
)


def conformance(spec: DrillSpec) -> tuple[str, ...]:
    """Every deviation of this run, and the choices by which it follows the paper where the default would not."""
    items = list(ALWAYS)
    if spec.missing == "wrong":
        items.append("missing-wrong: as in the paper, a concept without evidence counts as a wrong answer")
    else:
        items.append("missing-excluded: a concept without evidence is replaced, not counted as wrong")
    if spec.verify_questions:
        items.append("verified-questions: the evaluator must reach the reference from the passage alone")
    if any("tavily" in name for name in spec.facts.get(Tier.SPECIALIST, ())):
        items.append(
            "reviewed-by-marks: for SPECIALIST, web search cannot tell what was peer-reviewed; a journal publisher's "
            "host, a DOI or a journal's name stands for it"
        )
    if spec.judge != spec.evaluator:
        items.append("separate-judge: verdicts come from another model than the questions")
    if spec.prompts:
        items.append(f"own-prompts: {', '.join(sorted(spec.prompts))} replaced by the user")
    return tuple(items)
