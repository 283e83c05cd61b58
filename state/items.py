"""Every kind of step that a journal keeps, of whatever method."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from .ask.spec import AskedQuestion
from .deepquestion.items import (
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
)
from .depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Rewritten,
    Sifted,
)
from .depthqa.items import DepthAnswer, Rating
from .eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from .records import Unscored

DepthQAItem = DepthAnswer | Rating
BuildItem = Classified | ReferenceWritten | Deconstructed | Rewritten | RelationChecked | Sifted
PromptItem = PromptDraft | PromptScore
WrittenItem = (
    ScenarioWritten
    | DistractorsWritten
    | ScenarioChecked
    | InstructionWritten
    | InstructionChecked
)
DeepQuestionItem = (
    PromptItem | WrittenItem | Solution | Same | Created | InstructionMet | Compared
)
AnyItem = Annotated[
    Explanation
    | ChoiceQuestion
    | Paraphrase
    | Choice
    | Attribution
    | DepthQAItem
    | BuildItem
    | DeepQuestionItem
    | AskedQuestion,
    Field(discriminator="type"),
]


def faults_of(items: Iterable[AnyItem]) -> list[Unscored]:
    """Why those came to nothing that did."""
    return [item.fault for item in items if item.fault is not None]


def eqt_items(items: Iterable[AnyItem]) -> list[EqtItem]:
    """Those of an Explain-Query-Test."""
    return [
        item
        for item in items
        if isinstance(item, Explanation | ChoiceQuestion | Paraphrase | Choice | Attribution)
    ]


def depthqa_items(items: Iterable[AnyItem]) -> list[DepthQAItem]:
    """Those of asking a graph."""
    return [item for item in items if isinstance(item, DepthQAItem)]


def build_items(items: Iterable[AnyItem]) -> list[BuildItem]:
    """Those of building a graph."""
    return [item for item in items if isinstance(item, BuildItem)]


def deepquestion_items(items: Iterable[AnyItem]) -> list[DeepQuestionItem]:
    """Those of a DeepQuestion run."""
    return [item for item in items if isinstance(item, DeepQuestionItem)]
