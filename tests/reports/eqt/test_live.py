"""An Explain-Query-Test while it goes on, is asked again, or has no result: the screen, the lines and the fragment."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from fathom.reports.live.progress import progress_of
from fathom.state.events import RunResumed
from fathom.state.records import Answer, Usage

from ...support.reports import changed, events_of, flat, fragment, framed, lined, result_of

Events = list[Any]
WHOLE, FAULTS = events_of("eqt"), events_of("eqt", "faults")
SPEC = WHOLE[0].spec
LOST = "c003.q1.a1"
"""An asking that a fault took in the run with faults."""


def place(events: Events, name: str) -> int:
    """Of the event by which the step finished."""
    return next(n for n, e in enumerate(events) if e.type == "item_finished" and e.item.id.endswith(f"/{name}"))


def again(events: Events, name: str = LOST, **changes: Any) -> Events:
    """The run goes on, and the step is done once more, with these changes."""
    event = events[place(FAULTS, name)] if len(events) > place(FAULTS, name) else FAULTS[place(FAULTS, name)]
    answer = {"item__fault": None, "item__reading": "none", "item__correct": False, "item__chosen": ()}
    resumed = RunResumed(run_id=event.run_id, spec=event_spec(event), version="0.1.0", probes=9)
    return [resumed, changed(event, **(answer | {f"item__{key}": value for key, value in changes.items()}))]


def event_spec(event: Any) -> Any:
    return FAULTS[0].spec if event.run_id == FAULTS[0].run_id else SPEC


def numbers(pattern: str, text: str) -> list[int]:
    found = re.search(pattern, text)
    assert found, text
    return [int(number) for number in found.groups()]


RIGHT = r"(\d+) right, (\d+) wrong, (\d+) unscored"


CLOSED = next(n for n, event in enumerate(FAULTS, 1) if event.type == "concept_closed")
"""Events up to the first concept that is closed."""


# the screen


@pytest.mark.parametrize("kind", ["complete", "faults"])
def test_the_bar_runs_over_answers_to_its_end(kind: str) -> None:
    """It never goes back, nor does what is planned grow; what was dropped is not waited for."""
    events = without(events_of("eqt", kind), ("c001.q2", "c001.q1.p1"))
    whole = [framed(events[:cut]) for cut in range(1, len(events))]
    seen = [numbers(r"answers (\d+)/(\d+) ", text) for text in whole]
    assert seen[0] == [0, 12], "all that is planned"
    assert seen[-1] == [9, 9], "two of the dropped question, one of the dropped paraphrase"
    assert all(before <= after <= then <= planned for (before, planned), (after, then) in pairwise(seen))
    assert re.findall(r"c001 Iron .*answers (\d)/(\d)", "".join(whole))[-1] == ("2", "2"), "all but one of a question"
    text = framed(events[:-1])
    assert "█" * 24 in text
    assert "░" not in text


def without(events: Events, dropped: tuple[str, ...]) -> Events:
    """The journal as if these questions and paraphrases had been dropped, with nothing asked of them."""
    kept = []
    for event in events:
        name = event.item.id.partition("/")[2] if event.type == "item_finished" else ""
        if name in dropped:
            gone = {"options": ()} if event.item.type == "question" else {}
            kept.append(changed(event, item=changed(event.item, text="", dropped="it is odd", **gone)))
        elif not any(name.startswith(f"{one}.") or name == one.replace(".p", ".a") for one in dropped):
            kept.append(event)
    return kept


def test_where_each_concept_is() -> None:
    """Concepts take turns; of each its phases come in this order."""
    seen = dict[str, list[str]]()
    for cut in range(1, len(WHOLE)):
        for name, phase in re.findall(r"^○ (c00\d) \w+ +(.*?)(?: ✓.*)?$", framed(WHOLE[:cut]), re.MULTILINE):
            phases = seen.setdefault(name, [])
            phases += [phase.rstrip()] if phases[-1:] != [phase.rstrip()] else []
    order = ("explaining", "questions 0/2", "questions 1/2", "paraphrases 0/2")
    for phases in seen.values():
        places = [phases.index(phase) for phase in order]
        assert places == sorted(places)
        assert all(re.fullmatch(r"(paraphrases \d/2, )?answers \d/6", phase) for phase in phases[places[-1] + 1 :])


def test_concepts_of_which_nothing_is_finished_are_named_or_counted() -> None:
    assert [line.split() for line in framed(WHOLE[:1], 80, 24).splitlines()[3:6]] == [
        ["○", f"c00{n}", name, "explaining"] for n, name in enumerate(("Iron", "Gold", "Argon"), 1)
    ]
    many = changed(WHOLE[0], spec__concepts=SPEC.concepts * 12)
    assert "○ 36 being explained or waiting" in framed([many], 80, 24)
    assert "34 being explained or waiting" in framed([many, *WHOLE[1:3]], 80, 24)
    assert "1 more begun, 33 being explained" in framed([many, *WHOLE[1:4]], 80, 8)


def test_what_the_rows_say() -> None:
    started = changed(WHOLE[0], spec__examiner="openai:gpt-5", spec__judge="a:b")
    lines = framed([started, *WHOLE[1:-1]], 130).splitlines()
    assert lines[0].startswith("Iron, Gold, Argon · sim:student · examiner openai:gpt-5 · judge a:b")
    assert "attributing wrong answers" in lines[1]
    wrong = next(line for line in lines if line.startswith("✗ c003.q2.a1 Argon · A, C (right: A, C, D)  "))
    assert wrong.rstrip().endswith(" s")
    opened = framed([started, *WHOLE[1:20]], 65)
    assert "answers" in opened
    assert "✓ 2 ✗ 0" not in opened, "answers of a concept are counted where there is room"


@pytest.mark.parametrize("kind", ["complete", "faults"])
def test_the_screen_adds_up_to_the_result(kind: str) -> None:
    """At its end the screen has the figures of the answers that count; before, those of all."""
    whole, events = result_of("eqt", kind).numbers, events_of("eqt", kind)
    text = framed(events)
    assert numbers(RIGHT, text) == [
        whole.all.correct,
        whole.all.scored - whole.all.correct,
        sum(
            not getattr(e.item, "open_book", True) and e.item.fault is not None
            for e in events
            if e.type == "item_finished"
        ),
    ]
    assert f"accuracy {whole.all.accuracy * 100:.0f}% · ACS {whole.consistency.acs:.2f}".replace("0.", ".") in text
    assert "6 with the book open" in text
    two = framed([*events, *events_of("eqt", kind, run="b1b1b1b1")], 120)
    rows = [line.split()[-8:-2] for line in two.splitlines() if line.startswith("✓ sim:student")]
    marks = [str(number) for number in numbers(RIGHT, text)]
    assert rows == [["3/3", *marks, f"{whole.all.accuracy * 100:.0f}%", f"{whole.consistency.acs:.2f}"[1:]]] * 2


def test_nothing_stays_open_and_each_step_counts_once() -> None:
    steps = sum(event.type == "item_finished" for event in FAULTS)
    for events, begun_ in ((FAULTS, []), ([*FAULTS, *again(FAULTS)], [2])):
        (run,) = progress_of(events).runs.values()
        assert run.steps is not None
        assert (run.steps.items, list(run.steps.open)) == (steps, begun_)


def is_answer(event: Any) -> bool:
    return bool(event.type == "item_finished" and event.item.type == "choice")


# asked again


def test_a_closed_concept_that_is_asked_again_counts_what_is_answered_anew() -> None:
    right, wrong, unscored = numbers(RIGHT, framed(FAULTS[:-1]))
    text = framed([*FAULTS, *again(FAULTS)])
    assert numbers(RIGHT, text) == [right, wrong + 1, unscored - 1]
    concept = next(line for line in text.splitlines() if line.startswith("○ c003"))
    assert concept.rstrip().endswith("asked again ✓ 0 ✗ 1 ? 0")
    assert text.count("c003.q1.a1") == 1, "it stands once among the newest, as it came out last"
    assert "✗ c003.q1.a1 Argon · none is right  " in text
    bar = framed([*FAULTS, *again(FAULTS)]).splitlines()[1]
    assert numbers(r"answers (\d+)/(\d+)", bar) == [12, 12]
    closed = next(e for e in FAULTS if e.type == "concept_closed" and e.index == 2)
    end = [*FAULTS, *again(FAULTS), closed]
    assert "concepts 3/3" in framed(end), "a concept that is closed twice counts once"
    assert "○ c003" not in framed(end)


def test_an_open_concept_has_the_answer_in_the_place_of_the_fault() -> None:
    """The run was killed before the concept was closed."""
    cut = FAULTS[: place(FAULTS, LOST) + 1]
    before, after = (
        next(x for x in framed(each).splitlines() if "c003 Argon" in x) for each in (cut, [*cut, *again(cut)])
    )
    shape = r"(\d+)/(\d+) ✓ (\d) ✗ (\d) \? (\d)"
    done, planned, right, wrong, lost = numbers(shape, before)
    assert numbers(shape, after) == [done, planned, right, wrong + 1, lost - 1]


@pytest.mark.parametrize("name", ["c002.q1.a0", "c002.q1.open", "c003.q1.a1"])
def test_a_step_that_is_lost_again_or_done_counts_once(name: str) -> None:
    failed = FAULTS[place(FAULTS, name)].item
    lost = again(FAULTS, name, fault=failed.fault, reading=None, correct=None)
    assert numbers(RIGHT, framed([*FAULTS, *lost, *lost])) == numbers(RIGHT, framed(FAULTS))
    done = framed([*FAULTS, *again(FAULTS, name)])
    assert "6 with the book open" in done
    assert sum(numbers(RIGHT, done)) == sum(numbers(RIGHT, framed(FAULTS)))


def test_a_step_that_is_done_again_costs_its_new_calls_only() -> None:
    (failed, *_) = FAULTS[place(FAULTS, LOST)].item.calls
    new = changed(failed, failure=None, cost_usd=0.5, usage=Usage(input_tokens=7, output_tokens=3))
    told = again(FAULTS, calls=(failed, new))
    (before,) = progress_of(FAULTS).runs.values()
    (after,) = progress_of([*FAULTS, told[0], changed(told[1], added=1)]).runs.values()
    assert after.spend.calls == before.spend.calls + 1
    assert after.spend.input_tokens == before.spend.input_tokens + 7
    assert (after.spend.usd, before.spend.usd) == (0.5, 0.0)


# the lines


UNREAD = {"reading": "unreadable", "correct": False}
SAID: list[tuple[str, dict[str, Any], str]] = [
    (LOST, {}, "? c003.q1.a1 Argon · answer: cut_off (sim:student was cut off at 4096 tokens"),
    ("c002.q1.a1", {"correct": True}, "✓ c002.q1.a1 Gold · "),
    ("c001.q1.open", {}, " (open book)"),
    ("c002.q1.a1", {**UNREAD, "answer": None}, "✗ c002.q1.a1 Gold · no answer"),
    ("c002.q1.a1", {**UNREAD, "answer": Answer(text=" \n", finish="stop")}, "✗ c002.q1.a1 Gold · no answer"),
    ("c002.q1.a1", UNREAD, "✗ c002.q1.a1 Gold · no readable selection"),
    ("c002.q1.a1", {**UNREAD, "answer": Answer(text="", finish="stop"), "reading": "refused"}, " · refused"),
    ("c001", {}, ""),
    ("c001", {"fault": FAULTS[place(FAULTS, LOST)].item.fault}, "? c001 Iron · no explanation (answer: sim:student"),
    ("c001.q1", {"dropped": "it is\x1b[2J odd"}, "– c001.q1 Iron · question dropped (it is␛[2J odd)"),
    ("c001.q1.p1", {"dropped": "it is odd"}, "– c001.q1.p1 Iron · paraphrase dropped (it is odd)"),
    ("c003.q2.a1.why", {"cause": "question", "reason": "so"}, "→ c003.q2.a1.why Argon · put down to the question: so"),
    ("c003.q2.a1.why", {"cause": None}, "? c003.q2.a1.why Argon · not attributed (no cause was named)"),
]  # fmt: skip
"""A step, what is changed of it, and what its line says."""


@pytest.mark.parametrize(("name", "changes", "said"), SAID)
def test_the_line_of_a_step(name: str, changes: dict[str, Any], said: str) -> None:
    event = FAULTS[place(FAULTS, name)]
    lines = lined([FAULTS[0], changed(event, item=changed(event.item, **changes))])[1:]
    assert [said in line for line in lines] == ([True] if said else [])
    if is_answer(event) and changes.get("correct") is False:
        assert lines[0].endswith(said), "and nothing else"


def test_the_line_of_a_closed_concept() -> None:
    event = next(e for e in FAULTS if e.type == "concept_closed" and e.index == 2)
    drops = changed(event, numbers__dropped=1, numbers__paraphrases_dropped=2)
    assert lined([drops])[0].endswith(
        "c003 Argon closed: 2 of 3 right · accuracy 67% (1–100) · ACS .50"
        " · 1 question and 2 paraphrases dropped · unscored answer 1"
    )
    nothing = changed(event, numbers__all__scored=0, numbers__all__accuracy=None, numbers__consistency__acs=None)
    assert "closed: nothing was measured · unscored answer 1" in lined([nothing])[0]


# what there is without a result


CUTS: list[tuple[Callable[[], Events], tuple[str, ...]]] = [
    (lambda: FAULTS[:1], (" Nothing measured so far, 0 of 3 concepts closed.", "Of 3 concepts nothing is finished.")),
    (lambda: FAULTS[:2], ("c001 Iron: questions 0/2", "Of 2 concepts nothing is finished.", "Not closed c001")),
    (
        lambda: FAULTS[:CLOSED],
        (
            " So far accuracy 100%, ACS 1.00, 1 of 3 concepts closed.",
            "all 1 of 3 3 3 3 100 1.00",
            "Not closed, and in none of the numbers above c001 Iron: ",
            "? steps lost to faults, excluded",
        ),
    ),
    (
        lambda: [
            changed(FAULTS[0], spec__concepts=tuple(changed(c, category=c.name) for c in SPEC.concepts)),
            *FAULTS[1:CLOSED],
        ],
        ("Gold 0 of 1", "all 1 of 3 3 3 3 100 1.00"),
    ),
    (
        lambda: [changed(FAULTS[0], spec__concepts=SPEC.concepts * 9), *begun(14)],
        ("and 2 more that were begun", "Of 13 concepts nothing is finished."),
    ),
]


def begun(number: int) -> Events:
    return [changed(FAULTS[1], item__concept=n, item__id=f"x/c{n:03d}") for n in range(number)]


@pytest.mark.parametrize(("made", "said"), CUTS)
def test_what_there_is_of_a_run_that_was_cut_off(made: Callable[[], Events], said: tuple[str, ...]) -> None:
    text = flat(fragment(made(), 100))
    for part in said:
        assert part in text


def test_a_category_of_which_nothing_is_closed_has_dashes() -> None:
    events = CUTS[3][0]()
    lines = [line.split() for line in fragment(events, 100).splitlines()]
    assert next(line for line in lines if line[:1] == ["Iron"]) == ["Iron", "0", "of", "1", "0", "0", "0", "–", "–"]
    assert "Not closed" not in fragment([*FAULTS[:-1], *again(FAULTS)]), "a concept that is asked again is closed"
