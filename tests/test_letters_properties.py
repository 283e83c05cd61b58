"""The letter check: whatever is written by the grammar of answers is read, prose is not, and no text takes long."""

import string
import time
from dataclasses import dataclass

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fathom.agents.letters import Selection, read_selection

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


@pytest.mark.parametrize(
    "piece",
    ["A, ", "(A)", "Answer:\n", "the answer is A ", "<think>", "</think>", r"\boxed{", "{", "[", "\n", "*", "A.\n"],
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = "Answer: " + piece * (100_000 // len(piece)) + "x"
    started = time.process_time()
    read_selection(text, OPTIONS)
    assert time.process_time() - started < 5.0  # well below a second; minutes where a step goes back over the text
