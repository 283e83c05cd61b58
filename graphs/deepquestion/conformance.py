"""Where DeepQuestion deviates from the published method (arXiv 2505.24532) or fills in what it leaves open."""

from ...state.deepquestion.items import DISTRACTORS
from ...state.deepquestion.spec import DeepQuestionSpec
from ..run.conformance import OWN_PROMPTS, Deviation


def _drafted(spec: DeepQuestionSpec) -> bool:
    return bool(spec.drafted)


def _written(spec: DeepQuestionSpec) -> bool:
    return not spec.given


def _scenarios(spec: DeepQuestionSpec) -> bool:
    return "q2s" in spec.kinds


def _scenarios_written(spec: DeepQuestionSpec) -> bool:
    return _scenarios(spec) and _written(spec)


def _instructions(spec: DeepQuestionSpec) -> bool:
    return "q2i" in spec.kinds


DEVIATIONS = (
    "own-prompts-and-criteria: prompts, the criteria that drafts are scored by and the five criteria of comparison are"
    " in words of our own",
    "unscored-apart: a fault of the infrastructure, a reply that cannot be read, and what was cut off or filtered "
    "count neither for nor against the model; a refusal, and silence twice, are no answer and so wrong",
    "numbers-by-rule: answers that are numbers are compared by value, unit and precision, those of multiple choice by "
    "letter; a measured quantity may be off by one in its last place, money and bare numbers are exact to the "
    "precision given",
    "unreadable-to-judge: an answer that no rule can read or compare goes to the judge",
    Deviation(
        _drafted,
        "one-frame: the drafted prompt guides the writer inside a fixed frame that sets the form of the reply and the "
        "rules that hold for every benchmark",
    ),
    Deviation(
        _drafted,
        "score-of-the-prompt: the evaluator scores the draft itself against written criteria, with samples of the "
        "benchmark at hand; no trial items are written",
    ),
    Deviation(
        _written,
        "every-item-verified: what was written counts only once the evaluator, without sight of the reference, has "
        "reached the same answer and has found every quantity; what is rejected is reported and not written again",
    ),
    Deviation(
        _scenarios,
        "core-fixed: distractors are sentences put between those of one and the same scenario, so that a load changes "
        f"nothing else; {DISTRACTORS['some']} are some and {DISTRACTORS['many']} are many, the first ones of the same "
        "list",
    ),
    Deviation(_scenarios, "same-problems: a problem whose scenario is rejected at one load is left out at all of them"),
    Deviation(
        _scenarios_written,
        "answer-held-back: a scenario that tells the answer, or an intermediate result that the problem does not "
        "state, is rejected by the evaluator, who is shown the answer for this check",
    ),
    Deviation(
        _scenarios_written,
        "distractors-by-rule: a distractor that states the final answer where the problem does not (a number of two or"
        " more significant digits, or words), or repeats another sentence, is dropped; with too few left the scenario "
        "is rejected",
    ),
    Deviation(
        _instructions,
        "instruction-met: an attempt is valid when an independent solver reaches the required answer and the evaluator "
        "finds the instruction kept; a mere solution by the solver is not enough",
    ),
    Deviation(
        _instructions,
        "no-paired-test: writing a question is another task than solving one, so the distance from the originals, over "
        "the problems that have both marks, has an interval and no McNemar test",
    ),
    Deviation(
        _instructions,
        "both-orders: each comparison is made twice, and a question wins only where it is preferred in both orders",
    ),
    Deviation(
        _instructions, "answerable-only: only questions with the required answer are compared with their originals"
    ),
    Deviation(
        _instructions,
        "instruction-following: the original was not written by the instruction, so that this criterion favours the "
        "written question by its nature",
    ),
    Deviation(
        _instructions,
        "unlike-forms: of multiple choice the judge sees the original with its lettered options, and the written "
        "question without any",
    ),
    Deviation(
        lambda spec: spec.given, "given-texts: scenarios and instructions were written and checked by an earlier run"
    ),
    Deviation(
        lambda spec: spec.single_pass,
        "single-pass: the first draft of the prompt was used whatever its score (ablation)",
    ),
    Deviation(
        lambda spec: not spec.single_pass and spec.use_best and _drafted(spec),
        "use-best: where no draft reaches the threshold, the best one is used",
    ),
    Deviation(
        lambda spec: spec.threshold != 8 and _drafted(spec),
        "threshold: drafts are accepted from {spec.threshold} of 10 (the paper: 8)",
    ),
    Deviation(
        lambda spec: bool(spec.guides),
        lambda spec: f"given-prompts: the transformation prompt for {' and '.join(sorted(spec.guides))} was given",
    ),
    Deviation(
        lambda spec: spec.tolerance is not None,
        "tolerance: numbers that differ by a share of at most {spec.tolerance:g} are the same",
    ),
    Deviation(
        lambda spec: spec.generator != spec.evaluator and not spec.given,
        "two-models: generator and evaluator are different models (the paper: one)",
    ),
    OWN_PROMPTS,
)
