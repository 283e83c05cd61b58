"""A concept of an Explain-Query-Test, one of its questions or one asking: what was written, shown, said and read."""

from collections.abc import Iterable, Mapping, Sequence

import orjson
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ....state.eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Item, Option, Paraphrase
from ....state.records import Rejected
from ....state.spec import EqtSpec
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line, paragraphs
from ...trace import INDENT, fault_lines, field, line, pointed_out, sent_lines
from .paths import Place, items_at, place_of
from .progress import outcome_of, read_as, said_anything

OPTIONS_LEGEND = "✓ right · [x] chosen"


def eqt_trace(spec: EqtSpec, items: Sequence[EqtItem], path: str, *, prompts: bool) -> RenderableType:
    """The part of a run that `path` names (see `place_of`), as far as there is of it.

    `prompts`: show every prompt word for word as it was first sent. Raises UsageError for a path without anything.
    """
    found = items_at(spec, items, path)
    place = place_of(path)
    concept = spec.concepts[place.concept - 1]
    head = Text.assemble((f"c{place.concept:03d} ", "dim"), (one_line(concept.name), "bold"))
    if concept.category:
        head.append(f" · {one_line(concept.category)}", "dim")
    head.append(
        f" · explained and examined by {model_name(spec.examiner)}, answered by {model_name(spec.target)}", "dim"
    )
    parts: list[RenderableType] = [head]
    questions = {item.question: item for item in found if isinstance(item, ChoiceQuestion)}
    reasons = {item.id: item for item in found if isinstance(item, Attribution)}
    for item in found:
        parts += [] if isinstance(item, Paraphrase | Choice | Attribution) else [""]
        parts += _shown(item, questions, reasons, place, prompts=prompts)
    if place.question is not None:
        parts += ["", Text(f"The explanation it was written from is at c{place.concept:03d}.", "dim")]
    return Group(*parts)


def _shown(
    item: EqtItem,
    questions: Mapping[int, ChoiceQuestion],
    reasons: Mapping[str, Attribution],
    place: Place,
    *,
    prompts: bool,
) -> list[RenderableType]:
    """One step; an attribution stands with the answer it is about."""
    why = reasons.get(f"{item.id}.why")
    match item:
        case Explanation():
            head, *rest = _explanation(item)
        case ChoiceQuestion():
            head, *rest = _question(item, in_full=place.asking is None)
        case Paraphrase():
            head, *rest = _paraphrase(item)
        case Choice():
            head, *rest = _choice(item, questions.get(item.question), place)
        case Attribution():
            return []
    judged = [*(_prompt(why) if prompts else []), *_attribution(why)] if why else []
    return [head, *(_prompt(item) if prompts else []), *rest, *judged]


def _step(item: Item, title: str, depth: int = 0, mark: str = "") -> RenderableType:
    """The line a step begins with."""
    text = Text()
    if mark:
        text.append(f"{figures.MARKS[mark]} ", STYLES[mark])
    text.append(one_line(figures.place(item.id)), "bold").append(f" · {title}")
    return line(text.append(f" · {figures.duration(item.elapsed_s)}", "dim"), depth)


def _explanation(item: Explanation) -> list[RenderableType]:
    text = [line(Text(paragraphs(item.text)))] if item.text else []
    return [_step(item, "explanation"), *text, *pointed_out(item.text), *fault_lines(item.fault)]


def _question(item: ChoiceQuestion, *, in_full: bool) -> list[RenderableType]:
    """The question; its options only `in_full`, otherwise the asking shows them in its own order."""
    parts: list[RenderableType] = [_step(item, f"question ({item.kind})")]
    if item.text:
        parts.append(line(Text(paragraphs(item.text), "bold")))
    if in_full:
        parts += _options(item.options, range(len(item.options)))
        parts += _rejected(item.rejected)
    if item.dropped is not None:
        parts.append(field("dropped", item.dropped, STYLES["warning"]))
    return [*parts, *fault_lines(item.fault)]


def _options(
    options: Sequence[Option], order: Iterable[int], chosen: Iterable[int] | None = None, depth: int = 1
) -> list[RenderableType]:
    """The options in an order, as A, B, …; `chosen`: None where nobody has chosen."""
    lines: list[RenderableType] = []
    for place, identity in enumerate(order):
        option = options[identity]
        right = "✓" if option.correct else " "
        taken = "" if chosen is None else "[x] " if identity in chosen else "[ ] "
        style = STYLES["correct"] if option.correct else STYLES["wrong"] if taken == "[x] " else ""
        lines.append(line(Text(f"{taken}{right} {chr(65 + place)}. {one_line(option.text)}", style), depth))
    return lines


