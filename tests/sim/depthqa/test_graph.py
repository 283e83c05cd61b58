"""Questions at three depths about the elements: real references, recognition, the judge's scores."""

import json
import re
from collections import Counter

import pytest

from fathom.agents.paraphraser.open_question import is_binary
from fathom.sim.depthqa.nodes import DeepQuestion, Kind, Unfit, figure, make
from fathom.sim.depthqa.nuclei import AVERAGE, ISOTOPE, NEUTRONS
from fathom.sim.depthqa.pairs import BOND, DENSITY, MELTING, pair
from fathom.sim.depthqa.questions import ECHO, FRAMES, KINDS, framed, graph_of, recognise
from fathom.sim.depthqa.rating import is_right, rate, true_score
from fathom.sim.depthqa.steps import FUSION, ION, LIQUID, MASS, STATE, VALENCE, VOLUME, WARMING
from fathom.sim.depthqa.strategies import COMPOUND, FOUNDRY, FURNACE, STRATEGIES, TREND
from fathom.sim.elements import elements
from fathom.sim.world import World
from fathom.state.depthqa.items import REASONINGS
from fathom.state.spec import WorldSpec
from fathom.tools.similarity import SAME, lexical

from ...support.paths import REAL

ANSWERS = REAL / "depthqa/llama3_8b_zero-shot.json"
GRAPH = graph_of(30, 1)


@pytest.mark.parametrize(
    ("kind", "slots", "values"),
    [
        # iron-56, atomic number 26: 56 - 26
        (NEUTRONS, ("iron",), ("56", "26", "30")),
        # 2861 - 1538
        (LIQUID, ("iron",), ("1538", "2861", "1323")),
        # 2.5 · 55.845 = 139.6125
        (MASS, ("iron", "2.5"), ("55.845", "multiplied by", "139.6")),
        # 55.845 / 7.87 = 7.0959
        (VOLUME, ("iron",), ("55.845", "7.87", "7.096")),
        # .758 · 34.9688527 + .242 · 36.9659026 = 26.50639 + 8.94575
        (AVERAGE, ("chlorine",), ("75.8", "24.2", "35.45")),
        # .449 J/(g K) · (1538 - 25) K = 679.337 kJ/kg
        (WARMING, ("iron",), ("1513", "0.449", "679.3")),
        # 13.8 kJ/mol · 1000/55.845 mol/kg = 247.113 kJ/kg
        (FUSION, ("iron",), ("13.8", "17.91", "247.1")),
        # group 17, period 3
        (VALENCE, ("chlorine",), ("7", "3", "7")),
        # Al³⁺: 13 - 3
        (ION, ("aluminium",), ("13", "3", "10")),
        # 1538 < 2000 < 2861
        (STATE, ("iron", "2000"), ("1538", "2861", "liquid")),
    ],
)
def test_the_references_are_worked_out_from_real_values(kind: Kind, slots: tuple[str, ...], values: object) -> None:
    question = make(kind, *slots)
    assert tuple(part.value for part in question.parts) == values
    assert question.reference == " ".join(part.text for part in question.parts)


def test_what_two_elements_come_to() -> None:
    # Na .93, Cl 3.16: 2.23 > 1.7
    assert [part.value for part in pair(BOND, "sodium", "chlorine").parts] == ["2.23", "chlorine", "ionic"]
    # 7.87 / 2.7 = 2.9148
    assert pair(DENSITY, "iron", "aluminium").parts[-1].value == "2.915"
    assert pair(MELTING, "iron", "aluminium") is pair(MELTING, "aluminium", "iron")
    # aluminium gives 3, oxygen lacks 2: 2 Al to 3 O; 3.44 - 1.61 = 1.83
    told = [part.value for part in make(COMPOUND, "aluminium", "oxygen").parts]
    assert told == ["2 to 3", "3", "2", "ionic", "well founded"]
    # iron 679.3 + 247.1; zinc .388 · (419.53 - 25) + 7280/65.38 = 153.08 + 111.35; 526 apart in warming, 136 in melting
    told = [part.value for part in make(FOUNDRY, "iron", "zinc").parts]
    assert told == ["zinc", "926.4", "264.4", "warming up"]
    # halfway between 1455 and 1907 °C
    furnace = make(FURNACE, "nickel", "chromium")
    assert "at 1681 °C" in furnace.question
    assert [part.value for part in furnace.parts] == ["chromium", "liquid", "226", "452"]
    # bromine-81, 49.35 %, beside bromine-79: 81 - 35 = 46 neutrons; 2 · 80.9162882 g
    told = [part.value for part in make(ISOTOPE, "bromine", "2").parts]
    assert told == ["higher", "80.92", "161.8", "46", "the number of electrons"]
    # potassium: 220 pm and 4.340664 eV; lithium: 145 pm and 5.391715 eV
    told = [part.value for part in make(TREND, "potassium", "lithium").parts]
    assert told == ["farther from", "1", "4", "75", "1.05105"]


