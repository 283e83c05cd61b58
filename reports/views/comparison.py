"""Models set against each other, whatever was measured: who is ahead, by how much, and how sure
that is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...state.comparison import ComparedPair, Comparison
from ...state.rows import AnswerRow, Measure
from ...stats.abstention import INDEX, SHARES
from ..page import figures
from ..page.blocks import Block, Cell, Column, Line, Table, Text, bulleted
from ..page.forms import span_written, with_interval, written
from ..page.plain import IN_BRACKETS
from ..page.remarks import SIMULATED, sentence
from ..page.sanitise import model_name
from . import by_tag

WHOLE = "each model over all that it was asked; the pairs over what both were asked"
SHARED = "each model over the {} that all of them were asked"
PARTS = 24
"""Parts up to which a measure is told apart by them."""
FORMS = {
    "EVD": ("number", "difference"),
    "accuracy": ("percent", "points_named"),
    "score": ("number", "difference"),
}
"""Measure → how a figure, and a difference of two, is written. Other metrics are shares where they
lie in 0 … 1."""
UNITS = {"EVD": " EVD", "score": " in score"}
"""Measure → what a difference is of, where its form does not say so."""
TESTS = {
    "paired_t": "paired t test: drills of one seed share their starting topics; the spread is that between"
    " repeats, moderated by what each drill implies itself",
    "item_swap": "swap test: a permutation test that swaps the two models' answers to the same questions,"
    " group by group",
}
ADJUSTED = "p and intervals are adjusted together by Holm for all pairs"
GROUPS = (
    "rank: range consistent with the pairwise tests; models that share a letter cannot be told "
    "apart"
)


LESS = "{}: less is better, so that the model with the least is ahead"
NEEDED = "--repeats {} would tell two models {:.1f} {} apart with 80% power."
JUDGE = (
    "What the judge could do to it: two points more right answers wrongly rejected of one model than "
    "of another set the two {:.2f} EVD apart."
)
NOT_RUN = "not run"
NO_PAIR = "no pair of models has finished runs in common"
COUNTING = "drills that failed, were interrupted or ran out of budget do not count"


def comparison_blocks(
    compared: Comparison,
    sides: Mapping[str, Sequence[AnswerRow]] = {},  # never changed
    measures: Sequence[Measure] = (),
) -> Iterator[Block]:
    """The sentence that decides, ranking, pairs, domains, what the models' answers measure, what
    has changed, notes; of fewer than two models no more than what stands in a benchmark. `sides`:
    label of a model → its answers, over which there are `measures`."""
    several = len(compared.models) > 1
    if several:
        yield from _compared(compared)
        if compared.corrected is not None:
            yield from _corrected(compared.corrected)
        yield from measures_blocks(sides, measures)
        yield from bulleted("What has changed", [f"{change}." for change in compared.changes])
    if compared.benchmark is not None:
        from .benchmark import benchmark_blocks

        yield from benchmark_blocks(compared.benchmark)
    if several:
        yield from bulleted("Notes on the comparison", [*map(sentence, compared.notes)])


def _compared(compared: Comparison) -> Iterator[Block]:
    figure, difference = forms_of(compared)
    lines = [Line(SIMULATED, "badge")] if compared.simulated else []
    lines.append(Line(verdict(compared), "bold"))
    if compared.repeats_needed is not None:
        distance, repeats = compared.repeats_needed
        lines.append(Line(NEEDED.format(repeats, distance, compared.measure)))
    if compared.judge_points is not None:
        lines.append(Line(JUDGE.format(compared.judge_points)))
    yield Text(lines, "Comparison")
    notes = [GROUPS]
    notes += [LESS.format(compared.measure)] if compared.less_is_better else []
    if len(compared.pairs) == 1 and compared.decisive is not None:
        notes.append(TESTS[compared.test])
    rank, group = Column("rank", "rank", "text"), Column("group", "model.group", "text")
    yield models_table("Ranking", compared, rank, group, notes)
    if len(compared.pairs) > 1:
        yield _pairs(compared, difference)
    drilled = compared.cells if compared.of == "drill" else ()
    if len({cell.domain for cell in drilled}) > 1 or any(cell.ended for cell in drilled):
        yield _domains(compared, figure)


def _corrected(compared: Comparison) -> Iterator[Block]:
    """The same without the judge's errors."""
    verdict_line = Line(verdict(compared), "bold")
    yield Text([verdict_line, compared.judge], "Corrected for the judge's errors")
    yield models_table("Ranking, corrected", compared, Column("rank", "rank", "text"))
    if len(compared.pairs) > 1:
        yield _pairs(compared, forms_of(compared)[1])


