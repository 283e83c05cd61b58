"""What an Explain-Query-Test found, as a reader sees it at the end: the headline first, the small print after."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ....state.eqt.result import EqtComparison, EqtResult, ShareRow
from ...page import figures
from ...page.remarks import IN_FULL, SIMULATED, deviations_part, kept_in, left_out, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.usage import usage_part
from .compare import comparison_report
from .concepts import concept_tables
from .steps import size_words
from .tables import attribution_part, category_legend, category_table, letter_part, wider

UNREAD = 0.05
"""Share of the closed-book answers, unreadable or refused, beyond which a remark says that ACS leaves them out."""


def eqt_summary(
    result: EqtResult, *, width: int, kept: Path | None = None, in_full: bool = True, headline_last: bool = False
) -> RenderableType:
    """One run, for a console `width` cells wide. `kept`: the run's folder.

    `in_full`: list every deviation from the published method; otherwise they are counted. `headline_last`: for a
    terminal, where what was printed first has scrolled away.
    """
    deviations = deviations_part(result, kept, in_full=in_full)
    small = [*usage_part(result, width=width), *listed("Notes", result.notes), *deviations]
    end: list[RenderableType] = ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *kept_in(kept)]
    concepts = [*concept_tables(result, width=width), *_pointer(result, kept)]
    categories = _categories(result, width)
    letters = letter_part(result.letters, width=width)
    judged = attribution_part(result.attribution, result.spec.judge, width=width) if result.attribution else []
    numbers = ["", *_figures(result)] if result.numbers.all.scored else []
    head: list[RenderableType] = [Text(line) for line in eqt_remarks(result)]
    best = Text(eqt_headline(result), "bold")
    if headline_last:
        body = [*numbers, *judged, *letters, *concepts, *categories]
        return Group(*small[1:], *end, *body, "", *_heading(result), *head, best)
    return Group(*_heading(result), best, *head, *categories, *concepts, *letters, *judged, *numbers, *small, *end)


def _categories(result: EqtResult, width: int) -> list[RenderableType]:
    if not result.numbers.all.scored:
        return []
    return ["", category_table(result, width=width), category_legend(result, width=width)]


def eqt_brief(result: EqtResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One run's headline and what must stand beside it; `fathom show` has the rest."""
    lines = [Text(eqt_headline(result), "bold"), *(Text(line) for line in eqt_remarks(result))]
    return Group(*_heading(result), *lines, *kept_in(kept))


def eqt_headline(result: EqtResult) -> str:
    """`accuracy 71% (95% CI 68–74) · ACS .92 (.90–.93) · 280 concepts, 1,400 questions, 5,600 answers`."""
    numbers, row = result.numbers, result.numbers.all
    planned = len(result.spec.concepts)
    all_in = f"{numbers.concepts:,} of " if numbers.concepts < planned else ""
    counts = [f"{all_in}{figures.count(planned, 'concept')}", figures.count(numbers.questions, "question")]
    sizes = ", ".join([*counts, figures.count(row.scored, "answer")])
    if row.accuracy is None:
        return f"nothing was measured · {sizes}"
    accuracy = f"accuracy {figures.percent(row.accuracy)} (95% CI {figures.percent_span(wider(row))})"
    return figures.joined([accuracy, _consistency(result), sizes])


def _consistency(result: EqtResult) -> str:
    row = result.numbers.consistency
    if row.acs is None:
        return "ACS not measured" + (f" ({row.missing})" if row.missing and result.spec.paraphrases else "")
    return f"ACS {figures.score(row.acs)}" + (f" ({figures.score_span(row.acs_ci)})" if row.acs_ci else "")


def eqt_remarks(result: EqtResult) -> list[str]:
    """What must stand beside the headline so that it is not misread."""
    lines = [*_ending(result), *_losses(result), *_acs_remarks(result), *_unread(result), *_order(result)]
    return [*lines, *(one_line(note) for note in result.notes if note.startswith("Resumed by force"))]


def _ending(result: EqtResult) -> list[str]:
    ended = figures.ended(result.status, one_line(result.stop_reason), None, "step")
    said = one_line(result.stop_detail).rstrip(".")
    said = said.partition("; ")[2] if said.startswith("no question that can be asked came about; ") else said
    detail = f" ({said})" if said and said not in ended else ""
    lines = []
    if result.status != "complete" or result.stop_reason != "all_asked":
        lines.append(sentence(f"{ended}{detail}"))
    if result.open_concepts:
        planned, out = len(result.spec.concepts), len(result.open_concepts)
        verb = "is" if out == 1 else "are"
        names = left_out(result.open_concepts)
        lines.append(
            f"{out:,} of {figures.count(planned, 'concept')} {verb} not finished and {verb} left out: {names}."
        )
    return lines


def _losses(result: EqtResult) -> list[str]:
    numbers, parts = result.numbers, []
    dropped = [
        figures.count(number, what)
        for number, what in ((numbers.dropped, "question"), (numbers.paraphrases_dropped, "paraphrase"))
        if number
    ]
    if dropped:
        parts.append(f"{' and '.join(dropped)} dropped because {model_name(result.spec.examiner)} wrote them malformed")
    if any(numbers.unscored.values()):
        parts.append(f"lost to faults and excluded: {figures.stages(numbers.unscored)}")
    return [sentence("; ".join(parts))] if parts else []