@pytest.mark.parametrize(
    ("kind", "slots"),
    [
        (LIQUID, ("arsenic",)),  # sublimes
        (VALENCE, ("helium",)),  # group 18, two electrons
        (AVERAGE, ("iron",)),  # four isotopes
        (TREND, ("lithium", "potassium")),  # the other way round
        (COMPOUND, ("hydrogen", "chlorine")),
        (FUSION, ("iodine",)),  # per mole of molecules
    ],
)
def test_what_cannot_be_asked_is_not(kind: Kind, slots: tuple[str, ...]) -> None:
    with pytest.raises(Unfit):
        make(kind, *slots)


def test_a_graph_has_every_kind_and_steps_of_one() -> None:
    assert Counter(node.depth for node in GRAPH.nodes)[3] == 30 == len(GRAPH.trees)
    roots = Counter(node.id.split(".")[1] for node in GRAPH.nodes if node.depth == 3)
    assert roots == {kind.name: 3 for kind in STRATEGIES}
    for node in GRAPH.nodes:
        before = [GRAPH.by_id[name] for name in node.predecessors]
        assert len(before) in ({1: [0], 2: [2, 3, 4], 3: [3, 4]}[node.depth])
        assert all(need.depth == node.depth - 1 for need in before)
        assert node.domain
        assert set(node.reasoning) <= set(REASONINGS)
        assert bool(node.reasoning) is (node.depth > 1)
    assert any(len(above) > 1 for above in GRAPH.successors.values()), "questions of depth 1 are shared"
    assert graph_of(30, 1) == GRAPH != graph_of(30, 2)


def test_trees_can_have_nodes_of_their_own() -> None:
    apart = graph_of(30, 1, shared=False)
    assert {node.question for node in apart.nodes} == {node.question for node in GRAPH.nodes}
    assert len(apart.nodes) > len(GRAPH.nodes)
    assert len(apart.trees) == 30
    assert all(len(above) == 1 for name, above in apart.successors.items() if apart.by_id[name].depth == 2)


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
        "Which of zinc and iron does anybody like better, and by how many degrees?",
        # the temperature follows from the melting points
        make(FURNACE, "nickel", "chromium").question.replace("1681", "1700"),
        "",
    ],
)
def test_other_questions_are_not(text: str) -> None:
    assert recognise(text) is None


def test_every_kind_can_be_written_in_all_its_wordings() -> None:
    found = {
        (question.id.split(".")[1], re.sub(rf"\b{name}\b", "…", question.question))
        for kind in KINDS
        for name in elements()
        if kind.slots == "a" and (question := _made(kind, name))
    }
    for kind in KINDS:
        if kind.slots == "a":
            assert len([text for name, text in found if name == kind.name]) == len(kind.wordings), kind.name


def _made(kind: Kind, name: str) -> DeepQuestion | None:
    try:
        return make(kind, name)
    except Unfit:
        return None


def test_the_score_follows_from_the_parts_that_are_right() -> None:
    question = make(FOUNDRY, "iron", "zinc")
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
        "Zinc takes less energy: iron needs 926.4 kJ for a kilogram, zinc 264.4; the greater difference is in warming."
    )
    assert true_score(question.question, question.reference, own) >= 3


def test_facts_score_five_or_one_and_lists_in_between() -> None:
    fact = recognise("What is the melting point of iron?")
    several = recognise("Who is credited with the discovery of titanium?")
    found = recognise("Who is credited with the discovery of oxygen?")
    assert fact is not None
    assert [true_score(fact.question, "", f"It melts at {c} °C.") for c in ("1538", "1600")] == [5, 1]
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
    question = make(LIQUID, "iron")
    strict, lenient = (World(WorldSpec(seed=3, sensitivity=s, specificity=1.0 - s)) for s in (0.0, 1.0))
    good, bad = question.reference, " ".join(part.said(part.wrong[0]) for part in question.parts)
    told = [[rate(w, question.question, "", text)["score"] for text in (good, bad, " ")] for w in (strict, lenient)]
    assert told == [[1, 1, 1], [5, 5, 1]]


def test_answers_from_elsewhere_score_by_what_they_cover() -> None:
    question = "How do bridges cope with heat?"
    reference = (
        "Expansion joints leave gaps that close in summer. Bearings let girders slide along piers. Steel lengthens by"
        " 12 millionths for each degree, so that 100 metres grow by 36 millimetres within 30 degrees."
    )
    words = reference.split()
    scores = [true_score(question, reference, " ".join(words[:count])) for count in range(len(words) + 1)]
    assert scores == sorted(scores)
    assert set(scores) == {1, 2, 3, 4, 5}
    assert not is_right(question, reference)


@pytest.mark.skipif(not ANSWERS.exists(), reason="the real answers do not lie beside this clone")
def test_real_answers_get_all_scores_and_references_the_best() -> None:
    rows = list(json.loads(ANSWERS.read_text(encoding="utf-8")).values())[::4]
    scores = Counter(true_score(row["question"], row["answer"], row["predicted_answer"]) for row in rows)
    assert set(scores) == {1, 2, 3, 4, 5}
    assert max(scores.values()) < 0.6 * len(rows)
    assert {true_score(row["question"], row["answer"], row["answer"]) for row in rows} == {5}


def test_figures_have_no_exponent_and_as_many_digits_as_told() -> None:
    assert [figure(x) for x in (139.6125, 12233.26, 0.000012345, 25.0)] == ["139.6", "12230", "0.00001234", "25"]
