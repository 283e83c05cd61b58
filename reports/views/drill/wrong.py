"""The wrong answers that stand in a drill's result, cut short."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ....state.records import Probe
from ...page import figures
from ...page.rows import STYLES, clip
from ...page.sanitise import one_line
from ...trace import INDENT, field
from .steps import mark_of


def wrong_lines(probes: Sequence[Probe], limit: int, *, width: int, where: str) -> list[RenderableType]:
    """The first wrong answers that count, the shallowest first, each text cut to two lines. `where`: what shows the
    others; nothing without any."""
    held = [probe for probe in probes if mark_of(probe) == "wrong" and probe.excluded is None]
    wrong = sorted(held, key=lambda probe: (probe.depth, probe.slot, probe.round))
    if not wrong:
        return []
    head = Text.assemble(("Wrong answers", "bold"), f": {min(limit, len(wrong))} of {len(wrong)}; {where}")
    return ["", head, *(part for probe in wrong[:limit] for part in _mistake(probe, 2 * (width - INDENT)))]


def _mistake(probe: Probe, room: int) -> list[RenderableType]:
    head = Text.assemble((f"{figures.MARKS['wrong']} ", STYLES["wrong"]), (f"depth {probe.depth}", "bold"))
    head.append(f" · {figures.tier_name(probe.tier)} · {one_line(probe.concept)}")
    head.append(f"  {one_line(figures.place(probe.id))}", "dim")
    asked, reason = probe.question, probe.outcome.reason if probe.outcome.status == "scored" else ""
    texts = {
        "question": asked.text if asked else "",
        "reference": asked.reference if asked else "",
        "answer": probe.answer.text if probe.answer else "",
        "judge": reason,
        "source": f"{one_line(asked.evidence.title)} · {one_line(asked.evidence.url)}" if asked else "",
    }
    cut = {name: clip(one_line(text), room - len(name) - 12) for name, text in texts.items()}
    return [head, *(field(name, text) for name, text in cut.items() if text)]
