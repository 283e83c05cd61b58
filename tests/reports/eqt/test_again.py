"""What readers of an Explain-Query-Test show when a step is done again, and when the target says nothing."""

import pytest
from rich.console import Group

from fathom.reports.live.lines import line_of
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.live.screen import frame
from fathom.reports.page.rows import Rows
from fathom.reports.views.eqt.fragment import fragment_parts
from fathom.reports.views.eqt.progress import EqtProgress, phase_of, said_of
from fathom.reports.views.eqt.trace import eqt_trace
from fathom.state.eqt.items import Choice, EqtItem
from fathom.state.events import Event, ItemFinished, RunResumed
from fathom.state.items import eqt_items
from fathom.state.records import Answer, Usage

from ...support.drill.synthetic import START
from ...support.eqt.synthetic import EqtPlan, items_of
from ...support.eqt.synthetic_result import events_of
from ...support.screen import shown
from .test_live import GAUGE

PLAN = EqtPlan(open_book=True, attribute=5)
EVENTS = events_of(PLAN)
RESUMED = RunResumed(run_id=PLAN.run_id, spec=PLAN.spec, version="0.1.0", probes=0, reopened=0)


def after(events: list[Event]) -> tuple[RunProgress, EqtProgress]:
    run = progress_of(events).runs[PLAN.run_id]
    assert run.eqt is not None
    return run, run.eqt


def finished(item: EqtItem) -> ItemFinished:
    return ItemFinished(run_id=PLAN.run_id, item=item, added=0)


def answered(item: Choice) -> Choice:
    """The asking that a fault took, put again: no option is right, it says."""
    return item.model_copy(update={"fault": None, "reading": "none", "correct": False})


def position(item_id: str) -> int:
    """Of the event by which it finished."""
    return next(n for n, e in enumerate(EVENTS) if isinstance(e, ItemFinished) and e.item.id.endswith(item_id))


def lost(item_id: str = "c003.q1.a1") -> Choice:
    event = EVENTS[position(item_id)]
    assert isinstance(event, ItemFinished)
    assert isinstance(event.item, Choice)
    assert event.item.fault is not None
    return event.item


def test_a_closed_concept_that_is_asked_again_counts_what_is_answered_anew() -> None:
    _, before = after(EVENTS)
    run, known = after([*EVENTS, RESUMED, finished(answered(lost()))])
    assert (before.outcomes["unscored"], known.outcomes["unscored"]) == (1, 0)
    assert known.outcomes["wrong"] == before.outcomes["wrong"] + 1
    assert known.items == before.items
    concept = known.open[2]
    assert (concept.answers, concept.outcomes) == (1, {"correct": 0, "wrong": 1, "unscored": 0})
    text = shown(
        Rows(frame(progress_of([*EVENTS, RESUMED, finished(answered(lost()))]), GAUGE, START, [PLAN.run_id], 100, 24)),
        100,
    )
    assert any("c003" in line and line.rstrip().endswith("asked again ✓ 0 ✗ 1 ? 0") for line in text.splitlines())
    assert run.eqt is known


def test_an_asking_stands_once_among_the_newest_as_it_came_out_last() -> None:
    _, known = after([*EVENTS, RESUMED, finished(answered(lost()))])
    (row,) = [one for one in known.newest if one.id == lost().id]
    assert (row.outcome, row.said) == ("wrong", "none is right")
    assert known.newest[0] == row


def test_an_open_concept_has_the_answer_in_the_place_of_the_fault() -> None:
    """The run was killed before the concept was closed."""
    cut = EVENTS[: position("c003.q1.a1") + 1]
    _, before = after(cut)
    assert (before.open[2].outcomes["unscored"], before.open[2].answers) == (1, 3)
    _, known = after([*cut, RESUMED, finished(answered(lost()))])
    assert known.open[2].outcomes == {
        **before.open[2].outcomes,
        "unscored": 0,
        "wrong": before.open[2].outcomes["wrong"] + 1,
    }
    assert known.open[2].answers == 3
    assert phase_of(PLAN.spec, known.open[2]) == phase_of(PLAN.spec, before.open[2])


def test_what_is_lost_again_counts_once() -> None:
    _, before = after(EVENTS)
    _, known = after([*EVENTS, RESUMED, finished(lost()), RESUMED, finished(lost())])
    assert known.outcomes == before.outcomes
    assert known.items == before.items
    assert known.open[2].outcomes == {"correct": 0, "wrong": 0, "unscored": 1}


