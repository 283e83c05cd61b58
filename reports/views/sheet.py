"""A decision on one page: the answer, what it rests on, where each model breaks, and whether it can
be trusted. It reads rows and measures, whatever the method."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ...state.comparison import Comparison
from ...state.decision import SIGNS, Decision
from ...state.records import TIERS, tier_name
from ...state.rows import AnswerRow, Measure, RowVerdict
from ...stats.decision_words import size_written
from ..document.report import Section
from ..page import figures
from ..page.blocks import Block, Cell, Column, Line, Table, Text
from ..page.chart.names import cut, labels
from ..page.chart.picture import Picture
from ..page.forms import span_written, written
from ..page.remarks import SIMULATED, sentence
from ..page.rows import clip
from ..page.sanitise import model_name, one_line
from .decision import STYLES, conditions_table, footnote, measured, models_table, rule_line

FEW = 3
"""Models up to which each has an example, and several weakest topics."""
TOPICS, EXAMPLES, LEAST = 3, 2, 110
"""Weakest topics of each of few models; models of which an example is shown where they are more;
characters that a text of it has at least."""
CHECKS = ("at_level", "deeper")
"""Measures of the questions, where a method has them."""
REPEAT = "A repeat is one more measurement, with other topics and questions."
VERDICTS: Mapping[RowVerdict, str] = {
    "right": "right",
    "wrong": "wrong",
    "abstained": "not known",
}
"""Verdict → head of the column that counts it."""
NAME = 26
"""Characters of a name, the middle left out."""
ROOM = 900
"""Characters that a text of an example may have, of few models together."""
Rows = Mapping[str, Sequence[AnswerRow]]
"""Model → its answers in the task that models are compared by."""
Names = Mapping[str, str]
"""Model → its short name."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What the runs took."""

    runs: int
    seconds: float
    usd: float | None
    """None: not known."""
    unfinished: Sequence[str] = ()
    """The model of each run that has no result."""
    versions: Sequence[str] = ()
    """Those of Fathom that made the runs."""


def sheet_sections(
    decision: Decision,
    compared: Comparison,
    rows: Rows,
    measures: Sequence[Measure],
    effort: Effort,
    picture: Picture | None = None,
) -> Iterator[Section]:
    """The parts of the sheet, the answer first, the figures behind it last. `measures`: those of
    the method."""
    names = labels(rows, NAME)
    badge = [Line(SIMULATED, "badge")] if decision.simulated else []
    headline = Line(decision.answer, "bold")
    reason = _shortly(decision.reason, names)
    answer = Text([*badge, headline, *rule_line(decision), reason])
    says = {measure.name: measure.says for measure in measures}
    meaning = says.get(compared.measure.lower()) or says.get("right", "")
    behind = _shortly(footnote(decision, compared), names)
    trust = _trust(decision, measures, rows, effort)
    yield Section("Which model to take", [answer])
    yield Section("Conditions", _conditions(decision, names))
    yield Section("Models", [_models(decision, compared, rows, meaning)])
    if picture is not None:
        yield Section(picture.title, [], [picture])
    most = TOPICS if len(rows) <= FEW else 1
    weakest = [_weakest(names[label], own, most) for label, own in rows.items()]
    yield Section("Where each breaks (right of asked)", [Text(weakest)])
    yield Section("What was not asked", [Text([*_unasked(rows, effort)])])
    yield Section("One wrong answer each", [*_examples(decision, rows, names)])
    yield Section("Can this sheet be trusted?", [Text([*trust])])
    yield Section(
        "What more would cost" if decision.more_usd else "Next", [Text([_more(decision)])]
    )
    yield Section("The figures behind it", [Text([behind], style="dim")])


def _shortly(text: str, names: Names) -> str:
    """With the short names of the models."""
    for label, name in names.items():
        text = text.replace(label, name)
    return text


def _conditions(decision: Decision, names: Names) -> list[Block]:
    """A line for each model, a column for each condition."""
    if not decision.conditions:
        return [Text(["No condition was stated that a model must keep to."])]
    heads = [*dict.fromkeys(state.condition for state in decision.conditions)]
    rows: dict[str, dict[str, object]] = defaultdict(dict)
    for state in decision.conditions:
        name = names[state.model]
        shown = Cell(f"{SIGNS[state.state]} {measured(state)}", STYLES[state.state])
        rows[name] |= {"model": name, f"{heads.index(state.condition)}": shown}
    columns = [Column("model", "model", fold=True)]
    columns += [Column(head, f"{number}", fold=True) for number, head in enumerate(heads)]
    said = " · ".join(conditions_table(decision.conditions).said)
    return [Table("", columns, [*rows.values()], [said])]


