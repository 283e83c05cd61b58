"""Why a scenario or an instruction is not used, and what solutions and written questions count as,
case by case."""

from typing import Any

import pytest

from fathom.graphs.deepquestion.checks import (
    PENDING,
    Accepted,
    Rejected,
    Unwritten,
    Verdict,
    created_mark,
    given_texts,
    instruction_verdict,
    scenario_verdict,
    solution_mark,
)
from fathom.state.problems import LOADS, Dropped, Load, Transformed
from fathom.state.records import Answer

from ...support.deepquestion.synthetic import (
    created,
    distractors,
    instruction,
    instruction_check,
    lost,
    met,
    problem,
    same,
    scenario,
    scenario_check,
    solution,
    solved,
    spec_of,
    unreachable,
)

QUESTION = "\n\n" + problem(0).question
BARE = f"Ada runs a shop. Jars come in crates of 7. She looks at a shelf.{QUESTION}"
LID = "The lid of jar {0} costs {0} cents."
SOME = (
    f"Ada runs a shop. {LID.format(1)} Jars come in crates of 7. {LID.format(2)} She looks at a "
    f"shelf.{QUESTION}"
)
# five distractors stand behind the sentences 1, 2, 3, 0 and 1
MANY = (
    f"{LID.format(4)} Ada runs a shop. {LID.format(1)} {LID.format(5)} Jars come in crates of 7. "
    f"{LID.format(2)}"
    f" She looks at a shelf. {LID.format(3)}{QUESTION}"
)
OK = solution(0, "check")
CHANGED = solution(0, "check", False)
NONE = unreachable(0, "check")
WORDS = solution(0, "check", None, read="helium")
UNREAD = solution(0, "check", None, read="")
FAULT = solved(0, "check", None)


Solved = tuple[Any, Any]
"""A solution, and the judge's word on it where there is one."""


def at(**steps: Any) -> dict[str, Any]:
    """Steps by their place; none where there is None."""
    return {place: step for place, step in steps.items() if step is not None}


def verdict(loads: tuple[Load, ...] = LOADS, **changes: Any) -> Verdict:
    """On a scenario that passes but for the changes. `solved`: the solutions of some loads, the
    others are right; None: there is none yet."""
    solutions: dict[Load, Solved] = dict.fromkeys(loads, (OK, None))
    mended = changes.get("solved", {})
    items = {
        "scenario": changes.get("written", scenario(0)),
        "scenario@check": changes.get("check", scenario_check(0)),
        "distractors": changes.get("drawn", distractors(0)),
    }
    for load, (solution_of, word) in ({} if mended is None else solutions | mended).items():
        items |= {f"{load}@solved": solution_of, f"{load}@solved@same": word}
    return scenario_verdict(at(**items), spec_of(distractors=loads))


def told(found: Verdict) -> object:
    """(check, load) of a rejection, else the verdict."""
    return (found.check, found.load) if isinstance(found, Rejected) else found


def test_a_scenario_that_passes_is_asked_with_the_distractors_of_each_load() -> None:
    assert verdict() == Accepted(scenarios={"none": BARE, "some": SOME, "many": MANY})
    assert verdict(("none",), drawn=None) == Accepted(scenarios={"none": BARE})
    assert verdict(("some",), drawn=distractors(0, 2)) == Accepted(scenarios={"some": SOME})


