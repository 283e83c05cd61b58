"""What is an answer and what its thoughts, in every form that models write them."""

import pytest

from fathom.tools.models.replies import spoken

NEON = "Neon is a noble gas."
HARMONY = "<|channel|>{}<|message|>{}"
FINAL = HARMONY.format("final", NEON)
ANALYSIS = HARMONY.format("analysis", "Red? No.")

WITH_THOUGHTS = {
    "seed": f"<seed:think>Red?</seed:think>{NEON}",
    "mistral": f"[THINK]Red? Is [it] red?[/THINK]{NEON}",
    "thought": f"<thought>\nRed?\n</thought>\n\n{NEON}",
    "reasoning": f"<reasoning>Red?</reasoning>\n{NEON}",
    "thinking": f"<THINKING>Red?</THINKING>{NEON}",
    "kimi": f"◁think▷Red?◁/think▷{NEON}",
    "cohere": f"<|START_THINKING|>Red?<|END_THINKING|><|START_RESPONSE|>{NEON}<|END_RESPONSE|>",
    "open thoughts": f"<|begin_of_thought|>Red?<|end_of_thought|>\n\n<|begin_of_solution|>{NEON}<|end_of_solution|>",
    "gemma": f"<|channel>thought\nRed?<channel|>{NEON}",
    "template": f"<|im_start|>assistant\n<think>\nRed?</think>\n{NEON}<|im_end|>",
    "byte order mark": f"\ufeff<think>Red?</think>{NEON}",
    "several": f"<think>Red?</think>\n<think>Green?</think>\n{NEON}",
    "nested": f"<think>Red? <think>No.</think> Green?</think>{NEON}",
    "another closing tag": f"<thinking>Red?</think>{NEON}",
    "speaks of its tag": f'<think>What does "</think>" mean?</think>{NEON}',
    "no opening tag": f"Red?\n</think>\n\n{NEON}",
    "no opening tag, in a line": f"It is red, or is it?</think>{NEON}",
    "no opening tag, blanks": f"It is red. Or not. </think> {NEON}",
    "nothing thought": f"<think>\n\n</think>\n\n{NEON}",
    "in a later line": f"<think>Red?</think>\n{NEON[:4]}<think>Green?</think>{NEON[4:]}",
    "harmony": f"{ANALYSIS}<|end|><|start|>assistant{FINAL}<|return|>",
    "harmony, several": f"{ANALYSIS}<|end|>{HARMONY.format('final', 'Xenon.')}<|end|>{ANALYSIS}{FINAL}",
    "harmony, thoughts last": f"<|start|>assistant{FINAL}<|end|><|start|>assistant{ANALYSIS}",
    "harmony, commentary": f"{HARMONY.format('commentary to=functions.x', '{}')}<|call|>{FINAL}",
    "harmony, constrained": f"{ANALYSIS}<|end|><|channel|>final <|constrain|>json<|message|>{NEON}",
    "harmony, head lost": f"Red? No.<|end|><|start|>assistant{FINAL}",
}
WITHOUT_END = {
    "opened": "<think>Red, or",
    "opened in a later line": "Let me see.\n<think>\nRed, or",
    "another form": "[THINK]Red?</thought",
    "harmony": f"{ANALYSIS}<|end|>",
    "harmony, commentary": f"{ANALYSIS}<|end|>{HARMONY.format('commentary', 'Let me see.')}",
    "harmony, cut in its head": "<|channel|>analysis",
}
SPEAKS_OF_MARKS = [
    "The tag <think> begins a thought.",
    "The block is closed by the tag </think>.",
    "A </think> tag ends the thoughts, and the answer follows.",
    "Thoughts stand between <think> and </think>. The answer follows.",
    'Its thoughts end with `</think>`, those of others with "[/THINK]" or (</thought>).',
    "gpt-oss writes `<|channel|>analysis<|message|>` first and then `<|channel|>final<|message|>`.",
    "analysis of variance is meant; the word assistantfinal means nothing.",
    '{"reason": "It ends with a dot.</think> So it goes.", "score": 4}',
]


@pytest.mark.parametrize("form", WITH_THOUGHTS)
def test_thoughts_are_no_answer(form: str) -> None:
    found = spoken(WITH_THOUGHTS[form])
    assert (found.answer, found.ends) == (NEON, True)
    assert found.thoughts is not None
    assert spoken(found.answer) == (NEON, None, True)


@pytest.mark.parametrize("form", WITHOUT_END)
def test_thoughts_without_an_end_leave_no_answer(form: str) -> None:
    found = spoken(WITHOUT_END[form])
    assert (found.answer, found.ends) == ("", False)


@pytest.mark.parametrize("text", SPEAKS_OF_MARKS)
def test_an_answer_may_speak_of_the_marks(text: str) -> None:
    assert spoken(text) == (text, None, True)
