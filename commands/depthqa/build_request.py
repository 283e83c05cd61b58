"""What `fathom depthqa build` was asked for, checked: the spec, how it is to be run, and where the graph goes."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from ...agents.prompts import DEPTHQA_BUILD_PROMPTS
from ...graphs.run.launch import Launch, RunReport
from ...graphs.run.options import LaunchOptions
from ...graphs.run.resources import check_embeddings, costs
from ...reports.live.display import DisplayKind
from ...reports.page.console import stdout_console
from ...reports.page.sanitise import one_line
from ...state.depthqa.items import QuestionGraph
from ...state.depthqa.spec import SourceQuestion, mistaken_part
from ...state.errors import RunFailed, UsageError
from ...state.spec import DepthQABuildSpec
from ...state.text import in_turn
from ...tools.files.depthqa.check import MAX_NODES
from ...tools.files.depthqa.graph import GRAPH, MAX_NAME, write_graph
from ...tools.files.depthqa.questions import ReadQuestions, read_questions
from ...tools.files.text import STDIN, fold, unseen
from ...tools.models.address import parse_model
from ...tools.similarity import LEXICAL
from ..ended import ended
from ..environment import environment, runs_dir
from ..launch import pick_display, run_launch
from ..options.lists import one_model
from ..options.models import LAUNCHING, launch_options
from ..options.spec import in_world, make_spec, parse_sim, required
from ..print_results import launch_document, print_launch, tell_graphs
from ..prompt_files import read_prompts
from ..streams import print_json
from ..writable import require_file, require_other

MEASURING = ("classify", "check", "width", "seed", "language")


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """A checked request."""

    spec: DepthQABuildSpec
    options: LaunchOptions
    display: DisplayKind
    output: Path | None
    """Where the graph goes beside the run's folder."""
    drawing: Path | None
    notices: Sequence[str]
    """What the user should know before anything is asked."""

    @property
    def specs(self) -> tuple[DepthQABuildSpec]:
        return (self.spec,)


def _require_ids(questions: Sequence[SourceQuestion]) -> None:
    """Raises UsageError for an id that a part of another question could have."""
    part = mistaken_part([question.id for question in questions])
    if part is not None:
        raise UsageError(
            f"The id {part!r} reads like a part of another question (parts are numbered behind a dot): give it another."
        )


def _require_fit(questions: Sequence[SourceQuestion], width: int) -> None:
    """Raises UsageError for so many questions that their graph could not be read again."""
    most = len(questions) * (1 + width + width * width)
    if most > MAX_NODES:
        raise UsageError(
            f"{len(questions):,} questions with up to {width} predecessors each can become {most:,} nodes, and a graph"
            f" has at most {MAX_NODES:,}: take fewer with --limit, or build several graphs."
        )


def build_request(given: dict[str, Any]) -> BuildRequest:
    """The request behind the options of `fathom depthqa build`, by parameter name. Raises UsageError with the first
    fault."""
    shown = pick_display(given["display"], given["as_json"])
    file: Path | None = given["questions"]
    if file is None:
        raise UsageError("QUESTIONS is missing: name a file of questions, one per line, or - for stdin.")
    evaluator = _evaluator(given["evaluator"])
    similarity = _similarity(given["embeddings"])
    _require_writable(file, given["output"], given["drawing"], force=given["force"])
    world, timing = parse_sim(given["sim"] or [])
    prompts = read_prompts(given["prompt"] or [], DEPTHQA_BUILD_PROMPTS)
    found = _some(read_questions(file), given["limit"])
    _require_ids(found.questions)
    spec = make_spec(
        DepthQABuildSpec,
        name=_name(given["name"], file),
        questions=found.questions,
        evaluator=evaluator,
        similarity=similarity,
        prompts=prompts,
        **{name: given[name] for name in MEASURING},
    )
    _require_fit(found.questions, given["width"])
    (spec,) = in_world([spec], world, given=bool(given["sim"]))
    env = environment()
    options = launch_options(env, runs_dir(given["runs"], env), **{name: given[name] for name in LAUNCHING})
    options = replace(options, timing=timing)
    notices = [*found.notices, *_uncounted(spec, given["budget"])]
    return BuildRequest(spec, options, shown, given["output"], given["drawing"], notices)


