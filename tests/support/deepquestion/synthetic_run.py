"""Whole DeepQuestion runs that never happened, with things that can go wrong, for tests of what shows them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from fathom.state.deepquestion.items import CRITERIA, Criterion, Preference, ProblemSet
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.items import DeepQuestionItem
from fathom.state.result import RoleUsage
from fathom.stats.deepquestion.figures import tables_of

from .synthetic import (
    RUN,
    compared,
    distractors,
    instruction,
    instruction_check,
    kinds_of,
    loop,
    lost,
    met,
    problem_set,
    q2i_steps,
    q2s_steps,
    same,
    scenario,
    scenario_check,
    solution,
    spec_of,
    unreachable,
)

CHANGED, LOST_SCENARIO, GIVES_AWAY, UNANSWERABLE = 2, 5, 6, 7
"""Problems, by index from 0: a scenario whose distractors change the answer; one that a fault took; an instruction that
holds the question; a written question without an answer."""


def run_items(spec: DeepQuestionSpec, count: int) -> list[DeepQuestionItem]:
    """All steps of all problems, one after the other. Who is right depends on target and problem alone."""
    items = [step for kind in spec.drafted for step in loop(kind, *((4,) if spec.single_pass else (5, 6, 9)))]
    for index in range(count):
        items += _problem(spec, index, count)
    return items


def _problem(spec: DeepQuestionSpec, index: int, count: int) -> Iterator[DeepQuestionItem]:
    rng = Random(f"{spec.target}/{index}")
    yield from _original(index, right=rng.random() < 0.8)
    if "q2s" in spec.kinds:
        yield from _q2s(spec, index, rng)
    if "q2i" in spec.kinds:
        yield from _q2i(index, rng)
        if index < spec.baseline and count > 1:
            for first, told in ((True, _place(rng, 0.5)), (False, _place(rng, 0.5))):
                yield compared(index, first, told, (index + 1) % count)


def _original(index: int, *, right: bool) -> Iterator[DeepQuestionItem]:
    words = index % 10 == 4
    solved = solution(index, right=None if words else right)
    yield solved
    if words:
        yield same(solved, right)


def _q2s(spec: DeepQuestionSpec, index: int, rng: Random) -> Iterator[DeepQuestionItem]:
    if index == LOST_SCENARIO:
        yield scenario(index, fault=lost("scenario"))
    elif index == CHANGED:
        yield from (scenario(index), scenario_check(index), distractors(index))
        yield from (solution(index, "check", load == "none", load) for load in spec.distractors)
    else:
        chance = {"none": 0.85, "some": 0.75, "many": 0.6}
        yield from q2s_steps(index, spec, {load: rng.random() < chance[load] for load in spec.distractors})


def _q2i(index: int, rng: Random) -> Iterator[DeepQuestionItem]:
    if index == GIVES_AWAY:
        yield from (instruction(index), instruction_check(index, gives_away=True, reason="It holds the question."))
    elif index == UNANSWERABLE:
        yield from (step for step in q2i_steps(index) if step.type not in ("solution", "met"))
        yield from (unreachable(index, "created"), met(index))
    else:
        right = rng.random() < 0.5
        yield from q2i_steps(index, right, (_place(rng, 0.7), _place(rng, 0.4)) if right else None)


def _place(rng: Random, first: float) -> dict[Criterion, Preference]:
    found: dict[Criterion, Preference] = {}
    for criterion in CRITERIA:
        drawn = rng.random()
        found[criterion] = "first" if drawn < first * 0.8 else "tie" if drawn > 0.8 else "second"
    return found


def result(target: str = "sim:student", *, problems: int = 12, **changes: Any) -> DeepQuestionResult:
    """A run over so many problems. `changes`: fields of the spec or of the result to set. Any target but `sim:…` makes
    a result that is not simulated."""
    over: ProblemSet = problem_set(problems)
    simulated = target.startswith("sim:")
    roles: dict[str, Any] = {role: f"sim:{role}" for role in ("generator", "evaluator", "judge")} if simulated else {}
    named = {name: changes.pop(name) for name in [*changes] if name in DeepQuestionSpec.model_fields}
    about = roles | {"target": target, "distractors": ("none", "some", "many")} | named
    spec = spec_of(over, **about)
    tables = tables_of(spec, over, run_items(spec, problems), range(problems), kinds_of(over))
    usage = RoleUsage(calls=40, cached=0, failed=1, attempts=42, input_tokens=9000, output_tokens=6000, cost_usd=0.06)
    made = DeepQuestionResult(
        run_id=f"20260101T120000-deepquestion-made-{Random(spec.digest).randrange(16**8):08x}-{RUN}",
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="every problem was put",
        **tables.fields(),
        usage=dict.fromkeys(("generator", "evaluator", "target", "judge"), usage),
        cost_usd=0.24,
        wall_s=75.2,
        conformance=("own-check: a scenario is solved independently before the target sees it",),
        notes=("The judge could not be given a seed.",),
        provenance={"fathom": "0.1.0"},
    )
    return made.model_copy(update=changes)
