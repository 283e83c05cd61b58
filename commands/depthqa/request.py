"""What `fathom depthqa` is to run, checked: the graph and the answers, from wherever they are, and the
part of them to use; or what a graph is built from, and where it goes."""

import os
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...state.depthqa.build import DepthQABuildResult
from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.events import RunStarted
from ...state.question_graph import PROMPT_MODES, Material, QuestionGraph, Tree
from ...state.text import in_turn
from ...tools.files.given_answers import HOLDS, AnswerRow, read_answers
from ...tools.files.question_graph import (
    GRAPH,
    MAX_NAME,
    MAX_NODES,
    NodeRow,
    ReadGraph,
    read_graph,
    write_graph,
)
from ...tools.files.rows import Columns, parse_columns
from ...tools.files.source_questions import QuestionRow, read_questions
from ...tools.files.text import STDIN, fold, read_data, unseen
from ...tools.models.address import parse_model
from ...tools.runs.folders import find_run, is_run, read_events
from ...tools.similarity import LEXICAL
from ..finished import FinishedRun, results_of
from ..request import CommandInput, PlannedRuns
from ..show_options import ShowOptions, shown_beside
from ..writable import require_file

MAX_LABEL = 120
UNNAMED = "graph"


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    targets = _targets(words)
    material = _material(words)
    name = material.graph.name or UNNAMED
    shared: dict[str, Any] = {"graph": name, "material": material.digest}
    if words["as_in_paper"]:
        shared |= {"judge_temperature": 1.0, "judge_top_p": 0.9}
    specs = words.specs(targets, **shared)
    quoting = next((mode for mode in specs[0].modes if mode in PROMPT_MODES), None)
    if quoting is not None and material.answers is None and not material.graph.edges:
        raise UsageError(
            f"--mode {quoting} asks questions with what leads to them, and no question of this "
            "graph has predecessors: choose another mode, or a graph with edges."
        )
    return PlannedRuns(
        specs,
        material.notices,
        material,
        {"materials": {material.digest: material}},
        shown_beside(words.values),
    )


def _targets(words: CommandInput) -> list[dict[str, Any]]:
    """The models to ask; of answers that are given a name for whose they are."""
    answers: Path | None = words["answers"]
    if answers is None:
        authors = [text for text in words["target"] if text.startswith(GIVEN)]
        if authors:
            raise UsageError(
                f"--target {authors[0]} stands for given answers: name their file with --answers."
            )
        return words.targets
    labels = words["target"] or ["stdin" if answers == STDIN else answers.stem]
    if len(labels) > 1:
        raise UsageError("--answers are of one --target: judge those of several one by one.")
    label = _visible("--target", labels[0].removeprefix(GIVEN), MAX_LABEL)
    return [{"target": f"{GIVEN}{label}"}]


def _visible(flag: str, text: str, most: int) -> str:
    """The text on one line. Raises UsageError for one that is empty, hidden or too long."""
    plain = fold(text)
    if not plain or len(plain) > most or unseen(plain):
        raise UsageError(
            f"{flag} cannot be {plain!r}: it needs 1 to {most} visible characters."
        )
    return plain


def _material(words: CommandInput) -> Material:
    """What is to be asked about: the graph, and the answers where they are given, whose file
    `--columns` is about then."""
    columns = parse_columns(words["columns"], NodeRow, AnswerRow)
    graph, limit = words["graph"], words["limit"]
    if words["answers"] is None:
        read = _graph(graph, words.runs, columns)
        return Material(graph=_part(read.graph, read.graph.trees, limit), notices=read.notices)
    # perhaps with the questions: stdin can be read only once
    data = read_data(words["answers"], HOLDS)
    read = _graph(graph, words.runs, None) if graph else read_graph(data, columns)
    answers, notices = read_answers(data, read.graph, columns)
    nodes = {answer.node for answer in answers}
    trees = [tree for tree in read.graph.trees if nodes & set(tree.nodes)]
    part = _part(read.graph, trees, limit)
    return Material(
        graph=part,
        answers=tuple(answer for answer in answers if answer.node in part.by_id),
        notices=tuple(dict.fromkeys((*read.notices, *notices))),
    )


def _graph(text: str, runs: Path, columns: Columns | None) -> ReadGraph:
    """The graph in a file or folder, on the standard input (`-`), or that a run has built or asked,
    by its folder, its name, its id or `last`. Raises UsageError where there is none, and as
    `read_graph` does."""
    path = Path(text)
    is_file = path == STDIN or bool(path.suffix) or os.path.exists(text)
    if is_file and not is_run(path):
        return read_graph(path, columns)
    run = find_run(runs, text, "start one with `fathom depthqa build`")
    if (run / GRAPH).is_file():
        return read_graph(run / GRAPH)
    start = next((event for event in read_events(run) if isinstance(event, RunStarted)), None)
    if start is None or start.material is None:
        raise UsageError(
            f"The run {run.name} has no graph (yet): name a run of fathom depthqa, or a file."
        )
    return ReadGraph(start.material.graph, ())


def _part(graph: QuestionGraph, trees: Sequence[Tree], limit: int | None) -> QuestionGraph:
    """The graph of at most `limit` of these trees, taken from the domains and depths of their roots
    in turn, with everything that leads to them."""
    roots = [graph.by_id[tree.root] for tree in trees]
    if len(roots) == len(graph.trees) and (limit is None or limit >= len(roots)):
        return graph
    groups = [f"{root.depth} {root.domain}" for root in roots]
    chosen = in_turn(groups, min(limit or len(roots), len(roots)))
    ahead = [roots[index].id for index in chosen]
    wanted = set[str]()
    while ahead:
        node = ahead.pop()
        if node not in wanted:
            wanted.add(node)
            ahead += graph.by_id[node].predecessors
    # a copy would keep what was worked out about the whole
    nodes = tuple(node for node in graph.nodes if node.id in wanted)
    return QuestionGraph(name=graph.name, nodes=nodes, made=graph.made)


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
    name = words["name"]
    if name is None:
        name = "questions" if file == STDIN else file.stem
    shared = {"name": _visible("--name", name, MAX_NAME), "questions": questions}
    if similarity is not None and similarity.strip().casefold() != LEXICAL:
        shared["similarity"] = parse_model(similarity).text
    (spec,) = words.specs([shared])
    most = len(questions) * (1 + spec.width + spec.width**2)
    if most > MAX_NODES:
        raise UsageError(
            f"{len(questions):,} questions can become {most:,} nodes, and a graph has at most "
            f"{MAX_NODES:,}: take fewer with --limit, or a smaller --width."
        )
    write = partial(_write, output) if output is not None else None
    return PlannedRuns([spec], read.notices, shown_with=ShowOptions(write=write))


def _write(file: Path, runs: Sequence[FinishedRun]) -> tuple[str, bool]:
    """Write the graph; that there is none is no failure of the writing. Raises UsageError when that
    cannot be."""
    graphs = [result.graph for result in results_of(runs, DepthQABuildResult) if result.graph]
    if not graphs:
        return f"There is no graph yet: nothing was written to {file}.", True
    write_graph(graphs[0], file)
    command = f"fathom depthqa ask {shlex.quote(str(file))} --target MODEL --judge MODEL"
    return f"The graph is written to {file}. Next: {command}", True