def models_table(
    title: str,
    compared: Comparison,
    first: Column,
    last: Column | None = None,
    notes: Sequence[str] = (),
    *,
    measure: str = "",
    chosen: str | None = None,
) -> Table:
    """The models, not their runs, with what they cost and how long they take. `first`: a column of
    `rank`, or of the `sign` of the one that is `taken`."""
    figure, rows = forms_of(compared)[0], []
    for model in compared.models:
        low, high = model.rank or (0, 0)
        rank = f"{low}" if low == high else f"{low}–{high}"
        estimate: object = model.ended or model.estimate
        if model.at_least and model.ended is None:
            estimate = f"≥{written(model.estimate, figure)}"
        sign = "→" if model.label == chosen else ""
        row = {"model": model, "rank": rank if model.rank else "–", "sign": sign}
        rows.append({**row, "estimate": estimate})
    head, interval = measure or compared.measure, "model.interval"
    columns = [
        first,
        Column("model", "model.label", "model"),
        Column(head, "estimate", figure, interval=interval, style="bold"),
        *([last] if last else []),
    ]
    if any(model.usd_per_100 for model in compared.models):
        columns.append(Column("USD/100", "model.usd_per_100", "money"))
    if any(model.latency_s for model in compared.models):
        columns.append(Column("s/answer", "model.latency_s", "number"))
    return Table(title, columns, rows, notes)


def measures_blocks(
    sides: Mapping[str, Sequence[AnswerRow]], measures: Sequence[Measure]
) -> Iterator[Block]:
    """All measures with a column per model, then the method's own by the first tag of theirs that
    tells answers apart."""
    sides, over = _shared(sides)
    names = {measure.name for measure in measures}
    if "accuracy" in names:  # which is the share that is right
        measures = [measure for measure in measures if measure.name != "right"]
    if len(measures) > 1 and any(sides.values()):
        yield by_tag.side_by_side("What was measured", sides, measures, notes=[over])
    tags = dict.fromkeys(tag for measure in measures for tag in measure.by)
    for tag in tags:
        values = {value for rows in sides.values() for value in by_tag.parts_of(rows, tag)}
        if 1 < len(values) <= PARTS:
            tagged = [
                measure
                for measure in measures
                if tag in measure.by and measure.name not in {*SHARES, INDEX}
            ]
            yield by_tag.side_by_side(f"By {tag}", sides, tagged, tag)
            return


def _shared(
    sides: Mapping[str, Sequence[AnswerRow]],
) -> tuple[Mapping[str, Sequence[AnswerRow]], str]:
    """The answers to what all were asked, where some were asked more, and what is to be said of
    that; all answers where nothing is shared, as of drills."""
    items = [{row.item for row in rows} for rows in sides.values()]
    shared = set[str].intersection(*items) if items else set()
    if not shared or all(len(of_side) == len(shared) for of_side in items):
        return sides, WHOLE
    count = figures.count(len(shared), "question")
    return {
        label: [row for row in rows if row.item in shared] for label, rows in sides.items()
    }, SHARED.format(count)


def forms_of(compared: Comparison) -> tuple[str, str]:
    """How a figure of the measure, and a difference of two, is written."""
    return (
        FORMS.get(compared.measure)
        or FORMS["accuracy" if compared.span == (0.0, 1.0) else "score"]
    )


