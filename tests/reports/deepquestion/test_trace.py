"""A problem of a DeepQuestion run, or one of its prompts: all that was written, asked and said, none of it able to
act."""

import json
from pathlib import Path

import pytest

from fathom.commands.paths import show_path
from fathom.reports.views.deepquestion.paths import items_at, place_of, places_of
from fathom.reports.views.deepquestion.trace import deepquestion_trace
from fathom.state.deepquestion.items import DistractorsWritten, Dropped, Transformed
from fathom.state.errors import UsageError
from fathom.state.items import DeepQuestionItem

from ...support.deepquestion.events import CLOSED, DISTRACTORS, ITEMS, PROBLEMS, RUN, SPEC, events_of, made, solved
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot


def trace(part: str, *, prompts: bool = False, items: list[DeepQuestionItem] | None = None) -> str:
    marks = CLOSED.get(part.partition("@")[0])
    return shown(deepquestion_trace(SPEC, PROBLEMS, items or ITEMS, part, marks=marks, prompts=prompts), 100)


def ids(part: str) -> list[str]:
    return [item.id.partition("/")[2] for item in items_at(SPEC, PROBLEMS.problems, ITEMS, part)]


def test_problems_in_full() -> None:
    for part in ("p1", "p2", "p3@q2i", "q2s"):
        text = trace(part)
        assert_snapshot(f"deepquestion_trace_{part.replace('@', '_')}_100", text)
        assert not active_characters(text)
        assert "sent to" not in text


def test_prompts_word_for_word() -> None:
    for part, roles in (("p1", "target generator evaluator judge"), ("q2i", "generator evaluator")):
        text = trace(part, prompts=True)
        assert not active_characters(text)
        for role in roles.split():
            assert f"sent to the {role}, user:\n        the text that was sent" in text
        assert text.count("the text that was sent") == len(ids(part))


def test_what_a_part_has() -> None:
    assert ids("p1@original") == ["p1@original"]
    assert ids("p3@original") == ["p3@original", "p3@original@same"]
    assert ids("p1@some") == ids("p1@q2s-some") == ["p1@some@solved", "p1@some"], "checked before it is asked"
    assert ids("p1@q2s") == [
        *("p1@scenario", "p1@scenario@check", "p1@distractors"),
        *("p1@none@solved", "p1@none", "p1@some@solved", "p1@some"),
    ]
    assert ids("p2@q2i") == ["p2@q2i", "p2@q2i@solved", "p2@q2i@solved@same", "p2@q2i@met"]
    assert ids("p1@q2i@first") == ["p1@q2i@first"]
    assert ids("p1@baseline") == ["p1@baseline@first", "p1@baseline@second"]
    assert ids("q2i") == [f"q2i@{what}{n}" for n in (1, 2, 3) for what in ("draft", "score")]
    assert ids("q2s@draft2") == ["q2s@draft2"]
    assert ids("p4") == []
    assert [figure for name in ("p1", "p2", "p3") for figure in ids(name)] == [
        place for name in ("p1", "p2", "p3") for step in places_of(SPEC) if (place := f"{name}@{step}") in all_places()
    ], "every step of a problem has its place"


def all_places() -> set[str]:
    return {item.id.partition("/")[2] for item in ITEMS}


@pytest.mark.parametrize("run", ["d9d9d9d9", RUN, f"runs/{RUN}"])
def test_the_run_may_stand_in_front(run: str) -> None:
    assert trace(f"{run}/p4") == trace("p4") == trace(" P4 ")


