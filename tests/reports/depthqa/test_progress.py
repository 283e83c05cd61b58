"""What a reader of the events of a DepthQA run, or of a build, knows: what is planned, done, and done again."""

from itertools import pairwise
from typing import Any

import pytest

from fathom.graphs.depthqa.protocol import planned_questions
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.views.depthqa.progress import KEPT_RATINGS, DepthQAProgress, planned, planned_by_tree
from fathom.reports.views.depthqa.tables import LEVELS
from fathom.state.depthqa.items import Material, Mode, QuestionGraph, QuestionNode
from fathom.state.depthqa.spec import DepthQASpec
from fathom.state.events import ItemFinished, RunResumed, TreeClosed

from ...support.reports import events_of, fragment, framed, result_of

RUN, FAULTS, BUILD = events_of("depthqa"), events_of("depthqa", "faults"), events_of("depthqa_build")
both = pytest.mark.parametrize("events", [RUN, FAULTS], ids=["complete", "faults"])


def progress(events: list[Any]) -> DepthQAProgress:
    (run,) = progress_of(events).runs.values()
    assert run.steps is not None
    progress: DepthQAProgress = run.steps
    return progress


def item(events: list[Any], place: str) -> Any:
    return next(e.item for e in events if isinstance(e, ItemFinished) and e.item.id.partition("/")[2] == place)


def finished(done: Any, of: list[Any] = RUN) -> ItemFinished:
    return ItemFinished(run_id=of[0].run_id, item=done)


def resumed(events: list[Any]) -> RunResumed:
    return RunResumed(run_id=events[0].run_id, spec=events[0].spec, version="0.1.0", probes=120)


def tree(*nodes: tuple[str, int, str]) -> Material:
    """Nodes as (name, depth, predecessors); those of which two letters are alike hold the same question."""
    held = {"reference": "R"}
    about = [
        held | {"id": name, "depth": depth, "question": f"About {name[:2]}?", "predecessors": tuple(below.split())}
        for name, depth, below in nodes
    ]
    return Material(graph=QuestionGraph(nodes=tuple(map(QuestionNode.model_validate, about))))


SMALL = tree(("c1", 3, "b1 b2"), ("b1", 2, "a1 a2"), ("b2", 2, "a1x"), ("a1", 1, ""), ("a2", 1, ""), ("a1x", 1, ""))


@pytest.mark.parametrize(
    ("modes", "answers", "ratings"),
    [
        (("zero-shot",), 5, 5),  # five texts
        (("prompt-gold",), 3, 3),  # c1, b1, b2 have predecessors
        (("prompt-pred",), 3 + 4, 3),  # and quote b1, b2, a1, a2, which are asked for and not rated
        (("zero-shot", "prompt-pred"), 5 + 3, 5 + 3),
        (("multi-turn",), 3 + 2 + 1, 6),  # b1, b2, c1; a1, a2; a1x: a D2 that leads on is no turn of its own
    ],
)
def test_what_is_planned(modes: tuple[Mode, ...], answers: int, ratings: int) -> None:
    spec = DepthQASpec(graph="g", material=SMALL.digest, target="openai:t", judge="openai:j", modes=modes)
    assert planned(spec, SMALL) == (answers, ratings)
    assert planned_by_tree(spec, SMALL) == ((answers, ratings),)


def test_what_was_done_is_what_was_planned() -> None:
    spec, material = RUN[0].spec, RUN[0].material
    places = {each.place for own in planned_questions(spec, material) for each in own}
    done = [e.item.id.partition("/")[2] for e in RUN if isinstance(e, ItemFinished)]
    assert {place.removesuffix("@score") for place in done} == places
    assert progress(RUN).progress == (planned(spec, material),) * 2


@both
def test_the_bar_runs_over_steps_to_its_end_and_trees_close_complete(events: list[Any]) -> None:
    run, seen, closed = RunProgress(events[0].run_id), [], 0
    for event in events:
        if isinstance(event, TreeClosed):
            assert run.steps is not None
            open_tree = run.steps.open[event.index]
            closed += (open_tree.answers, open_tree.ratings) == run.steps.expected(open_tree)
        run.apply(event)
        assert run.steps is not None
        seen.append(run.steps.progress)
    whole = planned(events[0].spec, events[0].material)
    lost = 0 if events is RUN else 2
    assert closed == 2
    assert seen[0] == ((0, 0), whole)
    assert seen[-1] == ((whole.answers, whole.ratings - lost),) * 2, "what did not come about is not waited for"
    assert all(before.steps <= after.steps <= then.steps for (before, _), (after, then) in pairwise(seen))


