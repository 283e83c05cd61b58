"""Explain-Query-Test as a graph: who is asked what, in how many steps, and what becomes of every
fault."""

import json
import re
from typing import Any

import pytest

from fathom.graphs.eqt.concept import order_of
from fathom.graphs.eqt.graph import build_graph
from fathom.state.eqt.items import Choice
from fathom.state.errors import UsageError
from fathom.state.events import ConceptClosed, RunFinished, RunStarted
from fathom.tools.models.chat import ChatRequest

from ...support.eqt.toy import (
    SECRET,
    ToyModel,
    ToyRun,
    block,
    right_letters,
    shown,
    toy_spec,
    user,
)


@pytest.mark.parametrize(("q", "k"), [(1, 0), (1, 1), (3, 2), (12, 7)])
async def test_a_concept_takes_four_calls_in_a_row_whatever_q_and_k(q: int, k: int) -> None:
    run = ToyRun()
    spec = toy_spec(questions=q, paraphrases=k)
    result = await run.play(spec)
    assert run.model.rounds == (4 if k else 3)
    assert len(run.model.asked) == 1 + q + q * k + q * (k + 1)
    assert (result.numbers.all.scored, result.numbers.all.accuracy) == (q * (k + 1), 1.0)


async def test_concepts_run_side_by_side() -> None:
    run = ToyRun()
    result = await run.play(toy_spec("Tide", "Ebb", "Flow"))
    assert run.model.rounds == 4
    assert [row.concept for row in result.concepts] == ["Tide", "Ebb", "Flow"]
    closed = [event.index for event in run.events if isinstance(event, ConceptClosed)]
    assert sorted(closed) == [0, 1, 2]
    assert (run.events[0].type, run.events[-1].type) == ("run_started", "run_finished")


async def test_only_as_many_concepts_as_keep_the_connections_busy_are_open_at_once() -> None:
    run = ToyRun()
    spec = toy_spec(*(f"Thing {n}" for n in range(12)))
    await run.play(spec, connections=1)
    order = [
        block(request, "concept")
        for request in run.model.asked
        if request.purpose == "explanation"
    ]
    assert order == [f"Thing {n}" for n in range(12)]
    assert run.model.rounds == 6 * 4, "two concepts at a time, four calls each"


async def test_the_test_is_taken_without_the_explanation() -> None:
    run = ToyRun()
    await run.play(toy_spec(open_book=True, verify_paraphrases=True))
    told = {
        purpose: {SECRET in user(r) for r in run.model.asked if r.purpose == purpose}
        for purpose in run.model.counts
    }
    assert told == {
        "explanation": {False},
        "choice_question": {True},
        "paraphrase": {False},
        "same_question": {False},
        "choice": {False},
        "open_book": {True},
    }
    # what the journal says was sent is what was sent
    sent = {
        tuple(message.content for message in request.messages) for request in run.model.asked
    }
    assert {tuple(part.text for part in item.prompt) for item in run.items.values()} <= sent


async def test_every_call_is_at_temperature_0_with_the_runs_seed() -> None:
    run = ToyRun()
    await run.play(toy_spec(seed=5, open_book=True))
    assert {(request.temperature, request.seed) for request in run.model.asked} == {(0.0, 5)}


async def test_each_question_is_of_its_kind() -> None:
    run = ToyRun()
    result = await run.play(toy_spec(questions=12, paraphrases=0))
    (concept,) = result.concepts
    assert [q.kind for q in concept.questions[:3]] == [
        "definition",
        "characteristics",
        "relation",
    ]
    assert [q.kind for q in concept.questions[9:]] == [
        "history",
        "definition",
        "characteristics",
    ]
    points = [block(r, "point") for r in run.model.asked if r.purpose == "choice_question"]
    assert len(set(points[:10])) == 1
    assert points[10] not in points[:10]


# ---- options and letters


async def test_options_are_shuffled_per_asking_and_choices_are_mapped_back() -> None:
    run = ToyRun(ToyModel(choice=lambda request: "Answer: A"))
    await run.play(toy_spec(options=8, questions=5, paraphrases=3))
    choices = [item for item in run.items.values() if isinstance(item, Choice)]
    assert len({choice.order for choice in choices}) > 10
    for request, choice in zip(
        (r for r in run.model.asked if r.purpose == "choice"), choices, strict=False
    ):
        assert len(shown(request)) == 8
        assert (choice.letters, choice.chosen) == (("A",), (choice.order[0],))


async def test_a_favourite_letter_is_no_consistency_unless_the_order_is_fixed() -> None:
    shuffled = await ToyRun(ToyModel(choice=lambda _: "Answer: A")).play(
        toy_spec(options=10, questions=5)
    )
    fixed_run = ToyRun(ToyModel(choice=lambda _: "Answer: A"))
    fixed = await fixed_run.play(toy_spec(options=10, questions=5, shuffle_options=False))
    assert fixed.numbers.consistency.acs == 1.0
    assert shuffled.numbers.consistency.acs is not None
    assert shuffled.numbers.consistency.acs < 0.7
    assert {item.order for item in fixed_run.items.values() if isinstance(item, Choice)} == {
        tuple(range(10))
    }


