"""The graph and the answers that `fathom depthqa` is about, from wherever they are, and the part of
them to use."""

from collections.abc import Sequence
from pathlib import Path

from ...state.errors import RunFailed, UsageError
from ...state.events import RunStarted
from ...state.question_graph import GivenAnswer, Material, QuestionGraph, Tree
from ...state.text import in_turn
from ...tools.files.given_answers import HOLDS, read_answers
from ...tools.files.question_graph import GRAPH, ReadGraph, read_graph
from ...tools.files.rows import Columns
from ...tools.files.text import STDIN, Data, read_data, shown
from ...tools.runs.folders import find_run, is_run, read_events

_FORMS = "a file, a folder of tables, or a run of fathom depthqa (its folder, its id, or last)"
UNNAMED = "graph"


def material_from(
    graph: str | None, answers: Path | None, runs: Path, limit: int | None, columns: Columns
) -> Material:
    """What is to be asked about: the graph, and the answers where they are given, whose file the
    columns are of. Raises UsageError as `graph_from` and `read_answers` do."""
    if answers is None:
        read = graph_from(graph or "", runs, columns)
        return Material(graph=within(read.graph, limit), notices=read.notices)
    source = graph_from(graph, runs) if graph is not None else None
    data = read_data(answers, HOLDS)  # perhaps with the questions: stdin can be read only once
    read = source or _beside_answers(data, columns)
    answered = read_answers(data, read.graph, columns)
    # the answers are read after all
    ignored = f"What {shown(answers)} holds as "
    notices = [notice for notice in read.notices if not notice.startswith(ignored)]
    nodes = {answer.node for answer in answered.answers}
    trees = [tree for tree in read.graph.trees if nodes & set(tree.nodes)]
    part = within(read.graph, limit, trees)
    return Material(
        graph=part,
        answers=tuple(
            GivenAnswer(node=answer.node, text=answer.text)
            for answer in answered.answers
            if answer.node in part.by_id
        ),
        notices=tuple(dict.fromkeys((*notices, *answered.notices))),
    )


def _beside_answers(answers: Data, columns: Columns) -> ReadGraph:
    """The questions that stand in the file of the answers itself."""
    try:
        return _named(read_graph(answers, columns))
    except UsageError as error:
        raise UsageError(
            f"{error} Or name GRAPH: it may be left out where the answers' file holds it too."
        ) from None


def graph_from(text: str, runs: Path, columns: Columns | None = None) -> ReadGraph:
    """The graph in a file or folder, on the standard input (`-`), or of a run, by its folder, its
    name, its id or `last`; never without a name. Raises UsageError where there is none, and as
    `read_graph` does."""
    return _named(_read(text, runs, columns))


def _named(read: ReadGraph) -> ReadGraph:
    if read.graph.name:
        return read
    return read._replace(graph=read.graph.model_copy(update={"name": UNNAMED}))


def _read(text: str, runs: Path, columns: Columns | None) -> ReadGraph:
    if not text.strip():
        raise UsageError(f"GRAPH is empty: name {_FORMS}.")
    path = Path(text)
    try:
        if is_run(path):
            return _of_run(path)
        is_file = path == STDIN or path.exists()
    except OSError as error:
        raise UsageError(f"GRAPH cannot be read ({error.strerror}): name {_FORMS}.") from None
    if is_file or path.suffix or len(path.parts) > 1:  # no id looks like that
        return read_graph(path, columns)
    try:
        run = find_run(runs, text, "start one with `fathom depthqa build`")
    except UsageError as error:
        raise UsageError(f"GRAPH {text!r} is no file or folder. {error}") from None
    return _of_run(run)


def _of_run(run: Path) -> ReadGraph:
    """The graph that the run has built, or has asked."""
    if (run / GRAPH).is_file():
        return read_graph(run / GRAPH)
    try:
        started = next((event for event in read_events(run) if isinstance(event, RunStarted)), None)
    except RunFailed as error:
        raise UsageError(f"The run {run.name} cannot be read: {error}") from error
    if started is not None and started.material is not None:
        return ReadGraph(started.material.graph, ())
    if started is not None and started.spec.method == "depthqa_build":
        raise UsageError(
            f"The run {run.name} has built no graph yet: fathom resume {run.name} goes on with it."
        )
    raise UsageError(f"The run {run.name} has no graph: name a run of fathom depthqa, or a file.")


def within(
    graph: QuestionGraph, limit: int | None, trees: Sequence[Tree] | None = None
) -> QuestionGraph:
    """The graph of at most `limit` of its trees (or of these, where they are named), taken from the
    domains and depths of their roots in turn, with everything that leads to them."""
    among = [tree.root for tree in (graph.trees if trees is None else trees)]
    if limit is None or (limit >= len(among) and trees is None):
        return graph
    tops = [graph.by_id[root] for root in among]
    groups = [f"{top.depth} {top.domain}" for top in tops]
    ahead = [among[index] for index in in_turn(groups, min(limit, len(among)))]
    wanted = set[str]()
    while ahead:
        node = ahead.pop()
        if node not in wanted:
            wanted.add(node)
            ahead += graph.by_id[node].predecessors
    # a copy would keep what was worked out about the whole
    nodes = tuple(node for node in graph.nodes if node.id in wanted)
    return QuestionGraph(name=graph.name, nodes=nodes, made=graph.made)
