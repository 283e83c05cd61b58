"""The simulated generator, evaluator, judge and target of DeepQuestion, asked with the real
prompts."""

from collections import Counter

import pytest
from tests.support.deepquestion.world_problems import problem_list

from fathom.agents.judge.comparison import compare_questions
from fathom.agents.prober.solver import create_question, solve, solve_independently
from fathom.agents.questioner.choice_wording import usable
from fathom.agents.questioner.instruction import check_instruction, keeps_to, write_instruction
from fathom.agents.questioner.scenario import check_scenario, write_distractors, write_scenario
from fathom.agents.questioner.transformation import (
    CRITERIA,
    draft_prompt,
    redraft_prompt,
    score_prompt,
)
from fathom.sim.deepquestion import writing as stoich_guides
from fathom.sim.deepquestion.problems import HELP, read_problem
from fathom.sim.deepquestion.tasks import fate_of, read_instruction, true_preferences
from fathom.sim.deepquestion.writing import fault_in, instruction, met_by
from fathom.sim.personas import persona_of
from fathom.state.problems import CRITERIA as COMPARED
from fathom.state.problems import KINDS, Kind, Problem, woven

from ...support.in_world import WORLD, InWorld
from ...support.truth import expected_faults

PROBLEMS = problem_list(60)
EVALUATOR = InWorld("evaluator")
WHOLE: dict[Kind, str] = {
    kind: " ".join(each.says for each in stoich_guides.CRITERIA[kind].values()) for kind in KINDS
}
SHEEP = Problem(
    id="sheep",
    question="A farmer has 12 sheep and buys 7 more. She sells 4 of them. How many sheep has she now?",
    answer="15",
)


async def drafts(generator: str, kind: Kind, rounds: int) -> list[tuple[str, int, str]]:
    """Drafts with score and feedback, as the loop asks for them."""
    model, made = InWorld(generator), list[tuple[str, int, str]]()
    for _ in range(rounds):
        samples = PROBLEMS[:3]
        text = await (
            redraft_prompt(model, kind, samples, *made[-1])
            if made
            else draft_prompt(model, kind, samples)
        )
        told = await score_prompt(EVALUATOR, kind, PROBLEMS[:3], text)
        made.append((text, told.score, told.feedback))
    return made


@pytest.mark.parametrize("kind", KINDS)
async def test_drafts_get_better_and_scores_say_what_they_lack(kind: Kind) -> None:
    assert list(stoich_guides.CRITERIA[kind]) == [text.partition(":")[0] for text in CRITERIA[kind]]
    for name, criterion in stoich_guides.CRITERIA[kind].items():
        assert met_by(kind, criterion.says) == {name}
    made = await drafts("generator", kind, 4)
    # of six criteria four lack, then two, then none: 3, 5, 9 or 10; what is there stays there
    assert [len(met_by(kind, text)) for text, *_ in made] == [2, 4, 6, 6]
    assert [score for _, score, _ in made[:2]] == [3, 5]
    assert min(score for _, score, _ in made[2:]) >= 9
    for text, _, feedback in made:
        lacking = set(stoich_guides.CRITERIA[kind]) - met_by(kind, text)
        assert {name for name in stoich_guides.CRITERIA[kind] if f"{name}:" in feedback} == lacking
    assert {score for _, score, _ in await drafts("generator,mends=0", kind, 3)} == {3}
    assert (await drafts("generator,first=5,mends=1", kind, 1))[0][1] == 7
    # without a score there is nothing to mend
    again = await redraft_prompt(InWorld("generator"), kind, PROBLEMS[:3], made[0][0], None, "")
    assert met_by(kind, again) == met_by(kind, made[0][0])


async def scenario_outcome(generator: InWorld, problem: Problem, guide: str, count: int = 5) -> str:
    """What the checks, in the graph's order, say of what is written from a problem."""
    told = await write_scenario(generator, problem, guide)
    more = await write_distractors(generator, problem, told.sentences, told.question, count)
    check = await check_scenario(EVALUATOR, problem, woven(told.sentences, told.question, []), [])
    assert len(told.sentences) >= 3 or check.bare
    assert not check.gives_away
    assert not usable(problem, told.sentences, told.question, more)[1]
    for number in (0, len(more)):
        solved = await solve_independently(
            EVALUATOR, woven(told.sentences, told.question, more[:number])
        )
        if check.missing or check.bare or solved.final != problem.answer:
            break
    if len(more) < count:
        return "too few"
    if check.missing or check.bare:
        return "lost" if check.missing else "bare"
    if solved.final == problem.answer:
        return "fine"
    return "changed"


async def instruction_outcome(generator: InWorld, problem: Problem, guide: str) -> str:
    text = await write_instruction(generator, problem, guide)
    check = await check_instruction(EVALUATOR, problem, text)
    if check.gives_away:
        return "given away"
    return "fine" if check.complete else "no answer" if read_instruction(text).path else "no path"


POOR: dict[Kind, str] = dict.fromkeys(KINDS, "Rewrite it well.")
ALL_FAULTS = {
    "lost",
    "changed",
    "bare",
    "too few",
    "no path",
    "no answer",
    "given away",
}


