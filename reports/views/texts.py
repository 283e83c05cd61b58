"""What steps and pages of several methods write alike: figures with intervals, answers, options."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from ...state.records import Answer
from ..page.forms import span_written, written
from ..page.rows import STYLES
from ..page.sanitise import one_line
from ..step import Field, Scene

CI = "95% interval "


def with_interval(value: Any, interval: Any, form: str, ci: str = "") -> str:
    """`71% (68–74)`, by the names of `forms.FORMS`; a dash without a value. `ci`: what stands
    before the interval."""
    said = written(value, form)
    return (
        said
        if value is None or interval is None
        else f"{said} ({ci}{span_written(interval, form)})"
    )


def calls_of(scene: Scene) -> Any:
    """What the run asks."""
    from ...graphs.method import METHODS  # heavy, and only needed while a run goes on

    if scene.calls is None:
        scene.calls = METHODS[scene.spec.method].calls(scene.spec, scene.material or scene.problems)
    return scene.calls


def planned(scene: Scene, index: int, *without: str, alike: Hashable = None) -> float:
    """Steps of a part when nothing fails: the calls that are due, those of the prompts named apart.
    `alike`: what parts with as many share, so that they are counted once."""
    from ...graphs.run.due import NOTHING

    if (key := index if alike is None else alike) not in scene.plan:
        due = calls_of(scene).due(index, NOTHING)
        scene.plan[key] = sum(each.number.mid for each in due if each.purpose not in without)
    return scene.plan[key]


def answer_fields(answer: Answer | None, *, said: bool = True) -> Iterator[Field]:
    """An answer word for word, with what is odd about it. `said`: whether it is that of the model
    under test."""
    odd = (
        ""
        if answer is None or answer.finish in ("stop", "given")
        else f" (finish: {answer.finish})"
    )
    odd += " (the endpoint marks it as a refusal)" if answer is not None and answer.refusal else ""
    if answer is None or not answer.text.strip():
        yield Field("", f"no answer{odd}", "dim")
    else:
        yield Field(f"answer{odd}", answer.text, said=said)


def letters_of(places: Iterable[int]) -> str:
    return ", ".join(chr(65 + place) for place in places)


def option_fields(options: Iterable[tuple[str, bool]]) -> Iterator[Field]:
    """Options of multiple choice, those that are right marked."""
    for place, (option, right) in enumerate(options):
        text = f"{'✓' if right else ' '} {letters_of([place])}. {one_line(option)}"
        yield Field("", text, STYLES["correct"] if right else "")
