"""An Explain-Query-Test as plain lines: one per finished answer, per step that came to nothing, per closed concept."""

from collections.abc import Sequence

from ....state.eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from ....state.events import ConceptClosed, ItemFinished
from ....state.items import eqt_items
from ....state.spec import Concept, EqtSpec, Spec
from ...page import figures
from ...page.rows import Row
from ...page.sanitise import model_name, one_line
from .progress import outcome_of, said_of


def started_words(spec: EqtSpec) -> str:
    """Who examines, and how much is asked per concept."""
    roles = [f"examiner {model_name(spec.examiner)}"] if spec.examiner != spec.target else []
    roles += [f"judge {model_name(spec.judge)}"] if spec.needs_judge else []
    return "".join(f" · {part}" for part in [*roles, size_words(spec)])


def size_words(spec: EqtSpec) -> str:
    """`5 questions, 10 options, 3 paraphrases`, per concept and per question."""
    parts = [figures.count(spec.questions, "question"), figures.count(spec.options, "option")]
    parts.append(figures.count(spec.paraphrases, "paraphrase") if spec.paraphrases else "no paraphrases")
    return ", ".join([*parts, *(["open book too"] if spec.open_book else [])])


def eqt_row(event: ItemFinished | ConceptClosed, spec: Spec | None) -> Row | None:
    """The event as one line; None for a step that went well and is no answer."""
    if isinstance(event, ConceptClosed):
        return closed_row(event)
    (item,) = eqt_items([event.item]) or (None,)
    return item_row(item, spec) if item else None


def item_row(item: EqtItem, spec: Spec | None) -> Row | None:
    """A finished step as one line; None for a step that went well and is no answer."""
    name = _name(item.concept, spec)
    match item:
        case Choice():
            return _answer(item, name)
        case Explanation() | ChoiceQuestion() | Paraphrase():
            return _lost(item, name)
        case Attribution():
            return _attributed(item, name)


def _name(index: int, spec: Spec | None) -> str:
    concepts: Sequence[Concept] = getattr(spec, "concepts", ())
    return one_line(concepts[index].name) if index < len(concepts) else f"concept {index + 1}"


def _lead(sign: str, style: str, item: EqtItem, name: str) -> Row:
    place = one_line(figures.place(item.id))
    return [(f"{sign} ", style), (f"{place} ", "quiet"), (name, "accuracy"), (" · ", "quiet")]


def _answer(choice: Choice, name: str) -> Row:
    outcome = outcome_of(choice)
    row = [*_lead(figures.MARKS[outcome], outcome, choice, name), (one_line(said_of(choice)), "")]
    if choice.fault is not None:
        row.append((f" ({one_line(choice.fault.message)})", outcome))
    return [*row, *([(" (open book)", "quiet")] if choice.open_book else [])]


def _lost(item: Explanation | ChoiceQuestion | Paraphrase, name: str) -> Row | None:
    what = item.type
    if item.fault is not None:
        why = f"{item.fault.stage}: {item.fault.message}"
        return [*_lead(figures.MARKS["unscored"], "unscored", item, name), (f"no {what} ({one_line(why)})", "unscored")]
    if isinstance(item, Explanation) or item.dropped is None:
        return None
    return [*_lead("–", "warning", item, name), (f"{what} dropped ({one_line(item.dropped)})", "warning")]


def _attributed(item: Attribution, name: str) -> Row:
    if item.fault is not None or item.cause is None:
        why = item.fault.message if item.fault else "no cause was named"
        return [*_lead("?", "unscored", item, name), (f"not attributed ({one_line(why)})", "unscored")]
    return [*_lead("→", "quiet", item, name), (f"put down to the {item.cause}: {one_line(item.reason)}", "")]


def closed_row(event: ConceptClosed) -> Row:
    """`c003 Graph theory closed: 14 of 20 right · accuracy 70% (48–85) · ACS .92`."""
    numbers = event.numbers
    row, acs = numbers.all, numbers.consistency.acs
    accuracy = "" if row.accuracy is None else f"accuracy {figures.percent(row.accuracy)}"
    if accuracy:
        accuracy += f" ({figures.percent_span(row.ci_clustered or row.ci)})"
    drops = (numbers.dropped, "question"), (numbers.paraphrases_dropped, "paraphrase")
    dropped = " and ".join(figures.count(number, what) for number, what in drops if number)
    parts = [
        f"{row.correct} of {row.scored} right" if row.scored else "nothing was measured",
        accuracy,
        "" if acs is None else f"ACS {figures.score(acs)}",
        f"{dropped} dropped" if dropped else "",
        f"unscored {figures.stages(numbers.unscored)}" if any(numbers.unscored.values()) else "",
    ]
    return [(f"c{event.index + 1:03d} {one_line(event.concept)} closed: {figures.joined(parts)}", "title")]
