"""What a program may set of each method, but for what it is about, its models and its sources. Every
key is a field of the method's spec, where it is explained."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal

from typing_extensions import TypedDict

from .problems import Kind, Load
from .worlds import WorldSpec


class RunOptions(TypedDict, total=False):
    """Those that every method has."""

    seed: int
    prompts: Mapping[str, str]
    world: WorldSpec | None


class DrillOptions(RunOptions, total=False):
    n: int
    passes: int
    threshold: float
    max_depth: int
    missing: Literal["exclude", "wrong"]
    verify_questions: bool
    classify_errors: bool
    confidence: bool
    language: str
    as_of: date
    answer_tokens: int
    repeats: int
    repeat: int
    pool_seed: int | None
    topics: Mapping[str, float]
    anchors: Sequence[str]


class EqtOptions(RunOptions, total=False):
    questions: int
    options: int
    paraphrases: int
    open_book: bool
    shuffle_options: bool
    verify_paraphrases: bool
    attribute: int
    language: str
    answer_tokens: int


class DepthQAOptions(RunOptions, total=False):
    logprobs: bool
    judge_temperature: float | None
    judge_top_p: float | None
    judge_tokens: int
    answer_tokens: int


class DepthQABuildOptions(RunOptions, total=False):
    name: str
    classify: bool
    check: bool
    width: int
    language: str


class DeepQuestionOptions(RunOptions, total=False):
    kinds: Kind | Sequence[Kind]
    distractors: Load | Sequence[Load]
    threshold: int
    rounds: int
    single_pass: bool
    use_best: bool
    sample: int
    guides: Mapping[Kind, str]
    baseline: int
    tolerance: float | None
    language: str
    answer_tokens: int
