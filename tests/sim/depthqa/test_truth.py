"""What a simulated model knows at three depths: the rule by which it is settled, and what it says
accordingly."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

import pytest

from fathom.agents.prober.answer import answer_in_depth, answer_with_context
from fathom.sim.depthqa.knowing import Mind
from fathom.sim.depthqa.library import DeepQuestion, library, recognise
from fathom.sim.depthqa.tasks import true_score
from fathom.sim.personas import persona_of
from fathom.sim.world import World
from fathom.state.depthqa.items import Mode, QuestionGraph, QuestionNode
from fathom.state.spec import WorldSpec

from ...support.depthqa.elements import as_graph, graph_of
from ...support.in_world import InWorld
from ...support.truth import numbers_of, true_numbers, true_scores

APART = graph_of(10, 4, shared=False)
SEEDS = range(1000)
Quoted = Sequence[tuple[str, str]]


def mean_scores(
    model: str, graph: QuestionGraph, seeds: Sequence[int] = SEEDS
) -> dict[str, float | None]:
    return dict(true_numbers(persona_of(model), graph, "zero-shot", seeds).accuracy)


def test_a_question_is_known_when_all_it_rests_on_is_there() -> None:
    # .9 of its own, and for each of three needs .95 and a grasp of .8 + .2 · .5: .9 · (.95 · .9)³ =
    # .56252
    model = "d1=0.8,d2=0.9,d1d2=0.95,slips=0.5,partial=0"
    means = mean_scores(model, as_graph([library()["d2.liquid-range.iron"]], "one"))
    # four standard errors of 1000 worlds: 16 · sqrt(.25/1000) = .25 for one question
    assert means["D2"] == pytest.approx(1 + 4 * 0.56252, abs=0.25)
    assert means["D1"] == pytest.approx(1 + 4 * 0.8, abs=0.12)
    # without needs to hold it up: .5 at depth 3
    means = mean_scores(
        "d1=1,d2=1,d3=0.5,partial=0", as_graph([library()["d3.foundry.iron.zinc"]], "one")
    )
    assert (means["D1"], means["D2"]) == (5, 5)
    assert means["D3"] == pytest.approx(3, abs=0.25)


def test_each_setting_brings_about_its_own_discrepancy() -> None:
    graph = graph_of(10, 1)

    def gaps(model: str, mode: Mode = "zero-shot") -> tuple[float | None, float | None]:
        numbers = true_numbers(persona_of(model), graph, mode, range(20))
        return numbers.forward["overall"].average, numbers.backward["overall"].average

    sound = "d1=0.9,d2=1,d3=1,partial=0"
    forward, backward = gaps(f"{sound},slips=1")
    assert forward == 0
    assert backward == pytest.approx(0.07, abs=0.04), "only the lower ones fail"
    assert gaps("d1=1,d2=0.5,d3=1,partial=0")[0] == pytest.approx(0.5, abs=0.08), (
        "half of those with perfect needs"
    )
    assert gaps("d1=1,d2=0.5,d3=1,partial=0")[1] == 0
    assert gaps("d1=1,d2=1,d3=1,d1d2=0.7,d2d3=0.7,partial=0")[1] == 0
    forward = gaps("d1=1,d2=1,d3=1,d2d3=0.7,partial=0")[0]
    assert forward is not None
    assert forward > 0.05
    assert gaps("d1=1,d2=1,d3=1,d2d3=0.7,with_context=1,partial=0", "prompt-gold") == (0, 0)


def test_a_slip_changes_nothing_at_depth_one() -> None:
    graph = graph_of(5, 1)
    scores = [
        true_scores(
            World(WorldSpec(seed=2)), persona_of(f"d1=0.7,slips={slips}"), graph, "zero-shot"
        )
        for slips in (0, 0.5)
    ]
    facts = [node.id for node in graph.nodes if node.depth == 1]
    # another name is another model, so that only the share stays
    shares = [fmean(score[name] == 5 for name in facts) for score in scores]
    assert shares == [pytest.approx(0.7, abs=0.2)] * 2


def test_the_definition_is_that_of_the_method() -> None:
    # METHODS.md: (own, neighbours' mean) (3, 4.5) (5, 4) (2, 5) (1, 3.9) (5, 5): .375, 0, .75, left
    # out, 0
    pairs = [(3, 4.5), (5, 4), (2, 5), (1, 3.9), (5, 5)]
    nodes = [
        QuestionNode(id=f"d{n}", depth=1, question=f"Low {n}?", reference="x") for n in range(5)
    ]
    nodes += [
        QuestionNode(
            id=f"u{n}", depth=2, question=f"High {n}?", reference="x", predecessors=(f"d{n}",)
        )
        for n in range(5)
    ]
    graph = QuestionGraph(nodes=tuple(nodes))
    own = {f"u{n}": float(score) for n, (score, _) in enumerate(pairs)}
    around = {f"d{n}": float(mean) for n, (_, mean) in enumerate(pairs)}
    gap = numbers_of(graph, own | around).forward["D1 → D2"]
    assert (gap.average, gap.frequency, gap.intensity) == (0.28125, 0.5, 0.5625)
    turned = {f"d{n}": own[f"u{n}"] for n in range(5)} | {
        f"u{n}": around[f"d{n}"] for n in range(5)
    }
    assert numbers_of(graph, turned).backward["overall"].average == 0.28125
    assert numbers_of(graph, own | around).forward["D2 → D3"].average is None


def test_all_scores_occur() -> None:
    scores: Counter[float] = Counter()
    for seed in range(5):
        scores.update(
            true_scores(
                World(WorldSpec(seed=seed)), persona_of("student"), APART, "zero-shot"
            ).values()
        )
    assert set(scores) == {1, 2, 3, 4, 5}


async def test_right_answers_quoted_help_and_wrong_ones_do_not() -> None:
    question = library()["d3.foundry.iron.zinc"]
    right = [(need.question, need.reference) for need in question.needs]
    wrong = [
        (need.question, " ".join(part.said(part.wrong[0]) for part in need.parts))
        for need in question.needs
    ]
    chat = InWorld("d1=0,with_context=1,guided=1")

    async def score(context: Quoted = (), earlier: Quoted = ()) -> int:
        if context:
            answer = await answer_with_context(chat, question.question, context)
        else:
            answer = await answer_in_depth(chat, question.question, earlier)
        return true_score(question.question, question.reference, answer.text)

    assert await score() < 5
    assert await score(context=right) == await score(earlier=right) == 5
    assert await score(context=wrong) == await score(earlier=wrong) == await score()
    assert await score(context=[("Which bridges are high?", "All of them.")]) < 5
    assert set(chat.purposes) == {"answer", "with_context", "turn"}
    chat = InWorld("d1=0,with_context=0,guided=0")
    assert await score(context=right) == await score(earlier=right) == await score() < 5


def test_help_is_as_likely_as_the_share_of_right_answers_says() -> None:
    persona = persona_of("d1=0,with_context=0.8")
    question = library()["d2.average.chlorine"]
    helped = fmean(
        Mind(World(WorldSpec(seed=seed)), persona).settled(question, "with_context", 0.5).right
        for seed in SEEDS
    )
    assert helped == pytest.approx(0.8 * 0.5, abs=0.06)


def test_wrong_answers_are_right_in_part_as_often_as_set() -> None:
    question = library()["d3.foundry.iron.zinc"]
    for partial in (0.0, 0.6, 1.0):
        persona = persona_of(f"d1=0,partial={partial}")
        parts = Counter(
            Mind(World(WorldSpec(seed=seed)), persona).settled(question).parts for seed in SEEDS
        )
        assert parts[0] / len(SEEDS) == pytest.approx(1 - partial, abs=0.06)
        # of four parts 1, 2 or 3, each as often as the others
        assert [parts[k] / len(SEEDS) for k in (1, 2, 3)] == pytest.approx(
            [partial / 3] * 3, abs=0.06
        )


def test_nothing_depends_on_the_order_of_asking() -> None:
    world, persona = World(WorldSpec(seed=8)), persona_of("student")
    questions: list[DeepQuestion] = [
        found for node in APART.nodes if (found := recognise(node.question))
    ]
    one, other = Mind(world, persona), Mind(world, persona)
    forth = {question.id: one.settled(question) for question in questions}
    back = {question.id: other.settled(question) for question in reversed(questions)}
    assert forth == back
    assert forth != {
        question.id: Mind(World(WorldSpec(seed=9)), persona).settled(question)
        for question in questions
    }


def test_named_models_know_less_the_deeper() -> None:
    graph = graph_of(20, 2)
    means = [
        mean_scores(name, graph, range(10))
        for name in ("omniscient", "expert", "graduate", "student", "novice")
    ]
    assert set(means[0].values()) == {5}
    for one in means[1:]:
        assert one["D1"] > one["D2"] > one["D3"]  # type: ignore[operator]
    for level in ("D1", "D2", "D3"):
        told = [one[level] for one in means]
        assert told == sorted(told, key=lambda mean: -(mean or 0))
