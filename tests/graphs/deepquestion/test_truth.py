"""Measured accuracies and drops agree with what is true of a simulated model, about as often as
claimed."""

from tests.support.deepquestion.world_problems import problem_list

from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import persona_of
from fathom.sim.world import World
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.problems import DISTRACTORS, LOADS, Problem
from fathom.state.result import Interval
from fathom.state.spec import WorldSpec

from ...support.deepquestion.toy import QuestionRun
from ...support.in_world import InWorld
from ...support.truth import true_creating, true_marks, true_solving

PROBLEMS = tuple(problem_list(24))


async def in_world(
    target: str,
    seed: int,
    problems: tuple[Problem, ...] = PROBLEMS,
    generator: str = "generator",
    **changes: object,
) -> DeepQuestionResult:
    """A run in the world of this seed, without the wire."""
    evaluator = Evaluator(World(WorldSpec(seed=seed)))
    roles = {
        "target": target,
        "generator": generator,
        "evaluator": "evaluator",
        "judge": "evaluator",
    }
    models = {role: InWorld(name, evaluator) for role, name in roles.items()}
    run = QuestionRun(problems=problems)
    names = {role: model.name for role, model in models.items()}
    return await run.play(run.spec(**{"distractors": LOADS, **names, **changes}), **models)


def held(result: DeepQuestionResult, model: str) -> dict[str, bool]:
    """Figure → whether its interval holds what is expected of the model."""
    persona = persona_of(model)
    solved = true_solving(persona)
    found = {"original": holds(result.original.ci, solved)}
    for row in result.q2s:
        truth = true_solving(persona, DISTRACTORS[row.load])
        found[f"q2s {row.load}"] = holds(row.accuracy.ci, truth)
        if row.drop is not None:
            found[f"drop {row.load}"] = holds(row.drop.ci, solved - truth)
    if result.q2i is not None:
        found["q2i"] = holds(result.q2i.accuracy.ci, true_creating(persona))
        found["distance"] = holds(result.q2i.distance_ci, solved - true_creating(persona))
    return found


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval[0] <= truth <= interval[1]


async def test_the_intervals_hold_the_truth() -> None:
    """Figures of one world hang together, so that several are looked at;"""
    model = "solve=0.8,mislead=0.2,unsteady=0.5,create=0.4"
    results = [await in_world(model, seed) for seed in range(2)]
    found = [holds for result in results for holds in held(result, model).values()]
    assert len(found) == 2 * 9
    assert sum(found) >= 0.8 * len(found)
    # without distractors there is no drop beyond chance, with many there is
    assert all(result.q2s[0].drop and holds(result.q2s[0].drop.ci, 0.0) for result in results)
    assert all(result.q2s[2].drop and result.q2s[2].drop.ci[0] > 0.0 for result in results)


async def test_every_mark_is_the_true_one() -> None:
    model, seed = "solve=0.8,mislead=0.1,unsteady=0.5,create=0.7", 4
    result = await in_world(model, seed, PROBLEMS[:16])
    world, persona = World(WorldSpec(seed=seed)), persona_of(model)
    for row in result.problems:
        assert row.original is not None
        told = {"original": row.original} | {
            str(load): answer for load, answer in row.solved.items()
        }
        texts = {"original": row.question} | {
            str(load): text for load, text in row.scenarios.items()
        }
        truth = true_marks(world, persona, texts)
        assert {name: answer.mark == "right" for name, answer in told.items()} == truth
    assert not result.rejected  # the loop's prompts spoil nothing


async def test_what_is_spoilt_is_found_and_nothing_else() -> None:
    """The ablation: the first draft lacks criteria, and each of them spoils scenarios and
    instructions."""
    loop = await in_world("solve=1,create=1", 2, PROBLEMS[:16])
    single = await in_world("solve=1,create=1", 2, PROBLEMS[:16], single_pass=True)
    assert (len(loop.rejected), len(single.rejected) > 8) == (0, True)
    assert {each.check for each in single.rejected} <= {
        "quantity lost", "answer changed", "bare problem", "not solvable", "gives away", "incomplete",
    }  # fmt: skip
    # what is left is sound: a model that always solves solves all of it
    assert all(row.accuracy.count == row.accuracy.n for row in (*loop.q2s, *single.q2s))
    assert {each.source for each in loop.prompts} == {"optimised"}
    assert {each.source for each in single.prompts} == {"single pass"}


async def test_a_generator_that_never_converges() -> None:
    result = await in_world("student", 1, PROBLEMS[:3], generator="generator,mends=0")
    assert (result.stop_reason, result.problems) == ("not_converged", ())
    assert all(len(history.rounds) == 5 and not history.converged for history in result.prompts)