REJECTED: dict[str, tuple[dict[str, Any], tuple[str, Load | None], str]] = {
    # what is changed → check, load at which it failed, something of the reason
    "unreadable reply": (
        {"written": scenario(0, fault=lost("scenario", "parse"))},
        ("not written", None),
        "parse",
    ),
    "empty": (
        {"written": scenario(0, sentences=(), question=" ")},
        ("not written", None),
        "nothing",
    ),
    "unreadable distractors": (
        {"drawn": distractors(0, fault=lost("distractors", "empty"))},
        ("not written", "some"),  # without distractors there is a scenario
        "distractors: empty",
    ),
    "no sentence": (
        {"written": scenario(0, sentences=("", " "))},
        ("malformed", None),
        "no sentence",
    ),
    "no question": ({"written": scenario(0, question="")}, ("malformed", None), "no question"),
    "three distractors": (
        {"drawn": distractors(0, 3)},
        ("malformed", "many"),
        "5 distractors were asked for, 3 came",
    ),
    "one distractor": ({"drawn": distractors(0, 1)}, ("malformed", "some"), "1 came"),
    "changed by many": (
        {"solved": {"many": (CHANGED, None)}},
        ("answer changed", "many"),
        "reaches 99",
    ),
    "changed at all": (
        {"solved": dict.fromkeys(LOADS, (CHANGED, None))},
        ("answer changed", None),
        "reaches 99",
    ),
    "changed in words": (
        {"solved": {"some": (WORDS, same(WORDS, False))}},
        ("answer changed", "some"),
        "It means",
    ),
    # what no rule could read and the judge had to compare is an answer
    "changed, in words that no rule reads": (
        {"solved": {"some": (UNREAD, same(UNREAD, False))}},
        ("answer changed", "some"),
        "another answer (It means",
    ),
    "unsolvable": (
        {"solved": {"some": (NONE, None), "many": (NONE, None)}},
        ("not solvable", "some"),
        "no answer",
    ),
    # the order of the checks comes before that of the loads
    "both": (
        {"solved": {"none": (NONE, None), "many": (CHANGED, None)}},
        ("answer changed", "many"),
        "reaches 99",
    ),
    "missing": (
        {"check": scenario_check(0, missing=("the 7", "the price"), bare=True)},
        ("quantity lost", None),
        "missing: the 7, the price (Everything is there.)",
    ),
    "bare": (
        {"check": scenario_check(0, bare=True, reason="the problem itself")},
        ("bare problem", None),
        "itself",
    ),
    "told": (
        {"check": scenario_check(0, gives_away=True, reason="It says 7.")},
        ("gives away", None),
        "It says 7.",
    ),
    "bare and told": (
        {"check": scenario_check(0, bare=True, gives_away=True)},
        ("bare problem", None),
        "",
    ),
    "dropped": (
        {"drawn": distractors(0, 4, dropped=(Dropped(text="It is 7.", why="gives away"),))},
        ("malformed", "many"),
        "5 came, 4 of them are of use",
    ),
    "changed and bare": (
        {"check": scenario_check(0, bare=True), "solved": {"none": (CHANGED, None)}},
        ("answer changed", "none"),
        "99",
    ),
    # nothing that is still to come, and nothing that was lost, could undo a rejection
    "missing, and nobody solved it": (
        {"check": scenario_check(0, missing=("7",)), "drawn": None, "solved": None},
        ("quantity lost", None),
        "7",
    ),
    "changed beside faults": (
        {
            "check": scenario_check(0, fault=lost("check")),
            "solved": {"none": (FAULT, None), "some": (CHANGED, None)},
        },
        ("answer changed", "some"),
        "99",
    ),
}


@pytest.mark.parametrize(("changes", "expected", "reason"), REJECTED.values(), ids=REJECTED)
def test_why_a_scenario_is_rejected(
    changes: dict[str, Any], expected: tuple[str, Load | None], reason: str
) -> None:
    found = verdict(**changes)
    assert told(found) == expected
    assert isinstance(found, Rejected)
    assert reason in found.reason
    assert bool(found.text) == (
        changes.get("written", scenario(0)).question.strip() != "" or expected[0] == "malformed"
    )


def test_the_rejected_text_is_the_one_that_failed() -> None:
    found = verdict(solved={"some": (CHANGED, None), "many": (CHANGED, None)})
    assert isinstance(found, Rejected)
    assert found.text == SOME
    lacking = verdict(check=scenario_check(0, missing=("7",)))
    assert isinstance(lacking, Rejected)
    assert lacking.text == BARE


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"written": scenario(0, fault=lost("scenario"))},
            Unwritten("scenario: no scenario within 60 s"),
        ),
        (
            {"drawn": distractors(0, fault=lost("distractors"))},
            Unwritten("distractors: no distractors within 60 s"),
        ),
        # the evaluator's replies that cannot be read say nothing of the scenario
        ({"check": scenario_check(0, fault=lost("check", "parse"))}, Unwritten("check: parse")),
        ({"solved": {"many": (FAULT, None)}}, Unwritten("solution: no solution within 60 s")),
        (
            {"solved": {"some": (WORDS, same(WORDS, None))}},
            Unwritten("judge: no judge within 60 s"),
        ),
        ({"solved": {"some": (WORDS, None)}}, PENDING),
        ({"check": None}, PENDING),
        ({"drawn": None}, PENDING),
        ({"check": None, "drawn": None, "solved": None}, PENDING),
        (
            {"check": None, "solved": {"none": (FAULT, None)}},
            Unwritten("solution: no solution within 60 s"),
        ),
    ],
)
def test_what_is_neither_accepted_nor_rejected(
    changes: dict[str, Any], expected: Verdict
) -> None:
    assert verdict(**changes) == expected


def test_what_becomes_of_an_instruction() -> None:
    text = instruction(0).text
    cases: list[tuple[Any, Any, Verdict]] = [
        (instruction(0), instruction_check(0), Accepted(instruction=text)),
        (instruction(0), None, PENDING),
        (
            instruction(0, fault=lost("instruction")),
            None,
            Unwritten("instruction: no instruction within 60 s"),
        ),
        (
            instruction(0, fault=lost("instruction", "cut_off")),
            None,
            Rejected("not written", "instruction: cut_off"),
        ),
        (instruction(0, text=" "), None, Rejected("not written", "nothing was written")),
        (
            instruction(0),
            instruction_check(0, fault=lost("check", "parse")),
            Unwritten("check: parse"),
        ),
        (
            instruction(0),
            instruction_check(0, gives_away=True, complete=False, reason="it is all there"),
            Rejected("gives away", "it is all there", text=text),
        ),
        (
            instruction(0),
            instruction_check(0, complete=False, reason="no 7"),
            Rejected("incomplete", "no 7", text=text),
        ),
    ]
    for written, check, expected in cases:
        items = at(**{"instruction": written, "instruction@check": check})
        assert instruction_verdict(items) == expected