@pytest.mark.parametrize("kind", ["complete", "faults"])
def test_means_so_far_are_those_of_the_result(kind: str) -> None:
    known = progress(events_of("depthqa", kind))
    for numbers in result_of("depthqa", kind).modes:
        for level in LEVELS:
            row, held = numbers.accuracy.get(level), known.mean(numbers.mode, level)
            assert held.number == (row.scored if row else 0)
            assert held.value == pytest.approx(row.mean if row else None)


def test_a_turn_of_several_conversations_counts_once_with_the_mean() -> None:
    turn = item(RUN, "spreader@multi-turn@spreader.1@score")
    further = turn.model_copy(update={"id": "x/more", "conversation": "coolant", "score": turn.score - 3})
    before, after = (progress(events).mean("multi-turn") for events in (RUN, [*RUN, finished(further)]))
    assert (after.number, after.total) == (before.number, before.total - 1.5)


def test_what_is_kept_stays_small() -> None:
    many = [each.model_copy(update={"id": f"{each.id}{n}"}) for n in range(30) for each in items(FAULTS)]
    known = progress([RUN[0], *map(finished, many)])
    assert known.ratings == 25 * 30
    assert (len(known.newest), len(known.means)) == (KEPT_RATINGS, 10), "three modes; one lacks D1, one D3"
    assert known.unscored == 6 * 30, "what was lost is kept by name"


def items(events: list[Any]) -> list[Any]:
    return [event.item for event in events if isinstance(event, ItemFinished)]


def test_what_is_done_again_counts_once() -> None:
    before = progress(FAULTS)
    lost = item(FAULTS, "spreader.2.2@zero-shot@score")
    again = finished(lost.model_copy(update={"fault": None, "score": 2}), FAULTS)
    known = progress([*FAULTS, resumed(FAULTS), again])
    assert (known.ratings, known.unscored) == (before.ratings, before.unscored - 1)
    assert known.mean("zero-shot").number == before.mean("zero-shot").number + 1
    assert sum(one.id == lost.id for one in known.newest) == 1
    (tree,) = known.open.values()
    assert tree.again
    events = [*FAULTS[:-1], resumed(FAULTS), again]
    assert [line for line in framed(events).splitlines() if "○ t001 spreader" in line and "asked again" in line]
    assert "t001 spreader: asked again" in fragment(events)
    known.close(next(e for e in FAULTS if isinstance(e, TreeClosed) and e.index == 0))
    assert (known.open, known.closed) == ({}, {0, 1})


def test_an_answer_that_is_asked_for_again_brings_its_rating_back() -> None:
    known, lost = progress(FAULTS), item(FAULTS, "coolant@zero-shot")
    done, whole = known.progress
    assert done == whole
    known.take(lost)
    assert known.progress == (done, whole), "lost twice is lost once"
    known.take(lost.model_copy(update={"fault": None}))
    assert known.progress == (done, whole._replace(ratings=whole.ratings + 1))
    (tree,) = known.open.values()
    assert (tree.answers, tree.unrated) == (1, 0)


def test_a_build_says_which_part_is_under_way() -> None:
    run, seen = RunProgress(BUILD[0].run_id), []
    for event in BUILD:
        run.apply(event)
        assert run.steps is not None
        seen.append(run.steps.phase)
    taken = "questions taken apart"
    assert [phase for phase, after in pairwise(seen) if phase != after] == [
        (taken, 0, 2),
        *((taken, 1, 4), (taken, 2, 6), (taken, 3, 6), (taken, 4, 6), (taken, 5, 6), (taken, 6, 6)),
        *(("gaps filled", 0, 1), ("gaps filled", 1, 1)),
        *(("relations rated", done, 6) for done in range(6)),
    ]
    dropped = item(BUILD, "spreader.1.2@open").model_copy(update={"text": "", "dropped": "yes or no"})
    for node, counts in (("spreader.1", True), ("spreader.1.2", False)):  # of depth 1 none is taken apart
        known = progress_of([*BUILD[:5], finished(dropped.model_copy(update={"node": node}), BUILD)]).runs
        build = known[BUILD[0].run_id].steps
        assert build is not None
        assert build.phase == (taken, 2 + counts, 6)
    shallow = item(BUILD, "coolant@depth").model_copy(update={"depth": 2})
    (begun,) = progress_of([BUILD[0], finished(shallow, BUILD)]).runs.values()
    assert begun.steps is not None
    assert begun.steps.phase == (taken, 1, 2)
