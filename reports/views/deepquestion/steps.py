"""DeepQuestion step by step: prompts are drafted and scored; problems are solved, put into scenarios, written anew,
checked and compared."""

from collections.abc import Sequence
from functools import partial

from ....state.deepquestion.items import (
    Compared,
    Created,
    DistractorsWritten,
    InstructionWritten,
    PromptDraft,
    PromptScore,
    ScenarioWritten,
    Solution,
)
from ....state.events import ProblemClosed
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.checks import too_few
from ...page import figures
from ...page.rows import Row, fit
from ...page.sanitise import model_name
from ...progress import RunProgress
from ...step import SIGNS, Count, Mark, Named, Scene, StepView, view_of
from ..steps import Figure, Steps, grid
from .paths import at, head, names, order, spelling
from .texts import fields_of, title_of
from .words import (
    COLUMNS,
    LONGEST,
    MARKS,
    column_words,
    compared_words,
    kind_words,
    marks_words,
    passes,
    prompt_words,
    score_words,
    solution_words,
    verdict_of,
)

LOST: tuple[Mark, str] = ("unscored", "")


def _step(item: DeepQuestionItem, scene: Scene) -> StepView:
    mark, said = _said(item, scene) if item.fault is None else LOST
    title, role = title_of(item)
    scored = isinstance(item, PromptScore)
    return view_of(
        item,
        mark,
        title=title,
        name=f"{column_words(item.kind)} prompt, round {item.round}" if isinstance(item, PromptScore) else "",
        said=said[:LONGEST],
        text=_text(item, scene),
        fields=tuple if item.fault is not None else partial(fields_of, item, said, scene),
        sent_to=role,
        seen="everywhere" if scored else "screen",
    )


def _text(item: DeepQuestionItem, scene: Scene) -> str:
    """What the evaluator says of a draft; the problem that was solved."""
    if isinstance(item, PromptScore):
        return f"“{item.feedback}”" if item.feedback else ""
    return _named(scene, item.problem).text if isinstance(item, Solution) else ""


def _said(item: DeepQuestionItem, scene: Scene) -> tuple[Mark, str]:
    """What the step came to."""
    spec = scene.spec
    match item:
        case PromptDraft():
            return "correct", f"drafted: {item.text}"
        case PromptScore():
            missed = item.round >= spec.rounds and not passes(item.score, spec)
            said = score_words(item.score, spec) + (", not converged" if missed else "")
            return ("correct" if passes(item.score, spec) else "rejected"), said
        case ScenarioWritten():
            return "correct", f"{figures.count(len(item.sentences), 'sentence')} and the question: {item.question}"
        case DistractorsWritten():
            lacking = too_few(item, spec)
            there = figures.count(len(item.distractors), "distractor")
            return ("rejected", f"malformed: {lacking}") if lacking else ("correct", there)
        case InstructionWritten():
            return "correct", item.text
        case Solution():
            return solution_words(item)
        case Created():
            return ("correct", item.text) if item.text.strip() else ("wrong", "nothing written")
        case Compared():
            return "correct", compared_words(item)
        case _:
            mark, said = verdict_of(item)
            return mark, said + (f": {item.reason}" if item.reason and mark != "correct" else "")


# a problem


def _named(scene: Scene, index: int) -> Named:
    known = scene.problems.problems if scene.problems else ()
    return Named(known[index].id, "", known[index].question) if 0 <= index < len(known) else Named("prompts")


def _planned(scene: Scene, index: int) -> float:
    """Of problems whose texts are still to be written those are alike that have a pair, and those that have none."""
    if scene.plan and index >= 0:
        return scene.plan[index]
    from ....graphs.deepquestion.calls import DeepQuestionCalls  # heavy, and only needed while a run goes on
    from ....graphs.run.due import NOTHING

    if scene.problems is None:
        return 0.0
    calls, known = DeepQuestionCalls(scene.spec, scene.problems), scene.problems.problems

    def steps(part: int) -> float:
        return sum(due.number.mid for due in calls.due(part, NOTHING))

    if index < 0:
        return steps(index)
    kinds = [each.id if each.id in scene.problems.given else part in calls.pairs for part, each in enumerate(known)]
    alike = {kind: steps(part) for kind, part in {kind: part for part, kind in enumerate(kinds)}.items()}
    scene.plan = [alike[kind] for kind in kinds]
    return scene.plan[index]


