"""The letter check: what a selection beyond doubt may look like, and that nothing else is one."""

import re
import string
from collections.abc import Callable
from functools import partial

import orjson
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fathom.agents.answers.letters.read import read_selection

from ...support.corpora import surrounded, tsv

OPTIONS = {
    "plants": ("photosynthesis", "respiration", "fermentation", "digestion", "diffusion"),
    "cell": (
        *(
            "A healthy cell divides",
            "Mitochondria",
            "Ribosomes, large and small",
            "the Golgi apparatus",
        ),
        *("The nucleus", "E. coli", "DNA", "Iron (Fe).", "$5 per unit", "**Vitamin** C"),
    ),
    "metals": (
        *(
            "gold",
            "silver, refined",
            "copper (Cu)",
            "tin.",
            "The lead",
            "zinc",
            "iron and steel",
            "Mercury",
        ),
        *("nickel", "Pt"),
    ),
}
one = st.sampled_from
METALS = OPTIONS["metals"]
ALL = string.ascii_uppercase[: len(METALS)]
CASES = [
    (OPTIONS.get(shown) or shown.split("|"), text, chosen)
    for shown, text, chosen in tsv("letters.tsv")
]
"""The options, an answer, and what it chooses."""


def read(text: str, options: tuple[str, ...] | list[str] = METALS) -> str:
    found = read_selection(text, options)
    assert (found.reading == "letters") == bool(found.places)
    return "".join(string.ascii_uppercase[place] for place in sorted(found.places)) or found.reading


def test_every_form_of_an_answer_is_read_for_what_it_is() -> None:
    wrong = [
        (text, chosen, read(text, options))
        for options, text, chosen in CASES
        if read(text, options) != chosen
    ]
    assert wrong == []


LABELS = (
    *(
        "Answer:",
        "answer: ",
        "Answers: ",
        "Final answer: ",
        "**Answer:** ",
        "Answer:\n",
        "### Answer\n",
        "Antwort: ",
    ),
    *(
        "Réponse : ",
        "答案：",
        "My answer is: ",
        "The correct answers are ",
        "So the correct options are: ",
    ),
)
SEPARATORS = (", ", ",", "; ", " and ", " & ", "/", ", and ", "，", "、", "، ", " | ", " ")
EACH = ("{}", "({})", "[{}]", "**{}**", "`{}`", '"{}"', "{})", "option {}")
AROUND = ("{}", "({})", "[{}]", "**{}**", "{}.", r"\boxed{{{}}}", "${}$", "`{}`", "<{}>")
BEHIND = ("", "\n", "\n\nExplanation: option B is a healthy choice. I am sure.", "\n```")
SIDE_BY_SIDE = re.compile(r"[A-E]\) [A-E]\)")
"""Options rather than a choice of them: not readable."""
LEADS = (
    "Answer: ",
    "So the answer is ",
    "Answer: D\nActually, ",
    "Answer: D\nCorrection: ",
    "Is A it?\nAnswer: ",
)
WITH_TEXTS = ("{letter}. {text}", "({letter}) {text}", "- **{letter}:** {text}", "{text}")
JSON = ('{"why": "the answer is A", "correct_options": HELD}', '{\n  "answer": HELD\n}')
JSON_LISTS = ("HELD", '```json\n{"answers": HELD}\n```', "Answer: HELD")


def row(
    label: str, separator: str, each: str, around: str, behind: str, small: bool, letters: list[str]
) -> str:
    # "the answer is a", at the end of a line, is the beginning of a sentence
    assume(not (small and len(letters) == 1 and label.endswith("are ") and each == "{}"))
    items = [each.format(letter.lower() if small else letter) for letter in letters]
    return label + around.format(separator.join(items)) + behind


def with_texts(each: str, separator: str, heading: str, letters: list[str]) -> str:
    assume(
        heading or len(letters) < len(ALL)
    )  # all of them, without a label, are the question again
    listed = [each.format(letter=letter, text=METALS[ALL.index(letter)]) for letter in letters]
    return heading + separator.join(
        listed if separator == "\n" else [line.removeprefix("- ") for line in listed]
    )


def ranges(lead: str, dash: str, letters: list[str]) -> str:
    begins = sorted(letter for letter in letters if chr(ord(letter) - 1) not in letters)
    ends = sorted(letter for letter in letters if chr(ord(letter) + 1) not in letters)
    runs = zip(begins, ends, strict=True)
    return lead + ", ".join(one if one == other else one + dash + other for one, other in runs)


def all_but(lead: str, words: str, letters: list[str]) -> str:
    others = [letter for letter in ALL if letter not in letters]
    assume(others)
    return lead + words.format(", ".join(letters), " and ".join(others), " or ".join(others))