def _more(decision: Decision) -> str:
    if decision.exit_code == 0:
        return "Nothing more is needed for this decision."
    step = sentence(decision.next_step)
    return f"{step} {REPEAT}" if "repeat" in step else step


# the models


def _models(decision: Decision, compared: Comparison, rows: Rows, meaning: str) -> Table:
    """With what became of their answers beside their figures."""
    table = models_table(decision, compared, plain=True)
    lines = []
    for line in table.rows:
        own = rows[line["model"].label]
        verdicts = Counter(row.verdict for row in own if row.score is not None)
        counts = {verdict: verdicts[verdict] for verdict in VERDICTS} if verdicts else {}
        lines.append({**line, **counts})
    columns = [*table.columns, *(Column(head, key, "count") for key, head in VERDICTS.items())]
    return replace(
        table,
        title="",
        columns=columns,
        rows=lines,
        said=[*table.said, meaning],
    )


def _weakest(name: str, rows: Sequence[AnswerRow], most: int) -> Line:
    """How much is right at each tier, and the topics on which most of its answers are not, those
    with the most wrong beyond the right ones first."""
    topics: dict[str, Counter[bool]] = defaultdict(Counter)
    tiers: dict[str, Counter[bool]] = defaultdict(Counter)
    for row in rows:
        if row.score is not None:
            topic = str(row.tags.get("category") or row.group)
            topics[topic][row.verdict == "right"] += 1
            tiers[str(row.tags.get("tier"))][row.verdict == "right"] += 1

    def order(topic: str) -> tuple[int, str]:
        return topics[topic][True] - topics[topic][False], topic

    by_tier, in_name_only = [], _nominal(rows)
    for tier in TIERS:
        if marks := tiers[tier.value.lower()]:
            share_right = written(marks[True] / marks.total(), "percent")
            named = tier_name(tier, nominal=tier.value.lower() in in_name_only)
            by_tier.append(f"{named} {share_right}")
    missed = [topic for topic, marks in topics.items() if marks[False] > max(1, marks[True])]
    shown = []
    for topic in sorted(missed, key=order)[:most]:
        marks = topics[topic]
        shown.append(f"{cut(topic, NAME)} {marks[True]} of {marks.total()}")
    none = "on no topic most wrong" if topics else "no answer of it counts"
    parts = filter(None, [", ".join(by_tier), ", ".join(shown)])
    return Line("; ".join(parts) or none, lead=f"{name}: ")


def _nominal(rows: Sequence[AnswerRow]) -> set[str]:
    """The tiers that are so in name only."""
    return {str(row.tags.get("tier")) for row in rows if row.tags.get("nominal")}


def _unasked(rows: Rows, effort: Effort) -> Iterator[str]:
    """What the figures say nothing about."""
    every = [row for own in rows.values() for row in own]
    tiers = {str(row.tags["tier"]) for row in every if "tier" in row.tags}
    if tiers:
        deepest = max(int(row.tags["depth"] or 0) for row in every if "depth" in row.tags)
        yield f"No question deeper than {deepest} was asked."
        if beyond := [tier_name(tier) for tier in TIERS if tier.value.lower() not in tiers]:
            yield f"No question was at these levels: {', '.join(beyond)}."
    for model, number in Counter(effort.unfinished).items():
        yield f"{figures.count(number, 'unfinished run')} of {model}: not counted here."
    if lost := sum(row.score is None for row in every):
        questions = figures.count(lost, "question was", "questions were")
        yield f"{questions} lost to failures or withdrawn, and do not count."
    if domains := dict.fromkeys(row.domain for row in every if row.domain):
        yield f"Nothing outside {' and '.join(domains)} was asked."


# examples


def _examples(decision: Decision, rows: Rows, names: Names) -> Iterator[Block]:
    models = sorted(rows, key=lambda label: label != decision.model)
    if len(models) > FEW:
        models = models[:EXAMPLES]
    width = ROOM // len(rows) if len(rows) <= FEW else LEAST
    for label in models:
        yield Text([*_example(names[label], rows[label], width)])
    if len(rows) > len(models):
        further = figures.count(len(rows) - len(models), "further model")
        yield Text([f"Of {further} see the report."], style="dim")


