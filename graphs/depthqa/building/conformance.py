"""Where the building of a DepthQA graph deviates from the published method (arXiv 2406.19502), by name."""

from ....state.depthqa.spec import LEXICAL, DepthQABuildSpec
from ...run.conformance import OWN_PROMPTS, Deviation


def _similarity(spec: DepthQABuildSpec) -> str:
    measure = "the words of the questions" if spec.similarity == LEXICAL else spec.similarity
    thresholds = "the thresholds .9, and .8 to .9 across depths, are the paper's for all-mpnet-base-v2 embeddings"
    return f"similarity: {measure}; {thresholds}"


DEVIATIONS = (
    Deviation(lambda _: True, _similarity),
    "prompts: in words of our own; references are checked by nobody but the reader",
    "yes-or-no: found by the question's form (English) and reworded by the evaluator (in the paper by hand)",
    "gaps: filled once; what is alike after that is dropped and counted as unfilled",
    Deviation(lambda spec: spec.check, "relations: rated by the evaluator that wrote them (in the paper by people)"),
    OWN_PROMPTS,
)
