"""What `fathom deepquestion` was asked for, checked."""

from collections.abc import Iterator, Sequence

from ...graphs.run.checks import check_persona
from ...reports.page import figures
from ...state.errors import UsageError
from ...state.problems import KINDS, LOADS, Kind, Load, ProblemSet
from ...state.spec import DeepQuestionSpec
from ...tools.files.deepquestion.benchmark import read_benchmark
from ...tools.files.deepquestion.transformed import read_transformed
from ...tools.models.family import family_notices
from ..options.lists import one_model, several_of
from ..options.spec import choose_targets, chosen_model, required
from ..request import Asked, Said
from ..show_options import shown_beside
from .files import Files

DRAFTING = ("threshold", "rounds", "single_pass", "use_best", "sample")
"""Options of the prompt optimisation."""
READING = ("question_field", "answer_field", "options_field")
WRITING = ("generator", *DRAFTING, "language", "output", *READING)
"""Options about writing texts, or about the benchmark they are written from."""


def ask(said: Said) -> Asked:
    """The specs behind what was said. Raises UsageError with the first fault."""
    _require_source(said)
    _require_together(said)
    targets = choose_targets(said["target"] or [])
    roles = _roles(said, targets)
    kinds, loads = several_of("--kinds", said["kinds"] or [], KINDS), _loads(said)
    files = Files(said["output"])
    files.require({"BENCHMARK": said["benchmark"]}, force=bool(said["force"]))
    shown_with = shown_beside(said.given, files=files)
    problems = _problems(said)
    kinds, loads = _available(problems, kinds, loads)
    specs = said.specs(
        ({"target": target} for target in targets),
        **roles,
        benchmark=problems.name,
        material=problems.digest,
        problems=len(problems.problems),
        given=problems.transformed is not None,
        kinds=kinds,
        distractors=loads,
        baseline=_baseline(said, kinds),
    )
    makers = ((spec, None if spec.given else spec.generator) for spec in specs)
    related = [
        text
        for spec, maker in makers
        for text in family_notices(spec.target, spec.evaluator, spec.judge, maker)
    ]
    notices = [
        *problems.notices,
        *_more_than_there_is(said, len(problems.problems)),
        *related,
    ]
    return Asked(
        specs, notices, problems, {"problem_sets": {problems.digest: problems}}, shown_with
    )


def _named(said: Said, names: Sequence[str]) -> list[str]:
    """The flags of those options that were given."""
    flags = {option.key: option.flag for option in said.method.options}
    return [flags[name] for name in names if said[name] is not None and said[name] is not False]


def _require_source(said: Said) -> None:
    """Raises UsageError unless there is one file of problems."""
    benchmark, source = said["benchmark"], said["from"]
    if benchmark is not None and source is not None:
        raise UsageError("BENCHMARK and --from both name problems: give one of them.")
    if benchmark is None and source is None:
        raise UsageError(
            "BENCHMARK is missing: name a file of problems with their answers, or texts that were "
            "written before with"
            " --from FILE."
        )
    if said["limit"] is not None and said["limit"] < 1:
        raise UsageError(f"--limit cannot be {said['limit']}: it must be at least 1.")


def _require_together(said: Said) -> None:
    """Raises UsageError for options that do not go together."""
    if said["from"] is not None and (idle := _named(said, WRITING)):
        raise UsageError(
            f"{idle[0]} cannot go with --from, whose texts are written and checked already: leave "
            "it out, or name a"
            " BENCHMARK."
        )
    if not said["single_pass"]:
        return
    usual = (None, DeepQuestionSpec.model_fields["threshold"].default)
    if idle := _named(
        said, ("rounds", "use_best", *(["threshold"] if said["threshold"] not in usual else []))
    ):
        raise UsageError(
            f"{idle[0]} cannot go with --single-pass, which uses its only draft whatever the "
            "score: leave one of them"
            " out."
        )


def _roles(said: Said, targets: Sequence[str]) -> dict[str, str]:
    """The models that help. Raises UsageError for one that is missing, malformed or unknown to the
    simulated world."""
    why = "it checks what is written, and is never chosen for you; as in --evaluator openai:gpt-5."
    evaluator = chosen_model("--evaluator", said["evaluator"], why)
    roles = {"evaluator": evaluator}
    for role in ("generator", "judge"):
        named = said[role] if said[role] is not None else evaluator
        required(
            f"--{role}",
            [named],
            f"name a model, as in --{role} openai:gpt-5, or leave it to the evaluator.",
        )
        roles[role] = named
    for name in targets:
        check_persona(name)
    return {role: one_model(f"--{role}", name) for role, name in roles.items()}


def _loads(said: Said) -> tuple[Load, ...]:
    """The loads that were named. Raises UsageError for one that does not exist, and for any without
    scenarios."""
    words = said["distractors"] or []
    loads = several_of("--distractors", words, LOADS)
    if loads and several_of("--kinds", said["kinds"] or [], KINDS) == ("q2i",):
        raise UsageError(
            "--distractors stand in scenarios, and --kinds q2i writes none: leave one of them out."
        )
    return loads


def _more_than_there_is(said: Said, problems: int) -> Iterator[str]:
    """A sentence on each number that was given and goes beyond the problems."""
    for name in ("limit", "sample", "baseline"):
        most = problems if name != "baseline" or problems > 2 else problems // 2
        if said[name] is not None and said[name] > most:
            held = figures.count(most, "pair" if name == "baseline" else "problem")
            yield f"--{name} {said[name]:,} is more than there is: {held} can be taken at most."


def _baseline(said: Said, kinds: Sequence[Kind]) -> int:
    """Pairs of originals. Raises UsageError for any where the judge compares no questions, so that
    they say nothing."""
    usual: int = DeepQuestionSpec.model_fields["baseline"].default
    wanted: int = (
        said["baseline"] if said["baseline"] is not None else usual if "q2i" in kinds else 0
    )
    if wanted > 0 and "q2i" not in kinds:
        raise UsageError(
            "--baseline is about the judge that compares questions, and without q2i there are none "
            "to compare: leave it"
            " out."
        )
    return wanted


def _problems(said: Said) -> ProblemSet:
    """The problems, with what was written from them where that is given."""
    limit, source = said["limit"], said["from"]
    seed = (
        said["seed"] if said["seed"] is not None else DeepQuestionSpec.model_fields["seed"].default
    )
    if source is not None:
        return read_transformed(source, limit=limit, seed=seed)
    return read_benchmark(
        said["benchmark"], **{name: said[name] for name in READING}, limit=limit, seed=seed
    )


def _available(
    problems: ProblemSet, kinds: tuple[Kind, ...], loads: tuple[Load, ...]
) -> tuple[tuple[Kind, ...], tuple[Load, ...]]:
    """Kinds and loads to ask: those that were named, else the usual ones; where texts are given,
    those that they have. Raises UsageError for one that they lack."""
    usual: tuple[Load, ...] = DeepQuestionSpec.model_fields["distractors"].default
    if problems.transformed is None:
        return kinds or KINDS, loads or usual
    if not problems.kinds:
        raise UsageError("None of the problems that --limit takes has a text: take more.")
    for flag, wanted, held in (
        ("--kinds", kinds, problems.kinds),
        ("--distractors", loads, problems.loads),
    ):
        for name in wanted:
            if name not in held:
                raise UsageError(
                    f"{flag} {name} is not in {problems.name}, whose texts were written for"
                    f" {', '.join(held) or 'nothing of that'}: choose among them."
                )
    return kinds or problems.kinds, loads or problems.loads or usual
