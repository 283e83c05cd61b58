"""Drafting prompts, and writing scenarios, distractors and instructions by them, with the checks;
see `agents.export.deepquestion`."""

from collections.abc import Sequence
from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ....state.deepquestion.items import KINDS, Distractor, Kind, Problem, woven
from ....state.errors import UsageError
from ....tools.files.deepquestion.fields import problem_of
from ...answers.figures import lost_figures
from ...answers.final.answer import final_stands_in
from ...questioner import instruction as instructions
from ...questioner import scenario as scenarios
from ...questioner.choice_wording import usable
from ...questioner.transformation import ScoreReply, draft_prompt, redraft_prompt, score_prompt
from ...skill import Ask
from .. import Language, exported

Guide = Annotated[
    str, Field(description="The transformation prompt: how a problem is to be rewritten.")
]
Instruction = Annotated[str, Field(description="What a question is to be written by.")]
Options = Annotated[
    Sequence[str], Field(min_length=2, max_length=26, description="Of multiple choice, as A, B, …")
]
MOST_SAMPLES = 20


class ProblemFields(TypedDict):
    """A question with its definite answer; of multiple choice the answer is the letter of an
    option."""

    question: str
    answer: str
    options: NotRequired[Options]
    solution: NotRequired[
        Annotated[str, Field(description="The way to the answer, where it is known.")]
    ]


Samples = Annotated[
    list[ProblemFields],
    Field(min_length=1, max_length=MOST_SAMPLES, description="Problems of the benchmark."),
]


class Scenario(TypedDict):
    """A scenario without distractors: its sentences, and the one at the end that asks."""

    sentences: list[str]
    question: str


class PlacedDistractor(TypedDict):
    """A sentence that follows the scenario's sentence of number `after`, counted from 1; 0: it
    begins the text."""

    text: str
    after: int


class Guided(TypedDict):
    guide: str


@exported(
    "draft_prompt",
    "Draft, or improve, the prompt by which the problems of a benchmark are rewritten.",
    "generator",
)
async def prompt_drafter(
    ask: Ask,
    kind: Kind,
    problems: Samples,
    guide: Guide = "",
    score: Annotated[int | None, Field(description="Of the last draft, 1 to 10.")] = None,
    feedback: Annotated[str, Field(description="What the last draft lacks.")] = "",
) -> Guided:
    """Generator: a transformation prompt. A `guide` is the last draft, with its `score` and the
    `feedback` on it; without one this is the first."""
    last, samples = guide.strip(), _samples(kind, problems)
    if not last:
        return {"guide": await draft_prompt(ask, kind, samples)}
    return {"guide": await redraft_prompt(ask, kind, samples, last, score, feedback)}


@exported(
    "score_prompt",
    "Score a prompt by which problems are rewritten, from 1 to 10, with feedback.",
    "evaluator",
)
async def prompt_scorer(ask: Ask, kind: Kind, problems: Samples, guide: Guide) -> ScoreReply:
    """Evaluator: how good a draft is by the written criteria, 1 to 10, and what it lacks."""
    samples = _samples(kind, problems)
    return await score_prompt(ask, kind, samples, guide)


class ScenarioWritten(TypedDict):
    """`question`: the scenario as one text, as a solver reads it."""

    scenario: Scenario
    question: str


@exported(
    "write_scenario",
    "Write a realistic scenario around a problem that has the same answer.",
    "generator",
)
async def scenario_writer(
    ask: Ask, problem: ProblemFields, guide: Guide, language: Language = "en"
) -> ScenarioWritten:
    """Generator: a realistic scenario around a problem, with the same answer."""
    given = problem_of(problem)
    told = await scenarios.write_scenario(ask.in_language(language), given, guide)
    written: Scenario = {"sentences": told.sentences, "question": told.question}
    return {"scenario": written, "question": _whole(written)}


class DistractorsWritten(TypedDict):
    """Distractors, the most tempting first, at most as many as were asked for, without those that
    state the answer or repeat a sentence; `question`: the scenario with all of them as one text, as
    a solver reads it."""

    distractors: list[PlacedDistractor]
    question: str


