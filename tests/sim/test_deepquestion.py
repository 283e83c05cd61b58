"""The simulated generator, evaluator, judge and target of DeepQuestion, asked with the real
prompts."""

import json
import re
from collections import Counter

import pytest

from fathom.agents.judge.comparison import compare_questions
from fathom.agents.prober.solver import create_question, solve_independently
from fathom.agents.questioner.choice_wording import usable
from fathom.agents.questioner.instruction import check_instruction, keeps_to, write_instruction
from fathom.agents.questioner.scenario import check_scenario, write_distractors, write_scenario
from fathom.agents.questioner.transformation import (
    CRITERIA,
    draft_prompt,
    redraft_prompt,
    score_prompt,
)
from fathom.sim import deepquestion as world
from fathom.sim.deepquestion import (
    Exercise,
    exercises,
    fate_of,
    fault_in,
    instruction,
    met_by,
    read_instruction,
    read_problem,
)
from fathom.sim.personas import persona_of
from fathom.state.problems import CRITERIA as COMPARED
from fathom.state.problems import KINDS, Kind, Problem, woven

from ..support.deepquestion.world_problems import problem_list
from ..support.in_world import WORLD, InWorld
from ..support.paths import EXAMPLES

PROBLEMS = problem_list(60)
EVALUATOR = InWorld("evaluator")
WHOLE: dict[Kind, str] = {
    kind: " ".join(words for words, _ in world.CRITERIA[kind].values()) for kind in KINDS
}
POOR: dict[Kind, str] = dict.fromkeys(KINDS, "Rewrite it well.")
SHEEP = Problem(
    id="sheep",
    question="A farmer has 12 sheep and buys 7 more. She sells 4 of them. How many sheep has she now?",
    answer="15",
)


def exercise_of(problem: Problem) -> Exercise:
    reading = read_problem(problem.question)
    assert reading is not None
    return reading.exercise


