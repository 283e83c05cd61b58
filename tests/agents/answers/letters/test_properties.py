"""The letter check: whatever is written by the grammar of answers is read, prose is not, and no text takes long."""

import re
import string
import time
from dataclasses import dataclass

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fathom.agents.answers.letters.read import Selection, read_selection

OPTIONS = (
    "gold",
    "silver, refined",
    "copper (Cu)",
    "tin.",
    "The lead",
    "zinc",
    "iron and steel",
    "Mercury",
    "nickel",
    "Pt",
)
CHOSEN = st.lists(st.integers(0, len(OPTIONS) - 1), min_size=1, unique=True)

LABELS = (
    "Answer:",
    "answer: ",
    "Answers: ",
    "Final answer: ",
    "The correct answers are ",
    "So the correct options are: ",
    "**Answer:** ",
    "Answer:\n",
    "### Answer\n",
    "Antwort: ",
    "Réponse : ",
    "答案：",
    "My answer is: ",
)
SEPARATORS = (", ", ",", "; ", " and ", " & ", "/", ", and ", "，", "、", " | ", " ")
AROUND_EACH = ("{}", "({})", "[{}]", "**{}**", "`{}`", '"{}"', "{})", "option {}")
AROUND_ALL = ("{}", "({})", "[{}]", "**{}**", "{}.", r"\boxed{{{}}}", "${}$", "`{}`", "<{}>")
BEHIND = ("", "\n", "\n\nExplanation: option B is a healthy choice. I am sure.", "\n```")


@dataclass(frozen=True)
class Form:
    """One way to write a selection down."""

    label: str
    separator: str
    each: str
    all: str
    behind: str
    small: bool

    def write(self, places: list[int]) -> str:
        signs = string.ascii_lowercase if self.small else string.ascii_uppercase
        items = self.separator.join(self.each.format(signs[place]) for place in places)
        return f"{self.label}{self.all.format(items)}{self.behind}"


forms = st.builds(
    Form,
    st.sampled_from(LABELS),
    st.sampled_from(SEPARATORS),
    st.sampled_from(AROUND_EACH),
    st.sampled_from(AROUND_ALL),
    st.sampled_from(BEHIND),
    st.booleans(),
)
jsons = st.sampled_from(
    (
        lambda signs: orjson.dumps(signs).decode(),
        lambda signs: orjson.dumps({"answer": signs}, option=orjson.OPT_INDENT_2).decode(),
        lambda signs: orjson.dumps({"why": "the answer is A", "correct_options": ", ".join(signs)}).decode(),
        lambda signs: f"```json\n{orjson.dumps({'answers': signs}).decode()}\n```",
        lambda signs: f"Answer: {orjson.dumps(signs).decode()}",
    )
)
WORDS = (
    "A I a i an cell is are the gold standard tin can not correct right true options B or and because only none all"
    " therefore, it: (as) mercury rises; so we think . that C"
)
prose = st.lists(st.sampled_from(WORDS.split()), min_size=4, max_size=30).map(" ".join)


def chosen(places: list[int]) -> Selection:
    return Selection("letters", frozenset(places))


@given(CHOSEN, forms)
def test_a_written_selection_is_read(places: list[int], form: Form) -> None:
    # "the answer is a", at the end of a line, is the beginning of a sentence
    assume(not (form.small and len(places) == 1 and form.label.endswith("are ") and form.each == "{}"))
    assert read_selection(form.write(places), OPTIONS) == chosen(places)


@given(CHOSEN, st.sampled_from(SEPARATORS[:-1]), st.sampled_from(AROUND_EACH[:-1]), st.booleans())
def test_a_label_is_not_needed(places: list[int], separator: str, each: str, small: bool) -> None:
    form = Form("", separator, each, "{}", "", small)
    assert read_selection(form.write(places), OPTIONS) == chosen(places)


@given(CHOSEN)
def test_capitals_in_a_row_need_a_label(places: list[int]) -> None:
    run = "".join(string.ascii_uppercase[place] for place in places)
    assert read_selection(f"Answer: {run}", OPTIONS) == chosen(places)
    assert (read_selection(run, OPTIONS).reading == "letters") == (len(places) == 1)


@given(CHOSEN, jsons)
def test_json_is_read(places: list[int], write: object) -> None:
    assert callable(write)
    assert read_selection(write([string.ascii_uppercase[place] for place in places]), OPTIONS) == chosen(places)