def _closed(event: ProblemClosed, scene: Scene) -> tuple[str, Sequence[Count]]:
    return marks_words(event.marks), [Count(column, MARKS[mark]) for column, mark in event.marks.items()]


def _figures(run: RunProgress) -> list[Figure]:
    """Accuracy so far on originals, in Q2S (with some distractors, without that load with the most) and Q2I; what is
    unscored and what was rejected."""
    loads = run.scene.spec.distractors if run.scene else ("some",)
    main = f"q2s-{'some' if 'some' in loads else loads[-1]}"
    shown = (("orig.", "original"), ("Q2S", main), ("Q2I", "q2i"))
    lost, rejected = (sum(run.tallies[column].marks[mark] for column in COLUMNS) for mark in ("unscored", "rejected"))
    return [
        *(Figure("", figures.percent(run.tallies[column].accuracy), head) for head, column in shown),
        Figure("", f"{lost:,}", "?", 4, wide=True),
        Figure("", f"{rejected:,}", "–", 4, wide=True),
        Figure(figures.count(run.steps, "step")),
        *([Figure(f"{run.lost:,} lost to faults")] if run.lost else []),
    ]


def _block(run: RunProgress, width: int, height: int) -> list[Row]:
    """How the prompts come about, and the marks of the closed problems."""
    rows: list[Row] = []
    scene = run.scene or Scene(None)
    drafts = [each for each in scene.items.values() if isinstance(each, _PROMPTS)]
    for kind in scene.spec.drafted if drafts else ():
        words = prompt_words(drafts, kind, scene.spec)
        if words:
            rows.append(fit([(f"{column_words(kind)} prompt  ", "quiet"), (_last(words, width - 12), "")], width))
    columns = [column for column in COLUMNS if run.tallies[column].marks.total()]
    told = [("closed problems", *(SIGNS[mark][0] for mark in MARKS.values()), "accuracy")]
    for column in columns:
        held = run.tallies[column]
        numbers = (f"{held.marks[mark]:,}" for mark in MARKS.values())
        told.append((column_words(column), *numbers, figures.percent(held.accuracy)))
    return [*rows, *(grid(told, width, height - len(rows)) if columns else [])][:height]


def _last(parts: Sequence[str], room: int) -> str:
    """As many of the last parts as there is room for, and at least one."""
    whole = figures.joined(parts)
    left = list(parts)
    while len(left) > 1 and len(figures.joined(["…", *left] if left != list(parts) else left)) > room:
        left.pop(0)
    return whole if left == list(parts) else figures.joined(["…", *left])


_PROMPTS = (PromptDraft, PromptScore)
STEPS = Steps(
    step=_step,
    part="problem",
    named=_named,
    parts=lambda scene: scene.spec.problems,
    planned=_planned,
    legend={"correct": "right, passed", "wrong": "wrong", "rejected": "rejected", "unscored": "lost to a fault"},
    figures=_figures,
    roles=lambda scene: [f"{role} {model_name(name)}" for role, name in scene.spec.models.items() if role != "target"],
    size=lambda scene: [figures.count(scene.spec.problems, "problem"), kind_words(scene.spec)],
    closed=_closed,
    block=_block,
    kept=_PROMPTS,
    ending=lambda spec: {
        "all_asked": "every problem was asked",
        "no_questions": "nothing could be scored",
        "not_converged": "no draft of a transformation prompt was good enough",
    },
    names=names,
    at=at,
    spelling=spelling,
    order=order,
    head=head,
)