def test_given_texts_are_asked_at_every_load_or_at_none() -> None:
    spec = spec_of(distractors=("none", "some"))
    whole = Transformed(
        problem="p1", scenarios={"none": "A?", "some": "B?", "many": "C?"}, instruction="Ask."
    )
    assert given_texts(spec, whole) == Accepted(
        scenarios={"none": "A?", "some": "B?"}, instruction="Ask."
    )
    partly = whole.model_copy(update={"scenarios": {"none": "A?"}})
    assert given_texts(spec, partly) == Accepted(instruction="Ask.")
    assert given_texts(spec_of(kinds=("q2s",)), whole) == Accepted(scenarios={"some": "B?"})
    assert given_texts(spec, None) == Accepted()


REFUSED = Answer(text="I will not.", finish="stop", refusal=True)


def test_what_a_solution_counts_as() -> None:
    words = solution(0, right=None)
    cases = [
        ((solution(0), None), ("right", "")),
        ((solution(0, right=False), None), ("wrong", "")),
        (
            (solution(0, right=False, read="", answer=None), None),
            ("wrong", "the model said nothing"),
        ),
        (
            (solution(0, right=False, read="", answer=REFUSED), None),
            ("wrong", "the model refused"),
        ),
        ((words, same(words, True)), ("right", "It means the same or not.")),
        ((words, same(words, False)), ("wrong", "It means the same or not.")),
        ((words, same(words, None)), ("unscored", "judge: no judge within 60 s")),
        ((words, None), ("unscored", "judge: there is no verdict")),
        # asked for anew and lost: the judge's word on the answer before is stale
        (
            (solved(0, "original", None), same(words, True)),
            ("unscored", "answer: no answer within 60 s"),
        ),
    ]
    for (given, word), expected in cases:
        items = at(**{"original": given, "original@same": word})
        assert solution_mark(items, "original") == expected


def attempt(written: Any, solution_of: Any, word: Any, follows: Any) -> dict[str, Any]:
    """The steps of an attempt at Q2I."""
    answered = {"q2i@solved": solution_of, "q2i@solved@same": word}
    return at(**{"q2i": written, "q2i@met": follows}, **answered)


def test_a_written_question_is_valid_when_answerable_right_and_as_instructed() -> None:
    right, wrong = solved(0, "created", True), solved(0, "created", False)
    none, fault, words = (
        unreachable(0, "created"),
        solved(0, "created", None),
        solution(0, "created", None),
    )
    cases: list[tuple[tuple[Any, ...], tuple[str, str | None]]] = [
        ((created(0), right, None, met(0)), ("right", None)),
        ((created(0), words, same(words, True), met(0)), ("right", None)),
        # the first that fails, in the order in which it is asked
        ((created(0, text=""), None, None, None), ("wrong", "nothing written")),
        ((created(0, text="", answer=REFUSED), None, None, None), ("wrong", "nothing written")),
        ((created(0), none, None, met(0, False)), ("wrong", "not answerable")),
        ((created(0), wrong, None, met(0, False)), ("wrong", "another answer")),
        ((created(0), words, same(words, False), met(0)), ("wrong", "another answer")),
        ((created(0), right, None, met(0, False)), ("wrong", "instruction not met")),
        # with a wrong answer nobody need look at the instruction
        ((created(0), wrong, None, None), ("wrong", "another answer")),
        # a fault at any step leaves it open, even where it could be valid no more
        ((created(0, fault=lost("creation")), right, None, met(0)), ("unscored", None)),
        ((created(0), fault, None, met(0)), ("unscored", None)),
        ((created(0), fault, None, met(0, False)), ("unscored", None)),
        ((created(0), words, same(words, None), met(0)), ("unscored", None)),
        ((created(0), right, None, met(0, None)), ("unscored", None)),
        ((created(0), wrong, None, met(0, None)), ("unscored", None)),
        ((created(0), None, None, met(0)), ("unscored", None)),
        ((created(0), right, None, None), ("unscored", None)),
    ]
    for given, expected in cases:
        found = created_mark(attempt(*given))
        assert (found.mark, found.invalid) == expected
    assert (
        created_mark(attempt(created(0), wrong, None, None)).reason
        == "the evaluator reaches 99"
    )
    assert (
        created_mark(attempt(created(0, text="", answer=REFUSED), None, None, None)).reason
        == "the model refused"
    )