@given(
    CHOSEN,
    st.sampled_from(("{letter}. {text}", "({letter}) {text}", "- **{letter}:** {text}", "{text}")),
    st.booleans(),
)
def test_options_with_their_texts_are_read(places: list[int], each: str, labelled: bool) -> None:
    assume(labelled or len(places) < len(OPTIONS))  # all of them, without a label, are the question again
    listed = [each.format(letter=string.ascii_uppercase[place], text=OPTIONS[place]) for place in places]
    heading = "Answer:\n" * labelled
    assert read_selection(heading + "\n".join(listed), OPTIONS) == chosen(places)
    assert read_selection(heading + "; ".join(line.removeprefix("- ") for line in listed), OPTIONS) == chosen(places)


@given(st.permutations(range(len(OPTIONS))), st.integers(1, len(OPTIONS)), forms)
def test_order_never_matters(places: list[int], number: int, form: Form) -> None:
    mixed = places[:number]
    assert read_selection(form.write(mixed), OPTIONS) == read_selection(form.write(sorted(mixed)), OPTIONS)


REASONING = st.lists(
    st.one_of(
        prose,
        st.text(max_size=60),
        st.sampled_from(
            ("Answer: B", "The answer is not A.", "- A is true.", "None of these.", "B, D", "```", "{", "Options:", "$")
        ),
    ),
    max_size=6,
).map("\n".join)


@given(REASONING, CHOSEN, st.sampled_from(LABELS[:4]))
def test_reasoning_before_the_answer_changes_nothing(reasoning: str, places: list[int], label: str) -> None:
    assume("<" not in reasoning)  # of a thought
    answer = Form(label, ", ", "{}", "{}", "", False).write(places)
    assert read_selection(f"{reasoning}\n{answer}", OPTIONS) == chosen(places)
    assert read_selection(f"<think>{reasoning}</think>{answer}", OPTIONS) == chosen(places)
    assert read_selection(f"{answer}<think>{reasoning}", OPTIONS) == chosen(places)


@given(prose)
def test_prose_is_no_selection(text: str) -> None:
    # of letters, "and", "only", "all", "none", "options" and "are right" alone a selection may be written
    assume({"cell", "standard", "can", "not", "or", "therefore,", "it:", "rises;", "think", "that"} & set(text.split()))
    assert read_selection(text, OPTIONS).reading == "unreadable"


@given(st.text(), st.lists(st.text(max_size=8), min_size=2, max_size=26))
def test_any_text_is_read_without_an_error(text: str, options: list[str]) -> None:
    for said in (text, f"Answer: {text}", f'{{"answer": {text}', f"\\boxed{{{text}", text.join(options)):
        found = read_selection(said, options)
        assert all(place < len(options) for place in found.places)
        assert (found.reading == "letters") == bool(found.places)


@given(st.integers(0, 25), st.integers(2, 26))
def test_letters_beyond_the_options_are_unreadable(place: int, count: int) -> None:
    found = read_selection(
        f"Answer: A, {string.ascii_uppercase[place]}", [f"option {number}" for number in range(count)]
    )
    assert found == (chosen([0, place]) if place < count else Selection("unreadable"))


PROCESSES = ("photosynthesis", "respiration", "fermentation", "digestion", "diffusion")


def read(text: str) -> str:
    found = read_selection(text, PROCESSES)
    return "".join(string.ascii_uppercase[place] for place in sorted(found.places)) or found.reading


@pytest.mark.parametrize(
    "text",
    [
        "The correct options are:\n\n**A.** photosynthesis – because light\n**C.** fermentation – since yeast",
        "Answer:\n- A: because plants need light\n- C: because yeast does",
        "Answer:\nA. photosynthesis. This process makes sugar.\nC. fermentation. This process makes ethanol.",
        "Answer:\nA - since it makes sugar\nC - since it makes ethanol",
        "The correct answers are:\n\nA (because plants do it)\nC (because yeast does it)",
        "The correct answers are:\n1. A. photosynthesis, because plants do it\n2. C. fermentation, because yeast does",
        "**Correct answers:**\n- **A. photosynthesis** ✓\n- **C. fermentation** ✓",
        "Answer:\n\n- **A** – photosynthesis needs light\n- **C** – fermentation makes ethanol",
    ],
)
def test_a_list_with_reasons_is_read_to_its_end(text: str) -> None:
    assert read(text) == "AC"


