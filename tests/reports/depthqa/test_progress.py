"""What a reader of a DepthQA run's events knows: what is planned, what is done, and what is done again."""

from itertools import pairwise

import pytest

from fathom.graphs.depthqa.protocol import planned_questions
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.views.depthqa.progress import KEPT_RATINGS, DepthQAProgress, planned, planned_by_tree
from fathom.reports.views.depthqa.tables import LEVELS
from fathom.state.depthqa.items import DepthAnswer, Material, Mode, QuestionGraph, QuestionNode, Rating
from fathom.state.depthqa.spec import DepthQASpec
from fathom.state.events import Event, ItemFinished, TreeClosed
from fathom.stats.depthqa.figures import tables_of

from ...support.depthqa.synthetic_events import DepthPlan, events_of, items_of
from .test_live import GIVEN, LONG, ONE, resumed, screen_after


def progress(events: list[Event], run_id: str) -> tuple[RunProgress, DepthQAProgress]:
    run = progress_of(events).runs[run_id]
    assert run.depthqa is not None
    return run, run.depthqa


def tree(*nodes: tuple[str, int, str]) -> Material:
    return Material(
        graph=QuestionGraph(
            nodes=tuple(
                QuestionNode(
                    id=name, depth=depth, question=f"About {name[:2]}?", reference="R", predecessors=tuple(said.split())
                )
                for name, depth, said in nodes
            )
        )
    )


SMALL = tree(("c1", 3, "b1 b2"), ("b1", 2, "a1 a2"), ("b2", 2, "a1x"), ("a1", 1, ""), ("a2", 1, ""), ("a1x", 1, ""))
"""One tree of six nodes; a1 and a1x hold the same question."""


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


@pytest.mark.parametrize("plan", [LONG, GIVEN])
def test_the_bar_runs_over_steps_to_its_end(plan: DepthPlan) -> None:
    run, seen = RunProgress(plan.run_id), []
    for event in events_of(plan):
        run.apply(event)
        assert run.depthqa is not None
        seen.append(run.depthqa.progress)
    whole = planned(plan.spec, plan.material)
    assert seen[0] == ((0, 0), whole)
    lost = sum(isinstance(i, DepthAnswer) and i.fault is not None for i in items_of(plan))
    assert lost
    assert seen[-1] == ((whole.answers, whole.ratings - lost),) * 2, "what did not come about is not waited for"
    for (before, _), (after, then) in pairwise(seen):
        assert before.steps <= after.steps <= then.steps


def test_open_trees_say_how_far_they_are() -> None:
    run, most = RunProgress(LONG.run_id), dict[int, str]()
    for event in ONE:
        if isinstance(event, TreeClosed) and run.depthqa is not None:
            tree = run.depthqa.open[event.index]
            whole = run.depthqa.expected(tree)
            assert (tree.answers, tree.ratings) == whole, "a closed tree was complete"
            most[event.index] = "seen"
        run.apply(event)
    assert len(most) == 4


@pytest.mark.parametrize("plan", [LONG, GIVEN])
def test_means_so_far_are_those_of_the_result(plan: DepthPlan) -> None:
    """A question that is a turn of several conversations counts once, with the mean of its scores."""
    _, known = progress(events_of(plan), plan.run_id)
    result = tables_of(plan.spec, plan.material.graph, items_of(plan), range(plan.trees))
    for numbers in result.modes:
        for level in LEVELS:
            row, held = numbers.accuracy.get(level), known.mean(numbers.mode, level)
            assert held.number == (row.scored if row else 0)
            assert held.value == pytest.approx(row.mean if row else None)


def test_the_board_stays_small() -> None:
    plan = DepthPlan(trees=40, modes=("zero-shot", "multi-turn"))
    _, known = progress(events_of(plan), plan.run_id)
    assert known.ratings > 1000
    assert len(known.newest) == KEPT_RATINGS
    assert len(known.means) == 8
    assert not known.open
    assert known.unscored == 3, "only what was lost is kept by name"


def test_a_resumed_run_shows_what_was_there_and_a_step_done_again_counts_once() -> None:
    events = events_of(GIVEN)
    _, before = progress(events, GIVEN.run_id)
    lost = next(i for i in items_of(GIVEN) if isinstance(i, Rating) and i.fault is not None)
    again = lost.model_copy(update={"fault": None, "score": 2})
    _, known = progress([*events, resumed(GIVEN), ItemFinished(run_id=GIVEN.run_id, item=again, added=0)], GIVEN.run_id)
    assert (known.ratings, known.unscored) == (before.ratings, before.unscored - 1)
    assert known.mean("zero-shot").number == before.mean("zero-shot").number + 1
    assert sum(one.id == lost.id for one in known.newest) == 1
    taken_up = [*events[:-1], resumed(GIVEN), ItemFinished(run_id=GIVEN.run_id, item=again)]
    assert "t003 3_d3" in screen_after(taken_up, 90, 20)
    assert "asked again" in screen_after(taken_up, 90, 20)
    (tree,) = known.open.values()
    assert tree.again
    closed = next(e for e in events if isinstance(e, TreeClosed) and e.index == tree.index)
    known.close(closed)
    assert not known.open
    assert len(known.closed) == 3


def test_an_answer_that_is_asked_for_again_brings_its_rating_back() -> None:
    events = events_of(GIVEN)
    _, known = progress(events, GIVEN.run_id)
    lost = next(i for i in items_of(GIVEN) if isinstance(i, DepthAnswer) and i.fault is not None)
    done, whole = known.progress
    assert done == whole
    known.take(lost)
    assert known.progress == (done, whole), "lost twice is lost once"
    known.take(lost.model_copy(update={"fault": None}))
    assert known.progress == (done, whole._replace(ratings=whole.ratings + 1))
    (tree,) = known.open.values()
    assert (tree.answers, tree.unrated) == (1, 0)


def test_every_step_of_a_run_is_planned_by_the_protocol() -> None:
    """The plan and the items that belong to it are of one source: no step is shown beyond what was announced."""
    places = {a.place for own in planned_questions(LONG.spec, LONG.material) for a in own}
    assert {i.id.partition("/")[2].removesuffix("@score") for i in items_of(LONG)} == places