@exported(
    "write_distractors",
    "Put misleading sentences into a scenario that leave its answer as it is.",
    "generator",
)
async def distractor_writer(
    ask: Ask,
    problem: ProblemFields,
    scenario: Scenario,
    count: Annotated[
        int, Field(ge=1, le=10, description="Distractors to write; 2 where left out.")
    ] = 2,
    language: Language = "en",
) -> DistractorsWritten:
    """Generator: sentences that look as if they mattered, put between those of a scenario, which
    stay to the letter."""
    _whole(scenario)  # there is one
    given, sentences, question = problem_of(problem), scenario["sentences"], scenario["question"]
    number = within("count", count, 1, 10)
    written = await scenarios.write_distractors(
        ask.in_language(language), given, sentences, question, number
    )
    found, _ = usable(given, sentences, question, written)
    placed: list[PlacedDistractor] = [{"text": each.text, "after": each.after} for each in found]
    return {"distractors": placed, "question": _whole(scenario, found)}


@exported(
    "check_scenario",
    (
        "Check whether a scenario keeps every quantity of its problem, is more than that and "
        "tells no answer."
    ),
    "evaluator",
)
async def scenario_checker(
    ask: Ask, problem: ProblemFields, scenario: Scenario
) -> scenarios.CheckReply:
    """Evaluator: does a scenario keep every quantity (those in `missing` it has not), is it more
    than the problem (else `bare`), and does it hold the answer back (else `gives_away`)? Of one
    that is the problem nearly to the letter nobody is asked. Whether the answer is unchanged, a
    solver has to say."""
    given, text = problem_of(problem), _whole(scenario)
    if scenarios.is_bare(given, text):
        reason = "it repeats the problem almost word for word"
        return scenarios.CheckReply(missing=[], bare=True, gives_away=False, reason=reason)
    return await scenarios.check_scenario(ask, given, text, lost_figures(given.question, text))


class InstructionWritten(TypedDict):
    instruction: str


@exported(
    "write_instruction",
    "Turn a problem into an instruction by which somebody who has not seen it writes a question.",
    "generator",
)
async def instruction_writer(
    ask: Ask, problem: ProblemFields, guide: Guide, language: Language = "en"
) -> InstructionWritten:
    """Generator: an instruction that states a solution path and the final answer, and holds the
    problem back."""
    given = problem_of(problem)
    return {
        "instruction": await instructions.write_instruction(ask.in_language(language), given, guide)
    }


@exported(
    "check_instruction",
    "Check whether an instruction states path and answer and holds the problem back.",
    "evaluator",
)
async def instruction_checker(
    ask: Ask, problem: ProblemFields, instruction: Instruction
) -> instructions.InstructionCheckReply:
    """Evaluator: does an instruction hold the question back (else `gives_away`), and state path and
    answer? What can be seen without asking is not asked: an answer that does not stand in it, and
    words of the problem that do."""
    given, reply = problem_of(problem), instructions.InstructionCheckReply
    copied = instructions.copied_words(given, instruction)
    if not final_stands_in(instruction, given.final_answer):
        return reply(
            gives_away=bool(copied), complete=False, reason="the final answer does not stand in it"
        )
    if copied:
        return reply(gives_away=True, complete=True, reason=f"it repeats the problem: “{copied} …”")
    return await instructions.check_instruction(ask, given, instruction)


def within(name: str, number: int, low: int, high: int) -> int:
    """The number. Raises UsageError for one that is out of range."""
    if not low <= number <= high:
        raise UsageError(f"The {name} cannot be {number}: give {low} to {high}.")
    return number


def _samples(kind: str, given: Sequence[ProblemFields]) -> list[Problem]:
    """The problems that drafting and scoring look at."""
    if kind not in KINDS:
        raise UsageError(f"There is no transformation {kind!r}; they are {' and '.join(KINDS)}.")
    if not 1 <= len(given) <= MOST_SAMPLES:
        raise UsageError(
            f"There are {len(given)} problems to look at: give 1 to {MOST_SAMPLES} as samples."
        )
    return [problem_of(fields, number) for number, fields in enumerate(given, 1)]


def _whole(scenario: Scenario, distractors: Sequence[Distractor] = ()) -> str:
    """The scenario as one text."""
    text = woven(scenario["sentences"], scenario["question"], distractors)
    if not text:
        raise UsageError("The scenario is empty: write it.")
    return text
