"""The simulated generator: drafts of transformation prompts, scenarios, distractors and
instructions.

What is written follows from the problem and the prompt; a problem that is not of this world is told
word for word in a story, and no way to its answer is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, NamedTuple

from ...state.text import contains, normalise
from ..foreign import sentences
from ..personas import Persona
from ..values import draw, number, pick, shuffled
from ..world import Reply, Task, World
from .problems import STEPS, TABLE, Exercise, read_problem, three_digits

Fault = Literal["lost", "changed", "bare", "too few", "no path", "no answer", "given away"]
"""What can be wrong with what is written from a problem. A scenario: a quantity is lost; another
thing is asked; it is the bare problem; a distractor too few.
An instruction: it has no path; it has no answer; it gives the question away."""


class Criterion(NamedTuple):
    """What a draft is scored by: how the world's own drafts meet it, and what happens where it is
    not met."""

    says: str
    fault: Fault | None


CRITERIA: Mapping[str, Mapping[str, Criterion]] = {
    kind: {name: Criterion(*row) for name, row in named.items()}
    for kind, named in TABLE["criteria"].items()
}
"""By kind and by the name that stands in front of the colon in a prompt."""
FORGOTTEN = 0.3
"""Share of the problems that go wrong for each criterion whose fault the prompt does not rule out.
"""
_SPOILT: Mapping[str, tuple[Fault, ...]] = {
    "q2s": ("lost", "changed", "bare", "too few"),
    "q2i": ("no path", "no answer", "given away"),
}
_SCORES = (9, 7, 5, 4, 3, 2, 1)
"""By the number of criteria that are not met; 10 as often as 9."""
_OPENINGS: Mapping[str, str] = {
    "q2s": "Turn the problem into a scenario.",
    "q2i": "Turn the problem into an instruction for somebody who writes questions.",
}


def met_by(kind: str, guide: str) -> set[str]:
    """The criteria that a prompt meets."""
    return {name for name, criterion in CRITERIA[kind].items() if criterion.says in guide}


def _next_draft(task: Task) -> str:
    """The prompt with so many of the criteria mended that the feedback names, the first ones
    first."""
    kind, feedback = task["task"], task["feedback"].casefold()
    met = met_by(kind, task["draft"])
    wanting = [
        name for name in CRITERIA[kind] if name not in met and f"{name}:".casefold() in feedback
    ]
    return _draft(kind, met | set(wanting[: task.persona.mends]))


def _draft(kind: str, covered: set[str]) -> str:
    return " ".join(
        [
            _OPENINGS[kind],
            *(criterion.says for name, criterion in CRITERIA[kind].items() if name in covered),
        ]
    )


def score(kind: str, draft: str, *name: object) -> dict[str, object]:
    """The score by how many criteria are not met, and which they are."""
    unmet = [criterion for criterion in CRITERIA[kind] if criterion not in met_by(kind, draft)]
    if not unmet:
        return {"feedback": "All criteria are met.", "score": pick((9, 10), *name, draft, "score")}
    feedback = " ".join(f"{criterion}: the instructions do not say it." for criterion in unmet)
    return {"feedback": feedback, "score": _SCORES[len(unmet)]}


def fault_planted(seed: int, persona: Persona, kind: str, problem: str) -> Fault | None:
    """The fault that is planted whatever the prompt says."""
    name = (seed, "spoils", persona.name, kind, problem)
    if draw(*name) >= persona.spoils:
        return None
    return pick(_SPOILT[kind], *name, "which")


EXAMPLE = "\nFor example: "
"""In front of the problem, where an instruction gives it away."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where somebody needs an answer, and what for. No sentence has a number."""

    person: str
    story: tuple[str, ...]
    closing: str


*SETTINGS, _PLAIN = (
    Setting(row["who"], tuple(row["story"]), row["closing"]) for row in TABLE["settings"]
)
_METHOD = "To get there, one starts from the atomic masses."
"""A help that no prompt wants."""
_SPARE = 3
"""Distractors beyond those that are wanted, for some that would state the answer by chance."""


