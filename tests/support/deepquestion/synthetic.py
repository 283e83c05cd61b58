"""Problems, and the steps of a DeepQuestion run over them that never happened, for tests of figures
and reports."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from fathom.graphs.deepquestion.result import figures_of
from fathom.state.deepquestion.items import (
    Compared,
    Created,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
    SolvedWhat,
)
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.items import DeepQuestionItem
from fathom.state.problems import (
    CRITERIA,
    DISTRACTORS,
    Criterion,
    Distractor,
    Kind,
    Load,
    Preference,
    Problem,
    ProblemSet,
)
from fathom.state.records import Answer, Call, Role, Sent, Stage, Unscored, Usage

RUN = "7f3a9c01"
_WHERE: dict[SolvedWhat, str] = {
    "original": "original",
    "scenario": "{load}",
    "check": "{load}@solved",
    "created": "q2i@solved",
}


def problem_set(count: int = 3, **changes: Any) -> ProblemSet:
    """p1 … pN with the answers 7, 14, …; of ten in a row the fourth is multiple choice, the fifth
    has words for an answer."""
    return ProblemSet.model_validate(
        {"name": "made", "problems": tuple(map(problem, range(count)))} | changes
    )


def problem(index: int) -> Problem:
    number = index + 1
    about: dict[str, Any] = {
        "question": f"A crate holds 7 jars. How many are in {number}?",
        "answer": str(7 * number),
    }
    if index % 10 == 3:
        about |= {
            "answer": "B",
            "options": (f"{7 * number + 1}", f"{7 * number}", "None of them"),
        }
    if index % 10 == 4:
        about |= {"question": f"Which gas fills balloon {number}?", "answer": "helium"}
    return Problem(id=f"p{number}", domain=("stock", "trade")[index % 2], **about)


def spec_of(problems: ProblemSet | None = None, **changes: Any) -> DeepQuestionSpec:
    over = problems or problem_set()
    roles = {
        "target": "openai:gpt-5",
        "generator": "openai:writer",
        "evaluator": "openai:checker",
        "judge": "openai:j",
    }
    about = {"benchmark": over.name, "material": over.digest, "problems": len(over.problems)}
    return DeepQuestionSpec.model_validate(
        about | roles | {"given": over.transformed is not None} | changes
    )


def lost(stage: Stage = "solution", kind: str = "timeout") -> Unscored:
    """A fault: of the infrastructure, or with `kind="parse"` a reply that nobody can read."""
    return Unscored(
        stage=stage, kind=kind, message=f"no {stage} within 60 s" if kind == "timeout" else ""
    )


def _at(index: int, where: str, role: Role, purpose: str) -> dict[str, Any]:
    call = Call(
        role=role,
        purpose=purpose,
        model=f"some-{role}",
        usage=Usage(input_tokens=90, output_tokens=40),
    )
    sent = (
        Sent(role="system", text="Do what is asked."),
        Sent(role="user", text=f"{purpose} of p{index + 1}"),
    )
    place = where if index < 0 else f"p{index + 1}@{where}"
    return {
        "id": f"{RUN}/{place}",
        "problem": index,
        "prompt": sent,
        "calls": (call,),
        "elapsed_s": 1.5,
    }


def draft(kind: Kind, number: int, **changes: Any) -> PromptDraft:
    about = {
        "kind": kind,
        "round": number,
        "text": "" if "fault" in changes else f"{kind} draft {number}",
    }
    return PromptDraft.model_validate(
        _at(-1, f"{kind}@draft{number}", "generator", "prompt_draft") | about | changes
    )


def score(kind: Kind, number: int, value: int | None, **changes: Any) -> PromptScore:
    """`value`: 1 … 10, or None for a fault."""
    about: dict[str, Any] = {
        "kind": kind,
        "round": number,
        "score": value,
        "feedback": f"worth {value}",
    }
    about |= {"fault": lost("prompt"), "feedback": ""} if value is None else {}
    return PromptScore.model_validate(
        _at(-1, f"{kind}@score{number}", "evaluator", "prompt_score") | about | changes
    )


def loop(kind: Kind, *scores: int | None) -> list[DeepQuestionItem]:
    """Drafts with these scores."""
    return [
        step
        for n, value in enumerate(scores, 1)
        for step in (draft(kind, n), score(kind, n, value))
    ]


def solution(
    index: int,
    what: SolvedWhat = "original",
    right: bool | None = True,
    load: Load | None = None,
    **changes: Any,
) -> Solution:
    """`right=None`: the judge has to say. A wrong answer is 99; with a `fault` there is none."""
    own: Role = "evaluator" if what in ("check", "created") else "target"
    read = "99" if right is False else problem(index).answer
    about: dict[str, Any] = {"what": what, "load": load, "read": read, "equal": right}
    about["answer"] = Answer(text=f"It comes to {read}.\nAnswer: {read}", finish="stop")
    about |= {"read": "", "equal": None, "answer": None} if "fault" in changes else {}
    place = _at(index, _WHERE[what].format(load=load), own, "solution")
    return Solution.model_validate(place | about | changes)


def unreachable(index: int, what: SolvedWhat, load: Load | None = None) -> Solution:
    """The evaluator says that there is no answer."""
    return solution(
        index, what, False, load, read="", answer=Answer(text="Not solvable.", finish="stop")
    )


def same(of: Solution, equal: bool | None) -> Same:
    """The judge's word; None: it came to a fault."""
    where = of.id.partition("@")[2] + "@same"
    about = {
        "of": of.id,
        "equal": equal,
        "reason": "" if equal is None else "It means the same or not.",
    }
    fault = {"fault": lost("judge")} if equal is None else {}
    return Same.model_validate(_at(of.problem, where, "judge", "verdict") | about | fault)


