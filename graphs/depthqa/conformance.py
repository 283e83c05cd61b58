"""Where DepthQA deviates from the published method (arXiv 2406.19502) and its code, by name."""

from ...state.depthqa.spec import DepthQASpec
from ..run.conformance import OWN_PROMPTS, Deviation


def _decoding(spec: DepthQASpec) -> str:
    top_p = "not set" if spec.judge_top_p is None else f"{spec.judge_top_p:g}"
    temperature = "not set" if spec.judge_temperature is None else f"{spec.judge_temperature:g}"
    decoding = f"temperature {temperature}, top_p {top_p}, {spec.judge_tokens} tokens"
    return f"judge-decoding: {decoding} (the paper: 1, 0.9, 1024)"


DEVIATIONS = (
    "all-successors: backward discrepancy takes the mean of all direct successors, as the paper's equation 2 has it "
    "(the published code looks at the first one only; numbers by its rules stand in the result too)",
    "empty-is-null: a discrepancy without any question that counts is null (the published code divides by zero)",
    "threshold: a question counts where its neighbours' mean is at least 4, as in the published code (the paper says "
    "that it exceeds 4)",
    "unscored-apart: an answer or a rating that a fault took is in no number; neighbours without a score are left out "
    "of the mean (in the published code an unreadable rating is 0)",
    "one-text: questions that share a text share one answer and one rating per mode, and count once in the accuracy; "
    "discrepancies are over nodes",
    "silence: what the endpoint marks as a refusal, and a reply without a word, twice, score 1 without a judge; a "
    "refusal in words is an answer like any other; what was cut off or held back by a filter is unscored",
    "own-rubric: the judge's rubric from 1 to 5 is in words of our own",
    "clustered: intervals allow for questions of one tree being alike; the paper gives none",
    Deviation(
        lambda spec: (spec.judge_temperature, spec.judge_top_p, spec.judge_tokens) != (1.0, 0.9, 1024), _decoding
    ),
    Deviation(
        lambda spec: "multi-turn" in spec.modes and not spec.given,
        "multi-turn: each conversation has the direct predecessors as turns and generates every turn itself; a "
        "question is scored as a turn of the conversations that lead on from it (the mean of several), at the end of "
        "its own only where none does. The published code keeps the first such turn for all",
    ),
    Deviation(
        lambda spec: bool({"prompt-gold", "prompt-pred"} & set(spec.modes)),
        "no-context: questions of depth 1 have nothing to quote and are in no number of the prompt modes",
    ),
    Deviation(
        lambda spec: spec.given, "given-answers: the answers were collected by somebody else; only the judge was asked"
    ),
    Deviation(
        lambda spec: spec.logprobs,
        "min-k: natural logarithms, the least likely fifth of the answer's first 128 tokens, at least one",
    ),
    OWN_PROMPTS,
)