def _rejected(rejected: Sequence[Rejected]) -> list[RenderableType]:
    return [field("thrown away", f"{_draft(one.text)} ({one.reason})", "dim") for one in rejected]


def _draft(text: str) -> str:
    """The question of a draft that was kept as JSON; any other text as it is."""
    try:
        draft = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    if not isinstance(draft, dict) or not isinstance(draft.get("question"), str):
        return text
    options = draft.get("options")
    held = [o for o in options if isinstance(o, dict)] if isinstance(options, list) else []
    return " / ".join([draft["question"], *(f"{'✓ ' if o.get('correct') else ''}{o.get('text', '')}" for o in held)])


def _paraphrase(item: Paraphrase) -> list[RenderableType]:
    parts = [_step(item, "paraphrase", 1)]
    if item.text:
        parts.append(line(Text(paragraphs(item.text), "bold"), 2))
    parts += [Padding(each, (0, 0, 0, INDENT), expand=False) for each in _rejected(item.rejected)]
    if item.dropped is not None:
        parts.append(field("dropped", item.dropped, STYLES["warning"], 2))
    return [*parts, *fault_lines(item.fault, 2)]


def _choice(item: Choice, question: ChoiceQuestion | None, place: Place) -> list[RenderableType]:
    outcome = outcome_of(item)
    wording = "the original wording" if item.paraphrase == 0 else f"paraphrase {item.paraphrase}"
    book = ", with the explanation at hand" if item.open_book else ""
    verdict = {"correct": "right", "wrong": "wrong", "unscored": "unscored"}[outcome]
    parts = [_step(item, f"{wording}{book} · {verdict}", 1, outcome)]
    alone = place.asking is not None and question is not None
    if question is not None and alone:
        parts += _options(question.options, item.order, None if item.fault else item.chosen, 2)
        parts.append(line(Text(OPTIONS_LEGEND, "dim"), 2))
    elif list(item.order) != sorted(item.order):
        parts.append(field("options shown in the order", _letters(item.order), depth=2))
    if item.fault is None:
        parts += _answer(item, _read(item, question) if alone else _above(item))
    return [*parts, *fault_lines(item.fault, 2)]


def _answer(item: Choice, read: str) -> list[RenderableType]:
    """What was said, word for word, and what that was taken for."""
    text = item.answer.text if item.answer is not None and said_anything(item) else ""
    odd = item.answer is not None and item.answer.finish != "stop"
    finish = f" (finish: {one_line(item.answer.finish)})" if item.answer is not None and odd else ""
    said = field(f"answer{finish}", text, depth=2) if text else line(Text(f"no answer{finish}", "dim"), 2)
    return [said, *pointed_out(text, 2), field("parsed as", read, depth=2)]


def _letters(identities: Iterable[int]) -> str:
    """The options by the letters they have in the question's own list."""
    return ", ".join(chr(65 + identity) for identity in identities)


def _above(item: Choice) -> str:
    """`B, D, which are A, C above`: the letters that were shown, and those of the question's list."""
    said, listed = read_as(item), _letters(item.chosen)
    if not item.chosen or said == listed:
        return said
    return f"{said}, which {'is' if len(item.chosen) == 1 else 'are'} {listed} above"


def _read(item: Choice, question: ChoiceQuestion | None) -> str:
    """`B, D; right: B, E`, in the letters that were shown."""
    if question is None or item.correct:
        return read_as(item)
    right = [place for place, identity in enumerate(item.order) if question.options[identity].correct]
    return f"{read_as(item)}; right: {_letters(right)}"


def _attribution(item: Attribution) -> list[RenderableType]:
    if item.fault is not None or item.cause is None:
        return fault_lines(item.fault, 2)
    return [field(f"put down to the {item.cause}", item.reason, depth=2)]


def _prompt(item: EqtItem) -> list[RenderableType]:
    """What was sent first for this step, word for word."""
    depth = 1 if isinstance(item, Explanation | ChoiceQuestion) else 2
    what = "sent to the judge" if isinstance(item, Attribution) else "sent"
    return sent_lines(item.prompt, what, depth)