@pytest.mark.parametrize(
    "later",
    [
        "Common mistake: believing that the answer is B.",
        "A common error is thinking that the answer is B.",
        "A frequent misconception: the answer is B.",
        "For animals, the answer is B.",
        "Had the question asked about aerobic cells only, then the answer is B.",
        "When oxygen is absent, the correct answer is C.",
        "In humans the correct answer is different; for fungi, the answer is D.",
        "The answer is not B because...",
        "Many people think the answer is A, but C is right too.",
    ],
)
def test_a_heading_outlasts_what_an_explanation_says(later: str) -> None:
    assert read(f"Answer: A, C\n\n{later}") == "AC"


@pytest.mark.parametrize(
    "later", ["Wait… so the answer is A, B", "The answer is A, B.", "No. The final answer is A, B."]
)
def test_a_conclusion_replaces_a_heading(later: str) -> None:
    assert read(f"Answer: A\n\n{later}") == "AB"
    assert read(f"Answer: A\n\n{later}\nFor animals, the answer is D.") == "AB"


CONFIRMED = re.split(
    r"[|\n]",
    """Answer: A, C ✅|✅ Answer: A, C|Answer: A, C 🌱|Ans: A, C|Answer: A, C (photosynthesis and fermentation)
Answer: A, C - both produce ATP|Answer: A, C, as these are the processes|Solution: A, C
Answer: A, C (B, D and E are wrong)|Answer: A, C (not B)""",
)


@pytest.mark.parametrize(
    "text",
    [
        *CONFIRMED,
        "Answer: A,C,",
        "A, C are correct.\nB, D, E are incorrect.",
        "Answer:\nA, C\n\nA. Correct, as plants do.\nB. Wrong.",
        "Answer: A, C\n\nA. Right.\nB. Wrong.",
        "Answer: A, C\n\nSolution: photosynthesis makes sugar.",
        "Answer: A, C ✓\nB. Wrong, it is no part.",
    ],
)
def test_what_confirms_a_selection_leaves_it_readable(text: str) -> None:
    assert read(text) == "AC"


@pytest.mark.parametrize(
    "text",
    [
        *("Answer: A, C (not C)", "Answer: A, C (B maybe)", "Answer: A, C - both are wrong"),
        "Answer: A, C (photosynthesis and digestion)",
        "Answer:\nA - correct\nC - wrong",
        "Answer:\nA. photosynthesis\nPlants make sugar.\nC. fermentation\nYeast makes ethanol.",
        "Answer:\nA. photosynthesis – because plants\nC. fermentation – maybe",
        "A, C are correct.\nB, C are incorrect.",
        "Answer: A. photosynthesis – because plants\nC. fermentation – because yeast",
        "Answer:\n" + "\n".join(f"{sign}. {text} - a way" for sign, text in zip("ABCDE", PROCESSES, strict=True)),
        "Answer:\nA\n\nB. respiration is wrong",
        "Answer: A or C\nFor animals, the answer is B.",
    ],
)
def test_a_list_cut_short_or_judged_is_unreadable(text: str) -> None:
    assert read(text) == "unreadable"


@pytest.mark.parametrize(
    "piece",
    [
        *("A, ", "(A)", "Answer:\n", "the answer is A ", "<think>", "</think>", r"\boxed{"),
        *("{", "[", "\n", "*", "A.\n"),
        *("the answer is A\n", "for x, the answer is A\n", "the answer is\nA\nB, C\n", "Answer:\nA - x\n", "A ✓\n"),
        *("Wait, ", "no, no, ", "actually A is wrong ", "[x] A ", "[x] A\n[ ] B\n", "A ✓\nx\n", "A-", "not C or "),
        *("~~A", "<s>", "A\u0336", "- ", " : -"),
        *("the answer is\n\nA\n", "A (because ", "A - both ", "not ", "A is wrong ", "solution: A, ", "so ", "✓"),
    ],
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = "Answer: " + piece * (100_000 // len(piece)) + "x"
    started = time.process_time()
    read_selection(text, OPTIONS)
    assert time.process_time() - started < 5.0  # well below a second; minutes where a step goes back over the text