def _evaluator(evaluator: str | None) -> str:
    why = "it writes the graph, and is never chosen for you; as in --evaluator openai:gpt-5."
    (named,) = required("--evaluator", [evaluator or ""], why)
    return one_model("--evaluator", named)


def _similarity(name: str) -> str:
    """The measure. Raises UsageError for a model that is malformed."""
    named = name.strip()
    if named.casefold() == LEXICAL:
        return LEXICAL
    if not named:
        raise UsageError("--embeddings is empty: name a model, as in --embeddings openai:text-embedding-3-small.")
    check_embeddings(named)
    return parse_model(named).text


def _uncounted(spec: DepthQABuildSpec, budget: float | None) -> list[str]:
    if budget is None or spec.similarity == LEXICAL or not costs(spec.similarity):
        return []
    return [f"--budget does not count what the embeddings of {spec.similarity} cost."]


def _require_writable(questions: Path, output: Path | None, drawing: Path | None, *, force: bool) -> None:
    for file, flag, suffix in ((output, "--output", ".json"), (drawing, "--drawing", ".svg")):
        if file is not None:
            require_other(file, flag, questions, "QUESTIONS")
            require_file(file, flag, suffix, force=force)


def _some(found: ReadQuestions, limit: int | None) -> ReadQuestions:
    """At most `limit` of the questions, taken from the domains in turn. Raises UsageError for a limit below 1."""
    if limit is None:
        return found
    if limit < 1:
        raise UsageError(f"--limit cannot be {limit}: it must be at least 1.")
    places = in_turn([question.domain for question in found.questions], limit)
    return found._replace(questions=tuple(found.questions[place] for place in places))


def _name(name: str | None, file: Path) -> str:
    """The graph's name: the one given, or the file's."""
    named = fold(name if name is not None else "questions" if file == STDIN else file.stem)
    if not named or len(named) > MAX_NAME or unseen(named):
        raise UsageError(f"--name cannot be {named!r}: it must be a text of at most {MAX_NAME} signs that can be seen.")
    return named


def launch_build(asked: BuildRequest, *, as_json: bool) -> int:
    """Run to the end, print what came of it and write the graph; returns the exit code."""

    def show(reports: Sequence[RunReport[Any]]) -> None:
        runs = [ended(report) for report in reports]
        if as_json:
            print_json(launch_document(runs))
        elif asked.display != "events":
            print_launch(stdout_console(), runs)
        result = runs[0].result
        if result is not None and result.method == "depthqa_build" and result.graph:
            _write(asked, result.graph, runs[0].folder)
        elif asked.display != "none":
            _tell_none(asked, over=result is not None)
        if as_json and asked.display != "none" and asked.output is None:
            tell_graphs(runs)

    launch: Launch[Any] = Launch(asked.specs, asked.options)
    return run_launch(launch, asked.display, as_json=as_json, show=show)


def _tell_none(asked: BuildRequest, *, over: bool) -> None:
    """Say that the files that were named are as they were. `over`: no graph will come."""
    files = " or ".join(str(file) for file in (asked.output, asked.drawing) if file is not None)
    if files:
        typer.echo(one_line(f"There is no graph{'' if over else ' yet'}: nothing was written to {files}."), err=True)


def _write(asked: BuildRequest, graph: QuestionGraph, folder: Path | None) -> None:
    """The graph where it is wanted, and its drawing; said on stderr. Raises RunFailed when that cannot be: the graph
    stands in the run's folder all the same."""
    said = []
    try:
        if asked.output is not None:
            write_graph(graph, asked.output)
            said.append(f"The graph is written to {asked.output}. {_next(asked.output)}")
        if asked.drawing is not None:
            from ...reports.views.depthqa.drawing import save_drawing

            save_drawing(asked.drawing, graph)
            said.append(f"It is drawn in {asked.drawing}.")
    except UsageError as error:
        where = f" The graph is in {folder / GRAPH}." if folder is not None else ""
        raise RunFailed(f"{error}{where}") from error
    if asked.display != "none":
        for line in said:
            typer.echo(one_line(line), err=True)


def _next(output: Path) -> str:
    return f"Next: fathom depthqa ask {shlex.quote(str(output))} --target MODEL --judge MODEL"