def test_a_problem_goes_before_a_prompt_of_the_same_name() -> None:
    odd = [PROBLEMS.problems[0].model_copy(update={"id": "q2s"})]
    assert place_of(SPEC, odd, "q2s").kind is None
    assert place_of(SPEC, odd, "q2s@original").kind is None
    draft = place_of(SPEC, odd, "q2s@draft1")
    assert (draft.kind, draft.step) == ("q2s", "draft1"), "no problem has drafts"
    assert place_of(SPEC, PROBLEMS.problems, "Q2S").kind == "q2s"


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("p9", "No problem of this run is called 'p9': it has 4 problems, such as p1, p2, p3."),
        ("p11", "No problem of this run is called 'p11': it has 4 problems, perhaps p1."),
        ("", "No problem of this run is called '': it has 4 problems, such as p1, p2, p3."),
        ("p1@many", "'p1@many' names no step of a problem of this run: there is original, scenario, distractors, none"),
        ("p1@original@check", "names no step of a problem"),
        ("q2s@first", "'q2s@first' names no step of a prompt: give the kind alone"),
        ("ffffffff/p1", "is of the run ffffffff, and this is d9d9d9d9"),
    ],
)
def test_what_is_not_there_is_refused(part: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ids(part)


def test_a_kind_that_was_not_asked_for() -> None:
    only = SPEC.model_copy(update={"kinds": ("q2i",)})
    for part, message in (("q2s", "This run has no q2s: it was asked for q2i."), ("p1@q2s", "names no step")):
        with pytest.raises(UsageError, match=message):
            place_of(only, PROBLEMS.problems, part)


def test_distractors_stand_in_their_places() -> None:
    text = trace("p1@some")
    places = [text.index(words) for words in ("It is May.", "Ada pushes", "track is 90 m", "It rolls", "How fast is")]
    later = [text.rindex("question: How fast"), text.rindex("track is 90 m"), text.rindex("It is May.")]
    assert places[:4] == sorted(places[:4])
    assert later[0] > later[1] > later[2]
    assert "+ some:" not in trace("p1@none"), "none of them is asked there"
    many = SPEC.model_copy(update={"distractors": ("none", "some", "many")})
    drawn = tuple(DISTRACTORS[0].model_copy(update={"text": f"D{n}."}) for n in range(5))
    items = [*ITEMS, made(DistractorsWritten, "p1@distractors", distractors=drawn)]
    whole = shown(deepquestion_trace(many, PROBLEMS, items, "p1@scenario"), 100)
    first, second, *others = [line.strip() for line in whole.splitlines() if "+" in line and ": D" in line]
    assert (first, second) == ("+ some: D0.", "+ some: D1."), "the first two are those of the lower load"
    assert others == ["+ many: D2.", "+ many: D3.", "+ many: D4."]


def test_why_it_was_not_asked() -> None:
    assert "scenario rejected with load some, answer changed: the evaluator reaches A" in trace("p2@some")
    assert "rejected" not in trace("p2@original").replace("– rejected", "")
    assert "instruction rejected, holds the question already: it repeats the problem" in trace("p3@instruction")
    dropped = (Dropped(text="It is 4.", why="gives away"),)
    short = [*ITEMS, made(DistractorsWritten, "p1@distractors", distractors=DISTRACTORS[:1], dropped=dropped)]
    text = trace("p1@distractors", items=short)
    assert "– p1@distractors" in text
    assert "scenario rejected with load some, could not be put together: 2 distractors were asked for, and 2" in text
    assert "dropped, gives away: It is 4." in text


def test_of_a_repeated_id_the_last_counts() -> None:
    text = trace("p3@some", items=[*ITEMS, solved("p3@some", "scenario", "Newton", equal=True)])
    assert "parsed as: Newton (right)" in text
    assert "timeout" not in text
    assert "parsed as: Leibniz (wrong)" in trace(
        "p3@some", items=[*ITEMS, solved("p3@some", "scenario", "Leibniz", equal=False)]
    )


def test_texts_that_were_given() -> None:
    text = Transformed(problem="p1", scenarios={"none": "A\x1b[2J tale.", "some": "A longer tale."}, instruction="Ask.")
    problems = PROBLEMS.model_copy(update={"transformed": (text,)})
    spec = SPEC.model_copy(update={"given": True})
    items = [solved("p1@original", "original", "4 m/s", equal=True), solved("p1@some", "scenario", "4", equal=True)]

    def told(part: str) -> str:
        return shown(deepquestion_trace(spec, problems, items, part), 100)

    whole = told("p1")
    for said in ("load none: A␛[2J tale.", "load some: A longer tale.", "instruction given: Ask.", "texts given"):
        assert said in whole
    assert "A␛[2J tale." not in told("p1@some")
    assert "nothing was written or checked" in told("p1@scenario")
    assert "There is no step of it yet" in told("p4")
    assert "closed without such a step" in trace("p3@q2i")
    assert "no prompt for Q2S was drafted" in told("q2s")
    guided = SPEC.model_copy(update={"guides": {"q2s": "Write\x1b[2J so."}})
    assert "prompt: Write␛[2J so." in shown(deepquestion_trace(guided, PROBLEMS, [], "q2s"), 100)


def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / RUN
    folder.mkdir()
    (folder / "events.jsonl").write_text("".join(event.model_dump_json() + "\n" for event in events_of()[:-1]))
    show_path(folder, "p2@q2i@met", prompts=True, as_json=False)
    text = capsys.readouterr().out
    assert text.startswith("SIMULATED")
    for said in ("original ✗ wrong · Q2S none – rejected", "sent to the evaluator, user:", "reason: It asks nothing."):
        assert said in text
    show_path(folder, "q2s@score1", prompts=False, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert [(item["id"], item["score"]) for item in document["items"]] == [("d9d9d9d9/q2s@score1", 4)]
