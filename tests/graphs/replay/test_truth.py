"""A paired replay of two personas finds their true difference, in one simulated world after the
other."""

from fathom.graphs.replay.question_set import questions_of, replay_spec
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.state.replay import ReplayResult
from fathom.state.spec import WorldSpec

from ...support.drill.drills import drill, sim_spec
from ...support.replays import true_difference

WORLDS = 3


async def replayed(world: WorldSpec, source: str, target: str) -> ReplayResult:
    spec = sim_spec(
        target=f"sim:{source}", n=5, passes=1, max_depth=3, world=world, seed=world.seed
    )
    drilled = (await drill(spec)).result
    assert drilled is not None
    replay = replay_spec(drilled, f"sim:{target}", drilled.spec.judge)
    options = LaunchOptions(questions={replay.questions: questions_of(drilled)})
    launch: Launch[ReplayResult] = Launch([replay], options)
    (report,) = await launch.run()
    assert isinstance(report, RunReport)
    assert report.result is not None
    return report.result


async def test_the_interval_holds_the_true_difference_of_two_personas() -> None:
    held, found, true = 0, [], []
    for seed in range(WORLDS):
        world = WorldSpec(seed=seed)
        result = await replayed(
            world, *(("student", "expert") if seed % 2 else ("expert", "student"))
        )
        truth = true_difference(world, result)
        assert result.paired.difference_ci is not None
        lower, upper = result.paired.difference_ci
        held += lower <= truth <= upper
        sign = 1 if seed % 2 else -1
        found.append(sign * result.paired.difference)
        true.append(sign * truth)
    assert held >= WORLDS - 1
    # 15 questions a world, p near .3: the mean of three has a standard error of .07
    assert abs(sum(found) - sum(true)) / WORLDS < 0.14
    assert min(found) > 0  # the better one is found in every world
