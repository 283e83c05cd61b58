"""What steps and pages of several methods write alike: figures with intervals, answers, options."""

from collections.abc import Iterable, Iterator

from ...state.records import Answer
from ..page.rows import STYLES
from ..page.sanitise import one_line
from ..step import Field


def answer_fields(answer: Answer | None) -> Iterator[Field]:
    """An answer word for word, with what is odd about it."""
    odd = (
        ""
        if answer is None or answer.finish in ("stop", "given")
        else f" (finish: {answer.finish})"
    )
    odd += (
        " (the endpoint marks it as a refusal)" if answer is not None and answer.refusal else ""
    )
    if answer is None or not answer.text.strip():
        yield Field("", f"no answer{odd}", "dim")
    else:
        yield Field(f"answer{odd}", answer.text)


def letters_of(positions: Iterable[int]) -> str:
    return ", ".join(chr(65 + position) for position in positions)


def option_fields(options: Iterable[tuple[str, bool]]) -> Iterator[Field]:
    """Options of multiple choice, those that are right marked."""
    for position, (option, right) in enumerate(options):
        text = f"{'✓' if right else ' '} {letters_of([position])}. {one_line(option)}"
        yield Field("", text, STYLES["correct"] if right else "")
