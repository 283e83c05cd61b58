"""What is true of simulated models that solve problems, and how their settings are written."""

from collections import Counter
from math import sqrt
from statistics import fmean

import pytest

from fathom.sim.deepquestion.problems import problem_list, read_problem
from fathom.sim.deepquestion.solving import settled
from fathom.sim.deepquestion.writing import distractors, told
from fathom.sim.personas import MODELS, persona_of
from fathom.sim.world import World
from fathom.state.spec import WorldSpec

from ...support.truth import true_creating, true_marks, true_solving

WORLDS = [World(WorldSpec(seed=seed)) for seed in range(20)]


def wordings(text: str) -> dict[str, str]:
    """A problem, and its scenario with none, two and five distractors."""
    known = read_problem(text)
    assert known is not None
    stated, more = told(known.exercise, "The teacher", text), distractors(known.exercise, 5, text)
    asks = known.exercise.asks[0]
    loads = {"none": 0, "some": 2, "many": 5}
    return {"original": text} | {
        load: " ".join(["A school has an open day.", *stated, *more[:count], asks])
        for load, count in loads.items()
    }


TEXTS = [wordings(problem.question) for problem in problem_list(48)]
K = {"original": 0, "none": 0, "some": 2, "many": 5}
DRAWS = len(WORLDS) * len(TEXTS)


def marks(model: str) -> list[dict[str, bool]]:
    return [true_marks(world, persona_of(model), texts) for world in WORLDS for texts in TEXTS]


@pytest.mark.parametrize("unsteady", [0, 0.5])
def test_accuracies_are_what_the_settings_say(unsteady: float) -> None:
    model = f"solve=0.8,mislead=0.1,unsteady={unsteady}"
    found = marks(model)
    for name, count in K.items():
        truth = true_solving(persona_of(model), count)
        assert truth == pytest.approx(0.8 * 0.9**count)
        # 960 draws; four standard errors
        error = 4 * sqrt(truth * (1 - truth) / DRAWS)
        assert fmean(mark[name] for mark in found) == pytest.approx(truth, abs=error)
    both = fmean(mark["original"] and mark["none"] for mark in found)
    # the same draw for both, but for the unsteady half, in which there are two
    assert both == pytest.approx(
        (1 - unsteady) * 0.8 + unsteady * 0.8**2, abs=4 * sqrt(0.25 / DRAWS)
    )
    if not unsteady:
        assert all(
            mark["original"] == mark["none"] >= mark["some"] >= mark["many"] for mark in found
        )


def test_wrong_answers_are_slips_or_use_the_number_of_a_distractor() -> None:
    led = Counter[bool]()
    for texts in TEXTS:
        astray = settled(WORLDS[0], persona_of("solve=1,mislead=0.5"), texts["many"])
        slipped = settled(WORLDS[0], persona_of("solve=0"), texts["many"])
        right = settled(WORLDS[0], persona_of("solve=1"), texts["many"])
        assert astray is not None
        assert slipped is not None
        assert right is not None
        assert (right.right, slipped.right, slipped.misled) == (True, False, "")
        assert slipped.answer != right.answer
        assert astray.right == (not astray.misled) == (astray.answer == right.answer)
        led[astray.right] += 1
    assert led[False] > led[True]  # 1 - .5⁵
    assert settled(WORLDS[0], persona_of("solve=1"), "Who is it?") is None
    assert true_marks(WORLDS[0], persona_of("solve=1"), {"x": "Who is it?"}) == {"x": False}


def test_settings_of_the_method() -> None:
    alone = persona_of("create=0.5,solve=.8")
    assert (alone.name, alone.solving, alone.creating) == ("solve=0.8,create=0.5", 0.8, 0.5)
    assert (alone.mislead, alone.unsteady, alone.leans, alone.spoils, alone.first, alone.mends) == (
        0,
        0,
        0,
        0,
        2,
        2,
    )
    assert persona_of("accuracy=0.7").solving == true_creating(persona_of("accuracy=0.7")) == 0.7
    assert persona_of("student,accuracy=0.3").solving == 0.3, (
        "an accuracy that is set holds for problems too"
    )
    assert persona_of("student,accuracy=0.3,solve=0.6").solving == 0.6
    assert persona_of("generator,mends=0,first=6").name == "generator,first=6,mends=0"
    assert persona_of("generator") == persona_of("evaluator") == persona_of("omniscient")
    solving = [
        persona_of(name).solving
        for name in MODELS
        if name not in ("evaluator", "generator", "cautious")
    ]
    assert solving == sorted(solving, reverse=True)
    for name in MODELS:
        persona = persona_of(name)
        assert persona.creating <= persona.solving
    for wrong, said in (
        ("first=1.5", "sets first to '1.5': it must be a whole number from 0 to 6"),
        ("mends=7", "whole number"),
        ("leans=2", "must be a number from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=said):
            persona_of(f"generator,{wrong}")
