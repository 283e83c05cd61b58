"""An Explain-Query-Test that never happened, as its items, for tests of the screen.

Everything follows from the arguments; nothing is read from a clock or a global generator. Some texts are hostile on
purpose: escape sequences, markup, direction overrides, wide and right-to-left scripts, very long questions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from fathom.state.eqt.items import KINDS, Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Option, Paraphrase
from fathom.state.records import Answer, Call, Rejected, Sent, Unscored, Usage
from fathom.state.result import Status, StopReason
from fathom.state.spec import Concept, EqtSpec, WorldSpec

HOSTILE = (
    Concept(name="Graph theory", category="math"),
    Concept(name="超流動ヘリウム", category="physics"),
    Concept(name="الهيليوم السائل", category="physics"),
    Concept(name="[red]Noble gases[/red]", category="chemistry"),
    Concept(name="Lambda\x1b[31m point\x1b[0m and its very long name that goes on and on", category="physics"),
    Concept(name="\u202eevitcaoidaR\u202c decay", category="phy\x1b]0;sics"),
)
TIMEOUT = Unscored(stage="answer", kind="timeout", message="The target did not\x1b[2J answer within 60 s.")


@dataclass(frozen=True)
class EqtPlan:
    """What a synthetic test looks like. `faults`: have one of each thing that can go wrong."""

    run_id: str = "20261120T120000-eqt-3-concepts-sim-student-e9e9e9e9"
    target: str = "sim:student"
    examiner: str | None = None
    judge: str = "sim:evaluator"
    concepts: tuple[Concept, ...] = HOSTILE
    questions: int = 3
    options: int = 5
    paraphrases: int = 2
    open_book: bool = False
    shuffle: bool = True
    attribute: int = 0
    accuracy: float = 0.7
    faults: bool = True
    simulated: bool = True
    cost: float | None = 0.0002
    seed: int = 42
    done: int | None = None
    """Concepts that are finished; None: all."""
    status: Status = "complete"
    stop_reason: StopReason = "all_asked"

    @property
    def spec(self) -> EqtSpec:
        return EqtSpec(
            concepts=self.concepts,
            target=self.target,
            examiner=self.examiner or self.target,
            judge=self.judge,
            questions=self.questions,
            options=self.options,
            paraphrases=self.paraphrases,
            open_book=self.open_book,
            shuffle_options=self.shuffle,
            attribute=self.attribute,
            seed=self.seed,
            world=WorldSpec() if self.simulated else None,
        )

    @property
    def closed(self) -> int:
        return len(self.concepts) if self.done is None else self.done


def many(number: int, categories: Sequence[str]) -> tuple[Concept, ...]:
    """So many concepts, dealt over the categories."""
    return tuple(Concept(name=f"Concept {i + 1}", category=c) for i, c in enumerate(islice(cycle(categories), number)))


def _call(plan: EqtPlan, role: str, purpose: str, failure: str | None = None) -> Call:
    return Call.model_validate(
        {
            "role": role,
            "purpose": purpose,
            "model": plan.target if role == "target" else plan.examiner or plan.target,
            "usage": Usage() if failure else Usage(input_tokens=300, output_tokens=50),
            "cost_usd": None if failure else plan.cost,
            "latency_s": 0.4,
            "failure": failure,
        }
    )


def _sent(text: str) -> tuple[Sent, ...]:
    return (
        Sent(role="system", text="You are taking a written examination.\nNo aids."),
        Sent(role="user", text=text),
    )


def _question(plan: EqtPlan, concept: int, number: int, rng: Random) -> ChoiceQuestion:
    name, place = plan.concepts[concept].name, f"{_place(plan, concept)}.q{number}"
    kind = KINDS[(number - 1) % len(KINDS)]
    calls = (_call(plan, "examiner", "choice_question"),)
    dropped = plan.faults and concept == 1 and number == plan.questions
    rejected = (Rejected(text="Which is right according to the text?\x1b[2J", reason="it speaks of a text"),)
    if dropped:
        return ChoiceQuestion(
            id=place,
            concept=concept,
            prompt=_sent(f"Write a question on {name}."),
            calls=calls,
            question=number,
            kind=kind,
            rejected=rejected * 2,
            dropped="it speaks of a text that nobody sees",
        )
    right = set(rng.sample(range(plan.options), rng.randint(1, max(1, plan.options // 2))))
    options = tuple(
        Option(text=f"Option [b]{i + 1}[/b] on {name}\x1b[8m", correct=i in right) for i in range(plan.options)
    )
    text = f"Which of these hold for {name} ({kind})?" + (" Read on." * 60 if number == 2 else "")
    return ChoiceQuestion(
        id=place,
        concept=concept,
        prompt=_sent(f"Write a question on {name}."),
        calls=calls,
        question=number,
        kind=kind,
        text=text,
        options=options,
        rejected=rejected if number == 1 else (),
        elapsed_s=3.2,
    )


def _place(plan: EqtPlan, concept: int) -> str:
    return f"{plan.run_id.rpartition('-')[2]}/c{concept + 1:03d}"


def _choice(plan: EqtPlan, question: ChoiceQuestion, nth: int, rng: Random, *, book: bool = False) -> Choice:
    order = list(range(plan.options))
    if plan.shuffle:
        rng.shuffle(order)
    right = tuple(i for i, option in enumerate(question.options) if option.correct)
    wrong = tuple(i for i in range(plan.options) if i not in right)[:1]
    correct = rng.random() < (0.95 if book else plan.accuracy)
    chosen = right if correct else wrong
    first = plan.faults and question.concept == 0 and question.question == 1
    odd = {0: "unreadable", 1: "refused", 2: "none"}.get(nth) if first and not book else None
    fault = TIMEOUT if plan.faults and question.concept == 2 and question.question == 1 and nth == 1 else None
    letters = ", ".join(chr(65 + place) for place, option in enumerate(order) if option in chosen)
    said = {"unreadable": "It depends.\x1b[2J\nOn what?", "refused": "I cannot.", "none": "Answer: none"}
    wording = f"Name what holds for {plan.concepts[question.concept].name}, wording {nth}." if nth else question.text
    text = f"{wording}\n\n" + "\n".join(f"{chr(65 + p)}. {question.options[i].text}" for p, i in enumerate(order))
    answer = Answer(text=said.get(odd or "", f"Answer: {letters}"), finish="stop", latency_s=0.4)
    return Choice(
        id=f"{question.id}.open" if book else f"{question.id}.a{nth}",
        concept=question.concept,
        prompt=_sent(text),
        fault=fault,
        calls=(_call(plan, "target", "choice", "timeout" if fault else None),),
        elapsed_s=1.5 + nth / 10,
        question=question.question,
        paraphrase=nth,
        open_book=book,
        order=tuple(order),
        answer=None if fault else answer,
        reading=None if fault else odd or "letters",
        chosen=() if fault or odd else chosen,
        correct=None if fault else False if odd else correct,
    )


def _items(plan: EqtPlan, concept: int) -> Iterator[EqtItem]:
    """The steps of one concept, in the order they finish."""
    rng, name = Random(f"{plan.seed}:{concept}"), plan.concepts[concept].name
    lost = plan.faults and concept == 3
    calls = (_call(plan, "examiner", "explanation", "server" if lost else None),)
    fault = Unscored(stage="explanation", kind="server", message="The endpoint said 500.") if lost else None
    paragraphs = f"{name} is the study of [i]things[/i].\n\nIt began\x1b[5m in 1736.\r\nIt does not stop."
    yield Explanation(
        id=_place(plan, concept),
        concept=concept,
        prompt=_sent(f"Explain {name}."),
        fault=fault,
        calls=calls,
        text="" if fault else paragraphs,
        elapsed_s=4.0,
    )
    if fault:
        return
    questions = [_question(plan, concept, number, rng) for number in range(1, plan.questions + 1)]
    yield from questions
    asked = [question for question in questions if question.options]
    for question in asked:
        yield _choice(plan, question, 0, rng)
        if plan.open_book:
            yield _choice(plan, question, 0, rng, book=True)
        for nth in range(1, plan.paraphrases + 1):
            dropped = plan.faults and concept == 1 and question.question == 1 and nth == 1
            yield Paraphrase(
                id=f"{question.id}.p{nth}",
                concept=concept,
                prompt=_sent(f"Reword: {question.text}"),
                calls=(_call(plan, "examiner", "paraphrase"),),
                question=question.question,
                paraphrase=nth,
                text="" if dropped else f"Name what holds for {name}, wording {nth}.",
                dropped="it is hardly reworded" if dropped else None,
            )
            if not dropped:
                yield _choice(plan, question, nth, rng)


def items_of(plan: EqtPlan) -> list[EqtItem]:
    """All steps of the finished concepts, and what the judge puts the first wrong answers down to."""
    items = [item for concept in range(plan.closed) for item in _items(plan, concept)]
    wrong = [i for i in items if isinstance(i, Choice) and i.correct is False and not i.open_book]
    return [*items, *(_blame(plan, choice, n) for n, choice in enumerate(wrong[: plan.attribute]))]


def _blame(plan: EqtPlan, choice: Choice, number: int) -> Attribution:
    fault = TIMEOUT.model_copy(update={"stage": "judge"}) if plan.faults and number == 1 else None
    return Attribution(
        id=f"{choice.id}.why",
        concept=choice.concept,
        fault=fault,
        calls=(_call(plan, "judge", "attribution"),),
        question=choice.question,
        paraphrase=choice.paraphrase,
        cause=None if fault else ("explanation", "question", "answer", "answer")[number % 4],
        reason="" if fault else "The text [b]says\x1b[2J[/b] otherwise.",
    )
