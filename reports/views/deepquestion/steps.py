"""DeepQuestion step by step: prompts are drafted and scored; problems are solved, put into
scenarios, written anew, checked and compared."""

from collections.abc import Sequence

from ....graphs.planned import calls_of, planned
from ....state.deepquestion.items import PromptDraft, PromptScore, Solution
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import ProblemClosed
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.prompts import prompt_history
from ...page import figures
from ...page.rows import Row, fit
from ...page.sanitise import model_name
from ...progress import RunProgress
from ...step import SIGNS, Count, PartName, RunContext, StepView, view_of
from ..steps import Figure, Steps, grid
from .labels import KIND_NAMES, prompt_words
from .paths import at, head, names, order, spelling
from .texts import COLUMNS, LONGEST, MARKS, fields_of, marks_words, outcome_of, title_of


def _step(item: DeepQuestionItem, scene: RunContext) -> StepView:
    title, role = title_of(item)
    done = item.fault is None
    mark, words = outcome_of(item, scene.spec) if done else ("unscored", "")
    text, scored = "", isinstance(item, PromptScore)
    if isinstance(item, PromptScore):
        text = item.feedback
    elif isinstance(item, Solution):
        text = _named(scene, item.problem).text
    return view_of(
        item,
        mark,
        title=title,
        said=words[:LONGEST],
        text=text,
        fields=lambda: fields_of(item) if done else (),
        sent_to=role,
        seen="everywhere" if scored else "screen",
    )


# a problem


def _named(scene: RunContext, index: int) -> PartName:
    problems = scene.problems.problems if scene.problems else ()
    return (
        PartName(problems[index].id, "", problems[index].question)
        if 0 <= index < len(problems)
        else PartName("prompts")
    )


def _closed(event: ProblemClosed, scene: RunContext) -> tuple[str, Sequence[Count]]:
    return marks_words(event.marks), [
        Count(column, MARKS[mark]) for column, mark in event.marks.items()
    ]


def _figures(run: RunProgress) -> list[Figure]:
    """Accuracy so far on originals, in Q2S (with some distractors, without that load with the most)
    and Q2I."""
    loads = run.scene.spec.distractors if run.scene else ("some",)
    main = f"q2s-{'some' if 'some' in loads else loads[-1]}"
    columns = (("orig.", "original"), ("Q2S", main), ("Q2I", "q2i"))
    return [
        *(
            Figure("", figures.percent(run.tallies[column].accuracy), head)
            for head, column in columns
        ),
        Figure(figures.count(run.steps, "step")),
        *([Figure(f"{run.lost:,} lost to faults")] if run.lost else []),
    ]


def _block(run: RunProgress, width: int, height: int) -> list[Row]:
    """How the prompts come about, and the marks of the closed problems."""
    rows: list[Row] = []
    scene = run.scene or RunContext(None)
    for kind in scene.spec.drafted if scene.items else ():
        history = prompt_history(scene.spec, kind, scene.items.values())
        rows.append(fit([(prompt_words(history, scene.spec), "")], width))
    table = [("closed problems", *(SIGNS[mark][0] for mark in MARKS.values()), "accuracy")]
    for column, name in COLUMNS.items():
        tally = run.tallies[column]
        if tally.marks.total():
            numbers = (f"{tally.marks[mark]:,}" for mark in MARKS.values())
            table.append((name, *numbers, figures.percent(tally.accuracy)))
    if len(table) > 1:
        rows += grid(table, width, height - len(rows))
    return rows[:height]


def _size(spec: DeepQuestionSpec) -> list[str]:
    """`60 problems`, `Q2S (none, some), Q2I`."""
    loads = {"q2s": f" ({', '.join(spec.distractors)})"}
    kinds = ", ".join(f"{KIND_NAMES[kind]}{loads.get(kind, '')}" for kind in spec.kinds)
    return [figures.count(spec.problems, "problem"), kinds]


def _planned(scene: RunContext, index: int) -> float:
    """Of problems whose texts are still to be written those are alike that have a pair, and those
    that have none."""
    if scene.problems is None or index < 0:
        return planned(scene, index) if scene.problems else 0.0
    name = scene.problems.problems[index].id
    return planned(
        scene, index, alike=name if name in scene.problems.given else index in calls_of(scene).pairs
    )


STEPS = Steps(
    step=_step,
    part="problem",
    named=_named,
    parts=lambda scene: scene.spec.problems,
    planned=_planned,
    legend={
        "correct": "right, passed",
        "wrong": "wrong",
        "rejected": "rejected",
        "unscored": "lost to a fault",
    },
    figures=_figures,
    roles=lambda scene: [
        f"{role} {model_name(name)}" for role, name in scene.spec.models.items() if role != "target"
    ],
    size=lambda scene: _size(scene.spec),
    closed=_closed,
    block=_block,
    kept=(PromptDraft, PromptScore),
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