def scenario(index: int, **changes: Any) -> ScenarioWritten:
    text = problem(index).question
    about = {
        "sentences": ("Ada runs a shop.", "Jars come in crates of 7.", "She looks at a shelf."),
        "question": text,
    }
    about |= {"sentences": (), "question": ""} if "fault" in changes else {}
    return ScenarioWritten.model_validate(
        _at(index, "scenario", "generator", "scenario") | about | changes
    )


def distractors(index: int, count: int = 5, **changes: Any) -> DistractorsWritten:
    made = tuple(
        Distractor(text=f"The lid of jar {n} costs {n} cents.", after=n % 4)
        for n in range(1, count + 1)
    )
    about = {"distractors": () if "fault" in changes else made}
    return DistractorsWritten.model_validate(
        _at(index, "distractors", "generator", "distractors") | about | changes
    )


def scenario_check(index: int, **changes: Any) -> ScenarioChecked:
    about = {"reason": "Everything is there."}
    return ScenarioChecked.model_validate(
        _at(index, "scenario@check", "evaluator", "scenario_check") | about | changes
    )


def instruction(index: int, **changes: Any) -> InstructionWritten:
    about = {
        "text": ""
        if "fault" in changes
        else f"Ask for a product that comes to {problem(index).answer}."
    }
    return InstructionWritten.model_validate(
        _at(index, "instruction", "generator", "instruction") | about | changes
    )


def instruction_check(index: int, **changes: Any) -> InstructionChecked:
    about = {"reason": "Path and answer are there."}
    place = _at(index, "instruction@check", "evaluator", "instruction_check")
    return InstructionChecked.model_validate(place | about | changes)


def created(index: int, **changes: Any) -> Created:
    """With `text=""` the target said nothing; with a `fault` it could not be asked."""
    text = changes.pop(
        "text", "" if "fault" in changes else f"How many legs have {index + 1} sevens?"
    )
    about = {"text": text, "answer": Answer(text=text, finish="stop") if text else None}
    return Created.model_validate(
        _at(index, "q2i", "target", "created_question") | about | changes
    )


def met(index: int, holds: bool | None = True) -> InstructionMet:
    """None: it came to a fault."""
    about = {"met": holds, "reason": "" if holds is None else "It follows the path or not."}
    fault = {"fault": lost("check")} if holds is None else {}
    return InstructionMet.model_validate(
        _at(index, "q2i@met", "evaluator", "instruction_met") | about | fault
    )


def compared(
    index: int,
    original_first: bool,
    preferences: Preference | Mapping[Criterion, Preference] = "tie",
    other: int | None = None,
    **changes: Any,
) -> Compared:
    """A comparison with what the target wrote, or with the original of `other`. `preferences`: by
    all criteria, or by some, the others being ties."""
    names = [name for name in CRITERIA if other is None or name != "instruction_following"]
    told = (
        dict.fromkeys(names, preferences)
        if isinstance(preferences, str)
        else {n: preferences.get(n, "tie") for n in names}
    )
    where = (
        f"{'q2i' if other is None else 'baseline'}@{'first' if original_first else 'second'}"
    )
    about: dict[str, Any] = {
        "pair": "created" if other is None else "baseline",
        "original_first": original_first,
    }
    about |= {"other": other, "preferences": {} if "fault" in changes else told}
    return Compared.model_validate(_at(index, where, "judge", "comparison") | about | changes)


def q2s_steps(
    index: int, spec: DeepQuestionSpec, right: Mapping[Load, bool | None] | bool = True
) -> list[DeepQuestionItem]:
    """A scenario that passes, solved by the target. `right`: load → the mark; None: the step came
    to a fault."""
    marks = {
        load: right if isinstance(right, bool) else right[load] for load in spec.distractors
    }
    wanted = max(DISTRACTORS[load] for load in spec.distractors)
    return [
        scenario(index),
        scenario_check(index),
        *([distractors(index, wanted)] if wanted else []),
        *(solution(index, "check", True, load) for load in spec.distractors),
        *(solved(index, "scenario", mark, load) for load, mark in marks.items()),
    ]


def solved(
    index: int, what: SolvedWhat, right: bool | None, load: Load | None = None
) -> Solution:
    """A solution with that mark; None: it came to a fault."""
    fault = lost("solution" if what in ("check", "created") else "answer")
    return (
        solution(index, what, fault=fault, load=load)
        if right is None
        else solution(index, what, right, load)
    )


Places = tuple[
    Preference | Mapping[Criterion, Preference], Preference | Mapping[Criterion, Preference]
]
"""What the judge prefers when the original stands first, and when it stands second."""


def q2i_steps(
    index: int, right: bool | None = True, places: Places | None = None
) -> list[DeepQuestionItem]:
    """An instruction that passes, and the target's attempt. `right`: the mark; a wrong one has
    another answer, with None a solution is lost."""
    steps: list[DeepQuestionItem] = [
        instruction(index),
        instruction_check(index),
        created(index),
        met(index),
    ]
    orders = zip((True, False), places or (), strict=False)
    return [
        *steps,
        solved(index, "created", right),
        *(compared(index, first, told) for first, told in orders),
    ]


def tables(
    items: list[DeepQuestionItem],
    problems: ProblemSet | None = None,
    closed: int | None = None,
    **changes: Any,
) -> SimpleNamespace:
    """The figures over the first so many problems, or all of them. `changes`: fields of the
    spec."""
    over = problems or problem_set()
    done = range(len(over.problems) if closed is None else closed)
    return SimpleNamespace(**figures_of(spec_of(over, **changes), over, items, done))
