"""What a problem sets aside of a budget, and how many problems are worked on side by side."""

from collections.abc import Mapping

from ...agents.judge.comparison import ComparisonReply
from ...agents.judge.verdict import Marking
from ...agents.prober.solver import IndependentReply
from ...agents.questioner.instruction import InstructionCheckReply, InstructionReply, MetReply
from ...agents.questioner.scenario import CheckReply, DistractorsReply, ScenarioReply
from ...state.deepquestion.items import DISTRACTORS, Problem
from ...state.deepquestion.spec import DeepQuestionSpec
from ...tools.models.budget import Amount, Cost
from ..run.admission import LIMIT, TEXT_BYTES, worst_call
from .solving import SAME, Place

WRITING = 3000
"""Token limit of a scenario or of distractors."""
GUIDE_BYTES = 4 * WRITING
SCENARIO_BYTES = 6_000
WORST_SHARE = 6
"""So many times less than its worst price a problem is taken to cost, for the part that has to be free."""
STEPS = 5
"""Calls that follow each other in a problem: writing, checking, solving, answering, comparing."""


def calls_of(spec: DeepQuestionSpec, *, words: bool, baseline: bool) -> int:
    """Calls of one problem when nothing is rejected or asked again. `words`: whether the judge compares answers."""
    loads, judged = len(spec.distractors), int(words)
    calls = 1 + judged + 2 * baseline
    if "q2s" in spec.kinds:
        distracted = max(DISTRACTORS[load] for load in spec.distractors) > 0
        calls += loads * (1 + judged)
        calls += 0 if spec.given else 2 + distracted + loads * (1 + judged)
    if "q2i" in spec.kinds:
        calls += 3 + judged + 2 + (0 if spec.given else 2)
    return calls


def side_by_side(spec: DeepQuestionSpec, connections: int) -> int:
    """Problems to work on at once: twice as many as keep all connections busy. Not all of them: a run that is cut off
    should have whole problems to report."""
    return max(2, -(-2 * connections * STEPS // calls_of(spec, words=False, baseline=False)))


def left_of(place: Place, *, words: bool, baseline: bool) -> dict[str, Amount]:
    """The steps of a problem that the journal lacks, each at its worst price; those that come about only when others
    pass are among them."""
    steps = {**_solving(place, words), **_comparing(place, baseline)}
    if not place.spec.given:
        steps |= _writing(place)
    memory = place.deps.sink.run(place.steps.run_id)
    there = {where for where in steps if (own := place.id_of(where)) in memory.item_ids and own not in memory.redo}
    return {where: amount for where, amount in steps.items() if where not in there}


def problem_need(place: Place, left: Mapping[str, Amount]) -> Cost:
    """For what is left of one problem. In USD the base is the dearest call at its worst price, the extra a share of all
    others: a whole problem at its worst is many times what one costs, and small budgets would begin none. One that does
    meet the end of the budget is left open."""
    whole = sum(left.values(), start=Amount())
    again = len(left) // 4
    if whole.usd is None:
        return Cost(whole, Amount(0.0, again))
    dearest = max((call.usd or 0.0 for call in left.values()), default=0.0)
    return Cost(Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, again))


def _solving(place: Place, words: bool) -> dict[str, Amount]:
    deps, spec, shown = place.deps, place.spec, _bytes(place.problem)
    loads = spec.distractors if "q2s" in spec.kinds else ()
    answering = spec.answer_tokens
    target = worst_call(deps, "target", "solution", shown + SCENARIO_BYTES, answering, None)
    own = worst_call(deps, "evaluator", "independent_solution", shown + SCENARIO_BYTES, answering, IndependentReply)
    solved = dict.fromkeys(("original", *loads), target)
    if not spec.given:
        solved |= dict.fromkeys((f"{load}@solved" for load in loads), own)
    if "q2i" in spec.kinds:
        solved["q2i@solved"] = own
    if words:
        said = shown + SCENARIO_BYTES + 4 * answering
        verdict = worst_call(deps, "judge", "verdict", said, LIMIT, Marking)
        solved |= {f"{where}{SAME}": verdict for where in solved}
    if "q2i" in spec.kinds:
        solved["q2i"] = worst_call(deps, "target", "created_question", TEXT_BYTES, answering, None)
        solved["q2i@met"] = worst_call(deps, "evaluator", "instruction_met", 4 * TEXT_BYTES, LIMIT, MetReply)
    return solved


def _writing(place: Place) -> dict[str, Amount]:
    deps, spec, shown = place.deps, place.spec, _bytes(place.problem) + GUIDE_BYTES
    calls = {}
    if "q2s" in spec.kinds:
        calls["scenario"] = worst_call(deps, "generator", "scenario", shown, WRITING, ScenarioReply)
        calls["scenario@check"] = worst_call(deps, "evaluator", "scenario_check", shown, LIMIT, CheckReply)
        if max(DISTRACTORS[load] for load in spec.distractors):
            calls["distractors"] = worst_call(deps, "generator", "distractors", shown, WRITING, DistractorsReply)
    if "q2i" in spec.kinds:
        calls["instruction"] = worst_call(deps, "generator", "instruction", shown, LIMIT, InstructionReply)
        check = worst_call(deps, "evaluator", "instruction_check", shown, LIMIT, InstructionCheckReply)
        calls["instruction@check"] = check
    return calls


def _comparing(place: Place, baseline: bool) -> dict[str, Amount]:
    shown = _bytes(place.problem) + 4 * TEXT_BYTES
    once = worst_call(place.deps, "judge", "comparison", shown, LIMIT, ComparisonReply)
    pairs = (*(["q2i"] if "q2i" in place.spec.kinds else []), *(["baseline"] if baseline else []))
    return dict.fromkeys((f"{pair}@{order}" for pair in pairs for order in ("first", "second")), once)


def _bytes(problem: Problem) -> int:
    texts = (problem.question, problem.answer, problem.solution, *problem.options)
    return sum(len(text.encode()) for text in texts)