async def test_the_open_book_asking_shows_the_options_in_the_same_order() -> None:
    run = ToyRun()
    result = await run.play(toy_spec(open_book=True, options=8))
    for number in (1, 2, 3):
        closed, opened = run.items[f"c001.q{number}.a0"], run.items[f"c001.q{number}.open"]
        assert isinstance(closed, Choice)
        assert isinstance(opened, Choice)
        assert closed.order == opened.order
    assert result.numbers.open_book is not None
    assert (result.numbers.open_book.scored, result.numbers.open_book_gap) == (3, 0.0)
    assert result.numbers.all.scored == 9, "open-book answers are no part of the accuracy"


def test_the_order_depends_on_the_concept_and_not_on_its_place() -> None:
    one, other = toy_spec("Tide", options=12), toy_spec("Ebb", options=12)
    assert order_of(one, 1, 0) == order_of(one, 1, 0) != order_of(other, 1, 0)
    assert sorted(order_of(one, 1, 2)) == list(range(12))
    assert order_of(toy_spec("Tide", options=12, seed=1), 1, 0) != order_of(one, 1, 0)


async def test_what_the_last_line_does_not_say_the_judge_reads() -> None:
    replies = iter(["I would not choose between them.", "They are {}, I think.", "answer: {}"])

    def choose(request: ChatRequest) -> str:
        return next(replies).replace("{}", right_letters(request).lower())

    def read(request: ChatRequest) -> str:
        letters = re.findall(r"\b[a-d]\b", block(request, "reply"))
        return json.dumps({"selected": [letter.upper() for letter in letters]})

    run = ToyRun(ToyModel(choice=choose))
    run.judge = ToyModel("toy:judge", selection=read)
    result = await run.play(toy_spec(questions=1, judge="toy:judge"))
    numbers = result.numbers
    assert (numbers.all.scored, numbers.all.correct, numbers.format_failures) == (3, 2, 1)
    assert run.judge.counts == {"selection": 2}
    (question,) = result.concepts[0].questions
    assert question.acs == 1.0, "over the answers that can be read"


async def test_a_judge_that_cannot_be_read_leaves_the_answer_unscored() -> None:
    run = ToyRun(ToyModel(choice=lambda _: "Both.", selection=lambda _: "letters"))
    result = await run.play(toy_spec(questions=1))
    assert result.numbers.all.scored == 0
    assert result.numbers.unscored == {"judge": 3}


# ---- attribution


async def test_failures_are_attributed_on_a_sample() -> None:
    run = ToyRun(ToyModel(choice=lambda _: "Answer: A, B, C, D"))
    run.judge = ToyModel("toy:judge")
    result = await run.play(toy_spec("Tide", "Ebb", attribute=4, judge="toy:judge"))
    attribution = result.attribution
    assert attribution is not None
    assert (attribution.wrong, attribution.sampled, attribution.causes) == (
        18,
        4,
        {"answer": 4, "explanation": 0, "question": 0},
    )
    asked = [request for request in run.judge.asked if request.purpose == "attribution"]
    assert len(asked) == 4
    assert all(SECRET in block(request, "explanation") for request in asked)
    assert {block(request, "chosen") for request in asked} == {"A, B, C, D"}
    assert all(len(block(request, "right").split(", ")) == 2 for request in asked)
    other = ToyRun(ToyModel(choice=lambda _: "Answer: A, B, C, D"))
    again = await other.play(toy_spec("Tide", "Ebb", attribute=4))
    assert again.attribution is not None
    assert [c.id for c in again.attribution.cases] == [c.id for c in attribution.cases], (
        "drawn by seed"
    )


async def test_without_wrong_answers_there_is_nothing_to_attribute() -> None:
    run = ToyRun()
    result = await run.play(toy_spec(attribute=4))
    assert run.model.counts["attribution"] == 0
    assert result.attribution is None or result.attribution.sampled == 0


# ---- the graph


async def test_a_graph_that_is_bound_to_other_models_is_refused() -> None:
    for changed in (
        {"target": "toy:other"},
        {"examiner": "toy:other"},
        {"judge": "toy:other"},
    ):
        with pytest.raises(UsageError, match="is bound to"):
            await ToyRun().play(toy_spec(**changed))


def test_the_shape_of_the_graph() -> None:
    drawn: Any = build_graph(ToyRun().deps()).get_graph()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert edges == {
        ("__start__", "open"),
        ("open", "concept"),
        ("concept", "sample"),
        ("sample", "attribute"),
        ("sample", "finish"),
        ("attribute", "finish"),
        ("finish", "__end__"),
    }


async def test_the_events_tell_the_whole_run() -> None:
    run = ToyRun()
    result = await run.play(toy_spec(open_book=True))
    started, ended = run.events[0], run.events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(ended, RunFinished)
    assert set(started.prompts) >= {
        "explanation",
        "choice_question",
        "paraphrase",
        "choice",
        "open_book",
    }
    assert "verdict" not in started.prompts
    assert (ended.status, ended.stop_reason, ended.evd) == ("complete", "all_asked", None)
    assert len(run.items) == 1 + 3 + 6 + 9 + 3
    assert sum(role.calls for role in result.usage.values()) == len(run.model.asked)