def struck(lead: str, letters: list[str]) -> str:
    return lead + ", ".join(letter if letter in letters else f"~~{letter}~~" for letter in ALL)


def in_json(around: str, separator: str, letters: list[str]) -> str:
    return around.replace(
        "HELD", orjson.dumps(separator.join(letters) if separator else letters).decode()
    )


def form(
    write: Callable[..., str], *arguments: st.SearchStrategy[object]
) -> st.SearchStrategy[Callable[..., str]]:
    return st.builds(partial, st.just(write), *arguments)


NO, AS_IT_IS = st.just(""), st.just("{}")
FORMS = st.one_of(
    form(row, one(LABELS), one(SEPARATORS), one(EACH), one(AROUND), one(BEHIND), st.booleans()),
    form(row, NO, one(SEPARATORS[:-1]), one(EACH[:-1]), AS_IT_IS, NO, st.booleans()),
    form(row, one(LABELS[:4]), NO, AS_IT_IS, AS_IT_IS, NO, st.just(False)),
    form(with_texts, one(WITH_TEXTS), one(("\n", "; ")), one(("", "Answer:\n"))),
    form(ranges, one(LEADS), one(("-", "–", " – ", " to ", " through "))),
    form(all_but, one(LEADS), one(("all but {1}", "{0}, but not {2}"))),
    form(struck, one(LEADS)),
    form(in_json, one(JSON), one(("", ", "))),
    form(in_json, one(JSON_LISTS), NO),
)
CHOSEN = st.lists(one(ALL), min_size=1, unique=True)


@settings(max_examples=400)
@given(CHOSEN, FORMS)
def test_a_selection_is_read_back_however_it_is_written(
    letters: list[str], write: Callable[[list[str]], str]
) -> None:
    """In whatever order."""
    text = write(letters)
    assume(not SIDE_BY_SIDE.search(text))
    assert read(text) == "".join(sorted(letters)), text


WORDS = (
    "A I a i an cell is are the gold standard tin can not correct right true options B or and "
    "because only none all"
    " therefore, it: (as) mercury rises; so we think . that C"
)
PROSE = st.lists(st.sampled_from(WORDS.split()), min_size=4, max_size=30).map(" ".join)
SAID = one(
    ("The answer is not A.", "- A is true.", "None of these.", "B, D", "```", "{", "Options:", "$")
)
REASONING = st.lists(st.one_of(PROSE, st.text(max_size=60), SAID), max_size=6).map("\n".join)


def test_what_stands_around_an_answer_changes_nothing() -> None:
    for options, text, chosen in CASES:
        labelled = text.lower().startswith("answer:")
        later = [
            f"{text}\n\nI hope this helps.",
            f"{text}\n\nExplanation: B is not meant.",
        ] * labelled
        for said in (*surrounded(text, seen=labelled), *later, text.replace("Answer", "ANSWER")):
            assert read(said, options) == chosen, said


@given(REASONING, CHOSEN, one(LABELS[:4]))
def test_reasoning_before_the_answer_changes_nothing(
    reasoning: str, chosen: list[str], label: str
) -> None:
    assume("<" not in reasoning)  # of a thought
    answer = label + ", ".join(chosen)
    for said in (f"{reasoning}\n{answer}", f"<think>{reasoning}</think>{answer}"):
        assert read(said) == "".join(sorted(chosen))


@given(PROSE)
def test_prose_is_no_selection(text: str) -> None:
    # of letters, "and", "only", "all", "none", "options" and "are right" alone a selection may be
    # written
    assume(
        {"cell", "standard", "can", "not", "or", "therefore,", "it:", "rises;", "think", "that"}
        & set(text.split())
    )
    assert read(text) == "unreadable"


@given(CHOSEN.filter(lambda chosen: len(chosen) > 1))
def test_capitals_in_a_row_are_a_word_without_a_label(chosen: list[str]) -> None:
    assert read("".join(chosen)) == "unreadable"


@given(st.integers(0, 25), st.integers(2, 26))
def test_letters_beyond_the_options_are_unreadable(place: int, count: int) -> None:
    letter = string.ascii_uppercase[place]
    known = "".join(sorted({"A", letter})) if place < count else "unreadable"
    assert read(f"Answer: A, {letter}", [f"option {number}" for number in range(count)]) == known


@given(st.text(), st.lists(st.text(max_size=8), min_size=2, max_size=26))
def test_any_text_is_read_without_an_error(text: str, options: list[str]) -> None:
    for said in (
        text,
        f"Answer: {text}",
        f'{{"answer": {text}',
        f"\\boxed{{{text}",
        text.join(options),
    ):
        assert (
            read(said, options) in ("none", "unreadable")
            or read(said, options)[-1] <= string.ascii_uppercase[len(options) - 1]
        )
