"""Several targets over one graph side by side."""

from collections.abc import Mapping, Sequence

import pytest

from fathom.state.depthqa.items import Mode, QuestionGraph
from fathom.state.depthqa.result import DepthQAResult
from fathom.stats.depthqa.figures import tables_of
from fathom.stats.depthqa.table import DIFFERENT_GRAPHS, NOTHING_SHARED, compare

from ...support.depthqa.items import all_rated, graph_of, result_of, spec_of

GRAPH = graph_of({f"{n}_d3": f"{n}_d2" for n in "abc"} | {f"{n}_d2": "" for n in "abc"})
SCORES = {"a_d3": 5, "b_d3": 3, "c_d3": 1, "a_d2": 5, "b_d2": 5, "c_d2": 3}


def run(
    target: str,
    closed: Sequence[int] = (0, 1, 2),
    scores: Mapping[str, int] = SCORES,
    modes: Sequence[Mode] = ("zero-shot",),
    graph: QuestionGraph = GRAPH,
    run_id: str = "",
    **changes: object,
) -> DepthQAResult:
    spec = spec_of(*modes, target=f"openai:{target}", **changes)
    items = [item for mode in modes for item in all_rated(scores, mode)]
    still = [tree.root for index, tree in enumerate(graph.trees) if index not in closed]
    return result_of(spec, tables_of(spec, graph, items, closed), run_id or target, still)


def means(
    results: Sequence[DepthQAResult], graph: QuestionGraph = GRAPH
) -> list[tuple[str, str, float | None]]:
    found = compare(results, dict.fromkeys((result.run_id for result in results), graph))
    return [
        (cell.numbers.mode, cell.target, cell.numbers.accuracy["overall"].mean)
        for cell in found.cells
    ]


def test_cells_are_by_mode_over_whole_runs() -> None:
    both = [run("one", modes=("zero-shot", "multi-turn")), run("two", modes=("multi-turn",))]
    found = compare(both, {"one": GRAPH, "two": GRAPH})
    assert [(cell.numbers.mode, cell.target) for cell in found.cells] == [
        *(("zero-shot", "openai:one"), ("multi-turn", "openai:one"), ("multi-turn", "openai:two")),
    ]
    assert found.cells[0].numbers is both[0].modes[0]
    assert (found.left_out, found.notes, found.simulated) == (0, (), False)


def test_figures_are_over_the_trees_that_all_have_finished() -> None:
    results = [run("one"), run("two", closed=(0, 1))]
    # the trees a and b: (5 + 3 + 5 + 5)/4 = 4.5; over all three it is 22/6
    assert means(results) == [("zero-shot", "openai:one", 4.5), ("zero-shot", "openai:two", 4.5)]
    found = compare(results, dict.fromkeys(("one", "two"), GRAPH))
    assert found.left_out == 1
    assert found.notes == (
        "all figures are over the 2 trees that all targets with any finished tree have finished; 1 "
        "that only some have"
        " finished is left out",
    )
    # recomputed from the answers, the figures are those of a run over these trees
    assert found.cells[0].numbers == results[1].modes[0]


def test_nothing_in_common_is_said() -> None:
    results = [run("one", closed=(0,)), run("two", closed=(1, 2))]
    found = compare(results, dict.fromkeys(("one", "two"), GRAPH))
    assert found.notes == (NOTHING_SHARED,)
    assert [cell.numbers.accuracy["overall"].mean for cell in found.cells] == [5.0, 3.0]


def test_a_run_without_any_tree_leaves_the_others_alone() -> None:
    found = compare([run("one"), run("two", closed=())], dict.fromkeys(("one", "two"), GRAPH))
    assert found.left_out == 0
    assert found.notes == ("openai:two has no finished tree and so no figures (interrupted)",)
    assert found.cells[1].numbers.accuracy["overall"].mean is None


def test_other_questions_are_compared_as_they_are() -> None:
    other = graph_of({"a_d3": "a_d2", "a_d2": ""}, a_d3={"reference": "Something else."})
    results = [run("one"), run("two", scores={"a_d3": 2, "a_d2": 2}, graph=other, closed=(0,))]
    found = compare(results, {"one": GRAPH, "two": other})
    assert found.notes == (DIFFERENT_GRAPHS,)
    assert [cell.numbers.accuracy["overall"].mean for cell in found.cells] == [
        pytest.approx(22 / 6),
        2.0,
    ]
    # answers that were given make another material, but no other questions
    given = compare(
        [run("one"), run("two", material="1" * 16)], dict.fromkeys(("one", "two"), GRAPH)
    )
    assert given.notes == ()


def test_runs_of_one_target_are_told_apart_and_none_counts_twice() -> None:
    graphs = dict.fromkeys(("r1", "r2", "r3"), GRAPH)
    by_judge = compare(
        [run("one", run_id="r1"), run("one", run_id="r2", judge="openai:strict")], graphs
    )
    assert by_judge.targets == (
        "openai:one (judge openai:judge)",
        "openai:one (judge openai:strict)",
    )
    assert by_judge.notes == (
        "the targets were not asked and judged alike: their specs differ in judge",
    )
    alike = compare(
        [run("one", run_id="r1"), run("one", run_id="r2"), run("one", run_id="r1")], graphs
    )
    assert alike.targets == ("openai:one [r1]", "openai:one [r2]")
    assert alike.notes == ("run r1 is given more than once and counts once",)
    with pytest.raises(ValueError, match="at least one"):
        compare([], {})