def _acs_remarks(result: EqtResult) -> list[str]:
    row = result.numbers.consistency
    if not result.spec.paraphrases:
        return ["Without paraphrases each question has one answer and ACS would always be 1: it is not shown."]
    lines = []
    if row.uninformative:
        verb = "stays" if row.uninformative == 1 else "stay"
        lines.append(f"{figures.count(row.uninformative, 'question')} with a single readable answer {verb} out of ACS.")
    if row.unread:
        verb = "has" if row.unread == 1 else "have"
        lines.append(f"{figures.count(row.unread, 'question')} without a readable answer {verb} no ACS.")
    return lines


def _unread(result: EqtResult) -> list[str]:
    """How many answers ACS leaves out because nothing was chosen in them."""
    numbers = result.numbers
    unread, scored = numbers.format_failures + numbers.refusals, numbers.all.scored
    if not result.spec.paraphrases or unread <= UNREAD * scored:
        return []
    return [
        f"{_of(unread, scored)} closed-book answers were unreadable or refused: they count as wrong and are"
        " excluded from ACS."
    ]


def _order(result: EqtResult) -> list[str]:
    how, means = "Options kept their original order", "ACS also rewards a favourite letter"
    if result.spec.shuffle_options:
        how, means = "Options were shuffled each time", "ACS compares options, not letters"
    return [f"{how}: {means}." if result.spec.paraphrases else f"{how}."]


def _heading(result: EqtResult) -> list[RenderableType]:
    spec = result.spec
    parts = [model_name(spec.target)]
    parts.append("its own examiner" if spec.examiner == spec.target else f"examiner {model_name(spec.examiner)}")
    parts += [f"judge {model_name(spec.judge)}"] if spec.needs_judge else []
    parts += [size_words(spec), f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.domain), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


def _pointer(result: EqtResult, kept: Path | None) -> list[RenderableType]:
    if kept is None or not result.concepts:
        return []
    place = one_line(figures.place(result.concepts[0].id))
    run = one_line(figures.short_id(result.run_id))
    return [Text(f"`fathom show {run} --path {place}` shows a concept with all its questions and answers.", "dim")]


def _share(row: ShareRow) -> str:
    return "–" if row.accuracy is None else f"{figures.percent(row.accuracy)} ({figures.percent_span(wider(row))})"


def _figures(result: EqtResult) -> list[RenderableType]:
    """The secondary figures, one per line, with what they mean."""
    numbers, answers = result.numbers, result.numbers.all.scored
    lines = []
    if result.spec.paraphrases:
        lines += [
            ("accuracy on original questions", _share(numbers.originals)),
            ("accuracy on paraphrases", _share(numbers.paraphrased)),
            ("ACS normalised to 0 … 1", _normalised(result)),
        ]
    if numbers.open_book is not None:
        lines.append(("accuracy with the explanation included", _share(numbers.open_book)))
    if numbers.open_book_gap is not None:
        ends = figures.points_span(numbers.open_book_gap_ci)
        lines.append(("open book minus closed book", f"{figures.points(numbers.open_book_gap)} points (95% CI {ends})"))
    lines += [
        ("answers without a readable selection (counted as wrong)", _of(numbers.format_failures, answers)),
        ('answers of "none of these" (counted as wrong)', _of(numbers.none_chosen, answers)),
        ("refusals (counted as wrong)", _of(numbers.refusals, answers)),
    ]
    room = max(len(name) for name, _ in lines)
    return [Text(f"{name:<{room}}  {value}") for name, value in lines]


def _normalised(result: EqtResult) -> str:
    row = result.numbers.consistency
    if row.acs_normalised is None:
        return "–"
    return f"{figures.score(row.acs_normalised)} ({figures.score_span(row.acs_normalised_ci)})"


def _of(number: int, total: int) -> str:
    return f"{number:,} of {total:,}" + (f" ({figures.percent(number / total)})" if number and total else "")


def print_eqt(
    console: Console,
    results: Sequence[EqtResult],
    kept: Mapping[str, Path] | None = None,
    comparison: EqtComparison | None = None,
) -> None:
    """The end of a launch. `kept`: folders by run id.

    One run: its summary, on a terminal with the headline last. Several: each run's summary, or its headline when they
    are many. Last, where there is one, the comparison of the targets with each other or with a benchmark.
    """
    folders, width = kept or {}, console.width
    for result in results:
        folder = folders.get(result.run_id)
        if len(results) > IN_FULL:
            view = eqt_brief(result, width=width, kept=folder)
        else:
            last = len(results) == 1 and comparison is None and console.is_terminal
            view = eqt_summary(result, width=width, kept=folder, in_full=False, headline_last=last)
        console.print(view, crop=False)
        if len(results) > 1 or comparison is not None:
            console.print()
    if comparison is not None:
        console.print(comparison_report(comparison, width=width), crop=False)
