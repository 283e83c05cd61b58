"""Building a DepthQA graph in memory: what is asked, in how many rounds, and what becomes of
repeats."""

import json
from collections.abc import Sequence
from itertools import combinations

import pytest
from pydantic import ValidationError

from fathom.agents.judge.rating import COMPREHENSIVE, IMPLICIT
from fathom.graphs.method import METHODS
from fathom.state.depthqa.build import Deconstructed
from fathom.state.errors import CallFailed
from fathom.tools.models.chat import ChatRequest

from ...support.depthqa.toy import BuildModel, BuildRun, asked_about
from ...support.eqt.toy import block


class By:
    """Likeness by a table of pairs; 0 for all others."""

    name = "lexical"

    def __init__(self, pairs: dict[tuple[str, str], float]) -> None:
        self.table = pairs

    async def pairs(self, texts: Sequence[str], least: float) -> dict[tuple[int, int], float]:
        found = {}
        for (i, one), (j, other) in combinations(enumerate(map(asked_about, texts)), 2):
            likeness = max(self.table.get((one, other), 0.0), self.table.get((other, one), 0.0))
            if likeness >= least:
                found[i, j] = likeness
        return found


def built(pairs: dict[tuple[str, str], float], model: BuildModel | None = None) -> BuildRun:
    run = BuildRun(model)
    run.similarity = By(pairs)
    return run


async def test_a_question_is_taken_apart_in_two_rounds() -> None:
    run = BuildRun()
    result = await run.play(run.spec("q1", "q2"))
    assert result.graph is not None
    assert run.model.rounds == 2
    assert run.model.counts == {"deconstruction": 6}
    assert [
        len([n for n in result.graph.nodes if n.depth == depth]) for depth in (3, 2, 1)
    ] == [
        2,
        4,
        8,
    ]
    assert result.graph.by_id["q1"].predecessors == ("q1.1", "q1.2")
    assert result.graph.by_id["q1.2"].predecessors == ("q1.2.1", "q1.2.2")
    assert result.graph.by_id["q1"].reasoning == ("causal",)
    assert result.graph.by_id["q1.1.1"].reasoning == ()
    assert (result.removed, result.unfilled, result.status) == ((), 0, "complete")


async def test_only_questions_of_depth_3_are_kept_when_they_are_classified() -> None:
    def depth(request: ChatRequest) -> str:
        return json.dumps(
            {"reason": "", "depth": 3 if "q1" in block(request, "question") else 2}
        )

    run = BuildRun(BuildModel(classification=depth))
    result = await run.play(run.spec("q1", "q2", classify=True))
    assert [(gone.node, gone.reason) for gone in result.removed] == [("q2", "not depth 3")]
    assert result.graph is not None
    assert not [node for node in result.graph.nodes if node.id.startswith("q2")]


async def test_a_question_without_a_reference_gets_one() -> None:
    run = BuildRun()
    spec = run.spec("q1")
    source = spec.questions[0].model_copy(update={"reference": "", "key_points": "it matters"})
    result = await run.play(spec.model_copy(update={"questions": (source,)}))
    assert result.graph is not None
    assert result.graph.by_id["q1"].reference == "Written for q1."
    (asked,) = [request for request in run.model.asked if request.purpose == "reference_answer"]
    assert block(asked, "key_points") == "it matters"


async def test_a_shallow_question_of_two_serves_both() -> None:
    run = built({("q1.1.1", "q1.2.1"): 0.95})
    result = await run.play()
    assert result.graph is not None
    assert result.graph.by_id["q1.2"].predecessors == ("q1.1.1", "q1.2.2")
    (gone,) = result.removed
    assert (gone.node, gone.reason, gone.like, gone.similarity) == (
        "q1.2.1",
        "merged",
        "q1.1.1",
        0.95,
    )
    assert run.model.counts["augmentation"] == 0


@pytest.mark.parametrize(
    ("pairs", "gone", "reason", "parent"),
    [
        ({("q1.1.1", "q1.1.2"): 0.9}, "q1.1.2", "repeated", "q1.1"),
        ({("q1.1.1", "q1.2"): 0.85}, "q1.1.1", "like a deeper", "q1.1"),
        ({("q1.1.1", "q1.2"): 0.9}, "q1.2", "like a shallower", "q1"),
    ],
)
async def test_what_repeats_is_taken_out_and_the_gap_is_filled(
    pairs: dict[tuple[str, str], float], gone: str, reason: str, parent: str
) -> None:
    run = built(pairs)
    result = await run.play()
    assert (gone, reason) in [(each.node, each.reason) for each in result.removed]
    assert f"{parent}.a1" in result.augmented
    assert result.graph is not None
    assert f"{parent}.a1" in result.graph.by_id[parent].predecessors
    assert result.unfilled == 0
    assert gone not in result.graph.by_id


async def test_what_fills_a_gap_and_repeats_again_leaves_it_open() -> None:
    run = built({("q1.1.1", "q1.1.2"): 0.9, ("q1.1.more", "q1.1.1"): 0.93})
    result = await run.play()
    assert (result.unfilled, result.augmented) == (1, ())
    assert [each.reason for each in result.removed] == ["repeated", "repeated"]


async def test_a_gap_that_nothing_fills_stays_open() -> None:
    run = built(
        {("q1.1.1", "q1.1.2"): 0.9}, BuildModel(augmentation=lambda _: '{"additions": []}')
    )
    result = await run.play()
    assert result.unfilled == 1