def stated_sentences(exercise: Exercise, person: str, *name: object) -> list[str]:
    """What an exercise states, each thing in a sentence of its own."""
    return [
        str(pick(TABLE["told"][kind], *name, kind)).format(who=person, v=words)
        for kind, words in exercise.stated
    ]


def without_one(exercise: Exercise, person: str, *name: object) -> list[str]:
    """The same but for one thing, without which there is no answer."""
    needed = [
        index
        for index, (kind, _) in enumerate(exercise.stated)
        if kind not in ("equation", "excess")
    ]
    left_out = pick(needed, *name, "lost")
    return [
        sentence
        for index, sentence in enumerate(stated_sentences(exercise, person, *name))
        if index != left_out
    ]


def rounded(*name: object) -> str:
    """The sentence on rounding."""
    return str(pick(TABLE["rounded"], *name, "rounded"))


def _solvable(problem: str) -> Exercise | None:
    reading = read_problem(problem)
    return reading.exercise if reading and reading.path else None


def draft(task: Task) -> Reply:
    """The first draft of a prompt, or the next one where the last one's feedback is given."""
    if task["feedback"]:
        return {"instructions": _next_draft(task)}
    kind = task["task"]
    name = (task.world.seed, task.persona.name, task["criteria"], task["samples"])
    covered = shuffled(tuple(CRITERIA[kind]), *name, "first")[: task.persona.first]
    return {"instructions": _draft(kind, set(covered))}


def fault_in(world: World, persona: Persona, kind: str, guide: str, problem: str) -> Fault | None:
    """What goes wrong when this persona writes from a problem by this prompt; None: nothing, as
    with every problem from elsewhere.

    In the persona's share of `spoils` something does, whatever the prompt says, each kind of fault
    as often as the others; else each criterion that is not met spoils its share, and of several the
    first drawn happens.
    """
    exercise = _solvable(problem)
    if not exercise:
        return None
    spoilt = fault_planted(world.seed, persona, kind, exercise.id)
    if spoilt is not None:
        return spoilt
    name = (world.seed, "writes", persona.name, kind, exercise.id)
    met = met_by(kind, guide)
    unruled = [c.fault for title, c in CRITERIA[kind].items() if title not in met and c.fault]
    likely = (fault for fault in shuffled(unruled, *name) if draw(*name, fault) < FORGOTTEN)
    return next(likely, None)


def scenario(task: Task) -> Reply:
    """The problem in a story, by the prompt and with the fault that is drawn."""
    exercise, guide = _solvable(task["problem"]["stem"]), task["guide"]
    if exercise is None:
        return _retold(task["problem"]["stem"], task.world.seed)
    fault = fault_in(task.world, task.persona, "q2s", guide, task["problem"]["stem"])
    if fault == "bare":
        texts = sentences(task["problem"]["stem"])
        return {"sentences": ["Here is something to work out.", *texts[:-1]], "question": texts[-1]}
    name = (task.world.seed, "story", task.persona.name, exercise.id)
    met = met_by("q2s", guide)
    setting = pick(SETTINGS, *name) if "Realism" in met else _PLAIN
    stated = (
        without_one(exercise, setting.person, *name)
        if fault == "lost"
        else stated_sentences(exercise, setting.person, *name)
    )
    texts = [*setting.story, *stated, setting.closing]
    if "No help" not in met and "weights" in exercise.path:
        texts.append(_METHOD)
    question = exercise.alternative[0] if fault == "changed" else exercise.asks[0]
    return {"sentences": texts, "question": f"{question} {rounded(*name)}"}


