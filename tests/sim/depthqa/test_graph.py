"""Questions at three depths about the elements: real references, recognition, the judge's
scores."""

import json
from collections import Counter

import pytest

from fathom.agents.questioner.question_text import is_binary
from fathom.sim.corpus import corpus
from fathom.sim.depthqa.library import ECHO, FRAMES, framed, library, recognise
from fathom.sim.depthqa.tasks import rate, true_score
from fathom.sim.personas import PERSONAS
from fathom.sim.world import World
from fathom.state.depthqa.items import REASONINGS
from fathom.state.spec import WorldSpec
from fathom.tools.similarity import SAME, lexical

from ...support.depthqa.elements import graph_of
from ...support.paths import REAL
from ...support.truth import is_right

ANSWERS = REAL / "depthqa/llama3_8b_zero-shot.json"
GRAPH = graph_of(30, 1)
LIBRARY = library()
FOUNDRY, LIQUID = LIBRARY["d3.foundry.iron.zinc"], LIBRARY["d2.liquid-range.iron"]
FURNACE = LIBRARY["d3.furnace.nickel.chromium"]


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
def test_the_references_are_worked_out_from_real_values(name: str, values: tuple[str, ...]) -> None:
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
            assert [part.value for part in question.parts[:2]] == [fact.items[0] for fact in facts]
            assert question.parts[2].value == facts[0 if one > other else 1].subject
            much = (
                max(one, other) / min(one, other) if kind.endswith("-ratio") else abs(one - other)
            )
            assert float(question.parts[3].value) == pytest.approx(much, rel=1e-3), question.id
            checked += 1
        if kind in ("liquid-range", "state-at", "molar-volume"):
            assert [part.value for part in question.parts[:2]] == [fact.items[0] for fact in facts]
    assert checked > 60


def test_the_library_holds_together() -> None:
    assert Counter(question.depth for question in LIBRARY.values())[3] == 60
    for question in LIBRARY.values():
        assert all(need.depth == question.depth - 1 for need in question.needs)
        assert set(question.subjects) <= set(corpus().symbols)
        for part in question.parts:
            assert part.value not in part.wrong
            assert len(part.wrong) >= 1
            assert part.sentence.count("{v}") == 1
    assert not {question.question for question in LIBRARY.values()} & {
        fact.question for fact in corpus().facts
    }


def test_a_graph_has_every_kind_and_steps_of_one() -> None:
    assert Counter(node.depth for node in GRAPH.nodes)[3] == 30 == len(GRAPH.trees)
    roots = Counter(node.id.split(".")[1] for node in GRAPH.nodes if node.depth == 3)
    assert set(roots.values()) == {3}
    assert len(roots) == 10
    for node in GRAPH.nodes:
        before = [GRAPH.by_id[name] for name in node.predecessors]
        assert len(before) in ({1: [0], 2: [2, 3, 4], 3: [3, 4]}[node.depth])
        assert all(need.depth == node.depth - 1 for need in before)
        assert node.domain
        assert set(node.reasoning) <= set(REASONINGS)
        assert bool(node.reasoning) is (node.depth > 1)
    assert any(len(above) > 1 for above in GRAPH.successors.values()), (
        "questions of depth 1 are shared"
    )
    assert graph_of(30, 1) == GRAPH != graph_of(30, 2)


def test_trees_can_have_nodes_of_their_own() -> None:
    apart = graph_of(30, 1, shared=False)
    assert {node.question for node in apart.nodes} == {node.question for node in GRAPH.nodes}
    assert len(apart.nodes) > len(GRAPH.nodes)
    assert len(apart.trees) == 30
    assert all(
        len(above) == 1 for name, above in apart.successors.items() if apart.by_id[name].depth == 2
    )


def test_no_question_can_be_answered_by_yes_and_no_two_are_one() -> None:
    texts = [node.question for node in GRAPH.nodes]
    assert not [text for text in texts if is_binary(text)]
    assert lexical(texts, SAME) == {}


def test_questions_are_recognised_however_they_are_framed() -> None:
    for node in GRAPH.nodes:
        question = recognise(node.question)
        assert question is not None
        assert (question.id, question.reference) == (node.id, node.reference)
        for front in (ECHO, *FRAMES):
            assert recognise(framed(front, node.question)) is question
        if question.yes_no:
            assert is_binary(question.yes_no)
            assert recognise(question.yes_no) is question


@pytest.mark.parametrize(
    "text",
    [
        "Which bridges did Ada Nordström build?",
        "What is the mass of 2 moles of unobtainium atoms, and by which steps is it worked out?",
        FURNACE.question.replace("1681", "1700"),
        "",
    ],
)
def test_other_questions_are_not(text: str) -> None:
    assert recognise(text) is None


def test_the_score_follows_from_the_parts_that_are_right() -> None:
    question = FOUNDRY
    told = [part.text for part in question.parts]
    wrong = [part.said(part.wrong[0]) for part in question.parts]
    # four parts: 1 + ⌊4k/4⌋
    for right in range(5):
        answer = " ".join([*told[:right], *wrong[right:]])
        assert true_score(question.question, question.reference, answer) == 1 + right
    assert true_score(question.question, question.reference, "") == 1
    assert true_score(question.question, question.reference, "I do not know that.") == 1
    # in other words than this world's it is still read, by words and figures
    own = (
        "Zinc takes less energy: iron needs 926.4 kJ for a kilogram, zinc 264.4; the greater "
        "difference is in warming."
    )
    assert true_score(question.question, question.reference, own) >= 3


def test_facts_score_five_or_one_and_lists_in_between() -> None:
    fact = recognise("What is the melting point of iron?")
    several = recognise("Who is credited with the discovery of titanium?")
    found = recognise("Who is credited with the discovery of oxygen?")
    assert fact is not None
    assert [true_score(fact.question, "", f"It melts at {c} °C.") for c in ("1538", "1600")] == [
        5,
        1,
    ]
    for question in (several, found):
        assert question is not None
        assert question.fact is not None
        if len(question.fact.items) == 2:
            # one of two: 1 + ⌊4/2⌋
            assert true_score(question.question, "", f"That was {question.fact.items[0]}.") == 3
            break
    else:
        pytest.fail("no discovery by two")


def test_a_judge_that_errs_turns_scores_round() -> None:
    question = LIQUID
    strict, lenient = (
        World(WorldSpec(seed=3, sensitivity=s, specificity=1.0 - s)) for s in (0.0, 1.0)
    )
    good, bad = question.reference, " ".join(part.said(part.wrong[0]) for part in question.parts)
    given = [
        {"question": question.question, "reference": "", "answer": text}
        for text in (good, bad, " ")
    ]
    told = [
        [rate(w, PERSONAS["omniscient"], each)["score"] for each in given]
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
        true_score(question, reference, " ".join(words[:count])) for count in range(len(words) + 1)
    ]
    assert scores == sorted(scores)
    assert set(scores) == {1, 2, 3, 4, 5}
    assert not is_right(question, reference)


@pytest.mark.skipif(not ANSWERS.exists(), reason="the real answers do not lie beside this clone")
def test_real_answers_get_all_scores_and_references_the_best() -> None:
    rows = list(json.loads(ANSWERS.read_text(encoding="utf-8")).values())[::4]
    scores = Counter(
        true_score(row["question"], row["answer"], row["predicted_answer"]) for row in rows
    )
    assert set(scores) == {1, 2, 3, 4, 5}
    assert max(scores.values()) < 0.6 * len(rows)
    assert {true_score(row["question"], row["answer"], row["answer"]) for row in rows} == {5}