async def test_a_deeper_question_that_fills_a_gap_is_taken_apart_too() -> None:
    run = built({("q1.1", "q1.2"): 0.97})
    result = await run.play()
    assert result.graph is not None
    assert result.graph.by_id["q1"].predecessors == ("q1.1", "q1.a1")
    assert result.graph.by_id["q1.a1"].predecessors == ("q1.a1.1", "q1.a1.2")
    reasons = {gone.node: gone.reason for gone in result.removed}
    assert reasons == {"q1.2": "repeated", "q1.2.1": "orphan", "q1.2.2": "orphan"}


async def test_a_question_of_yes_or_no_is_asked_openly() -> None:
    def parts(request: ChatRequest) -> str:
        name = asked_about(block(request, "question"))
        subs = [
            {
                "question": f"Is it so about {name}.1?",
                "reference": "It is.",
                "yes_or_no": True,
            },
            BuildModel.sub(f"{name}.2"),
        ]
        return json.dumps({"reasoning": [], "questions": subs})

    def openly(request: ChatRequest) -> str:
        name = block(request, "question").removeprefix("Is it so about ").rstrip("?")
        return json.dumps({"rewritten": f"What about {name}?"})

    run = BuildRun(BuildModel(deconstruction=parts, open_question=openly))
    result = await run.play()
    assert {row.before for row in result.rewritten} == {
        f"Is it so about {n}?" for n in ("q1.1", "q1.1.1", "q1.2.1")
    }
    assert result.graph is not None
    assert not [node for node in result.graph.nodes if node.question.startswith("Is")]


async def test_one_that_stays_a_question_of_yes_or_no_is_left_out() -> None:
    def parts(request: ChatRequest) -> str:
        name = asked_about(block(request, "question"))
        subs = [
            {
                "question": f"Is it so, about {name}.1?",
                "reference": "It is.",
                "yes_or_no": True,
            },
            BuildModel.sub(f"{name}.2"),
        ]
        return json.dumps({"reasoning": ["causal"], "questions": subs})

    again = lambda _: json.dumps({"rewritten": "Is it really so?", "yes_or_no": True})  # noqa: E731
    run = BuildRun(BuildModel(deconstruction=parts, open_question=again))
    result = await run.play()
    assert {gone.reason for gone in result.removed} == {"yes or no"}
    assert run.model.counts["open_question"] == 2 * 2  # q1.1 and q1.2.1, each reworded twice
    assert result.graph is not None
    assert result.graph.by_id["q1"].predecessors == ("q1.2",)


async def test_relations_are_rated_as_they_are_in_the_graph() -> None:
    run = built({("q1.1.1", "q1.2.1"): 0.95})
    result = await run.play(run.spec("q1", check=True))
    deep, shallow = result.relations
    assert (deep.pair, deep.relations, deep.unrated, deep.comprehensive) == (
        "D3 → D2",
        1,
        0,
        {"comprehensive": 1},
    )
    assert (shallow.relations, shallow.predecessors, shallow.implicit) == (
        2,
        4,
        {"implicit": 4},
    )
    (check,) = [check for check in result.checks if check.node == "q1.2"]
    assert set(check.implicit) == {"q1.1.1", "q1.2.2"}


async def test_a_fault_takes_one_question_and_is_no_ones_end() -> None:
    def parts(request: ChatRequest) -> str | Exception:
        name = asked_about(block(request, "question"))
        if name == "q2":
            return CallFailed("timeout", "no reply within 1 s.")
        return json.dumps(
            {"reasoning": [], "questions": [BuildModel.sub(f"{name}.{n}") for n in (1, 2)]}
        )

    run = BuildRun(BuildModel(deconstruction=parts))
    result = await run.play(run.spec("q1", "q2"))
    assert [(gone.node, gone.reason) for gone in result.removed] == [
        ("q2", "not deconstructed")
    ]
    assert result.graph is not None
    assert result.stop_reason == "infrastructure"
    lost = run.items["q2@parts"]
    assert isinstance(lost, Deconstructed)
    assert lost.lost


async def test_when_nothing_can_be_taken_apart_there_is_no_graph() -> None:
    run = BuildRun(BuildModel(deconstruction=lambda _: '{"reasoning": [], "questions": []}'))
    result = await run.play()
    assert (result.graph, result.stop_reason) == (None, "no_questions")
    assert "no question with a reference" in result.stop_detail


async def test_a_gap_below_what_fills_another_is_counted() -> None:
    run = built({("q1.1", "q1.2"): 0.97, ("q1.more.1", "q1.more.2"): 0.95})
    result = await run.play()
    assert result.graph is not None
    assert result.graph.by_id["q1.a1"].predecessors == ("q1.a1.1",)
    assert result.unfilled == 1


def test_an_id_that_reads_like_a_part_of_another_question_is_refused() -> None:
    for ids in (("1", "1.1"), ("x", "x.a2"), ("1.2.3", "1")):
        with pytest.raises(ValidationError, match="reads like a part"):
            BuildRun().spec(*ids)
    BuildRun().spec("1.1", "1.2", "x", "xy")  # none of these is a part of another


@pytest.mark.parametrize("name", ["deconstruction", "augmentation", "relation"])
def test_prompts_begin_alike_whatever_they_are_about(name: str) -> None:
    prompt = METHODS["depthqa_build"].prompts[name]
    one, other = (
        prompt.render(**dict.fromkeys(prompt.fields, value))[-1].content for value in ("1", "2")
    )
    fixed = one[: next(place for place, sign in enumerate(one) if sign != other[place])]
    assert len(fixed) > 4 * len(one.removeprefix(fixed))  # what a provider's cache finds again
    assert len(one.rsplit("\n", 1)[1]) < 60  # behind the data one short sentence
    assert fixed.count(IMPLICIT) == 1
    assert COMPREHENSIVE in fixed  # who rates means by it what who writes was told
