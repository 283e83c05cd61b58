"""What people's labels say of a run's judge and questions, and what its figures come to by them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...state.review import Rate
from ...state.rows import AnswerRow, Measure
from ...stats.agreement import alpha, kappa
from ...stats.correction import (
    SharedErrors,
    errors_of,
    estimate_of,
    marks_of,
    refusal,
    with_shared_errors,
)
from ..page import figures
from ..page.blocks import Block, Text
from ..page.forms import span_written, written
from .by_tag import by_tier, measured

RATES = ("judge_sensitivity", "judge_specificity", "faulty_questions")
CORRECTED = ("corrected_evd", "corrected_accuracy", "evd_without_faulty")
UNCORRECTED = ("evd", "accuracy")
TOO_SHORT = (
    "Corrected, survival had not fallen below the threshold where the run stopped. Below that depth "
    "the accuracy of the last three depths was taken to go on. A lower --threshold asks deeper."
)


def review_blocks(rows: Sequence[AnswerRow], measures: Sequence[Measure]) -> Iterator[Block]:
    """Whose labels there are; the judge's error, and the figures without it; nothing without
    labels."""
    if not any("human" in row.tags for row in rows):
        return
    reason = refusal(errors_of(rows))
    lines = [f"{labels_words(rows)}.", *_raters(rows)]
    if reason:
        lines.append(f"Not corrected for the judge's errors: {reason}.")
    yield Text(lines, "What people say")
    by_name = {measure.name: measure for measure in measures}
    names = [name for name in (*UNCORRECTED, *CORRECTED, *RATES) if name in by_name]
    yield measured(rows, [by_name[name] for name in names], "Corrected for the judge's errors")
    evd = by_name.get("corrected_evd")
    if evd is not None and evd.of(rows).extrapolated:
        yield Text([TOO_SHORT])
    if evd is not None and not reason:
        accuracies = [by_name["accuracy"], by_name["corrected_accuracy"]]
        shared = with_shared_errors({"": rows})[""]
        yield by_tier("By tier, corrected", shared, accuracies)


def labels_words(rows: Sequence[AnswerRow]) -> str:
    """`240 answers reviewed by ann, bob (until 2026-01-05), 31 of them beside the sample`."""
    reviewed = [row for row in rows if "human" in row.tags]
    names = {name for row in reviewed for name in str(row.tags["rated_by"]).split(", ")}
    last = max(str(row.tags["rated_at"]) for row in reviewed)
    beside_sample = sum(not row.tags["review_probability"] for row in reviewed)
    more = f", {beside_sample} of them beside the sample" if beside_sample else ""
    number = figures.count(len(reviewed), "answer")
    return f"{number} reviewed by {', '.join(sorted(names))} (until {last}){more}"


def _raters(rows: Sequence[AnswerRow]) -> Iterator[str]:
    """How far raters agree among themselves, and the judge with them."""
    votes: dict[str, list[list[str]]] = defaultdict(list)
    for row in rows:
        if "votes" in row.tags:
            of_answer = [
                vote for vote in str(row.tags["votes"]).split(", ") if vote != "skipped"
            ]
            votes[str(row.tags["rated_by"])].append(of_answer)
    units = [unit for of_raters in votes.values() for unit in of_raters if len(unit) > 1]
    if units:
        yield f"Agreement of raters over {figures.count(len(units), 'answer')}: α {_number(alpha(units))}."
    for raters, of_raters in votes.items():
        pairs = [(unit[0], unit[1]) for unit in of_raters if len(unit) == 2]
        if pairs:
            yield f"Of {raters}: κ {_number(kappa(pairs))}."
    marks = [(mark.right, mark.judged) for mark in marks_of(rows)]
    yield f"Agreement of the judge with people over {len(marks):,}: κ {_number(kappa(marks))}."


def _number(value: float | None) -> str:
    return "undefined" if value is None else figures.number(value)


def judge_words(sides: Mapping[str, Sequence[AnswerRow]], errors: SharedErrors) -> str:
    """By whose labels several models are corrected, and whether the judge errs alike with them."""
    everything = [row for rows in sides.values() for row in rows]
    words = [labels_words(everything)]
    for kind in ("sensitivity", "specificity"):
        rates = {label: getattr(of[""], kind) for label, of in errors.by_model.items()}
        if len({*rates.values()}) > 1:
            rates_by_model = ", ".join(
                f"{label} {_rate(rate)}" for label, rate in rates.items()
            )
            words.append(f"{kind}: {rates_by_model}")
        else:
            words.append(f"{kind} {_rate(next(iter(rates.values())))}")
        if kind in errors.unequal:
            p = figures.p_value(errors.p[kind])
            words.append(f"the judge's {kind} differs between models (p {p})")
    tested = [kind for kind in errors.p if kind not in errors.unequal]
    if tested:
        words.append(f"no difference between models was found in {' or '.join(tested)}")
    return "; ".join(words)


def _rate(rate: Rate) -> str:
    share = estimate_of(rate)
    return f"{written(share.value, 'percent')} ({span_written(share.interval, 'percent')})"