def test_steps_of_any_kind_count_once() -> None:
    _, before = after(EVENTS)
    again = [item for item in items_of(PLAN) if item.fault is not None]
    assert {item.type for item in again} == {"explanation", "choice", "attribution"}
    _, known = after([*EVENTS, RESUMED, *(finished(item.model_copy(update={"fault": None})) for item in again)])
    assert (known.items, known.attributed) == (before.items, before.attributed) == (len(items_of(PLAN)), 5)


def test_an_open_book_asking_counts_once() -> None:
    place = position("c003.q2.open")
    event = EVENTS[place]
    assert isinstance(event, ItemFinished)
    (item,) = eqt_items([event.item])
    failed = item.model_copy(update={"fault": lost().fault, "answer": None, "reading": None, "correct": None})
    events: list[Event] = [*EVENTS[:place], finished(failed), *EVENTS[place + 1 :]]
    _, before = after(EVENTS)
    _, known = after([*events, RESUMED, finished(item)])
    assert known.open_book == before.open_book
    assert known.outcomes == before.outcomes


def test_what_a_fault_took_stands_in_a_column_of_its_own() -> None:
    _, known = after(EVENTS)
    assert known.totals.lost == 2, "an answer and an explanation"
    text = shown(Group(*fragment_parts(known, width=100)), 100)
    head, overall = (next(x for x in text.splitlines() if x.startswith(name)).split() for name in ("category", "all "))
    assert head[-4:] == ["?", "acc.", "%", "ACS"]
    assert overall[-3] == "2"
    assert "? steps lost to faults, excluded" in text


def test_a_step_that_is_done_again_costs_its_new_calls_only() -> None:
    before, _ = after(EVENTS)
    (failed,) = lost().calls
    new = failed.model_copy(update={"failure": None, "cost_usd": 0.5, "usage": Usage(input_tokens=7, output_tokens=3)})
    item = answered(lost()).model_copy(update={"calls": (failed, new)})
    known, _ = after([*EVENTS, RESUMED, ItemFinished(run_id=PLAN.run_id, item=item, added=1)])
    assert known.spend.calls == before.spend.calls + 1
    assert known.spend.input_tokens == before.spend.input_tokens + 7
    assert (known.spend.usd or 0) - (before.spend.usd or 0) == pytest.approx(0.5)


# ---- a target that says nothing

SILENT = lost().model_copy(update={"fault": None, "reading": "unreadable", "correct": False})


@pytest.mark.parametrize("answer", [None, Answer(text=" \n", finish="stop")])
def test_silence_is_shown_as_such_and_as_wrong(answer: Answer | None) -> None:
    item = SILENT.model_copy(update={"answer": answer})
    assert said_of(item) == "no answer"
    row = line_of(finished(item), PLAN.spec)
    assert row is not None
    assert "".join(text for text, _ in row).endswith("✗ c003.q1.a1 الهيليوم السائل · no answer")
    events = [*EVENTS[: position("c003.q1.a1")], finished(item)]
    _, known = after(events)
    assert (known.outcomes["unscored"], known.newest[0].outcome) == (0, "wrong")
    text = shown(Rows(frame(progress_of(events), GAUGE, START, [PLAN.run_id], 100, 24)), 100)
    assert any("✗ c003.q1.a1" in line and " · no answer (right: " in line for line in text.splitlines())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "no answer"),
        (Answer(text="", finish="length"), "no answer (finish: length)"),
    ],
)
@pytest.mark.parametrize("path", ["c003.q1", "c003.q1.a1"])
def test_a_trace_shows_silence(path: str, answer: Answer | None, said: str) -> None:
    items = [*items_of(PLAN), SILENT.model_copy(update={"answer": answer})]
    lines = [line.strip() for line in shown(eqt_trace(PLAN.spec, items, path, prompts=False), 100).splitlines()]
    place = lines.index(said)
    assert lines[place + 1].startswith("parsed as: no readable selection")
    assert any(line.startswith("✗ c003.q1.a1 · paraphrase 1 · wrong") for line in lines)
    assert "counts against nobody" not in " ".join(lines[:place])


def test_a_refusal_without_words_is_a_refusal() -> None:
    item = SILENT.model_copy(update={"answer": Answer(text="", finish="stop"), "reading": "refused"})
    assert said_of(item) == "refused"
    text = shown(eqt_trace(PLAN.spec, [*items_of(PLAN), item], "c003.q1.a1", prompts=False), 100)
    assert "parsed as: refused" in text


def test_an_asking_that_a_fault_took_says_nothing_of_silence() -> None:
    text = shown(eqt_trace(PLAN.spec, items_of(PLAN), "c003.q1.a1", prompts=False), 100)
    assert "no answer" not in text
    assert "lost to a fault, not counted" in text
