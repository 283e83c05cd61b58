"""What `fathom depthqa ask` is to run, checked: the graph and the answers, from wherever they are,
and the part of them to use."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...state.depthqa.spec import GIVEN
from ...state.errors import RunFailed, UsageError
from ...state.events import RunStarted
from ...state.question_graph import PROMPT_MODES, Material, QuestionGraph, Tree
from ...state.text import in_turn
from ...tools.files.given_answers import HOLDS, AnswerRow, read_answers
from ...tools.files.question_graph import GRAPH, NodeRow, ReadGraph, read_graph
from ...tools.files.rows import Columns, parse_columns
from ...tools.files.text import STDIN, fold, read_data, shown, unseen
from ...tools.runs.folders import find_run, is_run, read_events
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside

MAX_LABEL = 120
UNNAMED = "graph"
_FORMS = "a file, a folder of tables, or a run of fathom depthqa (its folder, its id, or last)"


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
        targets = words.targets
        for target in targets:
            if target["target"].startswith(GIVEN):
                raise UsageError(
                    f"--target {target['target']} stands for given answers: name their file with "
                    "--answers."
                )
        return targets
    labels = words["target"] or ["stdin" if answers == STDIN else answers.stem]
    label = fold(labels[0].removeprefix(GIVEN))
    if len(labels) > 1 or not label or len(label) > MAX_LABEL or unseen(label):
        raise UsageError(
            f"--target cannot be {', '.join(labels)!r}: with --answers it names their author, in "
            f"at most {MAX_LABEL} visible characters; judge those of several one by one."
        )
    return [{"target": f"{GIVEN}{label}"}]


def _material(words: CommandInput) -> Material:
    """What is to be asked about: the graph, and the answers where they are given, whose file
    `--columns` is about then."""
    columns = parse_columns(words["columns"], NodeRow, AnswerRow)
    graph, answers, limit = words["graph"], words["answers"], words["limit"]
    if answers is None:
        read = _graph(graph or "", words.runs, columns)
        return Material(graph=_part(read.graph, limit), notices=read.notices)
    # perhaps with the questions: stdin can be read only once
    data = read_data(answers, HOLDS)
    if graph is not None:
        read = _graph(graph, words.runs, None)
    else:
        try:
            read = read_graph(data, columns)
        except UsageError as error:
            raise UsageError(
                f"{error} Or name GRAPH: it may be left out where the answers' file holds it too."
            ) from None
    answered = read_answers(data, read.graph, columns)
    # the answers are read after all
    ignored = f"What {shown(answers)} holds as "
    notices = [notice for notice in read.notices if not notice.startswith(ignored)]
    nodes = {answer.node for answer in answered.answers}
    trees = [tree for tree in read.graph.trees if nodes & set(tree.nodes)]
    part = _part(read.graph, limit, trees)
    return Material(
        graph=part,
        answers=tuple(answer for answer in answered.answers if answer.node in part.by_id),
        notices=tuple(dict.fromkeys((*notices, *answered.notices))),
    )


def _graph(text: str, runs: Path, columns: Columns | None) -> ReadGraph:
    """The graph in a file or folder, on the standard input (`-`), or of a run, by its folder, its
    name, its id or `last`. Raises UsageError where there is none, and as `read_graph` does."""
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
        starts = [event for event in read_events(run) if isinstance(event, RunStarted)]
    except RunFailed as error:
        raise UsageError(f"The run {run.name} cannot be read: {error}") from error
    for event in starts[:1]:
        if event.material is not None:
            return ReadGraph(event.material.graph, ())
        if event.spec.method == "depthqa_build":
            raise UsageError(
                f"The run {run.name} has built no graph yet: fathom resume {run.name} goes on "
                "with it."
            )
    raise UsageError(f"The run {run.name} has no graph: name a run of fathom depthqa, or a file.")


def _part(
    graph: QuestionGraph, limit: int | None, trees: Sequence[Tree] | None = None
) -> QuestionGraph:
    """The graph of at most `limit` of its trees (or of these, where they are named), taken from the
    domains and depths of their roots in turn, with everything that leads to them."""
    among = [tree.root for tree in (graph.trees if trees is None else trees)]
    if limit is None or (limit >= len(among) and trees is None):
        return graph
    tops = [graph.by_id[root] for root in among]
    groups = [f"{top.depth} {top.domain}" for top in tops]
    indices = in_turn(groups, min(limit, len(among)))
    ahead = [among[index] for index in indices]
    wanted = set[str]()
    while ahead:
        node = ahead.pop()
        if node not in wanted:
            wanted.add(node)
            ahead += graph.by_id[node].predecessors
    # a copy would keep what was worked out about the whole
    nodes = tuple(node for node in graph.nodes if node.id in wanted)
    return QuestionGraph(name=graph.name, nodes=nodes, made=graph.made)
