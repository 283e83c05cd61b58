"""Questions at three depths about the elements: real references, recognition, the judge's
scores."""

import pytest

from fathom.sim.depthqa.library import library
from fathom.sim.depthqa.tasks import rate, true_score
from fathom.sim.personas import PERSONAS
from fathom.sim.world import Task, World
from fathom.state.spec import WorldSpec

from ...support.truth import is_right

LIBRARY = library()
FOUNDRY, LIQUID = LIBRARY["d3.foundry.iron.zinc"], LIBRARY["d2.liquid-range.iron"]


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
    # in other words than this world's it is still read, by words and figures
    own = (
        "Zinc takes less energy: iron needs 926.4 kJ for a kilogram, zinc 264.4; the greater "
        "difference is in warming."
    )
    assert true_score(question.question, question.reference, own) >= 3


def test_a_judge_that_errs_turns_scores_round() -> None:
    question = LIQUID
    strict, lenient = (
        World(WorldSpec(seed=3, sensitivity=s, specificity=1.0 - s)) for s in (0.0, 1.0)
    )
    good, bad = question.reference, " ".join(part.stating(part.wrong[0]) for part in question.parts)
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
        true_score(question, reference, " ".join(words[:count])) for count in range(len(words) + 1)
    ]
    assert scores == sorted(scores)
    assert set(scores) == {1, 2, 3, 4, 5}
    assert not is_right(question, reference)
