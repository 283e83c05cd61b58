"""Items of an Explain-Query-Test that never happened. Options are written a, b, c …, in the order
of their identity."""

from collections.abc import Collection, Sequence
from typing import Any

from fathom.graphs.eqt.figures import tables_of
from fathom.state.eqt.items import (
    KINDS,
    Attribution,
    Cause,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Option,
    Paraphrase,
    Reading,
)
from fathom.state.eqt.result import EqtResult
from fathom.state.records import Answer, Stage, Unscored
from fathom.state.spec import Concept, EqtSpec

RUN = "7f3a9c01"
SIGNS: dict[str, Reading] = {"-": "none", "?": "unreadable", "!": "refused"}


def spec_of(*categories: str, **changes: Any) -> EqtSpec:
    """A spec with one concept per category named, `Concept 1` and so on; one without a category
    when none is."""
    concepts = [
        Concept(name=f"Concept {n}", category=c) for n, c in enumerate(categories or ("",), 1)
    ]
    defaults: dict[str, Any] = {
        "concepts": tuple(concepts),
        "target": "openai:gpt-5",
        "examiner": changes.get("target", "openai:gpt-5"),
        "judge": "openai:gpt-5",
        "questions": 2,
        "options": 4,
        "paraphrases": 2,
    }
    return EqtSpec.model_validate(defaults | changes)


def places(letters: str) -> tuple[int, ...]:
    return tuple(sorted(ord(letter) - ord("a") for letter in letters))


def lost(stage: Stage) -> Unscored:
    return Unscored(stage=stage, kind="timeout", message=f"no {stage} within 60 s")


def concept_id(concept: int) -> str:
    return f"{RUN}/c{concept + 1:03d}"


def explanation(concept: int = 0, *, fault: Unscored | None = None) -> Explanation:
    text = "" if fault else f"All about concept {concept + 1}."
    return Explanation(id=concept_id(concept), concept=concept, text=text, fault=fault)


def question(
    number: int = 1,
    right: str = "a",
    *,
    concept: int = 0,
    options: int = 4,
    dropped: str | None = None,
    fault: Unscored | None = None,
) -> ChoiceQuestion:
    held = [
        Option(text=f"option {chr(97 + n)}", correct=n in places(right)) for n in range(options)
    ]
    missing = dropped is not None or fault is not None
    return ChoiceQuestion(
        id=f"{concept_id(concept)}.q{number}",
        concept=concept,
        question=number,
        kind=KINDS[(number - 1) % len(KINDS)],
        text="" if missing else f"Question {number}?",
        options=() if missing else tuple(held),
        dropped=dropped,
        fault=fault,
    )


def paraphrase(
    number: int,
    nth: int,
    *,
    concept: int = 0,
    dropped: str | None = None,
    fault: Unscored | None = None,
) -> Paraphrase:
    return Paraphrase(
        id=f"{concept_id(concept)}.q{number}.p{nth}",
        concept=concept,
        question=number,
        paraphrase=nth,
        text="" if dropped or fault else f"Question {number} in wording {nth}?",
        dropped=dropped,
        fault=fault,
    )


def choice(
    said: str | None,
    number: int = 1,
    nth: int = 0,
    *,
    right: str = "a",
    concept: int = 0,
    order: str = "abcd",
    open_book: bool = False,
) -> Choice:
    """One asking. `said`: the options chosen, or a sign of `SIGNS`; None: the infrastructure
    failed."""
    name = "open" if open_book else f"a{nth}"
    shown = tuple(ord(letter) - ord("a") for letter in order)
    fields: dict[str, Any] = {
        "id": f"{concept_id(concept)}.q{number}.{name}",
        "concept": concept,
        "question": number,
        "paraphrase": nth,
        "order": shown,
        "open_book": open_book,
    }
    if said is None:
        return Choice(**fields, fault=lost("answer"))
    chosen = () if said in SIGNS else places(said)
    text = "Answer: " + ", ".join(
        chr(65 + n) for n, option in enumerate(shown) if option in chosen
    )
    return Choice(
        **fields,
        answer=Answer(text=text if chosen else said, finish="stop"),
        reading=SIGNS.get(said, "letters"),
        chosen=chosen,
        correct=chosen == places(right),
    )


def attribution(
    number: int, nth: int = 0, *, cause: Cause | None, concept: int = 0
) -> Attribution:
    """`cause` None: the judge failed."""
    return Attribution(
        id=f"{concept_id(concept)}.q{number}.a{nth}.why",
        concept=concept,
        question=number,
        paraphrase=nth,
        cause=cause,
        reason="so it is" if cause else "",
        fault=None if cause else lost("judge"),
    )


def asked(
    concept: int, *questions: Sequence[str | None], with_book: Sequence[str | None] = ()
) -> list[EqtItem]:
    """A whole concept: per question what was said to the original and to each paraphrase; right is
    option a.

    `with_book`: what was said to each original with the explanation at hand.
    """
    items: list[EqtItem] = [explanation(concept)]
    for number, answers in enumerate(questions, 1):
        items.append(question(number, concept=concept))
        items += [paraphrase(number, nth, concept=concept) for nth in range(1, len(answers))]
        items += [
            choice(said, number, nth, concept=concept) for nth, said in enumerate(answers)
        ]
    items += [
        choice(said, number, concept=concept, open_book=True)
        for number, said in enumerate(with_book, 1)
    ]
    return items


def result_of(
    spec: EqtSpec,
    items: Sequence[EqtItem],
    closed: Collection[int] | None = None,
    run_id: str = f"run-{RUN}",
) -> EqtResult:
    """The result of a run; all concepts are closed unless some are named."""
    done = range(len(spec.concepts)) if closed is None else closed
    return EqtResult(
        **tables_of(spec, items, done)._asdict(),
        run_id=run_id,
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="",
        usage={},
        cost_usd=None,
        wall_s=1.0,
        conformance=(),
        notes=(),
        provenance={},
    )


def run(target: str, **right: int) -> EqtResult:
    """A run with one concept per category and so many of four questions right in it."""
    return run_as(target, target, right)


def run_as(target: str, run_id: str, right: dict[str, int], **changes: Any) -> EqtResult:
    """Likewise, with a run id and a spec of its own."""
    spec = spec_of(*right, target=target, **changes)
    questions = ([["a"]] * count + [["b"]] * (4 - count) for count in right.values())
    items = [item for place, answers in enumerate(questions) for item in asked(place, *answers)]
    return result_of(spec, items, run_id=run_id)
