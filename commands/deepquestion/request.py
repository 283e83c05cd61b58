"""What `fathom deepquestion` was asked for, checked: the specs, and how they are to be run, shown and kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.prompts import DEEPQUESTION_PROMPTS
from ...graphs.run.launch import Launch, RunReport, check_persona
from ...graphs.run.options import LaunchOptions
from ...reports.live.display import DisplayKind
from ...reports.page import figures
from ...state.deepquestion.items import KINDS, LOADS, Kind, Load, ProblemSet
from ...state.errors import UsageError
from ...state.spec import DeepQuestionSpec
from ...tools.files.deepquestion.benchmark import read_benchmark
from ...tools.files.deepquestion.guides import read_guides
from ...tools.files.deepquestion.transformed import read_transformed
from ...tools.files.text import STDIN, shown
from ...tools.models.family import family_notices
from ..ended import ended
from ..environment import environment, runs_dir
from ..launch import pick_display, run_launch
from ..options.lists import one_model, several_of
from ..options.models import LAUNCHING, launch_options
from ..options.spec import choose_targets, in_world, make_spec, parse_sim, required
from ..prompt_files import read_prompts
from ..show_options import ShownWith, read_deepquestion_shown_with
from .files import Files

MEASURING = ("tolerance", "seed", "answer_tokens")
DRAFTING = ("threshold", "rounds", "single_pass", "use_best", "sample")
"""Options of the prompt optimisation; without a value the spec's own default holds."""
READING = ("question_field", "answer_field", "options_field")
WRITING = ("generator", *DRAFTING, "language", "prompts", "save_prompts", "export", *READING)
"""Options about writing texts, or about the benchmark they are written from."""


@dataclass(frozen=True, slots=True)
class DeepQuestionRequest:
    """A checked request."""

    specs: Sequence[DeepQuestionSpec]
    problems: ProblemSet
    options: LaunchOptions
    display: DisplayKind
    shown_with: ShownWith
    notices: Sequence[str]
    """What the user should know before anything is asked."""


def deepquestion_request(given: dict[str, Any]) -> DeepQuestionRequest:
    """The request behind the options of `fathom deepquestion`, by parameter name. Raises UsageError with the first
    fault."""
    display = pick_display(given["display"], given["as_json"])
    _require_source(given)
    _require_together(given)
    targets = choose_targets(given["target"] or [])
    roles = _roles(given, targets)
    kinds, loads = several_of("--kinds", given["kinds"] or [], KINDS), _loads(given)
    world, timing = parse_sim(given["sim"] or [])
    measuring = {name: given[name] for name in MEASURING} | _drafting(given)
    measuring["prompts"] = read_prompts(given["prompt"] or [], DEEPQUESTION_PROMPTS)
    files = _files(given)
    shown_with = read_deepquestion_shown_with(given["plots"], files)
    problems = _problems(given)
    kinds, loads = _available(problems, kinds, loads)
    guides, told = choose_guides(given, kinds)
    measuring |= {"kinds": kinds, "distractors": loads, "guides": guides, "baseline": _baseline(given, kinds)}
    about = {"benchmark": problems.name, "material": problems.digest, "problems": len(problems.problems)}
    about["given"] = problems.transformed is not None
    specs = in_world(
        [make_spec(DeepQuestionSpec, target=target, **about, **roles, **measuring) for target in targets],
        world,
        given=bool(given["sim"]),
    )
    env = environment()
    options = launch_options(env, runs_dir(given["runs"], env), **{name: given[name] for name in LAUNCHING})
    options = replace(options, timing=timing, problem_sets={problems.digest: problems})
    related = [text for spec in specs for text in _family_notices(spec)]
    told = [*told, *_more_than_there_is(given, len(problems.problems))]
    notices = [*problems.notices, *told, *related]
    return DeepQuestionRequest(specs, problems, options, display, shown_with, list(dict.fromkeys(notices)))


