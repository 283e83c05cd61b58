"""What `fathom deepquestion` is to run, checked."""

from typing import Any

from ...state.errors import UsageError
from ...state.problems import ProblemSet
from ...state.spec import DeepQuestionSpec
from ...tools.files.benchmark import ProblemRow, read_benchmark
from ...tools.files.rows import parse_columns
from ...tools.files.transformed import read_transformed
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside
from .files import texts_into

USUAL = {name: field.default for name, field in DeepQuestionSpec.model_fields.items()}


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    write = texts_into(words["output"], force=bool(words["force"]))
    shown_with = shown_beside(words.values, write=write)
    problems = _problems(words)
    shared = {
        "benchmark": problems.name,
        "material": problems.digest,
        "problems": len(problems.problems),
        "given": problems.transformed is not None,
        **_texts_of(problems, words),
    }
    specs: list[DeepQuestionSpec] = words.specs(words.targets, **shared)
    _require_texts(problems, specs[0])
    if words["distractors"] and "q2s" not in specs[0].kinds:
        raise UsageError(
            "--distractors stand in scenarios, and --kinds q2i writes none: leave one of them out."
        )
    return PlannedRuns(
        specs,
        problems.notices,
        problems,
        {"problem_sets": {problems.digest: problems}},
        shown_with,
    )


def _problems(words: CommandInput) -> ProblemSet:
    """The problems, with what was written from them where that is given."""
    seed = USUAL["seed"] if words["seed"] is None else words["seed"]
    if words["from"] is not None:
        return read_transformed(words["from"], limit=words["limit"], seed=seed)
    columns = parse_columns(words["columns"], ProblemRow)
    return read_benchmark(words["benchmark"], columns=columns, limit=words["limit"], seed=seed)


def _texts_of(problems: ProblemSet, words: CommandInput) -> dict[str, Any]:
    """Kinds and loads to ask where none are named: of texts that are given those that they have."""
    if problems.transformed is None:
        return {}
    if not problems.kinds:
        raise UsageError("None of the problems that --limit takes has a text: take more.")
    usual = {"kinds": problems.kinds, "distractors": problems.loads or USUAL["distractors"]}
    return {name: texts for name, texts in usual.items() if words[name] is None}


def _require_texts(problems: ProblemSet, spec: DeepQuestionSpec) -> None:
    """Raises UsageError for a kind or load of which no text is given."""
    if problems.transformed is None:
        return
    for flag, wanted, available in (
        ("--kinds", spec.kinds, problems.kinds),
        ("--distractors", spec.distractors, problems.loads or spec.distractors),
    ):
        for name in wanted:
            if name not in available:
                raise UsageError(
                    f"{flag} {name} is not in {problems.name}, whose texts were written for"
                    f" {', '.join(available)}: choose among them."
                )