def verdict(compared: Comparison) -> str:
    """`a is ahead of b by 1.05 EVD (95% interval 0.10–2.00, p .012).` Of several models this of the
    first two, and how many pairs are told apart."""
    pairs = compared.pairs
    if compared.decisive is None:
        alone = pairs[0].note if len(pairs) == 1 else None
        return f"No comparison possible: {alone or NO_PAIR}."
    if len(pairs) == 1:
        return _ahead(compared, pairs[0])
    order = [model.label for model in compared.models]
    first = [pair for pair in pairs if [pair.one, pair.other] == order[:2] and pair.p]
    return " ".join([*(_ahead(compared, pair) for pair in first), _told_apart(compared)])


def _told_apart(compared: Comparison) -> str:
    number = sum(pair.separated for pair in compared.pairs)
    of_all = figures.count(len(compared.pairs), "pair")
    if compared.decisive:
        return f"The ranking is decisive: each of {of_all} is told apart."
    if not number:
        return f"There is no ranking: none of {of_all} can be told apart."
    verb = "is" if number == 1 else "are"
    return f"The ranking is not decisive: {number} of {of_all} {verb} told apart."


def _ahead(compared: Comparison, pair: ComparedPair) -> str:
    form = forms_of(compared)[1]
    unit = UNITS.get(compared.measure, "")
    unit += f" to depth {pair.depth}" if pair.depth is not None else ""
    amount = written(abs(pair.difference or 0.0), form).lstrip("+")
    relation = (
        "is ahead of {} by" if pair.separated else "cannot be told apart from {}: ahead by"
    )
    return (
        f"{pair.one} {relation.format(pair.other)} {amount}{unit} ({span_of(compared, pair)})."
    )


def span_of(compared: Comparison, pair: ComparedPair) -> str:
    """`95% interval 0.10–2.00, p .012`, of the pair's difference."""
    level = "95%" if len(compared.pairs) == 1 else "adjusted"
    span = span_written(pair.interval, forms_of(compared)[1])
    return f"{level} interval {span}, p {figures.p_value(pair.p_adjusted)}"


def _domains(compared: Comparison, form: str) -> Table:
    """A row per domain, a column per model."""
    labels = [model.label for model in compared.models]
    rows: dict[str, dict[str, object]] = {}
    for cell in compared.cells:
        number = Counter(cell.ended)
        words = [f"{number[status]} {status}" if cell.runs else status for status in number]
        if cell.estimate is not None:
            estimate = f"{'≥' * cell.at_least}{written(cell.estimate, form)}"
            words.insert(0, with_interval(estimate, cell.interval, form))
        content = Cell(", ".join(words), "error" if cell.estimate is None else "")
        row = rows.setdefault(cell.domain, dict.fromkeys(map(str, range(len(labels))), NOT_RUN))
        row |= {"domain": cell.domain, str(labels.index(cell.label)): content}
    columns = [Column("domain", "domain")]
    columns += [
        Column(model_name(label), str(index), form) for index, label in enumerate(labels)
    ]
    title = f"{compared.measure} by domain"
    return Table(title, columns, [*rows.values()], [IN_BRACKETS, COUNTING])


def _pairs(compared: Comparison, form: str) -> Table:
    difference = f"{compared.measure} {'B − A' if compared.less_is_better else 'A − B'}"
    columns = (
        Column("model A", "pair.one", "model"),
        Column("model B", "pair.other", "model"),
        Column(difference, "pair.difference", form, interval="pair.interval"),
        Column("p", "pair.p_adjusted", "p"),
        Column("conclusion", "so"),
    )
    rows = [{"pair": pair, "so": _so(pair)} for pair in compared.pairs]
    return Table("Pairwise comparison", columns, rows, [f"{TESTS[compared.test]}; {ADJUSTED}"])


def _so(pair: ComparedPair) -> str:
    if pair.p is None:
        return pair.note or "not tested"
    conclusion = "significant" if pair.separated else "not significant"
    return conclusion if pair.depth is None else f"{conclusion}, to depth {pair.depth}"
