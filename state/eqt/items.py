"""What Explain-Query-Test keeps of each step: an explanation, its questions, their paraphrases, and
the answers."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from ..records import Answer, Record, Rejected
from ..records import Item as Item

Kind = Literal[
    "definition",
    "characteristics",
    "relation",
    "example",
    "significance",
    "comparison",
    "process",
    "applications",
    "limitations",
    "history",
]
"""What a question asks for; the questions of a concept take them in turn (METHODS.md, section 3).
"""
KINDS: tuple[Kind, ...] = get_args(Kind)

Reading = Literal["letters", "none", "unreadable", "refused"]
"""How an answer was read. `none`: it says that no option is right; `unreadable`: no selection could
be found, a format failure; `refused`: the endpoint says that the model refused. All but `letters`
are the empty set."""

Cause = Literal["explanation", "question", "answer"]
"""What a wrong answer is put down to: a wrong explanation, a faulty question, or an answer at odds
with both."""


class Option(Record):
    """One option of a question; its place in the question's list is its identity."""

    text: str
    correct: bool


class Explanation(Item):
    type: Literal["explanation"] = "explanation"
    text: str = ""


class ChoiceQuestion(Item):
    """A multi-select question written from the explanation."""

    type: Literal["question"] = "question"
    question: int
    """Counts from 1."""
    kind: Kind
    text: str = ""
    options: tuple[Option, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    """What was written and thrown away, with the reason."""
    dropped: str | None = None
    """Why there is no question: what was written was malformed twice. None: there is one, or
    `fault` says why not."""


class Paraphrase(Item):
    """A question in other words. The options stay as they are."""

    type: Literal["paraphrase"] = "paraphrase"
    question: int
    paraphrase: int
    """Counts from 1 to k."""
    text: str = ""
    rejected: tuple[Rejected, ...] = ()
    dropped: str | None = None
    """Why there is no paraphrase: what was written did not pass the check, twice."""


class Choice(Item):
    """One asking: the question as it was put, and what was chosen."""

    type: Literal["choice"] = "choice"
    question: int
    paraphrase: int
    """0: the original wording."""
    open_book: bool = False
    order: tuple[int, ...]
    """Shown as A, B, …: the identity of each option."""
    answer: Answer | None = None
    """None when the target said nothing at all, and when `fault` is set."""
    reading: Reading | None = None
    """None exactly when `fault` is set."""
    chosen: tuple[int, ...] = ()
    """Identities of the chosen options, ascending."""
    correct: bool | None = None
    """Whether exactly the right options were chosen; None exactly when `fault` is set."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The chosen letters as they were shown, in order of the alphabet."""
        return tuple(
            chr(65 + place) for place, option in enumerate(self.order) if option in self.chosen
        )


class Attribution(Item):
    """What the judge puts a wrong answer down to."""

    type: Literal["attribution"] = "attribution"
    question: int
    paraphrase: int
    cause: Cause | None = None
    reason: str = ""


EqtItem = Annotated[
    Explanation | ChoiceQuestion | Paraphrase | Choice | Attribution,
    Field(discriminator="type"),
]