@pytest.mark.parametrize(
    ("generator", "guides", "count", "faults"),
    [
        ("generator", WHOLE, 24, set[str]()),
        ("generator,spoils=0.5", WHOLE, 48, ALL_FAULTS),
        ("generator", POOR, 48, ALL_FAULTS - {"too few"}),
    ],
)
async def test_what_the_prompt_lacks_goes_wrong_and_is_found(
    generator: str, guides: dict[Kind, str], count: int, faults: set[str]
) -> None:
    model, persona, found = InWorld(generator), persona_of(generator), Counter[str]()
    for problem in PROBLEMS[:count]:
        outcome = await scenario_outcome(model, problem, guides["q2s"])
        assert outcome == (
            fault_in(WORLD, persona, "q2s", guides["q2s"], problem.question) or "fine"
        )
        other = await instruction_outcome(model, problem, guides["q2i"])
        assert other == (fault_in(WORLD, persona, "q2i", guides["q2i"], problem.question) or "fine")
        found.update((outcome, other))
    assert set(found) == faults | {"fine"}
    expected = sum(count * expected_faults(persona, kind, guides[kind]) for kind in KINDS)
    # of 96 draws; three standard errors of at most √(96/4)
    assert 2 * count - found["fine"] == pytest.approx(expected, abs=15 if faults else 0)
    # three criteria matter for each kind: 1 - .7³
    assert expected_faults(persona_of("generator"), "q2s", POOR["q2s"]) == pytest.approx(0.657)


async def test_questions_are_written_by_instruction_and_found_valid_or_not() -> None:
    target, persona, fates = (
        InWorld("solve=0.5,create=0.6"),
        persona_of("solve=0.5,create=0.6"),
        Counter[str](),
    )
    for problem in PROBLEMS:
        known = read_problem(problem.question)
        assert known is not None
        text = instruction(known.path, problem.answer)
        asked = (await create_question(target, text)).text
        solved, met = (
            await solve_independently(EVALUATOR, asked),
            await keeps_to(EVALUATOR, text, asked),
        )
        fate = "valid" if met.met and solved.final == problem.answer else "instruction not met"
        if solved.final != problem.answer:
            fate = "another answer" if solved.solvable else "not answerable"
        assert fate == fate_of(WORLD, persona, text)
        fates[fate] += 1
    assert set(target.purposes) == {"created_question"}
    assert fates["valid"] == pytest.approx(
        36, abs=12
    )  # three standard errors of 60 draws: 3 · √(60 · .24) = 11.4
    assert len(fates) == 4


async def test_preferences_follow_from_the_texts_and_a_judge_may_lean() -> None:
    short, long = PROBLEMS[0].question, PROBLEMS[9].question  # a sum of atomic masses; five steps
    told = f"A school has an open day. It rains. {PROBLEMS[1].question}"
    told = told.replace(" Round to three significant digits.", f" {HELP}")
    assert true_preferences(short, long) == dict.fromkeys(COMPARED, "tie") | {
        "reasoning_demand": "second"
    }
    assert true_preferences(told, PROBLEMS[1].question) == {
        "clarity": "second", "reasoning_demand": "tie", "realism": "first", "instruction_following": "tie",
        "no_giveaway": "second",
    }  # fmt: skip
    known = read_problem(long)
    assert known is not None
    wanted = instruction(known.path, PROBLEMS[9].answer)
    assert (
        await compare_questions(EVALUATOR, short, long, wanted)
    ).instruction_following == "second"
    leaning, first = InWorld("evaluator,leans=0.4"), 0
    for one, other in zip(
        PROBLEMS[::12], PROBLEMS[12::12], strict=False
    ):  # of one kind: nothing to prefer
        reply = await compare_questions(leaning, one.question, other.question)
        assert reply.instruction_following == "tie", "there is no instruction"
        first += sum(
            preferred == "first" for preferred in reply.preferences(instructed=False).values()
        )
        assert reply == await compare_questions(leaning, one.question, other.question)
    assert 2 <= first <= 11  # 16 draws of .4: 6.4 ± 2 · 2.0
    same = await compare_questions(leaning, short, short)
    assert set(same.preferences(instructed=True).values()) == {"tie"}


async def test_a_problem_from_elsewhere_is_handled_and_nobody_pretends_to_know() -> None:
    target, generator = InWorld("omniscient"), InWorld("generator")
    said = (await solve(target, SHEEP.question)).text
    assert "know" in said or "say" in said
    assert not any(sign.isdigit() for sign in said)
    told = await write_scenario(generator, SHEEP, WHOLE["q2s"])
    text = woven(told.sentences, told.question, [])
    assert all(
        sentence in text for sentence in ("She sells 4 of them.", "How many sheep has she now?")
    )
    assert len(await write_distractors(generator, SHEEP, told.sentences, told.question, 5)) == 5
    check = await check_scenario(EVALUATOR, SHEEP, text, [])
    assert (check.missing, check.bare, check.gives_away) == ([], False, False)
    assert (
        await check_scenario(EVALUATOR, SHEEP, f"There are 15 in the end. {text}", [])
    ).gives_away
    assert (await check_scenario(EVALUATOR, SHEEP, SHEEP.question, ["7"])).missing == ["7"]
    assert not (await solve_independently(EVALUATOR, text)).solvable
    written = await write_instruction(generator, SHEEP, WHOLE["q2i"])
    told_of = await check_instruction(EVALUATOR, SHEEP, written)
    assert (told_of.gives_away, told_of.complete, "15" in written) == (False, False, True)
    asked = (await create_question(target, written)).text
    assert not (await solve_independently(EVALUATOR, asked)).solvable
    assert not (await keeps_to(EVALUATOR, written, asked)).met
    reply = await compare_questions(EVALUATOR, SHEEP.question, "Why?", written)
    assert set(reply.preferences(instructed=True).values()) == {"tie"}
