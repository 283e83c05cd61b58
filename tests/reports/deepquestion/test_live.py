"""A DeepQuestion run while it goes on, over the recorded journals: what is known of it, its steps
in words, its screen and its lines, what there is of it when it is cut off, and what a list shows of
it."""

from pathlib import Path
from typing import Any

import pytest

from fathom.reports.page.listing import runs_listing
from fathom.reports.step import Scene
from fathom.reports.views.deepquestion.prompts import prompt_words
from fathom.reports.views.deepquestion.steps import STEPS
from fathom.state.events import ItemFinished, ProblemClosed
from fathom.tools.runs.folders import list_runs
from fathom.tools.runs.run_state import RunMemory, is_known, note

from ...goldens.recordings import recordings
from ...support.edited import edited
from ...support.reports import changed, events_of, flat, fragment, framed, lined, on_terminal
from .test_tables import NO_Q2I, NO_Q2S, RUN, share

EVENTS, FAULTS = events_of("deepquestion"), events_of("deepquestion", "faults")
SPEC = EVENTS[0].spec
GIVEN = changed(EVENTS[0], spec__given=True)
FAULT = next(e.item.fault for e in FAULTS if isinstance(e, ItemFinished) and e.item.fault)


def item(place: str, **changes: Any) -> Any:
    """A recorded step, with these fields changed."""
    found = next(
        e.item
        for e in EVENTS
        if isinstance(e, ItemFinished) and e.item.id.partition("/")[2] == place
    )
    return changed(found, **changes)


def step(done: Any) -> ItemFinished:
    return ItemFinished(run_id=EVENTS[0].run_id, item=done)


@pytest.mark.parametrize(
    ("scores", "changes", "said"),
    [
        ((4, 7, 9), {}, "round 1 4/10 · round 2 7/10 · round 3 9/10 accepted"),
        ((4, 8), {}, "round 1 4/10 · round 2 8/10 accepted"),  # the threshold is enough
        ((4,), {}, "round 1 4/10"),
        ((None, 7, 7), {}, "round 1 no score · round 2 7/10 · round 3 7/10 · not converged"),
        (
            (6, 7, 7),
            {"use_best": True},
            "round 1 6/10 · round 2 7/10 · round 3 7/10 · not converged, round 2 is used",
        ),
        (
            (None,) * 3,
            {"use_best": True},
            "round 1 no score · round 2 no score · round 3 no score · not converged",
        ),
        ((4,), {"single_pass": True}, "round 1 4/10 single pass"),
        ((4, "draft"), {}, "round 1 4/10 · round 2 under way"),
        ((4, "lost draft"), {}, "round 1 4/10 · round 2 no score · not converged"),
    ],
)
def test_what_a_loop_has_come_to(
    scores: tuple[Any, ...], changes: dict[str, bool], said: str
) -> None:
    spec, items = SPEC.model_copy(update={"rounds": 3, **changes}), []
    unread = FAULT.model_copy(update={"stage": "prompt", "kind": "parse"})
    for number, score in enumerate(scores, 1):
        items.append(
            item("q2s@draft1", round=number, fault=FAULT if score == "lost draft" else None)
        )
        if not isinstance(score, str):
            fault = unread if score is None else None
            items.append(item("q2s@score1", round=number, score=score, fault=fault))
    assert " · ".join(prompt_words(items, "q2s", spec)) == said


ODD: list[tuple[Any, str, str]] = [
    (item("q2s@draft1", text="Do."), "correct", "drafted: Do."),
    (item("q2s@score1", feedback="No."), "rejected", "3/10"),
    (item("q2s@score3"), "correct", "9/10 accepted"),
    (item("chem-04@original", answer=None, equal=False, read=""), "wrong", "no answer"),
    (
        item("chem-04@original", answer__text="I will.", equal=False, read=""),
        "wrong",
        "no final answer in “I will.”",
    ),
    (
        item("chem-04@none", answer__text="", answer__refusal=True, equal=False, read=""),
        "wrong",
        "refused",
    ),
    (item("chem-04@none", equal=None, read="torque"), "open", "torque, for the judge to compare"),
    (item("chem-04@many", read="30", equal=False), "wrong", "30"),
    (item("chem-04@many@solved", read="A"), "correct", "solved independently: A"),
    (item("chem-04@many@solved", read="A", equal=False), "rejected", "answer changed: A"),
    (
        item("chem-04@many@solved", read="", equal=False, answer__text="No."),
        "rejected",
        "not solvable",
    ),
    (
        item("chem-04@q2i@solved", read="", equal=False, answer__text="No."),
        "wrong",
        "not answerable",
    ),
    (item("chem-04@q2i@solved", read="7", equal=False), "wrong", "another answer: 7"),
    (item("chem-04@q2i", text=" "), "wrong", "nothing written"),
    (item("chem-04@q2i@met", met=False, reason="No."), "wrong", "instruction not met: No."),
    (item("chem-04@q2i@met", met=True), "correct", "instruction met"),
    (
        item("chem-04@scenario@check", missing=("the mass",), reason="Gone."),
        "rejected",
        "quantity lost: the mass: Gone.",
    ),
    (item("chem-04@scenario@check", bare=True, reason=""), "rejected", "bare problem"),
    (item("chem-04@scenario@check", gives_away=True, reason=""), "rejected", "gives away"),
    (item("chem-04@scenario@check"), "correct", "nothing is missing"),
    (
        item("chem-04@instruction@check", gives_away=True, complete=False, reason=""),
        "rejected",
        "gives away, incomplete",
    ),
    (item("chem-04@distractors"), "correct", "5 distractors"),
    (item("chem-21@q2i@first"), "correct", "original first: 2 original, 2 created, 1 tie"),
    (
        item("chem-04@baseline@second", preferences={"clarity": "first"}),
        "correct",
        "other first: 1 other",
    ),
    (item("chem-04@original", fault=FAULT), "unscored", "solution: cut_off"),
]


