"""What `fathom eqt` was asked for, checked."""

from collections.abc import Sequence
from pathlib import Path

from ...graphs.run.checks import check_persona
from ...state.errors import UsageError
from ...state.spec import EqtSpec
from ...state.worlds import label_of
from ...tools.files.concepts import ConceptList, from_words, limited, read_concepts
from ..benchmarks import benchmark_for
from ..options.lists import one_model
from ..options.spec import choose_targets, optional_model
from ..request import Asked, Said
from ..show_options import shown_beside


def ask(said: Said) -> Asked:
    """The specs behind what was said. Raises UsageError with the first fault."""
    listed = choose_concepts(said["words"] or [], said["concepts"], said["limit"])
    targets = choose_targets(said["target"] or [])
    specs = said.specs(
        (_roles(target, said["examiner"], said["judge"]) for target in targets),
        concepts=listed.concepts,
        shuffle_options=not said["as_in_paper"],
    )
    shown_with = shown_beside(said.given, benchmark=benchmark_for(said["benchmark"], specs))
    notices = [*listed.notices, *_notices(specs)]
    return Asked(specs, notices, shown_with=shown_with)


def choose_concepts(words: Sequence[str], file: Path | None, limit: int | None) -> ConceptList:
    """The concepts of the words or of the file, at most `limit`. Raises UsageError for neither,
    both, and as `read_concepts` and `from_words` do."""
    if words and file is not None:
        raise UsageError("Give concepts as arguments or with --concepts, not both.")
    if not words and file is None:
        raise UsageError(
            "CONCEPT is missing: name a concept, in quotes when it has spaces, or a file with "
            "--concepts."
        )
    if limit is not None and limit < 1:
        raise UsageError(f"--limit cannot be {limit}: it must be at least 1.")
    found = read_concepts(file) if file is not None else from_words(words)
    return found if limit is None else found._replace(concepts=limited(found.concepts, limit))


def _roles(target: str, examiner: str | None, judge: str | None) -> dict[str, str]:
    """The models of one target's run; the examiner is the target and the judge the examiner where
    none is named. Raises UsageError for a model that is malformed or unknown to the simulated
    world."""
    asking = optional_model("--examiner", examiner) or target
    judging = optional_model("--judge", judge) or asking
    check_persona(target)
    for flag, name in (("--examiner", asking), ("--judge", judging)):
        one_model(flag, name)
    return {
        "target": target,
        "examiner": asking,
        "judge": judging,
    }


def _notices(specs: Sequence[EqtSpec]) -> list[str]:
    """What the judge has to do with what it judges."""
    first, said = specs[0], list[str]()
    if first.verify_paraphrases and not first.paraphrases:
        said.append("--verify-paraphrases has nothing to verify: --paraphrases is 0.")
    return [*said, *dict.fromkeys(text for spec in specs for text in _of_the_judge(spec))]


def _of_the_judge(spec: EqtSpec) -> list[str]:
    examined, answered = spec.judge == spec.examiner, spec.judge == spec.target
    work = [
        *(["paraphrases"] if spec.verify_paraphrases and spec.paraphrases and examined else []),
        *(["explanations", "questions"] if spec.attribute and examined else []),
        *(["answers"] if spec.attribute and answered else []),
    ]
    return (
        [
            (
                f"The judge {label_of(spec.judge)} checks its own {', '.join(work)}: name another "
                "with --judge."
            )
        ]
        if work
        else []
    )