def test_the_example_is_the_list() -> None:
    lines = (EXAMPLES / "deepquestion_chemistry.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    fields = ("id", "question", "answer", "solution", "domain")
    assert rows == [{name: getattr(problem, name) for name in fields} for problem in PROBLEMS]
    assert len({problem.question for problem in PROBLEMS}) == 60


def test_every_step_of_every_solution_is_right() -> None:
    """`51.8 g ÷ 98.072 g/mol = 0.5282 mol`: each line is calculated again, to half a unit of its
    last digit."""
    checked = 0
    for line in (line for problem in PROBLEMS for line in problem.solution.splitlines()):
        left, equal, right = line.removesuffix(".").rpartition(" = ")
        if not equal:
            continue
        plain = re.sub(r" (?:g/mol|mol/L|mol|g|L|per mole)\b", "", left.rpartition(": ")[2])
        plain = plain.replace("×", "*").replace("÷", "/").replace("^", "**")
        assert re.fullmatch(r"[\d.*/+ ]+", plain), plain
        number = re.match(r"([\d.]+)(?: × 10\^(\d+))?", right)
        assert number is not None
        stated = float(number[1]) * 10 ** int(number[2] or 0)
        digits = len(number[1].replace(".", "").lstrip("0"))
        assert eval(plain) == pytest.approx(stated, rel=0.6 * 10 ** (1 - digits)), line
        checked += 1
    assert checked > 120


def test_texts_are_known_again_and_what_lacks_a_quantity_has_no_answer() -> None:
    listed = exercises()
    for problem in PROBLEMS:
        whole, twin, detour = (listed[problem.id + more] for more in ("", ".twin", ".detour"))
        assert exercise_of(problem) is whole
        assert whole.answer == twin.answer == detour.answer == problem.answer
        assert whole.path == twin.path != detour.path
        assert whole.answer not in whole.slips
    for exercise in listed.values():
        stated = exercise.sentences("The potter")
        story = " ".join(["The school has 7 guests.", *stated, exercise.asks[0]])
        reading = read_problem(story)
        assert reading is not None
        assert (reading.answer, reading.path) == (exercise.answer, exercise.path)
        assert reading.distractors == ("The school has 7 guests.",)
        cut = read_problem(" ".join([*stated[:-1], exercise.asks[0]]))
        assert cut is None or not cut.answer
        wanted = instruction(exercise.path, exercise.answer)
        assert read_instruction(wanted) == (exercise.path, exercise.answer)


@pytest.mark.parametrize("kind", KINDS)
async def test_drafts_get_better_and_scores_say_what_they_lack(kind: Kind) -> None:
    names = list(world.CRITERIA[kind])
    assert names == [text.partition(":")[0] for text in CRITERIA[kind]]
    for name, (words, _) in world.CRITERIA[kind].items():
        assert met_by(kind, words) == [name]
    samples = PROBLEMS[:3]
    text = await draft_prompt(InWorld("generator"), kind, samples)
    scores = []
    for mends in (2, 0, 2):
        score = await score_prompt(EVALUATOR, kind, samples, text)
        scores.append(score.score)
        assert [name for name in names if f"{name}:" in score.feedback] == [
            name for name in names if name not in met_by(kind, text)
        ]
        generator = InWorld(f"generator,mends={mends}")
        text = await redraft_prompt(generator, kind, samples, text, score.score, score.feedback)
    assert scores == [1, 4, 4]  # of six criteria four lack, then two
    assert met_by(kind, text) == names


async def scenario_outcome(generator: InWorld, problem: Problem, guide: str) -> str:
    """What the checks, in the graph's order, say of what is written from a problem."""
    told = await write_scenario(generator, problem, guide)
    more = await write_distractors(generator, problem, told.sentences, told.question, 5)
    assert len(usable(problem, told.sentences, told.question, more)[0]) == 5
    text = woven(told.sentences, told.question, more)
    check = await check_scenario(EVALUATOR, problem, text, [])
    assert not check.gives_away
    if check.missing:
        return "lost"
    solved = await solve_independently(EVALUATOR, text)
    if solved.final != problem.answer:
        return "changed"
    alone = woven(told.sentences, told.question, [])
    return "bare" if (await check_scenario(EVALUATOR, problem, alone, [])).bare else "fine"


async def instruction_outcome(generator: InWorld, problem: Problem, guide: str) -> str:
    text = await write_instruction(generator, problem, guide)
    check = await check_instruction(EVALUATOR, problem, text)
    if check.gives_away:
        return "given away"
    return (
        "fine" if check.complete else "no answer" if read_instruction(text).path else "no path"
    )


@pytest.mark.parametrize(
    ("generator", "guides", "spoilt"),
    [
        ("generator", WHOLE, 0.0),
        ("generator,spoils=0.5", WHOLE, 0.5),
        ("generator", POOR, 1 - 0.7**3),  # three criteria matter for each kind
    ],
)
async def test_what_the_prompt_lacks_goes_wrong_and_is_found(
    generator: str, guides: dict[Kind, str], spoilt: float
) -> None:
    model, persona, found = InWorld(generator), persona_of(generator), Counter[str]()
    for problem in PROBLEMS[:30]:
        for kind in KINDS:
            outcome_of = scenario_outcome if kind == "q2s" else instruction_outcome
            outcome = await outcome_of(model, problem, guides[kind])
            planted = fault_in(WORLD, persona, kind, guides[kind], exercise_of(problem))
            assert outcome == (planted or "fine")
            found[outcome] += 1
    # three standard errors of 60 draws: at most 3 · √(60/4)
    assert 60 - found["fine"] == pytest.approx(60 * spoilt, abs=11.6 if spoilt else 0)
    assert len(found) == (7 if spoilt else 1)


async def test_questions_are_written_by_instruction_and_found_valid_or_not() -> None:
    name, fates = "solve=0.5,create=0.6", Counter[str]()
    target, persona = InWorld(name), persona_of(name)
    for problem in PROBLEMS:
        text = instruction(exercise_of(problem).path, problem.answer)
        asked = (await create_question(target, text)).text
        solved = await solve_independently(EVALUATOR, asked)
        met = (await keeps_to(EVALUATOR, text, asked)).met
        fate = "valid" if met and solved.final == problem.answer else "instruction not met"
        if solved.final != problem.answer:
            fate = "another answer" if solved.solvable else "not answerable"
        assert fate == fate_of(WORLD, persona, text)
        fates[fate] += 1
    # three standard errors of 60 draws: 3 · √(60 · .24) = 11.4
    assert fates["valid"] == pytest.approx(36, abs=12)
    assert len(fates) == 4


async def test_preferences_follow_from_the_texts_and_a_judge_may_lean() -> None:
    short, long = (
        PROBLEMS[0].question,
        PROBLEMS[9].question,
    )  # a sum of atomic masses; five steps
    wanted = instruction(exercise_of(PROBLEMS[9]).path, PROBLEMS[9].answer)
    reply = await compare_questions(EVALUATOR, short, long, wanted)
    assert (reply.clarity, reply.reasoning_demand) == ("tie", "second")
    assert reply.instruction_following == "second"
    leaning, first = InWorld("evaluator,leans=0.4"), 0
    for one, other in zip(PROBLEMS[::12], PROBLEMS[12::12], strict=False):  # of one kind: ties
        reply = await compare_questions(leaning, one.question, other.question)
        first += list(reply.preferences(instructed=True).values()).count("first")
    assert 2 <= first <= 14  # 20 draws of .4: 8 ± 3 · 2.2


async def test_a_problem_from_elsewhere_is_handled_and_nobody_pretends_to_know() -> None:
    target, generator = InWorld("omniscient"), InWorld("generator")
    told = await write_scenario(generator, SHEEP, WHOLE["q2s"])
    text = woven(told.sentences, told.question, [])
    assert "She sells 4 of them." in text
    assert text.endswith("How many sheep has she now?")
    check = await check_scenario(EVALUATOR, SHEEP, text, [])
    assert (check.missing, check.bare, check.gives_away) == ([], False, False)
    assert (await check_scenario(EVALUATOR, SHEEP, f"In the end 15. {text}", [])).gives_away
    assert (await check_scenario(EVALUATOR, SHEEP, SHEEP.question, ["7"])).missing == ["7"]
    assert not (await solve_independently(EVALUATOR, text)).solvable
    written = await write_instruction(generator, SHEEP, WHOLE["q2i"])
    assert not (await check_instruction(EVALUATOR, SHEEP, written)).complete
    asked = (await create_question(target, written)).text
    assert not (await keeps_to(EVALUATOR, written, asked)).met
    reply = await compare_questions(EVALUATOR, SHEEP.question, SHEEP.question, written)
    assert set(reply.preferences(instructed=True).values()) == {"tie"}
    assert len(COMPARED) == 5