def _family_notices(spec: DeepQuestionSpec) -> tuple[str, ...]:
    return family_notices(spec.target, spec.evaluator, spec.judge, None if spec.given else spec.generator)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(given: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The flags of those options that were given."""
    return [_flag(name) for name in names if given[name] is not None and given[name] is not False]


def _require_source(given: Mapping[str, Any]) -> None:
    """Raises UsageError unless there is one file of problems, and each file is told apart from stdin."""
    benchmark, source = given["benchmark"], given["source"]
    if benchmark is not None and source is not None:
        raise UsageError("BENCHMARK and --from both name problems: give one of them.")
    if benchmark is None and source is None:
        raise UsageError(
            "BENCHMARK is missing: name a file of problems with their answers, or texts that were written before with"
            " --from FILE."
        )
    files = {"BENCHMARK": benchmark, "--from": source, "--prompts": given["prompts"]}
    reading = [flag for flag, file in files.items() if file == STDIN]
    if len(reading) > 1:
        raise UsageError(
            f"{' and '.join(f'{flag} -' for flag in reading)} both read stdin: give a file for one of them."
        )
    if given["limit"] is not None and given["limit"] < 1:
        raise UsageError(f"--limit cannot be {given['limit']}: it must be at least 1.")


def _require_together(given: Mapping[str, Any]) -> None:
    """Raises UsageError for options that do not go together."""
    if given["source"] is not None and (idle := _named(given, WRITING)):
        raise UsageError(
            f"{idle[0]} cannot go with --from, whose texts are written and checked already: leave it out, or name a"
            " BENCHMARK."
        )
    if not given["single_pass"]:
        return
    if given["prompts"] is not None:
        raise UsageError("--single-pass drafts a prompt, and --prompts gives it: leave one of them out.")
    usual = DeepQuestionSpec.model_fields["threshold"].default
    if idle := _named(given, ("rounds", "use_best", *(["threshold"] if given["threshold"] != usual else []))):
        raise UsageError(
            f"{idle[0]} cannot go with --single-pass, which uses its only draft whatever the score: leave one of them"
            " out."
        )


def _roles(given: Mapping[str, Any], targets: Sequence[str]) -> dict[str, str]:
    """The models that help. Raises UsageError for one that is missing, malformed or unknown to the simulated world."""
    why = "it checks what is written, and is never chosen for you; as in --evaluator openai:gpt-5."
    (evaluator,) = required("--evaluator", [(given["evaluator"] or "").strip()], why)
    roles = {"evaluator": evaluator}
    for role in ("generator", "judge"):
        named = given[role] if given[role] is not None else evaluator
        required(f"--{role}", [named], f"name a model, as in --{role} openai:gpt-5, or leave it to the evaluator.")
        roles[role] = named
    for name in targets:
        check_persona(name)
    return {role: one_model(f"--{role}", name) for role, name in roles.items()}


def _loads(given: Mapping[str, Any]) -> tuple[Load, ...]:
    """The loads that were named. Raises UsageError for one that does not exist, and for any without scenarios."""
    words = given["distractors"] or []
    loads = several_of("--distractors", words, LOADS)
    if loads and several_of("--kinds", given["kinds"] or [], KINDS) == ("q2i",):
        raise UsageError("--distractors stand in scenarios, and --kinds q2i writes none: leave one of them out.")
    return loads


def _drafting(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in (*DRAFTING, "language") if given[name] is not None}


def _more_than_there_is(given: Mapping[str, Any], problems: int) -> Iterator[str]:
    """A sentence on each number that was given and goes beyond the problems."""
    for name in ("limit", "sample", "baseline"):
        most = problems if name != "baseline" or problems > 2 else problems // 2
        if given[name] is not None and given[name] > most:
            held = figures.count(most, "pair" if name == "baseline" else "problem")
            yield f"{_flag(name)} {given[name]:,} is more than there is: {held} can be taken at most."


def _baseline(given: Mapping[str, Any], kinds: Sequence[Kind]) -> int:
    """Pairs of originals. Raises UsageError for any where the judge compares no questions, so that they say nothing."""
    usual: int = DeepQuestionSpec.model_fields["baseline"].default
    wanted: int = given["baseline"] if given["baseline"] is not None else usual if "q2i" in kinds else 0
    if wanted > 0 and "q2i" not in kinds:
        raise UsageError(
            "--baseline is about the judge that compares questions, and without q2i there are none to compare: leave it"
            " out."
        )
    return wanted


def _files(given: Mapping[str, Any]) -> Files:
    """Where texts and prompts go. Raises UsageError for what cannot be written."""
    files = Files(given["export"], given["save_prompts"])
    sources = {"BENCHMARK": given["benchmark"], "the file of --prompts": given["prompts"]}
    files.require(sources, force=given["force"])
    return files


def _problems(given: Mapping[str, Any]) -> ProblemSet:
    """The problems, with what was written from them where that is given."""
    limit, seed, source = given["limit"], given["seed"], given["source"]
    if source is not None:
        return read_transformed(source, limit=limit, seed=seed)
    return read_benchmark(given["benchmark"], **{name: given[name] for name in READING}, limit=limit, seed=seed)


def _available(
    problems: ProblemSet, kinds: tuple[Kind, ...], loads: tuple[Load, ...]
) -> tuple[tuple[Kind, ...], tuple[Load, ...]]:
    """Kinds and loads to ask: those that were named, else the usual ones; where texts are given, those that they have.
    Raises UsageError for one that they lack."""
    usual: tuple[Load, ...] = DeepQuestionSpec.model_fields["distractors"].default
    if problems.transformed is None:
        return kinds or KINDS, loads or usual
    held_loads = tuple(load for load in LOADS if any(load in each.scenarios for each in problems.transformed))
    written = {"q2s": bool(held_loads), "q2i": any(each.instruction for each in problems.transformed)}
    held_kinds = tuple(kind for kind in KINDS if written[kind])
    if not held_kinds:
        raise UsageError("None of the problems that --limit takes has a text: take more.")
    for flag, wanted, held in (("--kinds", kinds, held_kinds), ("--distractors", loads, held_loads)):
        for name in wanted:
            if name not in held:
                raise UsageError(
                    f"{flag} {name} is not in {problems.name}, whose texts were written for"
                    f" {', '.join(held) or 'nothing of that'}: choose among them."
                )
    return kinds or held_kinds, loads or held_loads or usual


def choose_guides(given: Mapping[str, Any], kinds: Sequence[Kind]) -> tuple[dict[Kind, str], list[str]]:
    """The transformation prompts that are given for these kinds, and what is to be said of them. Raises UsageError for
    a file without any of them, and for options about drafting where nothing is left to draft."""
    file: Path | None = given["prompts"]
    if file is None:
        return {}, []
    read = read_guides(file)
    held = read.prompts
    guides: dict[Kind, str] = {kind: held[kind] for kind in kinds if kind in held}
    if not guides:
        raise UsageError(
            f"--prompts {shown(file)} has a prompt for {', '.join(held)}, and {', '.join(kinds)} is asked for: name"
            " another file, or choose with --kinds."
        )
    drafted = [kind for kind in kinds if kind not in guides]
    if not drafted and (idle := _named(given, (*DRAFTING, "save_prompts"))):
        raise UsageError(f"{idle[0]} is about drafting prompts, and --prompts gives them all: leave one of them out.")
    aside = [kind for kind in held if kind not in guides]
    return guides, [
        *read.notices,
        *(f"--prompts {shown(file)} has no prompt for {kind}: it is drafted." for kind in drafted),
        *(f"The prompt for {kind} in {shown(file)} is left aside: --kinds does not name it." for kind in aside),
    ]


def launch_deepquestion(asked: DeepQuestionRequest, *, as_json: bool) -> int:
    """Run to the end, print what came of it and write the files that are wanted; returns the exit code, which is not 0
    where there was nothing to write."""
    kept = False

    def show(reports: Sequence[RunReport[Any]]) -> None:
        nonlocal kept
        runs = [ended(report) for report in reports]
        asked.shown_with.show(runs, as_json=as_json, told=asked.display != "events")
        asked.shown_with.draw(runs, told=asked.display != "none")
        kept = asked.shown_with.files.save(runs, told=asked.display != "none")

    launch: Launch[Any] = Launch(asked.specs, asked.options)
    code = run_launch(launch, asked.display, as_json=as_json, show=show)
    return code if kept else code or 1
