"""Profiles as a reader sees them: for each model every measure under the run it comes from, then what contradicts."""

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from ....state.profile import Contradiction, Ground, Profile, ProfileDocument, ProfileRow
from ....stats.profile.figures import PARTS
from ...page import figures
from ...page.remarks import ACROSS_DOMAINS, SIMULATED, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import one_line
from ..depthqa.figures import target_words
from . import words

BARS_FROM, COUNTS_FROM = 96, 72
"""Widths from which bars, and the number of answers, are shown."""
_BAR, _VALUE, _SPAN = 20, 10, 12
"""Cells of a bar, of a figure and of its interval."""
LEGEND = (
    "Behind each figure its 95% interval: of a drop (original − Q2S) Tango's score interval of a paired difference, of"
    " the distance (original − Q2I) Newcombe's of two independent shares, of an EVD that of its drill, of a mean of"
    " repeats Student's t. All others are clustered by root, concept or tree, or Wilson's where there is no cluster."
    " Discrepancies and “original − …” are gaps: lower is better"
)
BARS = f"{figures.BAR_LEGEND}; from the least to the most that a measure can be, of gaps from 0"
PARTLY = "SIMULATED: the runs marked so come from the simulated world, and their numbers measure no real model."
WHOLE = "The whole 95% interval of each figure lies on or beyond the limit named with it."


def profile_report(document: ProfileDocument, *, width: int) -> RenderableType:
    """All profiles, for a console `width` cells wide, then the notes."""
    parts: list[RenderableType] = []
    for profile in document.profiles:
        parts += [*_profile(profile, document.domain, width), ""]
    legend = f"{LEGEND}; {BARS}" if width >= BARS_FROM else LEGEND
    return Group(*parts, Text(f"{legend}.", "dim"), *listed("Notes", document.notes))


def title(profile: Profile, domain: str | None) -> str:
    """The domain that was named; else those of the rows."""
    return one_line(domain or ", ".join(dict.fromkeys(row.domain for row in profile.rows)))


def _profile(profile: Profile, domain: str | None, width: int) -> list[RenderableType]:
    parts: list[RenderableType] = [Text.assemble((target_words(profile.model), "bold"), f" · {title(profile, domain)}")]
    if profile.simulated:
        whole = all(row.simulated for row in profile.rows)
        parts.append(Text(SIMULATED if whole else PARTLY, STYLES["badge"]))
    room = max(cell_len(words.label(row)) for row in profile.rows)
    for _, rows in groupby(profile.rows, key=lambda row: row.run_ids):
        own = list(rows)
        parts += ["", _source(own[0]), *_remarks(own), *(part for row in own for part in _lines(row, room, width))]
    parts += ["", Text(f"cost of these runs: {figures.money(profile.cost_usd)}{_missing(profile)}", "dim")]
    if len({row.domain for row in profile.rows if row.unit == "depths"}) > 1:
        parts.append(Text(ACROSS_DOMAINS, STYLES["warning"]))
    return [*parts, *_contradictions(profile)]


def _source(row: ProfileRow) -> Text:
    """What stands over the figures of a run."""
    cost = "cost unknown" if row.cost_usd is None else figures.money(row.cost_usd)
    told = [one_line(row.domain), words.runs(row), words.started(row), cost]
    line = Text.assemble((PARTS[row.method].name, "bold"), " · ", figures.joined(told))
    if row.simulated:
        line.append(" SIMULATED", STYLES["badge"])
    if row.status != "complete":
        line.append(f" · {row.status}", STYLES["warning"])
    return line


def _remarks(rows: Sequence[ProfileRow]) -> list[Text]:
    notes = dict.fromkeys(f"beside another run with other settings; here {row.setting}" for row in rows if row.setting)
    notes |= dict.fromkeys(row.note for row in rows if row.note)
    if any(row.lower_limit for row in rows):
        notes["≥: a lower limit, because the drill ended before survival fell below the threshold"] = None
    return [Text(f"  {one_line(note)}", "dim") for note in notes]


def _lines(row: ProfileRow, room: int, width: int) -> list[Text]:
    """The label with the figures; on a narrow screen the figures under the label, so that neither breaks."""
    label = words.label(row)
    numbers = Text.assemble("  ", (f"{words.value(row):>{_VALUE}}", "bold"), f"  {words.span(row):<{_SPAN}}")
    if 2 + room + numbers.cell_len > width:
        numbers.rstrip()
        return [*(Text(f"  {part}") for part in wrap(label, max(1, width - 2))), numbers]
    line = Text(f"  {label}{' ' * (room - cell_len(label))}").append_text(numbers)
    if width >= COUNTS_FROM:
        line.append(f"  n {row.n:<6,}", "dim")
    if width >= BARS_FROM:
        line.append(_bar(row))
    line.rstrip()
    return [line]


def _bar(row: ProfileRow) -> str:
    least, most = (0.0, 1.0) if row.unit == "gap" else row.scale
    low, value, high = ((end - least) / (most - least) for end in _ends(row))
    return figures.bar(value, (low, high), _BAR)


def _ends(row: ProfileRow) -> tuple[float, float, float]:
    low, high = row.ci or (row.value, row.value)
    return low, row.value, high


def _missing(profile: Profile) -> str:
    return f" · not measured: {', '.join(PARTS[method].name for method in profile.missing)}" if profile.missing else ""


def _contradictions(profile: Profile) -> list[RenderableType]:
    if not profile.contradictions:
        return ["", Text("No contradictions beyond the 95% intervals.")]
    lines: list[RenderableType] = ["", Text("Contradictions", "bold"), Text(WHOLE, "dim")]
    for found in profile.contradictions:
        said, means = in_words(found, profile)
        lines.append(Text.assemble("· ", (said, STYLES["warning"]), f" {means}"))
    return lines


def in_words(found: Contradiction, profile: Profile) -> tuple[str, str]:
    """`Deep but inconsistent: EVD 8.10 (7.02–9.40, at least 6.00), ACS normalised …`, and what it means."""
    grounds = ", ".join(_ground(ground, profile) for ground in found.grounds)
    return sentence(f"{found.says}: {grounds}"), one_line(found.means)


def _ground(ground: Ground, profile: Profile) -> str:
    row = ground.row
    several = sum(other.measure == row.measure for other in profile.rows) > 1
    where = f" of {words.runs(row)}" if several else ""
    said = [words.span(row), words.limit(ground)]
    said += [f"McNemar's p {figures.p_value(row.p)} by Holm over the loads"] if ground.significant else []
    return f"{row.label}{where} {words.value(row)} ({', '.join(said)})"
