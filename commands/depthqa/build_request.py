"""What `fathom depthqa build` was asked for, checked, and where the graph goes."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from ...graphs.run.checks import check_embeddings
from ...graphs.run.resources import costs
from ...reports.page.sanitise import one_line
from ...state.depthqa.build import DepthQABuildResult
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
from ..finished import FinishedRun, results_of
from ..options.spec import chosen_model
from ..print_results import tell_graphs
from ..request import Asked, Said
from ..show_options import ShowOptions
from ..writable import require_file, require_other


def build(said: Said) -> Asked:
    """The spec behind what was said. Raises UsageError with the first fault."""
    file: Path | None = said["questions"]
    if file is None:
        raise UsageError(
            "QUESTIONS is missing: name a file of questions, one per line, or - for stdin."
        )
    why = "it writes the graph, and is never chosen for you; as in --evaluator openai:gpt-5."
    about = {"evaluator": chosen_model("--evaluator", said["evaluator"], why)}
    if said["similarity"] is not None:
        about["similarity"] = _similarity(said["similarity"])
    files = GraphFiles.where(said, file)
    found = _some(read_questions(file), said["limit"])
    _require_ids(found.questions)
    specs = said.specs([{"name": _name(said["name"], file), "questions": found.questions}], **about)
    _require_fit(found.questions, specs[0].width)
    notices = [*found.notices, *_uncounted(specs[0], said["budget"])]
    return Asked(specs, notices, shown_with=ShowOptions(files=files))


@dataclass(frozen=True, slots=True)
class GraphFiles:
    """Where the graph is wanted beside the run's folder."""

    output: Path | None
    as_json: bool
    """Whether the run's own graph is to be named on stderr, since no table names it."""

    @classmethod
    def where(cls, said: Said, questions: Path) -> "GraphFiles":
        """Raises UsageError for a file that cannot be written, or is the one that is read."""
        output = said["output"]
        if output is not None:
            require_other(output, "--output", questions, "QUESTIONS")
            require_file(output, "--output", ".json", force=bool(said["force"]))
        return cls(output, bool(said["json"]) and output is None)

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool:
        """Write the graph and say so on stderr; that there is none is no failure of
        the writing. Raises RunFailed when that cannot be: the graph stands in the run's folder all
        the same."""
        (run,) = runs
        results = results_of(runs, DepthQABuildResult)
        line = self._written(results[0] if results else None, run.folder)
        if told and line:
            typer.echo(one_line(line), err=True)
        if told and self.as_json:
            tell_graphs(runs)
        return True

    def _written(self, result: DepthQABuildResult | None, folder: Path | None) -> str:
        """Write the graph, if there is one and it is wanted, and return what is to be said."""
        if self.output is None:
            return ""
        if result is None or result.graph is None:
            yet = "" if result is not None else " yet"
            return f"There is no graph{yet}: nothing was written to {self.output}."
        try:
            write_graph(result.graph, self.output)
        except (UsageError, OSError) as error:
            where = f" The graph is in {folder / GRAPH}." if folder is not None else ""
            raise RunFailed(f"{error}{where}") from error
        again = f"fathom depthqa ask {shlex.quote(str(self.output))} --target MODEL --judge MODEL"
        return f"The graph is written to {self.output}. Next: {again}"


def _require_ids(questions: Sequence[SourceQuestion]) -> None:
    """Raises UsageError for an id that a part of another question could have."""
    part = mistaken_part([question.id for question in questions])
    if part is not None:
        raise UsageError(
            f"The id {part!r} reads like a part of another question (parts are numbered "
            "behind a dot): give it another."
        )


def _require_fit(questions: Sequence[SourceQuestion], width: int) -> None:
    """Raises UsageError for so many questions that their graph could not be read again."""
    most = len(questions) * (1 + width + width * width)
    if most > MAX_NODES:
        raise UsageError(
            f"{len(questions):,} questions with up to {width} predecessors each can become "
            f"{most:,} nodes, and a graph"
            f" has at most {MAX_NODES:,}: take fewer with --limit, or build several graphs."
        )


def _similarity(name: str) -> str:
    """The measure. Raises UsageError for a model that is malformed."""
    named = name.strip()
    if named.casefold() == LEXICAL:
        return LEXICAL
    if not named:
        raise UsageError(
            "--embeddings is empty: name a model, as in --embeddings openai:text-embedding-3-small."
        )
    check_embeddings(named)
    return parse_model(named).text


def _uncounted(spec: DepthQABuildSpec, budget: float | None) -> list[str]:
    if budget is None or spec.similarity == LEXICAL or not costs(spec.similarity):
        return []
    return [f"--budget does not count what the embeddings of {spec.similarity} cost."]


def _some(found: ReadQuestions, limit: int | None) -> ReadQuestions:
    """At most `limit` of the questions, taken from the domains in turn. Raises UsageError for a
    limit below 1."""
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
        raise UsageError(
            f"--name cannot be {named!r}: it must be a text of at most {MAX_NAME} visible "
            "characters."
        )
    return named
