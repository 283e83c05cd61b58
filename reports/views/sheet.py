"""A decision on one page: the answer, what it rests on, where each model breaks, and whether it can
be trusted. It reads rows and measures, whatever the method."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...state.comparison import Comparison
from ...state.decision import Decision
from ...state.rows import AnswerRow, Measure
from ...state.tiers import TIERS, tier_name
from ...stats.decide import size_written
from ..document.report import Section
from ..page import figures
from ..page.blocks import Block, Line, Text
from ..page.forms import span_written, written
from ..page.picture import Picture
from ..page.remarks import SIMULATED, sentence
from ..page.rows import clip
from ..page.sanitise import model_name, one_line
from .by_tag import by_part
from .comparison import models_table
from .corrected import labels_words
from .decision import TAKEN, conditions_table, footnote, rule_line

PLAIN = {"EVD": "steps deep", "accuracy": "share right"}
"""Measure → what a sheet calls it."""
FEW = 3
"""Models up to which each has an example, and several weakest topics."""
CHECKS = ("at_level", "deeper", "faulty_questions")
"""Measures of the questions, where a method has them."""
REPEAT = "A repeat is one more measurement, with other topics and questions."
NAME = 26
"""Characters of a name."""
ROOM, LEAST = 900, 110
"""Characters that a text of an example may have, of all models together, and of each at least."""
Rows = Mapping[str, Sequence[AnswerRow]]
"""Model → its answers in the task that models are compared by."""


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
    badge = [Line(SIMULATED, "badge")] if decision.simulated else []
    answer: list[str | Line] = [
        *badge,
        Line(decision.answer, "bold"),
        *rule_line(decision),
        decision.reason,
    ]
    says = {measure.name: measure.says for measure in measures}
    meaning = says.get(compared.measure.lower()) or says.get("right", "")
    head = PLAIN.get(compared.measure, compared.measure)
    conditions: Block = Text(["No condition was stated that a model must keep to."])
    if decision.conditions:
        conditions = conditions_table(decision.conditions)
    step = sentence(decision.next_step)
    step += f" {REPEAT}" if "repeat" in step else ""
    figures_text = Text([footnote(decision, compared)], style="dim")
    yield Section("Which model to take", [Text(answer)])
    yield Section("Conditions", [conditions])
    chosen = decision.model
    models = models_table("", compared, TAKEN, notes=[meaning], measure=head, chosen=chosen)
    yield Section("Models", [models])
    if picture is not None:
        yield Section(picture.title, [], [picture])
    yield Section("Where each breaks", [Text([*_weakest(measures, rows)])])
    yield Section("What was not asked", [Text([*_unasked(rows, effort)])])
    yield Section("One wrong answer each", [Text([*_examples(decision, rows)])])
    trust = [*_trust(decision, compared, measures, rows, effort)]
    yield Section("Can this sheet be trusted?", [Text(trust)])
    yield Section("What more would cost" if decision.more_usd else "Next", [Text([step])])
    yield Section("The figures behind it", [figures_text])


def _weakest(measures: Sequence[Measure], rows: Rows) -> Iterator[Line]:
    """How much is right at each tier, and the topics on which most of the answers are not, those
    with the most wrong beyond the right ones first."""
    most = FEW if len(rows) <= FEW else 1
    right = next((measure for measure in measures if measure.name == "right"), measures[0])
    for label, model_rows in rows.items():
        nominal = {row.tag("tier") for row in model_rows if row.tag("nominal")}
        parts = [
            f"{tier_name(str(tier), nominal=tier in nominal)} {written(share.value, 'percent')}"
            f"{_commonest_error(row for row in model_rows if row.tag('tier') == tier)}"
            for tier, share in by_part(model_rows, right, "tier").items()
        ]
        excess = Counter[str]()
        topics: dict[str, list[AnswerRow]] = defaultdict(list)
        for row in model_rows:
            if row.score is not None:
                topic = str(row.tags.get("category") or row.tags.get("topic") or row.group)
                topics[topic].append(row)
                excess[topic] += -1 if row.verdict == "right" else 1
        missed = [topic for topic, surplus in excess.most_common(most) if surplus > 1]
        if missed:
            names = (
                f"{clip(one_line(topic), NAME)}{_commonest_error(topics[topic])}"
                for topic in missed
            )
            parts.append(f"mostly wrong on {', '.join(names)}")
        yield Line("; ".join(parts) or "on no topic mostly wrong", lead=f"{label}: ")


def _commonest_error(rows: Iterable[AnswerRow]) -> str:
    """` (mostly wrong value)`, where it was asked what is wrong with answers."""
    errors = Counter(str(row.tags["error"]) for row in rows if row.tags.get("error"))
    return f" (mostly {errors.most_common(1)[0][0]})" if errors else ""


def _unasked(rows: Rows, effort: Effort) -> Iterator[str]:
    """What the figures say nothing about."""
    all_rows = [row for model_rows in rows.values() for row in model_rows]
    tiers = {str(row.tags["tier"]) for row in all_rows if row.tags.get("tier")}
    depths = [int(row.tags["depth"] or 0) for row in all_rows if "depth" in row.tags]
    if depths:
        yield f"No question deeper than {max(depths)} was asked."
    beyond = [tier_name(tier) for tier in TIERS if tier.value.lower() not in tiers]
    if tiers and beyond:
        yield f"No question was at these levels: {', '.join(beyond)}."
    for model, number in Counter(effort.unfinished).items():
        yield f"{figures.count(number, 'unfinished run')} of {model}: not counted here."
    if unscored := sum(row.score is None for row in all_rows):
        questions = figures.count(unscored, "question was", "questions were")
        yield f"{questions} lost to failures or withdrawn, and do not count."
    if domains := dict.fromkeys(row.domain for row in all_rows if row.domain):
        yield f"Nothing outside {' and '.join(domains)} was asked."


def _examples(decision: Decision, rows: Rows) -> Iterator[Line]:
    """The shallowest wrong answer of each, by people's word where they have seen it: where the
    model breaks first."""
    models = sorted(rows, key=lambda label: label != decision.model)[:FEW]
    width = max(LEAST, ROOM // max(1, len(rows)))
    for label in models:
        asked = [row for row in rows[label] if row.texts.get("question")]
        wrong = [row for row in asked if row.tags.get("human", row.verdict) == "wrong"]
        if not wrong:
            yield Line("none of its answers is wrong.", lead=f"{label}: ")
            continue
        first = min(wrong, key=lambda row: (int(row.tags.get("depth") or 0), row.item))
        texts = first.texts
        case_texts = [texts["question"], texts.get("answer", ""), _right(texts)]
        question, answer, right = (clip(one_line(text), width) for text in case_texts)
        yield Line(question, lead=f"{label} was asked: ")
        yield Line(answer, lead="It said: ", lead_style="error")
        yield Line(right, lead="Right is: ", lead_style="correct")
        source = [texts[name] for name in ("title", "url", "date") if texts.get(name)]
        if source:
            yield Line(clip(one_line(", ".join(source)), LEAST), lead="Source: ")
    if len(rows) > len(models):
        yield Line("Of the other models see the report.", "dim")


def _right(texts: Mapping[str, str]) -> str:
    """The reference; of letters the options that they stand for."""
    letters = texts.get("reference", "").split(", ")
    options = texts.get("options", "").splitlines()
    chosen = [option for option in options if option.partition(":")[0] in letters]
    return "; ".join(chosen or letters)


def _trust(
    decision: Decision,
    compared: Comparison,
    measures: Sequence[Measure],
    rows: Rows,
    effort: Effort,
) -> Iterator[Line]:
    all_rows = [row for model_rows in rows.values() for row in model_rows]
    for measure in measures:
        if measure.name in CHECKS and all_rows:
            share = measure.of(all_rows)
            if share.value is None:
                continue
            span = f" ({span_written(share.interval, 'percent')})" if share.interval else ""
            yield Line(f"{measure.says[:-1]}: {written(share.value, 'percent')}{span}.")
    if doubtful := sum(row.tags.get("doubtful") is True for row in all_rows):
        yield Line(f"{figures.count(doubtful, 'question')} on outdated or disputed passages.")
    yield Line(_judge(decision, all_rows), lead="Judge: ")
    if compared.judge:
        yield Line(compared.judge, lead="The figures are corrected for its errors: ")
    pages: dict[str, set[str]] = defaultdict(set)
    for row in all_rows:
        if row.texts.get("title"):
            host = urlsplit(row.texts.get("url", "")).hostname or "local files"
            pages[host].add(row.texts["title"])
    if pages:
        sources = [
            f"{figures.count(len(titles), 'page')} of {host}" for host, titles in pages.items()
        ]
        yield Line(f"{', '.join(sources[:FEW])}.", lead="Sources: ")
    scored = figures.count(sum(row.score is not None for row in all_rows), "answer")
    parts = [f"{scored} counted in {figures.count(effort.runs, 'run')}"]
    parts += [f"cost {figures.money(effort.usd)}", figures.duration(effort.seconds)]
    parts += [f"Fathom {version}" for version in effort.versions]
    yield Line(f"{'; '.join(parts)}.", lead="Effort: ")


def _judge(decision: Decision, rows: Sequence[AnswerRow]) -> str:
    judges = {row.model: row.tag("judge") or row.tag("evaluator") for row in rows}
    names = dict.fromkeys(model_name(str(judge)) for judge in judges.values() if judge)
    if not names:
        return "none; answers are compared by rule."
    parts = [" and ".join(names)]
    if itself := [model_name(model) for model, judge in judges.items() if judge == model]:
        parts.append(f"it judged itself ({', '.join(itself)})")
    reviewed = any("human" in row.tags for row in rows)
    checked = "people have" if decision.policy.judge_checked or reviewed else "nobody has"
    parts.append(f"{checked} checked a sample of its verdicts")
    if reviewed:
        parts.append(labels_words(rows))
    if decision.judge_effect:
        size = size_written(decision.measure, decision.judge_effect)
        parts.append(
            "two more errors of the judge in 100 verdicts on one model than on another would set the "
            f"two about {size} apart"
        )
    return f"{'; '.join(parts)}."
