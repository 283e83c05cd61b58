"""Profiles: for each model every measure under the run it comes from, then what contradicts."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ....state.profile import Contradiction, Ground, Profile, ProfileDocument, ProfileRow
from ....state.records import NOMINAL
from ....stats.profile.figures import PARTS
from ....stats.profile.rules import RULES, checkable
from ...page import figures
from ...page.blocks import Block, Cell, Column, Line, Table, Text, bulleted
from ...page.remarks import ACROSS_DOMAINS, SIMULATED, sentence
from ..depthqa.figures import target_words
from . import words

LEGEND = (
    "95% intervals: drops (original − Q2S) use Tango's paired score interval; the distance to Q2I "
    "(original − Q2I) uses"
    " Newcombe's; EVD (expected valid depth) uses the drill's own; means of repeats use Student's "
    "t; all others are"
    " clustered by starting topic, concept or tree, or are Wilson's where there are no clusters."
    " Discrepancies and “original − …” are gaps: lower is better."
)
BARS = f"{figures.BAR_LEGEND}; from the least to the most that a measure can be, of gaps from 0"
PARTLY = (
    "SIMULATED: the runs marked so come from the simulated world, and their numbers measure no "
    "real model."
)
WHOLE = "The whole 95% interval of each figure lies on or beyond the limit named with it."
BARS_SINCE = 96
"""Width from which bars are shown."""
UNCHECKED = (
    "Contradictions: not checked (no two figures here, with intervals and of one domain, that "
    "could contradict each"
    " other)."
)
COLUMNS = (
    Column("measure", "label", fold=True),
    Column("value", "value", "number", style="bold"),
    Column("95% CI", "span", "number"),
    Column("n", "n", "count", since=72),
    Column("", "bar", "bar", interval="ends", since=BARS_SINCE),
)


def profile_blocks(document: ProfileDocument) -> Iterator[Block]:
    """All profiles, then the notes."""
    for profile in document.profiles:
        yield from _profile(profile, document.domain)
    yield Text([LEGEND], style="dim")
    yield Text([f"{BARS}."], style="dim", since=BARS_SINCE)
    yield from bulleted("Notes", document.notes)


def title(profile: Profile, domain: str | None) -> str:
    """The domain that was named; else those of the rows."""
    return domain or ", ".join(dict.fromkeys(row.domain for row in profile.rows))


def _profile(profile: Profile, domain: str | None) -> Iterator[Block]:
    head = [
        Line(title(profile, domain), lead=f"{target_words(profile.model)} · ", lead_style="bold")
    ]
    if profile.simulated:
        head.append(
            Line(SIMULATED if all(row.simulated for row in profile.rows) else PARTLY, "badge")
        )
    yield Text(head)
    for _, rows in groupby(profile.rows, key=lambda row: row.run_ids):
        own = list(rows)
        yield Table(_source(own[0]), COLUMNS, [_row(row) for row in own], _remarks(own))
    missing = figures.joined([PARTS[method].name for method in profile.missing], ", ")
    cost = f"cost of these runs: {figures.money(profile.cost_usd)}"
    yield Text([cost + (f" · not measured: {missing}" if missing else "")], style="dim")
    if len({row.domain for row in profile.rows if row.unit == "depths"}) > 1:
        yield Text([ACROSS_DOMAINS], style="warning")
    yield _contradictions(profile, one_domain=domain is not None)


def _source(row: ProfileRow) -> str:
    """What stands over the figures of a run."""
    cost = "cost unknown" if row.cost_usd is None else figures.money(row.cost_usd)
    told = [PARTS[row.method].name, row.domain, words.runs(row), words.started(row), cost]
    told += [row.status] if row.status != "complete" else []
    return figures.joined(told) + (" SIMULATED" if row.simulated else "")


def _row(row: ProfileRow) -> dict[str, object]:
    least, most = (0.0, 1.0) if row.unit == "gap" else row.scale
    low, value, high = ((end - least) / (most - least) for end in _ends(row))
    return {
        "label": words.label(row),
        "value": Cell(words.value(row)),
        "span": words.span(row),
        "n": row.n,
        "bar": value,
        "ends": (low, high),
    }


def _remarks(rows: Sequence[ProfileRow]) -> list[str]:
    notes = dict.fromkeys(
        f"beside another run with other settings; here {row.setting}" for row in rows if row.setting
    )
    notes |= dict.fromkeys(row.note for row in rows if row.note)
    notes |= {NOMINAL: None} if any("(nominal)" in row.label for row in rows) else {}
    if any(row.lower_limit for row in rows):
        notes[
            "≥: a lower limit, because the drill ended before survival fell below the threshold"
        ] = None
    return [*notes]


def _ends(row: ProfileRow) -> tuple[float, float, float]:
    low, high = row.ci or (row.value, row.value)
    return low, row.value, high


def _contradictions(profile: Profile, *, one_domain: bool) -> Text:
    if not any(checkable(rule, profile.rows, one_domain=one_domain) for rule in RULES):
        return Text([UNCHECKED])
    if not profile.contradictions:
        return Text(["No contradictions beyond the 95% intervals."])
    lines = [Line(WHOLE, "dim")]
    for found in profile.contradictions:
        said, means = in_words(found, profile)
        lines.append(Line(means, lead=f"· {said} ", lead_style="warning"))
    return Text(lines, "Contradictions")


def in_words(found: Contradiction, profile: Profile) -> tuple[str, str]:
    """`Deep but inconsistent: EVD 8.10 (7.02–9.40, at least 6.00), ACS normalised …`, and what it
    means."""
    grounds = ", ".join(_ground(ground, profile) for ground in found.grounds)
    return sentence(f"{found.says}: {grounds}"), found.means


def _ground(ground: Ground, profile: Profile) -> str:
    row = ground.row
    several = sum(other.measure == row.measure for other in profile.rows) > 1
    where = f" of {words.runs(row)}" if several else ""
    said = [words.span(row), words.limit(ground)]
    said += (
        [f"McNemar's p {figures.p_value(row.p)} by Holm over the loads"]
        if ground.significant
        else []
    )
    return f"{row.label}{where} {words.value(row)} ({', '.join(said)})"
