"""Questions at three depths about the elements: real references, recognition, the judge's scores,
and the evaluator who builds graphs, with the faults it plants."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.agents.explainer.reference import write_reference
from fathom.agents.judge.rating import rate_relation
from fathom.agents.questioner.deconstruction import augment, classify, deconstruct
from fathom.sim.depthqa import (
    PURPOSES,
    is_closed,
    is_right,
    library,
    rate,
    recognise,
    true_score,
)
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import PERSONAS
from fathom.sim.world import Task, World
from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.spec import DepthQABuildSpec
from fathom.state.question_graph import REASONINGS, SubQuestion
from fathom.state.spec import WorldSpec
from fathom.tools.files.source_questions import read_questions

from ..support.depthqa.elements import strategies
from ..support.depthqa.toy import BuildRun
from ..support.in_world import WORLD, InWorld
from ..support.paths import EXAMPLES

LIBRARY = library()
FOUNDRY, LIQUID = LIBRARY["d3.foundry.iron.zinc"], LIBRARY["d2.liquid-range.iron"]
SOUND = "evaluator,planted=0"
FOREIGN = (
    "Why do suspension bridges sway?",
    "Wind sheds vortices from the deck. Tacoma Narrows fell in 1940.",
)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        # 2861 - 1538
        ("d2.liquid-range.iron", ("1538", "2861", "1323")),
        # 2.5 · 55.845 = 139.6125
        ("d2.mass.iron.2.5", ("55.845", "multiplied by", "139.6")),
        # .758 · 34.9688527 + .242 · 36.9659026 = 26.50639 + 8.94575
        ("d2.average.chlorine", ("75.8", "24.2", "35.45")),
        # .449 J/(g K) · (1538 - 25) K = 679.337 kJ/kg
        ("d2.warming.iron", ("1513", "0.449", "679.3")),
        # 13.8 kJ/mol · 1000/55.845 mol/kg = 247.113 kJ/kg
        ("d2.fusion.iron", ("13.8", "17.91", "247.1")),
        # 1538 < 2000 < 2861
        ("d2.state-at.iron.2000", ("1538", "2861", "liquid")),
        # nickel melts at 1455 and chromium at 1907 °C: halfway is 1681
        ("d3.furnace.nickel.chromium", ("chromium", "liquid", "226", "452")),
        # bromine-81, 49.35 %, beside bromine-79: 81 - 35 = 46 neutrons; 2 · 80.9162882 g
        ("d3.isotope.bromine.2", ("higher", "80.92", "161.8", "46", "the number of electrons")),
        # potassium: 220 pm and 4.340664 eV; lithium: 145 pm and 5.391715 eV
        ("d3.trend.potassium.lithium", ("farther from", "1", "4", "75", "1.05105")),
    ],
)
def test_the_references_are_worked_out_from_real_values(
    name: str, values: tuple[str, ...]
) -> None:
    question = LIBRARY[name]
    assert tuple(part.value for part in question.parts) == values
    assert question.reference == " ".join(part.text for part in question.parts)


def test_values_that_are_facts_are_those_of_the_facts() -> None:
    """And pairs are compared as their facts say: the higher one, and by how much."""
    checked = 0
    for question in LIBRARY.values():
        kind = question.id.split(".")[1]
        facts = [need.fact for need in question.needs if need.fact is not None]
        if question.depth == 2 and kind.endswith(("-gap", "-ratio")):
            one, other = (float(fact.items[0]) for fact in facts)
            assert [part.value for part in question.parts[:2]] == [
                fact.items[0] for fact in facts
            ]
            assert question.parts[2].value == facts[0 if one > other else 1].subject
            much = (
                max(one, other) / min(one, other)
                if kind.endswith("-ratio")
                else abs(one - other)
            )
            assert float(question.parts[3].value) == pytest.approx(much, rel=1e-3), question.id
            checked += 1
        if kind in ("liquid-range", "state-at", "molar-volume"):
            assert [part.value for part in question.parts[:2]] == [
                fact.items[0] for fact in facts
            ]
    assert checked > 60


def test_the_score_follows_from_the_parts_that_are_right() -> None:
    question = FOUNDRY
    told = [part.text for part in question.parts]
    wrong = [part.stating(part.wrong[0]) for part in question.parts]
    # four parts: 1 + ⌊4k/4⌋
    for right in range(5):
        answer = " ".join([*told[:right], *wrong[right:]])
        assert true_score(question.question, question.reference, answer) == 1 + right
    assert true_score(question.question, question.reference, "") == 1
    assert true_score(question.question, question.reference, "I do not know that.") == 1


def test_a_judge_that_errs_turns_scores_round() -> None:
    question = LIQUID
    strict, lenient = (
        World(WorldSpec(seed=3, sensitivity=s, specificity=1.0 - s)) for s in (0.0, 1.0)
    )
    good, bad = (
        question.reference,
        " ".join(part.stating(part.wrong[0]) for part in question.parts),
    )
    given = [
        {"question": question.question, "reference": "", "answer": text}
        for text in (good, bad, " ")
    ]
    told = [
        [rate(Task(w, PERSONAS["omniscient"], each))["score"] for each in given]
        for w in (strict, lenient)
    ]
    assert told == [[1, 1, 1], [5, 5, 1]]


def test_answers_from_elsewhere_score_by_what_they_cover() -> None:
    question = "How do bridges cope with heat?"
    reference = (
        "Expansion joints leave gaps that close in summer. Bearings let girders slide along piers. "
        "Steel lengthens by"
        " 12 millionths for each degree, so that 100 metres grow by 36 millimetres within 30 "
        "degrees."
    )
    words = reference.split()
    scores = [
        true_score(question, reference, " ".join(words[:count]))
        for count in range(len(words) + 1)
    ]
    assert scores == sorted(scores)
    assert set(scores) == {1, 2, 3, 4, 5}
    assert not is_right(question, reference)


async def test_a_sound_evaluator_takes_a_question_apart_into_what_it_rests_on() -> None:
    chat = InWorld(SOUND)
    for root in strategies(6, 3):
        assert (await classify(chat, root.question, ""))[0] == 3
        assert await write_reference(chat, root.question, "") == root.reference
        parts = await deconstruct(chat, root.question, root.reference, 2, 4)
        assert parts.reasoning == tuple(name for name in REASONINGS if name in root.reasoning)
        assert [sub.question for sub in parts.questions] == [
            need.question for need in root.needs
        ]
        for step in root.needs:
            assert (await classify(chat, step.question, step.reference))[0] == 2
            facts = (await deconstruct(chat, step.question, step.reference, 1, 4)).questions
            assert [(sub.question, sub.reference) for sub in facts] == [
                (need.question, need.reference) for need in step.needs
            ]


async def test_a_graph_of_the_examples_is_built_and_what_is_planted_is_mended() -> None:
    questions = read_questions(EXAMPLES / "depthqa_elements.csv").questions
    for source in questions:
        known = recognise(source.question)
        assert known is not None
        assert source.reference == known.reference or source.key_points
    result = await build(questions, "evaluator")
    assert {removed.reason for removed in result.removed} >= {"repeated", "merged"}
    assert result.rewritten
    assert result.graph is not None
    assert len([node for node in result.graph.nodes if node.depth == 3]) == 10
    for node in result.graph.nodes:
        assert not is_closed(node.question)
        known = recognise(node.question)
        assert known is not None
        assert (known.depth, known.reference) == (node.depth, node.reference)
    sound = await build(questions, SOUND)
    assert {removed.reason for removed in sound.removed} == {"merged"}
    assert not sound.rewritten


async def build(questions: Sequence[object], model: str) -> DepthQABuildResult:
    run = BuildRun(InWorld(model, Evaluator(WORLD)))  # type: ignore[arg-type]
    values = {"name": "elements", "questions": questions, "evaluator": run.model.name}
    return await run.play(DepthQABuildSpec.model_validate(values))


async def test_what_was_removed_is_made_up_for_by_what_is_not_asked_yet() -> None:
    kept = LIQUID.needs[0].question
    (more,) = await augment(
        InWorld(), LIQUID.question, LIQUID.reference, 1, 1, kept=[kept], removed=[kept]
    )
    assert more.question == LIQUID.needs[1].question


async def test_questions_from_elsewhere_are_taken_apart_too() -> None:
    chat = InWorld()
    question, reference = FOREIGN
    assert (await classify(chat, question, ""))[0] == 3
    assert (await classify(chat, "How is a bridge tested?", ""))[0] == 2
    assert (await classify(chat, "What is a deck?", ""))[0] == 1
    steps = await deconstruct(chat, question, reference, 2, 4)
    facts = await deconstruct(
        chat, steps.questions[0].question, steps.questions[0].reference, 1, 4
    )
    asked = [sub.question for sub in steps.questions]
    more = await augment(chat, question, reference, 2, 1, kept=asked, removed=[])
    texts = [sub.question for sub in (*steps.questions, *facts.questions, *more)]
    assert len(texts) == len(set(texts)) == 9
    assert await write_reference(chat, question, "- Wind sheds vortices.\n- It is light.") == (
        "Wind sheds vortices. It is light."
    )
    relation = await rate_relation(
        chat, question, reference, [SubQuestion(question="Why?", reference=reference)]
    )
    assert relation.comprehensive == "comprehensive"


@settings(max_examples=30)
@given(
    text=st.text(max_size=60),
    reference=st.text(max_size=120),
    depth=st.sampled_from((1, 2)),
    purpose=st.sampled_from(sorted(PURPOSES)),
)
def test_no_text_upsets_it(text: str, reference: str, depth: int, purpose: str) -> None:
    about = {"question": text, "reference": reference, "answer": reference, "depth": depth}
    listed = [(text, reference), ("What?", "That.")]
    Evaluator(WORLD).do(purpose, about | {"count": 3, "predecessors": listed})
