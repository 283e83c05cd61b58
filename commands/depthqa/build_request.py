"""What `fathom depthqa build` is to run, checked, and where the graph goes."""

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...graphs.run.resources import costs
from ...state.depthqa.build import DepthQABuildResult
from ...state.errors import UsageError
from ...state.spec import DepthQABuildSpec
from ...state.text import in_turn
from ...tools.files.question_graph import MAX_NAME, MAX_NODES, write_graph
from ...tools.files.rows import parse_columns
from ...tools.files.source_questions import QuestionRow, read_questions
from ...tools.files.text import STDIN, fold, unseen
from ...tools.models.address import parse_model
from ...tools.similarity import LEXICAL
from ..finished import FinishedRun, results_of
from ..request import CommandInput, PlannedRuns
from ..show_options import ShowOptions
from ..writable import require_file


def build(words: CommandInput) -> PlannedRuns:
    """The building of one graph. Raises UsageError with the first fault."""
    file, limit, similarity = words["questions"], words["limit"], words["similarity"]
    output = words["output"]
    if output is not None:
        require_file(output, "--output", ".json", force=bool(words["force"]))
    read = read_questions(file, parse_columns(words["columns"], QuestionRow))
    questions = read.questions
    if limit is not None:
        places = in_turn([question.domain for question in questions], limit)
        questions = tuple(questions[index] for index in places)
    shared = {"name": _name(words["name"], file), "questions": questions}
    if similarity is not None and similarity.strip().casefold() != LEXICAL:
        shared["similarity"] = parse_model(similarity).text
    (spec,) = words.specs([shared])
    _require_fit(spec)
    notices = [*read.notices]
    if words["budget"] is not None and spec.similarity != LEXICAL and costs(spec.similarity):
        notices.append(f"--budget does not count what the embeddings of {spec.similarity} cost.")
    write = partial(_write, output) if output is not None else None
    return PlannedRuns([spec], notices, shown_with=ShowOptions(write=write))


def _write(file: Path, runs: Sequence[FinishedRun]) -> tuple[str, bool]:
    """Write the graph; that there is none is no failure of the writing. Raises UsageError when that
    cannot be."""
    graphs = [result.graph for result in results_of(runs, DepthQABuildResult) if result.graph]
    if not graphs:
        return f"There is no graph yet: nothing was written to {file}.", True
    write_graph(graphs[0], file)
    command = f"fathom depthqa ask {shlex.quote(str(file))} --target MODEL --judge MODEL"
    return f"The graph is written to {file}. Next: {command}", True


def _require_fit(spec: DepthQABuildSpec) -> None:
    """Raises UsageError for so many questions that their graph could not be read again."""
    most = len(spec.questions) * (1 + spec.width + spec.width**2)
    if most > MAX_NODES:
        raise UsageError(
            f"{len(spec.questions):,} questions with up to {spec.width} predecessors each can "
            f"become {most:,} nodes, and a graph has at most {MAX_NODES:,}: take fewer with "
            "--limit, or build several graphs."
        )


def _name(name: str | None, file: Path) -> str:
    """The graph's name: the one given, or the file's."""
    named = fold(name if name is not None else "questions" if file == STDIN else file.stem)
    if not named or len(named) > MAX_NAME or unseen(named):
        raise UsageError(
            f"--name cannot be {named!r}: it must be a text of at most {MAX_NAME} visible "
            "characters."
        )
    return named
