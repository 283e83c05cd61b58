"""What a skill is not to be asked, and replies that cannot be read."""

from typing import Any

import pytest

from fathom.state.errors import ReplyUnreadable, UsageError
from fathom.tools.models.chat import ChatReply

from ...support.skills import CHOICE, PROBLEM, SKILLS, graph_of, model_of, scripted

SLIPS: list[tuple[str, dict[str, Any], str]] = [
    ("choice_questioner", {"kind": "poem"}, "no kind of question 'poem'"),
    ("choice_questioner", {"count": 27}, "27 options"),
    ("choice_questioner", {"count": 1}, "1 options"),
    *((skill, {"options": ["an option"] * count}, f"{count} options")
      for skill in ("chooser", "paraphraser", "open_book_chooser", "letter_judge") for count in (0, 1, 27)),
    *(("letter_judge", {"right": right}, f"given as {said}: give at least one letter from A to C")
      for right, said in (([], "no letter"), (["D"], "D"), (["A", "AC"], "A, AC"))),
    ("prompted_answerer", {"predecessors": []}, "no predecessor to quote"),
    ("prompted_answerer", {"predecessors": [{"question": "Why?"}]}, "'Why\\?' has neither answer nor"),
    ("deconstructor", {"depth": 1}, "depth 1 cannot be broken down"),
    ("deconstructor", {"depth": 4}, "depth 4 cannot be broken down"),
    ("deconstructor", {"count": 0}, "into 0: ask for 1 to 8"),
    ("deconstructor", {"count": 9}, "into 9: ask for 1 to 8"),
    ("deconstructor", {"reference": " "}, "The reference is empty"),
    ("relation_rater", {"predecessors": []}, "no predecessor"),
    ("prompt_drafter", {"kind": "q2x"}, "no transformation 'q2x'; they are q2s and q2i"),
    ("prompt_drafter", {"problems": []}, "are 0 problems to look at: give 1 to 20"),
    ("prompt_drafter", {"problems": [PROBLEM] * 21}, "are 21 problems to look at: give 1 to 20"),
    ("prompt_drafter", {"problems": [{"question": "Why?"}]}, "Problem 1 has no answer: fill it in"),
    ("scenario_writer", {"problem": CHOICE | {"answer": "C"}}, "answer 'C' and 2 options"),
    ("distractor_writer", {"count": 0}, "The count cannot be 0: give 1 to 10"),
    ("distractor_writer", {"count": 11}, "The count cannot be 11: give 1 to 10"),
    ("distractor_writer", {"scenario": {"sentences": [], "question": ""}}, "The scenario is empty"),
    ("scenario_checker", {"scenario": {"sentences": [], "question": ""}}, "The scenario is empty"),
    ("final_judge", {"problem": CHOICE, "options": ["The Aegean", "The Baltic"]}, "not those of the problem"),
    ("prompt_optimiser", {"threshold": 11}, "The threshold cannot be 11: give 1 to 10"),
    ("prompt_optimiser", {"rounds": 0}, "The rounds cannot be 0: give 1 to 50"),
    ("prompt_optimiser", {"rounds": 51}, "The rounds cannot be 51: give 1 to 50"),
    ("prompt_optimiser", {"sample": 21}, "The sample cannot be 21: give 1 to 20"),
    ("prompt_optimiser", {"problems": []}, "no problem to draw a sample from"),
    *((skill, {"question": "\n"}, "The question is empty: write it")
      for skill in ("deep_answerer", "prompted_answerer", "conversation_answerer", "rater", "classifier",
                    "deconstructor", "opener", "referencer", "relation_rater", "solver", "question_comparer")),
    *((skill, {"guide": " "}, "The guide is empty") for skill in
      ("prompt_scorer", "scenario_writer", "instruction_writer")),
    *((skill, {"reference": " "}, "The reference is empty") for skill in
      ("judge", "rater", "opener", "relation_rater")),
    *((skill, {"question": " "}, "The question is empty") for skill in ("prober", "judge", "chooser", "paraphraser")),
    *((skill, {"answer": " "}, "The answer is empty") for skill in ("judge", "explainer")),
    ("concept_explainer", {"concept": ""}, "The concept is empty"),
    ("explainer", {"count": 0}, "The count cannot be 0: give 1 or more"),
    ("factfinder", {"limit": 0}, "The limit cannot be 0: give 1 or more"),
    ("factfinder", {"as_of": "tomorrow"}, "The day 'tomorrow' is none: write it as"),
    ("factfinder", {"concept": " "}, "The concept is empty"),
    *((skill, {"instruction": " "}, "The instruction is empty") for skill in
      ("instruction_checker", "question_creator", "instruction_met_checker")),
]  # fmt: skip


@pytest.mark.parametrize(("skill", "changes", "fault"), SLIPS)
async def test_what_cannot_be_used_is_refused_before_anybody_is_asked(
    skill: str, changes: dict[str, Any], fault: str
) -> None:
    model = model_of(skill) if skill == "factfinder" else scripted()
    with pytest.raises(UsageError, match=fault):
        await graph_of(skill, model).ainvoke(SKILLS[skill].takes | changes)
    assert model.asked == []


@pytest.mark.parametrize(
    ("skill", "reply", "fault"),
    [
        ("concept_explainer", ChatReply("", refusal="I would rather not."), "refused to explain"),
        ("rater", {"score": 4.5}, "field"),
        ("prompt_scorer", {"score": "8"}, "field"),  # a score that cannot be read is no score
        (
            "relation_rater",
            {"comprehensive": "partial", "missing": "", "implicit": []},
            "no rating of number 1",
        ),
    ],
)
async def test_a_reply_that_cannot_be_read_is_an_error_of_its_own(
    skill: str, reply: Any, fault: str
) -> None:
    with pytest.raises(ReplyUnreadable, match=fault):
        await graph_of(skill, scripted(reply)).ainvoke(SKILLS[skill].takes)
