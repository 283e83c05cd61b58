"""Models set against each other, whatever was measured: who is ahead, by how much, and how sure that is."""

from collections.abc import Iterator
from itertools import pairwise

from ...state.comparison import ComparedModel, ComparedPair, Comparison
from ..page import figures
from ..page.blocks import Block, Cell, Column, Line, Table, Text, bulleted
from ..page.forms import span_written, written
from ..page.remarks import SIMULATED, sentence
from ..page.sanitise import model_name
from .findings import side_by_side

PAIRS = 15
"""Pairs up to which all are shown; of more, those next to each other in the ranking."""
FORMS = {"EVD": ("number", "difference"), "accuracy": ("percent", "points_named"), "score": ("number", "difference")}
"""Measure → how a figure, and a difference of two, is written."""
UNITS = {"EVD": " EVD", "score": " in score"}
"""Measure → what a difference is of, where its form does not say so."""
TESTS = {
    "root_swap": "root-swap test: the trees of the sub-topics are swapped at random between two drills",
    "welch": "Welch's t test over the repeats",
    "item_swap": "swap test: answers to the same questions are swapped at random between two models, group by group",
}
GROUPS = "rank: best and worst that the pairs allow; models that share a letter cannot be told apart"


def comparison_blocks(compared: Comparison) -> Iterator[Block]:
    """The sentence that decides, the ranking, the pairs, notes; nothing of fewer than two models."""
    if len(compared.models) < 2:
        return
    figure, difference = FORMS[compared.measure]
    badge = [Line(SIMULATED, "badge")] if compared.simulated else []
    yield Text([*badge, Line(verdict(compared), "bold"), *map(Line, _needed(compared))], "Comparison")
    columns = (
        Column("rank", "rank", "text"),
        Column("model", "model.label", "model", fold=True),
        Column(compared.measure, "estimate", figure, interval="model.interval", style="bold"),
        Column("group", "model.group", "text"),
    )
    yield Table("Ranking", columns, [_row(model, figure) for model in compared.models], [GROUPS])
    if len(compared.models) > 2:
        yield _pairs(compared, difference)
    if len({cell.domain for cell in compared.cells}) > 1:
        yield _domains(compared, figure)
    yield from bulleted("Notes on the comparison", [sentence(note) for note in compared.notes])


def verdict(compared: Comparison) -> str:
    """`a is ahead of b by 1.05 EVD (95% CI 0.10–2.00, p .012).` Of several models this of the first two, and how many
    pairs are told apart."""
    if compared.decisive is None:
        return "Nothing can be said of who is ahead: no two models could be tested against each other."
    if len(compared.models) == 2:
        return _ahead(compared, compared.pairs[0])
    order = [model.label for model in compared.models]
    first = [_ahead(compared, pair) for pair in compared.pairs if [pair.one, pair.other] == order[:2] and pair.p]
    return " ".join([*first, _told_apart(compared)])


def _told_apart(compared: Comparison) -> str:
    number, of_all = sum(pair.separated for pair in compared.pairs), figures.count(len(compared.pairs), "pair")
    if compared.decisive:
        return f"The ranking is decisive: each of {of_all} is told apart."
    if not number:
        return f"There is no ranking: none of {of_all} can be told apart."
    return f"The ranking is not decisive: {number} of {of_all} {'is' if number == 1 else 'are'} told apart."


def _ahead(compared: Comparison, pair: ComparedPair) -> str:
    told = "is ahead of" if pair.separated else "cannot be told apart from"
    by = "by " if pair.separated else "ahead by "
    return f"{pair.one} {told} {pair.other}{' ' if pair.separated else ': '}{by}{_by(compared, pair)}."


def _by(compared: Comparison, pair: ComparedPair) -> str:
    form = FORMS[compared.measure][1]
    unit = UNITS.get(compared.measure, "")
    amount = written(abs(pair.difference or 0.0), form).lstrip("+")
    return f"{amount}{unit} (95% CI {span_written(pair.interval, form)}, p {figures.p_value(pair.p_adjusted)})"


def _needed(compared: Comparison) -> list[str]:
    if compared.repeats_needed is None:
        return []
    apart, repeats = compared.repeats_needed
    return [f"--repeats {repeats} would tell apart two models {apart:g} {compared.measure} apart, in 8 of 10 cases."]


def _row(model: ComparedModel, form: str) -> dict[str, object]:
    low, high = model.rank or (0, 0)
    rank = "–" if model.rank is None else f"{low}" if low == high else f"{low}–{high}"
    estimate = written(model.estimate, form)
    return {"model": model, "rank": rank, "estimate": f"≥{estimate}" if model.at_least else model.estimate}


def _domains(compared: Comparison, form: str) -> Table:
    """A row per domain, a column per model."""
    cells = {(cell.domain, cell.label): cell for cell in compared.cells}

    def shown(domain: str, label: str) -> Cell | str:
        cell = cells.get((domain, label))
        if cell is None:
            return "–"
        return Cell(f"{'≥' * cell.at_least}{written(cell.estimate, form)}", more=(span_written(cell.interval, form),))

    return side_by_side(
        f"{compared.measure} by domain",
        Column("domain", "domain", fold=True),
        [(domain, domain) for domain in dict.fromkeys(cell.domain for cell in compared.cells)],
        [(model_name(model.label), model.label) for model in compared.models],
        shown,
        form,
        ["under each figure its 95% interval; –: no drill of the model there counts"],
    )


def _pairs(compared: Comparison, form: str) -> Table:
    order = [model.label for model in compared.models]
    shown = compared.pairs
    if len(shown) > PAIRS:
        beside = set(pairwise(order))
        shown = tuple(pair for pair in shown if (pair.one, pair.other) in beside)
    columns = (
        Column("model A", "pair.one", "model", fold=True),
        Column("model B", "pair.other", "model", fold=True),
        Column(f"{compared.measure} A − B", "pair.difference", form, interval="pair.interval", apart=70),
        Column("p", "pair.p_adjusted", "p"),
        Column("", "so"),
    )
    rows = [{"pair": pair, "so": _so(pair)} for pair in shown]
    said = [f"{TESTS[compared.test]}; p is adjusted by Holm for all pairs, the intervals are for each pair alone"]
    if len(shown) < len(compared.pairs):
        said.append(f"{len(shown)} of {len(compared.pairs)} pairs: those next to each other; --json has all")
    return Table("Pairs", columns, rows, said)


def _so(pair: ComparedPair) -> str:
    if pair.p is None:
        return pair.note or "not tested"
    return "told apart" if pair.separated else "not told apart"
