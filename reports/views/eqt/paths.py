"""Parts of an Explain-Query-Test by the ids it shows (a concept, a question, an asking), and what
stands above their steps."""

import re
from collections.abc import Iterator, Sequence

from ....state.eqt.items import ChoiceQuestion, EqtItem, Paraphrase
from ...page import figures
from ...page.sanitise import model_name
from ...step import Field, PartName, RunContext

ATTRIBUTION = -1
"""The part that comes after all concepts."""


def named(scene: RunContext, index: int) -> PartName:
    concepts = scene.spec.concepts
    if index == ATTRIBUTION:
        return PartName("attributions", "of wrong answers, by the judge")
    return PartName(f"c{index + 1:03d}", concepts[index].name if 0 <= index < len(concepts) else "")


def names(scene: RunContext) -> dict[str, str]:
    every = [named(scene, number).name for number in range(len(scene.spec.concepts))]
    return dict(zip(every, every, strict=True))


def at(item: EqtItem, scene: RunContext) -> Iterator[tuple[str, str]]:
    """A question belongs to each of its askings, a paraphrase and an attribution to theirs."""
    part, _, step = figures.place(item.id).partition(".")
    if isinstance(item, Paraphrase):
        step = f"q{item.question}.a{item.paraphrase}"
    yield part, step.removesuffix(".why") or "explanation"
    if isinstance(item, ChoiceQuestion):
        askings = ["open", *(f"a{number}" for number in range(scene.spec.paraphrases + 1))]
        yield from ((part, f"{step}.{end}") for end in askings)


def spelling(path: str) -> str:
    """`p1` and `a1.why` mean the asking `a1`, and `c3` the concept `c003`."""
    whole = re.sub(
        r"^c(\d+)", lambda number: f"c{int(number[1]):03d}", path.lower().removesuffix(".why")
    )
    return re.sub(r"\.p(\d+)$", r".a\1", whole)


TYPES = ("explanation", "question", "paraphrase", "choice", "attribution")


def order(item: EqtItem, scene: RunContext, part: str) -> tuple[int, int, bool, int]:
    """Explanation, then question by question: the question, then by wording its paraphrase,
    askings, attributions."""
    question = getattr(item, "question", 0)
    paraphrase = getattr(item, "paraphrase", -1)
    open_book = getattr(item, "open_book", False)
    return question, paraphrase, open_book, TYPES.index(item.type)


def head(scene: RunContext, part: str, step: str, found: Sequence[str]) -> list[Field]:
    concept = scene.spec.concepts[int(part[1:]) - 1]
    examiner, target = model_name(scene.spec.examiner), model_name(scene.spec.target)
    by = f"explained and examined by {examiner}, answered by {target}"
    above = f"The explanation it was written from is at {part}." if step else ""
    return [
        Field(part, figures.joined([concept.name, concept.category]), "bold", 0),
        *(Field("", text, "dim", 0) for text in (by, above) if text),
    ]
