"""What `fathom eqt` was asked for, checked: the specs, and how they are to be run and shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.prompts import EQT_PROMPTS
from ...graphs.run.launch import Launch, RunReport, check_persona
from ...graphs.run.options import LaunchOptions
from ...reports.live.display import DisplayKind
from ...state.errors import UsageError
from ...state.spec import Concept, EqtSpec
from ...state.worlds import label_of
from ...tools.files.concepts import ConceptList, from_words, limited, read_concepts
from ...tools.files.text import STDIN
from ..environment import environment, runs_dir
from ..launch import pick_display, run_launch
from ..options.lists import one_model
from ..options.models import LAUNCHING, launch_options
from ..options.spec import choose_targets, in_world, make_spec, optional_model, parse_sim
from ..print_results import ended
from ..prompt_files import read_prompts
from ..show_options import ShownWith, read_shown_with

MEASURING = (
    "questions",
    "options",
    "paraphrases",
    "open_book",
    "shuffle_options",
    "verify_paraphrases",
    "attribute",
    "seed",
    "language",
    "answer_tokens",
)


@dataclass(frozen=True, slots=True)
class EqtRequest:
    """A checked request."""

    specs: Sequence[EqtSpec]
    options: LaunchOptions
    display: DisplayKind
    shown_with: ShownWith
    notices: Sequence[str]
    """What the user should know before anything is asked."""


def eqt_request(given: dict[str, Any]) -> EqtRequest:
    """The request behind the options of `fathom eqt`, by parameter name. Raises UsageError with the first fault."""
    shown = pick_display(given["display"], given["as_json"])
    _require_one_stdin(given["concepts"], given["benchmark"])
    listed = choose_concepts(given["words"] or [], given["concepts"], given["limit"])
    targets = choose_targets(given["target"] or [])
    world, timing = parse_sim(given["sim"] or [])
    prompts = read_prompts(given["prompt"] or [], EQT_PROMPTS)
    measuring = {name: given[name] for name in MEASURING} | {"prompts": prompts}
    specs = in_world(
        [eqt_spec(listed.concepts, target, given["examiner"], given["judge"], **measuring) for target in targets],
        world,
        given=bool(given["sim"]),
    )
    shown_with = read_shown_with(given["benchmark"], given["plots"], specs)
    env = environment()
    options = launch_options(env, runs_dir(given["runs"], env), **{name: given[name] for name in LAUNCHING})
    notices = [*listed.notices, *_notices(specs, judged=given["judge"] is not None)]
    return EqtRequest(specs, replace(options, timing=timing), shown, shown_with, notices)


def _require_one_stdin(concepts: Path | None, benchmark: Path | None) -> None:
    if concepts == benchmark == STDIN:
        raise UsageError("--concepts - and --benchmark - both read stdin: give a file for one of them.")


def choose_concepts(words: Sequence[str], file: Path | None, limit: int | None) -> ConceptList:
    """The concepts of the words or of the file, at most `limit`. Raises UsageError for neither, both, and as
    `read_concepts` and `from_words` do."""
    if words and file is not None:
        raise UsageError("Give concepts as arguments or with --concepts, not both.")
    if not words and file is None:
        raise UsageError("CONCEPT is missing: name a concept, in quotes when it has spaces, or a file with --concepts.")
    if limit is not None and limit < 1:
        raise UsageError(f"--limit cannot be {limit}: it must be at least 1.")
    found = read_concepts(file) if file is not None else from_words(words)
    return found if limit is None else found._replace(concepts=limited(found.concepts, limit))


def eqt_spec(
    concepts: Sequence[Concept], target: str, examiner: str | None, judge: str | None, **measuring: Any
) -> EqtSpec:
    """The spec of one target; the examiner is the target and the judge the examiner where none is named. Raises
    UsageError for a model that is malformed or unknown to the simulated world, and as `make_spec` does."""
    asking = optional_model("--examiner", examiner) or target
    judging = optional_model("--judge", judge) or asking
    check_persona(target)
    for flag, name in (("--examiner", asking), ("--judge", judging)):
        one_model(flag, name)
    return make_spec(EqtSpec, concepts=tuple(concepts), target=target, examiner=asking, judge=judging, **measuring)


def _notices(specs: Sequence[EqtSpec], *, judged: bool) -> list[str]:
    """What the judge has to do with what it judges."""
    first, said = specs[0], list[str]()
    if first.verify_paraphrases and not first.paraphrases:
        said.append("--verify-paraphrases has nothing to verify: --paraphrases is 0.")
    elif judged and not first.needs_judge:
        said.append("--judge is asked nothing: it needs --verify-paraphrases or --attribute.")
    return [*said, *dict.fromkeys(text for spec in specs for text in _of_the_judge(spec))]


def _of_the_judge(spec: EqtSpec) -> list[str]:
    examined, answered = spec.judge == spec.examiner, spec.judge == spec.target
    work = [
        *(["paraphrases"] if spec.verify_paraphrases and spec.paraphrases and examined else []),
        *(["explanations", "questions"] if spec.attribute and examined else []),
        *(["answers"] if spec.attribute and answered else []),
    ]
    return (
        [f"The judge {label_of(spec.judge)} checks its own {', '.join(work)}: name another with --judge."]
        if work
        else []
    )


def launch_eqt(asked: EqtRequest, *, as_json: bool) -> int:
    """Run to the end and print what came of it; returns the exit code."""

    def show(reports: Sequence[RunReport[Any]]) -> None:
        runs = [ended(report) for report in reports]
        asked.shown_with.show(runs, as_json=as_json, told=asked.display != "events")
        asked.shown_with.draw(runs, told=asked.display != "none")

    launch: Launch[Any] = Launch(asked.specs, asked.options)
    return run_launch(launch, asked.display, as_json=as_json, show=show)