def _retold(problem: str, seed: int) -> Reply:
    """A problem from elsewhere, word for word, in a story."""
    texts = sentences(problem) or [problem.strip() or "What is asked?"]
    setting = pick(SETTINGS, seed, "retold", normalise(problem))
    start = max(
        [index for index, sentence in enumerate(texts) if "?" in sentence], default=len(texts) - 1
    )
    story = [
        *setting.story,
        "On the table lies a sheet with a problem that a visitor has left behind.",
    ]
    return {"sentences": [*story, *texts[:start]], "question": " ".join(texts[start:])}


def write_distractors(task: Task) -> Reply:
    """As many as are wanted, at places that the problem decides."""
    exercise = _solvable(task["problem"]["stem"])
    wanted = task["count"]
    key = exercise.id if exercise else normalise(task["problem"]["stem"])
    name = (task.world.seed, "distracts", task.persona.name, key)
    answer = exercise.answer.partition(" ")[0] if exercise else ""
    texts = [
        text for text in distractors(exercise, wanted + _SPARE, *name) if not contains(text, answer)
    ][:wanted]
    # what a transformation prompt demands does not reach this step: only what is planted goes wrong
    # in it
    fault = fault_planted(task.world.seed, task.persona, "q2s", key) if exercise else None
    if fault == "too few":
        texts = texts[:-1]
    places = max(1, len(task["scenario"]))
    return {
        "distractors": [
            {"text": text, "after": 1 + number(*name, text, "place") % places} for text in texts
        ]
    }


def distractors(exercise: Exercise | None, count: int, *name: object) -> list[str]:
    """So many sentences that state a number and change nothing: by turns amounts near those that
    are given, and shares and counts; without an exercise of this world the latter alone."""
    others = [
        text.format(v=3 + int((90 if text in TABLE["shares"] else 9) * draw(*name, text)))
        for text in shuffled((*TABLE["shares"], *TABLE["counts"]), *name, "others")
    ]
    tempting = []
    for text in (
        shuffled(TABLE["amounts"], *name, "amounts") if exercise and exercise.amounts else ()
    ):
        value, unit = pick(exercise.amounts if exercise else (), *name, text)
        factor = (
            (0.3 + 0.55 * draw(*name, text))
            if draw(*name, text, "less") < 0.5
            else (1.2 + 2 * draw(*name, text))
        )
        tempting.append(text.format(v=f"{three_digits(value * factor)} {unit}"))
    return [text for turn in zip_longest(tempting, others) for text in turn if text][:count]


def instruction(path: tuple[str, ...], answer: str) -> str:
    """The instruction; without a path, or without an answer, it lacks that sentence."""
    parts = ["Write one question from chemistry in which something has to be worked out."]
    if path:
        first, last = [STEPS[step] for step in path[:-1]], STEPS[path[-1]]
        steps = f"first {'; then '.join(first)}; finally {last}" if first else last
        parts.append(f"It has to be solved along this path: {steps}.")
    if answer:
        parts.append(f"The final answer of the question has to be exactly {answer}.")
    parts += [
        "Which substances occur, what happens to them and which values are given is for you to "
        "decide, as long as the"
        " question can be solved from its own text and the values are plausible.",
        (
            "Give every value with its unit and write formulas in brackets behind the names of "
            "the substances."
        ),
        "Demand three significant digits.",
        "Choose an occasion on which somebody would want to know this.",
        "The text must state neither the path nor the answer nor any result on the way.",
    ]
    return "\n".join(parts)


def write_instruction(task: Task) -> Reply:
    """The instruction, by the prompt and with the fault that is drawn."""
    exercise = _solvable(task["problem"]["stem"])
    if exercise is None:
        general = instruction((), task["answer"].strip())
        return {
            "instruction": f"{general}\nHow it is solved is not known to the writer of these lines."
        }
    fault = fault_in(task.world, task.persona, "q2i", task["guide"], task["problem"]["stem"])
    path = () if fault == "no path" else exercise.path
    text = instruction(path, "" if fault == "no answer" else task["answer"].strip())
    if fault == "given away":
        text += f"{EXAMPLE}{task['problem']['stem']}"
    return {"instruction": text}
