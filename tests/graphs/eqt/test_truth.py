"""Measured accuracy and ACS agree with what is true of a simulated model, about as often as their
intervals claim."""

import pytest

from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import persona_of
from fathom.sim.world import World
from fathom.state.eqt.result import EqtResult, Numbers
from fathom.state.result import Interval
from fathom.state.spec import Concept, EqtSpec, WorldSpec

from ...support.eqt.toy import ToyRun
from ...support.in_world import InWorld
from ...support.truth import true_accuracy, true_acs, true_acs_normalised, true_open_book

CATEGORIES, EACH = 12, 4
ELEMENTS = World(WorldSpec()).titles


def spec_of(model: str, **changes: object) -> EqtSpec:
    """48 concepts in 12 categories; concepts the world has no page on among them."""
    names = [*ELEMENTS[: 40 * 3 : 3], *(f"Concept {n}" for n in range(8))]
    concepts = [
        Concept(name=name, category=f"part {n % CATEGORIES}") for n, name in enumerate(names)
    ]
    values = {
        "concepts": concepts,
        "target": f"sim:{model}",
        "examiner": f"sim:{model}",
        "judge": f"sim:{model}",
        "questions": 2,
        "options": 6,
        "paraphrases": 2,
    }
    return EqtSpec.model_validate(values | changes)


async def in_world(model: str, seed: int, **changes: object) -> EqtResult:
    """The run in the world of this seed, without the wire."""
    run = ToyRun()
    chat = InWorld(model, Evaluator(World(WorldSpec(seed=seed))))
    return await run.play(spec_of(model, **changes), target=chat, evaluator=chat, judge=chat)


def holds(interval: Interval | None, truth: float) -> bool:
    assert interval is not None
    return interval[0] <= truth <= interval[1]


def held(numbers: Numbers, model: str, options: int = 6) -> dict[str, bool]:
    """Figure → whether its interval holds the truth."""
    persona = persona_of(model)
    accuracy, askings = true_accuracy(persona), 3
    acs = true_acs(accuracy, persona.instability, askings, options)
    normalised = true_acs_normalised(accuracy, persona.instability, askings, options)
    found = {
        "accuracy": holds(numbers.all.ci_clustered, accuracy),
        "originals": holds(numbers.originals.ci_clustered, accuracy),
        "acs": holds(numbers.consistency.acs_ci, acs),
        "normalised": holds(numbers.consistency.acs_normalised_ci, normalised),
    }
    if numbers.open_book is not None:
        found["open book"] = holds(numbers.open_book.ci_clustered, true_open_book(persona))
        found["gap"] = holds(numbers.open_book_gap_ci, true_open_book(persona) - accuracy)
    return found


@pytest.mark.parametrize(("model", "seed"), [("accuracy=0.7,instability=0.3", 1)])
async def test_the_intervals_hold_the_truth_as_often_as_they_claim(
    model: str, seed: int
) -> None:
    result = await in_world(model, seed, open_book=True)
    assert len(result.concepts) == CATEGORIES * EACH
    assert result.numbers.dropped == 0
    assert all(held(result.numbers, model).values()), "over all concepts"
    by_category = [held(numbers, model) for numbers in result.by_category.values()]
    assert len(by_category) == CATEGORIES
    for figure in by_category[0]:
        assert sum(found[figure] for found in by_category) >= 10, f"{figure}: 19 of 20 expected"


async def test_without_instability_a_model_always_says_the_same() -> None:
    result = await in_world("accuracy=0.5,instability=0", 5, questions=1)
    assert result.numbers.consistency.acs == 1.0
    assert holds(result.numbers.all.ci_clustered, 0.5)
