"""One path of a drill, question by question: what was asked, on what evidence, what was said, how it was judged; and
the answers that were wrong."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ....agents.injection import addressed
from ....state.errors import UsageError
from ....state.records import Evidence, Probe, Question, Rejected
from ...live.progress import mark_of
from ...page import figures
from ...page.rows import STYLES, clip
from ...page.sanitise import model_name, one_line, paragraphs

INDENT = (0, 0, 0, 4)


def find_probe(probes: Sequence[Probe], text: str) -> Probe:
    """The probe meant by a full id, `d03.s07.r0`, `d03.s07` (the slot's last round), or the end of an id.

    Raises UsageError when none or several are meant.
    """
    exact = [probe for probe in probes if text in (probe.id, figures.place(probe.id))]
    slot = [probe for probe in probes if figures.place(probe.id).rpartition(".")[0] == text]
    found = (
        exact
        or sorted(slot, key=lambda probe: probe.round)[-1:]
        or [probe for probe in probes if text and probe.id.endswith(text)]
    )
    if not found:
        example = f", such as {figures.place(probes[0].id)}" if probes else ""
        raise UsageError(f"No probe of this run is called {text!r}: give an id as the run shows it{example}.")
    if len(found) > 1:
        names = ", ".join(figures.place(probe.id) for probe in found[:5])
        raise UsageError(f"{text!r} could be any of {len(found)} probes ({names}, …): give more of the id.")
    return found[0]


def path_to(probes: Sequence[Probe], text: str) -> list[Probe]:
    """The probes from the root to the one meant by `text` (see `find_probe`), the root first."""
    by_id = {probe.id: probe for probe in probes}
    path = [find_probe(probes, text)]
    while path[0].parent is not None:
        parent = by_id.get(path[0].parent)
        if parent is None or parent in path:  # a journal that was cut may lack a parent: show what there is
            break
        path.insert(0, parent)
    return path


def path_trace(probes: Sequence[Probe], text: str) -> RenderableType:
    """The path from the root to the probe meant by `text`, as a renderable."""
    path = path_to(probes, text)
    end, root = one_line(figures.place(path[-1].id)), one_line(path[0].root)
    head = Text.assemble(("Path to ", "dim"), (end, "bold"), (" from ", "dim"), (root, "bold"))
    parts: list[RenderableType] = [head]
    if path[0].parent is not None:
        parts.append(Text(f"(its parent {one_line(figures.place(path[0].parent))} is not there)", STYLES["warning"]))
    for probe in path:
        parts += ["", *_probe(probe)]
    return Group(*parts)


def wrong_probes(probes: Sequence[Probe]) -> list[Probe]:
    """Those that were judged wrong and count, the shallowest first."""
    wrong = [probe for probe in probes if mark_of(probe) == "wrong" and probe.excluded is None]
    return sorted(wrong, key=lambda probe: (probe.depth, probe.slot, probe.round))


def wrong_trace(wrong: Sequence[Probe], limit: int) -> RenderableType:
    """The first `limit` of these probes with what was asked, expected and said, in full."""
    parts = [part for probe in wrong[:limit] for part in (*_mistake(probe), "")]
    more = f"; --limit {len(wrong)} shows all" if len(wrong) > limit else ""
    path = "; --path ID shows what led to one" if wrong else ""
    shown = f"{min(limit, len(wrong))} of " if len(wrong) > limit else ""
    return Group(*parts, Text(f"{shown}{figures.count(len(wrong), 'wrong answer')}{more}{path}.", "dim"))


def wrong_lines(probes: Sequence[Probe], limit: int, *, width: int, where: str) -> list[RenderableType]:
    """The first wrong answers, each text cut to two lines. `where`: what shows the others; nothing without any."""
    wrong = wrong_probes(probes)
    if not wrong:
        return []
    head = Text.assemble(("Wrong answers", "bold"), f": {min(limit, len(wrong))} of {len(wrong)}; {where}")
    return ["", head, *(part for probe in wrong[:limit] for part in _mistake(probe, 2 * (width - INDENT[3])))]


def _mistake(probe: Probe, room: int | None = None) -> list[RenderableType]:
    """`room`: cells for each text with its name; None for all of it."""
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
    cut = {name: clip(one_line(text), room - len(name) - 12) if room else text for name, text in texts.items()}
    return [head, *(_field(name, text) for name, text in cut.items() if text)]


def _probe(probe: Probe) -> list[RenderableType]:
    mark = mark_of(probe)
    origin = {"root": "an opening aspect", "answer": "named in the answer above", "aspect": "a further aspect"}
    head = Text.assemble(
        (f"{figures.MARKS[mark]} ", STYLES[mark]),
        (f"depth {probe.depth}", "bold"),
        f" · {figures.tier_name(probe.tier)} · ",
        (one_line(probe.concept), "bold"),
        (f"  ({origin[probe.origin]}{', a spare' if probe.spare else ''})", "dim"),
    )
    head.append(f"  {one_line(figures.place(probe.id))} · {figures.duration(probe.elapsed_s)}", "dim")
    parts: list[RenderableType] = [head]
    if probe.question is not None:
        parts += _evidence(probe.question.evidence, probe.question)
        parts += [_field("question", probe.question.text), _field("reference", probe.question.reference)]
    if probe.no_evidence:
        parts.append(_field("passed over, without evidence", ", ".join(probe.no_evidence), "dim"))
    parts += [_set_aside(rejected) for rejected in probe.rejected]
    if probe.answer is not None:
        finish = "" if probe.answer.finish == "stop" else f", finish: {one_line(probe.answer.finish)}"
        parts.append(_field(f"answer ({figures.duration(probe.answer.latency_s)}{finish})", probe.answer.text))
        parts += _pointed_out(probe.answer.text)
    if probe.concepts:
        parts.append(_field("leads on to", "; ".join(_names(probe)), "dim"))
    return [*parts, _outcome(probe)]


def _set_aside(rejected: Rejected) -> RenderableType:
    if rejected.passage is not None and not rejected.text:
        passage = f"{rejected.passage.title} “{rejected.passage.text}”"
        return _field("passage refused", f"{rejected.reason}: {passage}", "dim")
    asked = " after it was asked" if rejected.asked else ""
    return _field(f"rejected{asked}", f"{rejected.text} ({rejected.reason})", "dim")


def _names(probe: Probe) -> Iterator[str]:
    for name, said in zip_longest(probe.concepts, probe.said):
        yield name if said in (None, name) else f"{name} (said: {said})"


def _evidence(evidence: Evidence, question: Question) -> list[RenderableType]:
    section = f", {evidence.section}" if evidence.section else ""
    parts = [f"{evidence.title}{section}", evidence.url, f"source {evidence.source}"]
    if evidence.revision:
        parts.append(f"revision {evidence.revision}")
    if evidence.published:
        parts.append(f"published {evidence.published.isoformat()}")
    parts.append(f"retrieved {evidence.retrieved_at.date().isoformat()}")
    passage, quote = paragraphs(evidence.text), paragraphs(question.quote)
    text = Text.assemble(("passage: ", "dim"), passage)
    pointed = _pointed_out(evidence.text)
    start = text.plain.find(quote, len("passage: "))
    lines: list[RenderableType] = [
        Padding(Text(" · ".join(one_line(part) for part in parts), "dim"), INDENT, expand=False)
    ]
    if quote and start >= 0:
        text.stylize("bold underline", start, start + len(quote))
        return [*lines, Padding(text, INDENT, expand=False), *pointed, _field("quote", question.quote)]
    return [
        *lines,
        Padding(text, INDENT, expand=False),
        *pointed,
        _field("quote (spelled otherwise in the passage)", question.quote),
    ]


def _pointed_out(text: str) -> list[RenderableType]:
    """A line under a text that speaks to a model or a marker; nothing is decided by it."""
    phrase = addressed(text)
    return [_field("speaks to a model or a marker", f"“{phrase}”", STYLES["warning"])] if phrase else []


def _outcome(probe: Probe) -> RenderableType:
    mark = mark_of(probe)
    if probe.outcome.status == "unscored":
        why = f"{probe.outcome.stage}: {probe.outcome.kind}. {probe.outcome.message}"
        return _field("unscored at", why, STYLES[mark])
    sure = "" if probe.outcome.confidence is None else f", confidence {figures.percent(probe.outcome.confidence)}"
    judge = f" by {model_name(probe.outcome.judge)}" if probe.outcome.judge else ""
    counted = f"; does not count ({probe.excluded})" if probe.excluded else ""
    verdict = f"{probe.outcome.verdict}{judge}{sure}{counted}"
    reason = f": {probe.outcome.reason}" if probe.outcome.reason else ""
    return _field("verdict", verdict + reason, STYLES[mark])


def _field(name: str, text: str, style: str = "") -> RenderableType:
    return Padding(Text.assemble((f"{name}: ", "dim"), (paragraphs(text), style)), INDENT, expand=False)
