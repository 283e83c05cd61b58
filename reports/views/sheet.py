"""A decision on one page: the answer, what it rests on, where each model breaks, and whether it can
be trusted."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...state.comparison import Comparison
from ...state.decision import Decision
from ...state.records import TIERS, tier_name
from ...state.rows import AnswerRow
from ...stats.decision_words import size_written
from ..document.report import Section
from ..page import figures
from ..page.blocks import Block, Column, Line, Table, Text
from ..page.chart.picture import Picture
from ..page.remarks import SIMULATED, left_out, sentence
from ..page.rows import clip
from ..page.sanitise import model_name
from .decision import conditions_table, footnote, models_table

ANSWER = "Which model to take"
CURVE = (
    "Each step down is a question on what the last answer mentioned. The line is the share of lines "
    "of questioning still answered rightly, its band a 95% interval; a model is asked no further "
    "once its line falls below the dashed one."
)
TOPICS = 3
"""Weakest topics of a model that are shown."""
EXAMPLES = 2
"""Models of which a wrong answer is shown where they are more than three."""
NO_WRONG_ANSWER = "no wrong answer; where it was not right it said that it did not know."
REPEAT = "A repeat is one more measurement, with other topics and questions."
SHORT = 150
"""Characters of a text of an example."""
Rows = Mapping[str, Sequence[AnswerRow]]
"""Model → its answers."""


def sheet_sections(
    decision: Decision,
    compared: Comparison,
    rows: Rows,
    results: Sequence[Any],
    picture: Picture | None,
) -> Iterator[Section]:
    """The parts of the sheet, the answer first, the figures behind it last."""
    yield Section(ANSWER, answer_blocks(decision))
    yield Section("Conditions", _conditions(decision))
    yield Section("Models", [replace(models_table(decision, compared, plain=True), title="")])
    if picture is not None:
        caption = [Text([CURVE], style="dim")] if compared.measure == "EVD" else []
        yield Section("How far each stays right", caption, [picture])
    yield Section("Where each breaks", [_breaks(rows)])
    yield Section("What was not asked", [Text(_unasked(results, rows))])
    yield Section("One wrong answer each", [*_examples(decision, rows)])
    trust = _trust(decision, results, rows)
    yield Section("Can this sheet be trusted?", [Text([*trust])])
    yield Section("What more would cost", [Text([_more(decision)])])
    yield Section("The figures behind it", [Text([footnote(decision, compared)], style="dim")])


def answer_blocks(decision: Decision) -> list[Block]:
    """The answer and its reason, without any figure of statistics."""
    badge = [Line(SIMULATED, "badge")] if decision.simulated else []
    return [Text([*badge, Line(decision.answer, "bold"), decision.reason])]


def _conditions(decision: Decision) -> list[Block]:
    if decision.conditions:
        return [replace(conditions_table(decision.conditions), title="")]
    return [Text(["No condition was stated that a model must keep to."])]


def _more(decision: Decision) -> str:
    if decision.exit_code == 0:
        return "Nothing more is needed for this decision."
    step = sentence(decision.next_step)
    return f"{step} {REPEAT}" if "repeat" in step else step


# where each breaks


def _breaks(rows: Rows) -> Table:
    columns = (
        Column("model", "model", "model", fold=True),
        Column("right", "right", "of"),
        Column("weakest topics (right of asked)", "topics", fold=True),
    )
    return Table("", columns, [_weakest(label, own) for label, own in rows.items()])


def _weakest(label: str, rows: Sequence[AnswerRow]) -> dict[str, object]:
    marks: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            marks[row.group].append(row.score)
    counts = {group: (sum(own), len(own)) for group, own in marks.items()}
    missed = [group for group, (right, asked) in counts.items() if right < asked]
    missed.sort(key=lambda group: (counts[group][0] / counts[group][1], -counts[group][1], group))
    told = [f"{group} ({counts[group][0]:g} of {counts[group][1]})" for group in missed[:TOPICS]]
    right, asked = (sum(own[end] for own in counts.values()) for end in (0, 1))
    topics = ", ".join(told) or ("none" if counts else "nothing was asked")
    return {"model": label, "right": (round(right), asked), "topics": topics}


def _unasked(results: Sequence[Any], rows: Rows) -> list[str]:
    """What the figures say nothing about."""
    said = []
    depths = [depth for each in results for depth in getattr(each, "depths", ())]
    if depths:
        reached = {depth.tier for depth in depths}
        beyond = [tier_name(tier) for tier in TIERS if tier not in reached]
        deepest = max(depth.depth for depth in depths)
        said.append(f"Nothing below depth {deepest} was asked of any model.")
        if beyond:
            said.append(f"No question was at these levels: {', '.join(beyond)}.")
    lost = dict.fromkeys(root for each in results for root in getattr(each, "roots_lost", ()))
    if lost:
        said.append(f"Topics without any passage: {left_out([*lost])}.")
    unscored = sum(row.verdict == "unscored" for own in rows.values() for row in own)
    if unscored:
        questions = figures.count(unscored, "question was", "questions were")
        said.append(f"{questions} lost to failures or withdrawn, and do not count.")
    domains = dict.fromkeys(row.domain for own in rows.values() for row in own)
    if domains:
        said.append(f"Nothing outside {' and '.join(domains)} was asked.")
    return said


# examples


def _examples(decision: Decision, rows: Rows) -> Iterator[Block]:
    labels = [*rows]
    if len(labels) > EXAMPLES + 1:
        first = [label for label in labels if label == decision.model]
        labels = [*first, *(label for label in labels if label not in first)][:EXAMPLES]
    for label in labels:
        wrong = _first_wrong(rows[label])
        if wrong is None:
            asked = any(row.score is not None for row in rows[label])
            none = NO_WRONG_ANSWER if asked else "nothing was asked that counts."
            yield Text([Line(none, lead=f"{model_name(label)}: ")])
            continue
        texts = wrong.texts
        yield Text(
            [
                Line(_short(texts["question"]), lead=f"{model_name(label)} was asked: "),
                Line(_short(texts.get("answer", "")), lead="It said: ", lead_style="error"),
                Line(_short(texts.get("reference", "")), lead="Right is: ", lead_style="correct"),
                Line(_source(texts), lead="Source: "),
            ]
        )
    left = len(rows) - len(labels)
    if left:
        yield Text([f"Of {figures.count(left, 'further model')} see the report."], style="dim")


def _first_wrong(rows: Sequence[AnswerRow]) -> AnswerRow | None:
    """The shallowest: where the model breaks first."""
    wrong = [row for row in rows if row.verdict == "wrong" and row.texts.get("question")]
    return min(wrong, key=_place, default=None)


def _place(row: AnswerRow) -> tuple[int, str]:
    depth = row.tags.get("depth")
    return (depth if isinstance(depth, int) else 0, row.item)


def _source(texts: Mapping[str, str]) -> str:
    parts = (texts.get("title", ""), texts.get("url", ""), texts.get("date", ""))
    return clip(figures.joined(parts, ", "), SHORT) or "not kept"


def _short(text: str) -> str:
    return clip(" ".join(text.split()), SHORT)


# trust


def _trust(decision: Decision, results: Sequence[Any], rows: Rows) -> Iterator[Line]:
    rulers = [each.ruler.overall for each in results if getattr(each, "ruler", None)]
    if rulers:
        level, n = _sums((ruler.at_level.count, ruler.at_level.n) for ruler in rulers)
        deeper, follow_ups = _sums((ruler.deeper.count, ruler.deeper.n) for ruler in rulers)
        doubtful = sum(ruler.doubtful for ruler in rulers)
        yield Line(
            f"{level} of {n} at the level that they should have; {deeper} of {follow_ups} "
            f"follow-ups deeper than what they follow; {doubtful} rest on doubtful passages.",
            lead="Questions: ",
        )
    yield Line(_judge(decision, results, rows), lead="Judge: ")
    sources = _sources(results)
    if sources:
        yield Line(sources, lead="Sources: ")
    usage = [each.cost_usd for each in results if hasattr(each, "cost_usd")]
    known = None if any(cost is None for cost in usage) else sum(usage)
    took = figures.duration(sum(getattr(each, "wall_s", 0.0) for each in results))
    answers = sum(row.score is not None for own in rows.values() for row in own)
    cost = "unknown" if known is None else figures.money(known)
    yield Line(
        f"{answers:,} answers counted in {figures.count(len(results), 'run')}; cost {cost}; "
        f"{took}.",
        lead="Effort: ",
    )


def _sums(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    held = [*pairs]
    return sum(count for count, _ in held), sum(n for _, n in held)


def _judge(decision: Decision, results: Sequence[Any], rows: Rows) -> str:
    judges = dict.fromkeys(
        model_name(str(getattr(each.spec, "judge", "") or getattr(each.spec, "evaluator", "")))
        for each in results
    )
    name = " and ".join(filter(None, judges)) or "answers are compared by rule"
    said = [f"{name}"]
    own = [label for label in rows if model_name(label) in judges]
    if own:
        said.append(f"it judged itself ({', '.join(own)})")
    if decision.policy.judge_checked:
        said.append("people have checked a sample of its verdicts")
    else:
        said.append("nobody has checked its verdicts")
    if decision.judge_effect:
        said.append(
            "two more errors in 100 with one model than with another would set them about "
            f"{size_written(decision.measure, decision.judge_effect)} apart"
        )
    return "; ".join(said) + "."


def _sources(results: Sequence[Any]) -> str:
    """`Wikipedia (12 pages, retrieved 2026-11-27)`."""
    pages: dict[str, set[str]] = defaultdict(set)
    days: dict[str, set[str]] = defaultdict(set)
    for result in results:
        for probe in getattr(result, "probes", ()):
            question = getattr(probe, "question", None)
            evidence = getattr(question, "evidence", None)
            if evidence is not None:
                pages[evidence.source].add(evidence.title)
                days[evidence.source].add(f"{evidence.retrieved_at:%Y-%m-%d}")
    told = [
        f"{source} ({figures.count(len(titles), 'page')}, retrieved {_span(days[source])})"
        for source, titles in pages.items()
    ]
    return "; ".join(told[:4]) + ("." if told else "")


def _span(days: Iterable[str]) -> str:
    ordered = sorted(days)
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"
