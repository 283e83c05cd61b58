"""What becomes of replies and inputs, skill by skill: what is asked again, and what is not asked at
all."""

import json
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from fathom.agents.judge.rating import RelationReply
from fathom.state.text import digest
from fathom.tools.models.chat import ChatReply, strict_schema

from ...support.drill.toy import ToySource
from ...support.eqt.exam_chat import draft
from ...support.eqt.toy import block
from ...support.skills import BELOW, CHOICE, CRITERIA, OPTIONS, PROBLEM, SKILLS, graph_of, scripted


class Case(NamedTuple):
    """An input by what it changes of the skill's own, what the model says in turn, what of the
    output is looked at, how often the model is asked (None: it does not matter), and what the later
    prompts hold, by place."""

    skill: str
    changes: dict[str, Any]
    replies: tuple[Any, ...]
    gives: dict[str, Any]
    asked: int | None = 1
    shown: dict[int, str] = {}  # noqa: RUF012  # never changed


def rejected(*texts_and_reasons: str) -> list[dict[str, str]]:
    pairs = zip(texts_and_reasons[::2], texts_and_reasons[1::2], strict=True)
    return [{"text": text, "reason": reason} for text, reason in pairs]


def compact(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"))


def rated(*numbers: int) -> dict[str, Any]:
    rows = [
        {"number": number, "rating": "revealing" if number == 2 else "implicit"}
        for number in numbers
    ]
    return {"comprehensive": "partial", "missing": "heat", "implicit": rows}


def paraphrases(*texts: str) -> tuple[dict[str, str], ...]:
    return tuple({"paraphrase": text} for text in texts)


def opened(*texts: str) -> tuple[dict[str, str], ...]:
    return tuple({"rewritten": text} for text in texts)


def final(answer: Any, correct: bool | None, read: str, **changes: Any) -> Case:
    """Answers in letters and numbers are compared by rule."""
    return Case(
        "final_judge", {"answer": answer, **changes}, (), {"correct": correct, "read": read}, 0
    )


def lettered(
    answer: str, right: list[str], correct: bool, letters: list[str], reading: str, **changes: Any
) -> Case:
    gives = {"correct": correct, "letters": letters, "reading": reading}
    return Case("letter_judge", {"answer": answer, "right": right, **changes}, (), gives, 0)


QUESTION, NAMED, OTHER = (
    "Which hold for it?",
    "Name what is true of it.",
    "Two sentences follow. What is there?",
)
MALFORMED = "it has 4 options and 3 were asked for"
TAKEN = "its wording is taken"
MAYBE = rejected("Is it really so?", "yes or no still answers it")
LONG = {
    **PROBLEM,
    "question": "Ten small boats with two sails each leave the old harbour. What is 2 and 20?",
}
COPIED = "Ask about ten small boats with two sails each leave the old harbour"
UNASKED: dict[str, Any] = {"problem": LONG}
NEAR = {"sentences": ["What is the sum"], "question": "of 2 and 20?"}
TWENTY = {**PROBLEM, "answer": "20"}
VERDICT = {
    "reason": "R.",
    "abstained": False,
    "asserts_reference": False,
    "asserts_incompatible": True,
}
LIKES = dict.fromkeys(CRITERIA, "first") | {"realism": "tie"}
WRITES = {"instruction": "Write a question."}
CASES = [
    Case("judge", {}, ({**VERDICT, "confidence": 1.0},), {"verdict": "wrong", "confidence": 1.0}),
    Case("judge", {}, ({**VERDICT, "asserts_reference": True, "asserts_incompatible": False, "confidence": 0.5},),
         {"verdict": "correct", "confidence": 0.5}),
    Case("prober", {}, (ChatReply("", refusal="No."),), {"refusal": True}),
    Case("explainer", {"drilled": ["Rod"], "count": 3, "answer": "I had the Rod."}, SKILLS["explainer"].replies,
         {"concepts": [], "aspects": ["Wheel"]}, None, {0: "<count>\n3\n"}),
    Case("choice_questioner", {"count": 5, "kind": "history"}, (draft(5),),
         {"options": [f"Statement {i} on it" for i in range(5)], "right": ["A", "D"], "dropped": None}, 1,
         {0: "<kind>\nhistory"}),
    Case("choice_questioner", {"count": 10}, (draft(10),), {"right": ["A", "D", "G", "J"]}, 1,
         {0: "<kind>\ndefinition"}),
    Case("choice_questioner", {"count": 3}, (draft(4), draft(3)),
         {"right": ["A"], "rejected": rejected(compact(draft(4)), MALFORMED), "dropped": None}, 2, {1: MALFORMED}),
    Case("choice_questioner", {"count": 3}, (draft(4),),
         {"question": None, "options": [], "right": [], "dropped": MALFORMED,
          "rejected": rejected(*[compact(draft(4)), MALFORMED] * 2)}, 2),
    Case("concept_explainer", {"field": "Physics", "language": "de"}, ("It counts.",), {"explanation": "It counts."}, 1,
         {0: "<field>\nPhysics\n</field>\n\nLanguage, as a code:\n<language>\nde\n"}),
    Case("paraphraser", {"question": QUESTION}, paraphrases(QUESTION, NAMED, NAMED, OTHER, OTHER),
         {"paraphrases": [NAMED, OTHER],
          "rejected": rejected(QUESTION, "it is worded like the question", NAMED, TAKEN, OTHER, TAKEN, OTHER, TAKEN)},
         6, {1: "it is worded like the question", 2: NAMED}),
    Case("paraphraser", {"question": QUESTION, "k": 1, "language": "de"}, paraphrases(NAMED), {"paraphrases": [NAMED]},
         1, {0: "<language>\nde\n"}),
    Case("chooser", {}, ("I do not know a word of it.",), {"letters": [], "reading": "unreadable", "refusal": False}),
    Case("chooser", {}, (ChatReply("", refusal="Answer: A"),), {"letters": [], "reading": "refused", "refusal": True}),
    lettered("Answer: A, C", ["a", "c "], True, ["A", "C"], "letters"),
    lettered("Answer: A", ["A", "C"], False, ["A"], "letters"),
    lettered("Answer: A, B, C", ["A", "C"], False, ["A", "B", "C"], "letters"),
    lettered("A thing I cannot tell.", ["A"], False, [], "unreadable"),
    lettered("Answer: I, A", ["A"], False, ["A", "I"], "letters", options=[f"Statement {i}" for i in range(9)]),
    lettered("Answer: A", ["A"], False, [], "refused", refusal=True),
    lettered("Answer: Z", ["z"], True, ["Z"], "letters", options=[f"Statement {i}" for i in range(26)]),
    lettered("Answer: A", ["A"], True, ["A"], "letters", options=OPTIONS[:2]),
    Case("rater", {"answer": " "}, (), {"score": 1, "reason": "the model said nothing"}, 0),
    Case("rater", {"refusal": True}, (), {"score": 1, "reason": "the model refused to answer"}, 0),
    Case("classifier", {"reference": "It is 4."}, SKILLS["classifier"].replies, {"depth": 3}, 1, {0: "It is 4."}),
    Case("referencer", {"key_points": "heat", "language": "de"}, SKILLS["referencer"].replies, {"reference": "It is."},
         1, {0: "heat"}),
    Case("deconstructor", {"depth": 2, "count": 1, "domain": "Heat", "language": "de"}, SKILLS["deconstructor"].replies,
         {"predecessors": BELOW}, 1, {0: "<depth>\n1\n"}),
    Case("deconstructor", {"depth": 3, "count": 8, "domain": "Heat"}, SKILLS["deconstructor"].replies,
         {"predecessors": BELOW}, 1, {0: "<domain>\nHeat\n"}),
    Case("opener", {"question": "Why is it so?"}, (),
         {"open_question": "Why is it so?", "reference": "No. It is not.", "rejected": []}, 0),
    Case("opener", {}, opened("Is it really so?", "Why is it so?"), {"open_question": "Why is it so?",
         "reference": "It is not.", "rejected": MAYBE}, 2),
    Case("opener", {}, opened("Is it really so?"), {"open_question": None, "reference": "No. It is not.",
         "rejected": MAYBE * 2}, 2),
    Case("opener", {"language": "simple"}, opened("Is it really so?"), {"open_question": None}, 2),
    Case("opener", {"language": "de", "question": "Ist es so?"}, opened("Ist es wirklich so?"),
         {"open_question": "Ist es wirklich so?", "reference": "No. It is not.", "rejected": []}),
    Case("relation_rater", {"predecessors": BELOW * 3}, (rated(2), rated(3, 2, 1, 4)),
         {"comprehensive": "partial", "missing": "heat", "implicit": ["implicit", "revealing", "implicit"]}, 2,
         {1: "there is no rating of number 1, 3"}),
    Case("prompt_drafter", {"guide": "Tell a story.", "score": 5, "feedback": "Too dry."},
         ({"instructions": "Tell a better story, with people in it."},),
         {"guide": "Tell a better story, with people in it."}, 1, {0: "Too dry."}),
    Case("scenario_checker", {"scenario": NEAR}, (), {"missing": [], "bare": True, "gives_away": False}, 0),
    Case("instruction_checker", UNASKED | {"instruction": "Write a question in which two numbers are added."}, (),
         {"gives_away": False, "complete": False}, 0),
    Case("instruction_checker", UNASKED | {"instruction": f"{COPIED}; its answer is 22."}, (),
         {"gives_away": True, "complete": True}, 0),
    Case("instruction_checker", UNASKED | {"instruction": COPIED}, (), {"gives_away": True, "complete": False}, 0),
    Case("distractor_writer", {"count": 10, "language": "de"}, SKILLS["distractor_writer"].replies, {}, 1,
         {0: "Write exactly 10 distractors"}),
    Case("solver", {"options": OPTIONS}, ("Answer: B",), {"answer": "Answer: B"}, 1, {0: "B. It falls by itself"}),
    Case("solver", {}, (ChatReply("", refusal="No."),), {"answer": "No.", "refusal": True}),
    Case("independent_solver", {"question": ""}, (), {"answer": "", "solvable": False, "working": ""}, 0),
    Case("question_creator", {}, (ChatReply("", refusal="I will not."),), {"question": "", "refusal": True}),
    Case("instruction_met_checker", {"question": ""}, (), {"met": False, "reason": "nothing was written"}, 0),
    Case("question_comparer", {}, ({"reason": "R.", **LIKES}, {"reason": "S.", **LIKES, "clarity": "second"}),
         {"preferences": {"clarity": "original", "reasoning_demand": "tie", "realism": "tie", "no_giveaway": "tie"},
          "reasons": ["R.", "S."]}, 2),
    Case("question_comparer", WRITES, ({"reason": "R.", **dict.fromkeys(CRITERIA, "second")},
         {"reason": "R.", **dict.fromkeys(CRITERIA, "first")}), {"preferences": dict.fromkeys(CRITERIA, "created")}, 2),
    final("I add.\nAnswer: 22", True, "22"),
    final("Answer: 2", False, "2"),
    final(" ", False, ""),
    final("Answer: 22", False, "", refusal=True),
    final("I cannot tell.", None, ""),  # no number that could be wrong
    final("Answer: 5!", None, "", problem={**PROBLEM, "answer": "5"}),
    final(" ", False, "", problem=CHOICE),  # silence is no answer, in words neither
    final('{"answer": ""}', None, "", problem=CHOICE),  # what no rule can read
    final("Answer: B", True, "B", problem=CHOICE, options=CHOICE["options"]),
    final("Answer: the Aegean", True, "the Aegean", problem=CHOICE),  # shown without its options
    final("Answer: Greece's", None, "Greece's", problem=CHOICE),  # words: somebody else has to say
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.skill)
async def test_what_is_said_becomes_what_is_given(case: Case) -> None:
    model = scripted(*case.replies)
    done = await graph_of(case.skill, model).ainvoke(SKILLS[case.skill].takes | case.changes)
    assert {name: done[name] for name in case.gives} == case.gives
    assert case.asked in (None, len(model.asked))
    for place, text in case.shown.items():
        assert text in "\n".join(message.content for message in model.asked[place].messages)


async def test_a_tolerance_is_settled_when_the_judge_is_bound() -> None:
    given = {"problem": TWENTY, "answer": "Answer: 21"}
    judged = [
        await graph_of("final_judge", tolerance=share).ainvoke(given)
        for share in (0.06, 0.04, None)
    ]
    assert [each["correct"] for each in judged] == [True, False, False]  # 21 is within 20 · 1.06


async def test_a_question_that_cannot_be_asked_is_given_with_the_reason() -> None:
    reply = {
        "question": "What does item c7.C0 bear?",
        "reference": "Nothing at all.",
        "quote": "It bears nothing.",
    }
    asked = await graph_of("questioner", scripted(reply)).ainvoke(SKILLS["questioner"].takes)
    assert {name for name, value in asked.items() if value is not None} == {"rejected"}
    assert "quote" in asked["rejected"]


async def test_passages_are_looked_for_as_of_today_in_english_and_six_at_most_unless_told_otherwise() -> (
    None
):
    source, today = ToySource(per_page=9), date(2020, 2, 2)
    finder, given = graph_of("factfinder", source, today=lambda: today), SKILLS["factfinder"].takes
    passages = await finder.ainvoke(given)
    own = {"as_of": "2019-01-31", "language": "de", "limit": 2, "line": ["c1"]}
    await finder.ainvoke(given | own)
    before = datetime.now(UTC).date()
    await graph_of("factfinder", source).ainvoke(given)
    assert len(passages["evidence"]) == 9
    queries = [(query.as_of, query.language, query.limit, query.line) for query in source.asked]
    assert queries[:2] == [(today, "en", 6, ()), (date(2019, 1, 31), "de", 2, ("c1",))]
    assert before <= queries[2][0] <= datetime.now(UTC).date()
    assert passages["evidence"][0]["digest"] == digest(passages["evidence"][0]["text"])


async def test_all_shapes_of_a_relation_look_alike_to_the_endpoint_and_to_whoever_keeps_replies() -> (
    None
):
    model = scripted(*SKILLS["relation_rater"].replies)
    await graph_of("relation_rater", model).ainvoke(SKILLS["relation_rater"].takes)
    schema = model.asked[0].schema
    assert schema is not None
    assert strict_schema(schema) == strict_schema(RelationReply)


async def test_own_answers_are_quoted_before_references_even_when_they_say_nothing() -> None:
    model, quoted = (
        scripted("So."),
        [{**BELOW[0], "answer": "My own."}, {**BELOW[0], "answer": ""}, *BELOW],
    )
    await graph_of("prompted_answerer", model).ainvoke(
        {"question": "What about q1?", "predecessors": quoted}
    )
    lines = [
        line for line in block(model.asked[0], "context").splitlines() if line.startswith("Answer:")
    ]
    assert (lines[0], lines[2]) == ("Answer: My own.", "Answer: The truth about q1.1.")
    assert "truth" not in lines[1]


@pytest.mark.parametrize(
    ("scores", "options", "converged", "best"),
    [
        ([5, 8], {}, True, 2),
        ([5, 5], {"threshold": 5}, True, 1),
        ([4, 6, 6], {"rounds": 3}, False, 2),  # the earliest of the best
        ([3], {"rounds": 1}, False, 1),  # a single pass
        ([1, 2, 3, 4, 7], {}, False, 5),
    ],
)
async def test_the_cycle_stops_and_says_which_draft_is_best(
    scores: list[int], options: dict[str, int], converged: bool, best: int
) -> None:
    drafter = scripted(*({"instructions": f"Draft number {n} of the prompt."} for n in range(1, 9)))
    scorer = scripted(*({"feedback": "Say more.", "score": score} for score in scores))
    done = await graph_of("prompt_optimiser", drafter, scorer).ainvoke(
        SKILLS["prompt_optimiser"].takes | options
    )
    rounds = best if converged else len(scores)
    assert [(draft["round"], draft["score"]) for draft in done["drafts"]] == list(
        enumerate(scores[:rounds], 1)
    )
    assert (done["converged"], done["score"]) == (converged, scores[best - 1])
    assert (
        done["guide"] == done["drafts"][best - 1]["guide"] == f"Draft number {best} of the prompt."
    )
    assert {request.purpose for request in scorer.asked} == {"prompt_score"}
    for last, request in pairwise(drafter.asked):
        assert (last.purpose == "prompt_draft") == (last is drafter.asked[0])
        assert "Say more." in request.messages[-1].content