def test_every_step_has_words() -> None:
    scene = Scene(SPEC, problems=EVENTS[0].problems)
    for odd, mark, said in ODD:
        view = STEPS.step(odd, scene)
        assert (view.mark, view.said) == (mark, said), odd.id
    short = item("chem-04@distractors")
    few = STEPS.step(changed(short, distractors=short.distractors[:2]), scene)
    assert (few.mark, few.said.partition(":")[0]) == ("rejected", "malformed")


def test_what_the_screen_says() -> None:
    drafting = framed(EVENTS[:6], 100, 12)
    assert "Q2S prompt  round 1 3/10 · round 2 under way" in drafting
    assert "Q2I prompt  round 1 3/10\n" in drafting
    assert "complete: every problem was asked · 3 of 3 problems closed" in framed(EVENTS, 100, 30)
    ended = changed(EVENTS[-1], stop_reason="not_converged")
    assert "complete: no draft of a transformation prompt was good enough" in framed(
        [*EVENTS[:-1], ended], 100, 30
    )


def test_lines_tell_of_drafts_of_what_was_lost_and_of_closed_problems() -> None:
    unread = item(
        "q2s@score1", score=None, feedback="", fault=FAULT.model_copy(update={"stage": "prompt"})
    )
    lines = lined(
        [GIVEN, step(unread), step(item("chem-04@none", fault=FAULT)), step(item("chem-04@none"))]
    )
    assert len(lines) == 3, "what went well is told when its problem closes"
    assert "generator" not in lines[0]
    assert "? Q2S prompt, round 1 " in lines[1]
    assert "? chem-04@none " in lines[2]
    assert f"solution: cut_off ({FAULT.message})" in lines[2]
    lost = next(line for line in lined(FAULTS) if "chem-04 closed: " in line)
    assert lost.endswith(
        "closed: original ✓ right · Q2S none ? unscored · Q2S many ? unscored · Q2I ✗ wrong"
    )


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (EVENTS[:4], "So far: 0 of 3 problems closed · "),
        (EVENTS[:20], "begun and not closed"),
        (
            [*EVENTS[:58], EVENTS[-1]],
            "NO RESULT: complete: every problem was asked. So far: 1 of 3 problems closed",
        ),
        (FAULTS[:-1], "1 lost to faults"),
    ],
)
def test_what_there_is_of_a_run_that_was_cut_off(events: list[Any], said: str) -> None:
    assert said in flat(fragment(events))


def test_a_closed_problem_is_remembered() -> None:
    memory, (first, second, _) = (
        RunMemory(),
        [event for event in EVENTS if isinstance(event, ProblemClosed)],
    )
    assert not is_known(memory, second)
    note(memory, second)
    assert (is_known(memory, second), is_known(memory, first), memory.reportable) == (
        True,
        False,
        True,
    )
    memory.reopened.add(1)
    assert not is_known(memory, second), "it will close again"
    again = second.model_copy(update={"marks": {"original": "right"}})
    note(memory, again)
    assert memory.parts[1] == again
    assert not memory.reopened


NINE: dict[str, Any] = {
    "original": share(18, 20, 0.25, 0.75),
    "q2s.*.accuracy": share(10, 20, 0.25, 0.75),
}
USUAL = {"q2s.0.load": "some", "q2s.0.distractors": 2, "q2s.0.accuracy": share(12, 20, 0.25, 0.75)}


@pytest.mark.parametrize(
    ("values", "width", "said"),
    [
        (NINE, 120, "90% Q2S 50% many Q2I 33% 25–75"),  # without the load some, the most
        (NINE | USUAL, 120, "90% Q2S 60% Q2I 33% 25–75"),
        (NINE | NO_Q2I, 120, "90% Q2S 50% many 25–75"),
        (NINE | {"q2i.accuracy": share(0, 0)}, 120, "90% Q2S 50% many 25–75"),
        (NINE | NO_Q2S, 120, "90% Q2I 33% 25–75"),
        (NINE, 50, "complete 90%"),
    ],
)
def test_what_a_list_shows(values: dict[str, Any], width: int, said: str, tmp_path: Path) -> None:
    recordings("deepquestion")["complete"].write(tmp_path)
    (folder,) = tmp_path.iterdir()
    (folder / "result.json").write_text(edited(RUN, values).model_dump_json())
    row = on_terminal([runs_listing(list_runs(tmp_path))], width).splitlines()[-1]
    assert flat(row).endswith(said)