def _example(name: str, rows: Sequence[AnswerRow], width: int) -> Iterator[Line]:
    """The shallowest: where the model breaks first."""
    wrong = [row for row in rows if row.verdict == "wrong" and row.texts.get("question")]
    if not wrong:
        scored = any(row.score is not None for row in rows)
        none = "none of its answers is wrong." if scored else "no answer of it counts."
        yield Line(none, lead=f"{name}: ")
        return
    first = min(wrong, key=lambda row: (int(row.tags.get("depth") or 0), row.item))
    texts = first.texts
    shown = [texts["question"], texts.get("answer", ""), _right(texts)]
    question, answer, right = (clip(one_line(text), width) for text in shown)
    yield Line(question, lead=f"{name} was asked: ")
    yield Line(answer, lead="It said: ", lead_style="error")
    yield Line(right, lead="Right is: ", lead_style="correct")
    source = [texts[name] for name in ("title", "url", "date") if texts.get(name)]
    if source:
        yield Line(clip(one_line(", ".join(source)), LEAST), lead="Source: ")


def _right(texts: Mapping[str, str]) -> str:
    """The reference; of letters the options that they stand for."""
    reference = texts.get("reference", "")
    letters = reference.split(", ")
    options = texts.get("options", "").splitlines()
    chosen = [option for option in options if option.partition(":")[0] in letters]
    return "; ".join(chosen) or reference


# trust


def _trust(
    decision: Decision, measures: Sequence[Measure], rows: Rows, effort: Effort
) -> Iterator[Line]:
    every = [row for own in rows.values() for row in own]
    for measure in measures:
        if measure.name in CHECKS and every:
            share = measure.of(every)
            span = f" ({span_written(share.interval, 'percent')})" if share.interval else ""
            yield Line(f"{measure.says[:-1]}: {written(share.value, 'percent')}{span}.")
    if doubtful := sum(row.tags.get("doubtful") is True for row in every):
        yield Line(f"{figures.count(doubtful, 'question')} on outdated or disputed passages.")
    yield Line(_judge(decision, rows), lead="Judge: ")
    if sources := _sources(every):
        yield Line(sources, lead="Sources: ")
    scored = figures.count(sum(row.score is not None for row in every), "answer")
    runs, took = figures.count(effort.runs, "run"), figures.duration(effort.seconds)
    counted = ", ".join([f"{scored} counted in {runs}", *_size(rows)])
    parts = [counted, f"cost {figures.money(effort.usd)}", took]
    parts += [f"Fathom {version}" for version in effort.versions]
    yield Line(f"{'; '.join(parts)}.", lead="Effort: ")


def _size(rows: Rows) -> Iterator[str]:
    """How often each model was measured, and how many questions a depth has."""
    every = [row for own in rows.values() for row in own]
    if probes := {int(row.settings["n"] or 0) for row in every if "n" in row.settings}:
        runs = {(row.model, row.domain, row.run) for row in every}
        repeats = Counter((model, domain) for model, domain, _ in runs)
        yield f"repeats per model: {_spread(repeats.values())}"
        yield f"probes per depth: {_spread(probes)}"


def _spread(numbers: Iterable[int]) -> str:
    """`6`; `4, 6` where they differ."""
    return ", ".join(map(str, sorted({*numbers})))


def _judge(decision: Decision, rows: Rows) -> str:
    every = [row for own in rows.values() for row in own]
    names = dict.fromkeys(_judge_of(row) for row in every)
    parts = [" and ".join(map(model_name, filter(None, names)))]
    if not parts[0]:
        return "none; answers are compared by rule."
    itself = [label for label, own in rows.items() if any(_judge_of(r) == r.model for r in own)]
    if itself:
        parts.append(f"it judged itself ({', '.join(itself)})")
    checked = decision.policy.judge_checked
    parts.append(f"{'people have' if checked else 'nobody has'} checked a sample of its verdicts")
    if decision.judge_effect:
        apart = size_written(decision.measure, decision.judge_effect)
        parts.append(
            "two more errors of the judge in 100 verdicts on one model than on another would set the "
            f"two about {apart} apart"
        )
    return f"{'; '.join(parts)}."


def _judge_of(row: AnswerRow) -> str:
    return str(row.settings.get("judge") or row.settings.get("evaluator") or "")


def _sources(rows: Sequence[AnswerRow]) -> str:
    """`12 pages of en.wikipedia.org, 3 of local files; dated 2026-11-02 to 2026-11-27`."""
    shown = [row.texts for row in rows if row.texts.get("title")]
    pages = {(texts.get("url", ""), texts["title"]) for texts in shown}
    places = Counter(urlsplit(url).hostname or "local files" for url, _ in pages)
    if not places:
        return ""
    (first, most), *others = places.most_common(4)
    counts = [f"{figures.count(most, 'page')} of {first}", *(f"{n} of {at}" for at, n in others)]
    days = sorted(texts.get("date", "") for texts in shown)
    return f"{', '.join(counts)}; dated {days[0]} to {days[-1]}."
