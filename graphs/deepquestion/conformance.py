"""Where DeepQuestion deviates from the published method (arXiv 2505.24532) or fills in what it leaves open."""

from collections.abc import Iterable

from ...state.deepquestion.items import DISTRACTORS
from ...state.deepquestion.spec import DeepQuestionSpec

ALWAYS = (
    "own-prompts-and-criteria: prompts, the criteria that drafts are scored by and the five criteria of comparison are "
    "in words of our own",
    "unscored-apart: a fault of the infrastructure, a reply that cannot be read, and what was cut off or filtered "
    "count neither for nor against the model; a refusal, and silence twice, are no answer and so wrong",
    "numbers-by-rule: answers that are numbers are compared by value, unit and precision, those of multiple choice by "
    "letter; a measured quantity may be off by one in its last place, money and bare numbers are exact to the "
    "precision given",
    "unreadable-to-judge: an answer that no rule can read or compare goes to the judge",
)
DRAFTED = (
    "one-frame: the drafted prompt guides the writer inside a fixed frame that sets the form of the reply and the "
    "rules that hold for every benchmark",
    "score-of-the-prompt: the evaluator scores the draft itself against written criteria, with samples of the "
    "benchmark at hand; no trial items are written",
)
WRITTEN = (
    "every-item-verified: what was written counts only once the evaluator, without sight of the reference, has reached "
    "the same answer and has found every quantity; what is rejected is reported and not written again",
)
Q2S = (
    "core-fixed: distractors are sentences put between those of one and the same scenario, so that a load changes "
    f"nothing else; {DISTRACTORS['some']} are some and {DISTRACTORS['many']} are many, the first ones of the same list",
    "same-problems: a problem whose scenario is rejected at one load is left out at all of them",
)
Q2S_WRITTEN = (
    "answer-held-back: a scenario that tells the answer, or an intermediate result that the problem does not state, is "
    "rejected by the evaluator, who is shown the answer for this check",
    "distractors-by-rule: a distractor that states the final answer where the problem does not (a number of two or "
    "more significant digits, or words), or repeats another sentence, is dropped; with too few left the scenario is "
    "rejected",
)
Q2I = (
    "instruction-met: an attempt is valid when an independent solver reaches the required answer and the evaluator "
    "finds the instruction kept; a mere solution by the solver is not enough",
    "no-paired-test: writing a question is another task than solving one, so the distance from the originals, over "
    "the problems that have both marks, has an interval and no McNemar test",
    "both-orders: each comparison is made twice, and a question wins only where it is preferred in both orders",
    "answerable-only: only questions with the required answer are compared with their originals",
    "instruction-following: the original was not written by the instruction, so that this criterion favours the "
    "written question by its nature",
    "unlike-forms: of multiple choice the judge sees the original with its lettered options, and the written question "
    "without any",
)


def conformance(spec: DeepQuestionSpec) -> tuple[str, ...]:
    """Every deviation of this run, and the choices that the paper leaves open."""
    return (
        *ALWAYS,
        *(DRAFTED if spec.drafted else ()),
        *(() if spec.given else WRITTEN),
        *(Q2S if "q2s" in spec.kinds else ()),
        *(Q2S_WRITTEN if "q2s" in spec.kinds and not spec.given else ()),
        *(Q2I if "q2i" in spec.kinds else ()),
        *_chosen(spec),
    )


def _chosen(spec: DeepQuestionSpec) -> Iterable[str]:
    if spec.given:
        yield "given-texts: scenarios and instructions were written and checked by an earlier run"
    if spec.single_pass:
        yield "single-pass: the first draft of the prompt was used whatever its score (ablation)"
    elif spec.use_best and spec.drafted:
        yield "use-best: where no draft reaches the threshold, the best one is used"
    if spec.threshold != 8 and spec.drafted:
        yield f"threshold: drafts are accepted from {spec.threshold} of 10 (the paper: 8)"
    if spec.guides:
        yield f"given-prompts: the transformation prompt for {' and '.join(sorted(spec.guides))} was given"
    if spec.tolerance is not None:
        yield f"tolerance: numbers that differ by a share of at most {spec.tolerance:g} are the same"
    if spec.generator != spec.evaluator and not spec.given:
        yield "two-models: generator and evaluator are different models (the paper: one)"
    if spec.prompts:
        yield f"own-prompts: {', '.join(sorted(spec.prompts))} replaced by the user"
