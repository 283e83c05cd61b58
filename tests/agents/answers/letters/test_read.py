"""The letter check: what is a selection beyond doubt, and what is none."""

import re
from collections.abc import Sequence

import pytest

from fathom.agents.answers.letters.read import Selection, read_selection

OPTIONS = (
    "A healthy cell divides",
    "Mitochondria",
    "Ribosomes, large and small",
    "the Golgi apparatus",
    "The nucleus",
    "E. coli",
    "DNA",
    "Iron (Fe).",
    "$5 per unit",
    "**Vitamin** C",
)


def letters(selection: Selection) -> str:
    assert (selection.reading == "letters") == bool(selection.places)
    return "".join(chr(65 + place) for place in sorted(selection.places))


LETTERS = {
    "A": "A, a, A., (A), [A], `A`, **A**, *A*, 'A', option A, Option (A), only A, Ａ, Ⓐ, Answer A",
    "AC": "A C, C A, A & C, A/C, A; C, A | C, A and C, A and C., (A) (C), (A)(C), [A][C], 'A' 'C', A + C",
}
"""Each with commas between."""

SELECTIONS = [
    *[(text.strip(), chosen) for chosen, texts in LETTERS.items() for text in texts.split(", ")],
    ("A, C", "AC"),
    ("C, A", "AC"),
    ("c, a", "AC"),
    ("(A), (C)", "AC"),
    ("[A, C]", "AC"),
    ("<A, C>", "AC"),
    ("A , C", "AC"),
    ("A, B, and C", "ABC"),
    ("A, A, C", "AC"),
    ("Options A and C", "AC"),
    ("The correct options A and C", "AC"),
    ("Option A, option C", "AC"),
    ("Both A and C", "AC"),
    ("I choose A and C.", "AC"),
    ("A and C are correct.", "AC"),
    ("Options A and C are correct.", "AC"),
    ("Option C is correct.", "C"),
    ("I", "I"),
    # labels
    ("Answer: C, A", "AC"),
    ("answer: a, c", "AC"),
    ("answer: a c", "AC"),
    ("ANSWER : A,C", "AC"),
    ("Answer:AC", "AC"),
    ("Answer: CA.", "AC"),
    ("Answer(s): A, C", "AC"),
    ("Answer - A, C", "AC"),
    ("Answer\nA, C", "AC"),
    ("Answer:\n\nA, C\n\nThe rest is false.", "AC"),
    ("Answer: a", "A"),
    ("Answer: I", "I"),
    ("Final answer: A and C", "AC"),
    ("My answer is A and C", "AC"),
    ("The correct answers are A and C.", "AC"),
    ("The correct options are: A, C", "AC"),
    ("So the answer is (c).", "C"),
    ("We conclude that the correct answers are A, C, and D.", "ACD"),
    ("Correct: A, C\nIncorrect: B, D", "AC"),
    ("Selected options: A; C", "AC"),
    ("Answer: The correct options are A and C.", "AC"),
    ("Answer: Options A, C and D are correct.", "ACD"),
    ("Answer: only A", "A"),
    ("Answer: A, C only", "AC"),
    ("Antwort: A und C", "AC"),
    ("Die richtigen Antworten sind A und C.", "AC"),
    ("Réponse : A, C", "AC"),
    ("Les bonnes réponses sont A et C", "AC"),
    ("Respuestas correctas: A y C", "AC"),
    ("Risposta corretta: A e C", "AC"),
    ("Ответ: A и C", "AC"),
    ("答案：A、C", "AC"),
    ("正确答案是A和C。", "AC"),
    ("所以最终答案：A,C", "AC"),
    ("正解：Ａ，Ｃ", "AC"),
    ("정답: A, C", "AC"),
    # reasons behind the selection
    ("Answer: A, C because B is false", "AC"),
    ("Answer: A and C. B is wrong, for it holds no DNA.", "AC"),
    ("Answer: C. This is what cells do.", "C"),
    ("Answer: A, C\n\nExplanation: Option B is correct only in part. I left it out.", "AC"),
    ("Answer: A, C\n\nThe answer is based on facts. I chose A as it is so.", "AC"),
    ("Answer: A, C\n\nThe correct answer is A because it divides.", "AC"),
    ("The correct answers are A and C because B is false.", "AC"),
    ("Final Answer: A, C\nConfidence: 95%", "AC"),
    ("\n\nA, C\n\nA is so because of B.", "AC"),
    ("Answer: A, C\nB because it is cheap? No.", "AC"),
    ("Answer: A\nThe answer is A but not C.", "A"),
    ("Answer: A\nSo the answer is K.", "A"),
    # reasoning before it
    ("B is tempting. Answer: B\nNo.\nAnswer: A, C", "AC"),
    ("A cell? I think so.\n\nA, C", "AC"),
    ("<think>Answer: B</think>Answer: A, C", "AC"),
    ("Answer: B, I think.\n</think>\n\nAnswer: A, C", "AC"),
    ("Answer: A, C <think>or B", "AC"),
    ("Question: what?\nA. this\nB. that\nAnswer: B", "B"),
    # marks and formats
    ("**Answer:** A, C", "AC"),
    ("**Answer: A, C**", "AC"),
    ("### Answer\n**A**, **C**", "AC"),
    ("> Answer: A, C", "AC"),
    ("Answer: \u200bA,\u00a0C", "AC"),
    ("```\nAnswer: A, C\n```", "AC"),
    ("```A```", "A"),
    ('["A","C"]', "AC"),
    ('```json\n[\n  "A",\n  "C"\n]\n```', "AC"),
    ('{"answer": ["A", "C"]}', "AC"),
    ('{"answer":"A, C"}', "AC"),
    ("{'answer': ['A', 'C']}", "AC"),
    ('Here it is:\n```json\n{\n "correct_options": [\n  "A",\n  "C"\n ]\n}\n```', "AC"),
    ('{"reasoning": "the answer is B", "answer": "A, C", "explanation": "the answer is D"}', "AC"),
    ('{"answer": ["Mitochondria", "Ribosomes, large and small"]}', "BC"),
    (r"\boxed{A,C}", "AC"),
    (r"The final answer is $\boxed{\text{A, C}}$. I hope it is correct.", "AC"),
    (r"\[ \boxed{A} \text{ and } \boxed{C} \]", "AC"),
    (r"Answer: $\{A, C\}$", "AC"),
    (r"$$\boxed{\{A, C\}}$$", "AC"),
    ("Answer: A, C</s>", "AC"),
    ("Answer: A, C<｜end▁of▁sentence｜>", "AC"),
    ("<|channel|>final<|message|>Answer: A, C<|return|>", "AC"),
    ("Let me see.\n<answer>A, C</answer>", "AC"),
    # the options' texts
    ("Mitochondria", "B"),
    ("mitochondria.", "B"),
    ("Answer: A healthy cell divides", "A"),
    ("Answer: A. A healthy cell divides", "A"),
    ("Answer: A) A healthy cell divides; C) Ribosomes, large and small.", "AC"),
    ("Answer: B. mitochondria, D. The Golgi apparatus, G", "BDG"),
    ("Answer: B (Mitochondria), D (the Golgi apparatus)", "BD"),
    ("Answer: B: Mitochondria", "B"),
    ("B - Mitochondria", "B"),
    ("Answer: ribosomes, large and small, the nucleus", "CE"),
    ("Answer: E. coli", "F"),
    ("The answer is DNA.", "G"),
    ("Answer: Iron (Fe), $5 per unit and Vitamin C", "HIJ"),
    ("A. A healthy cell divides\nC. Ribosomes, large and small", "AC"),
    ("Answer:\n\n- **B.** Mitochondria\n- **G.** DNA", "BG"),
    ("1. A\n2. C", "AC"),
    ("* A\n* C", "AC"),
    ("Answer: A\nC", "AC"),
    ("Answer: B, G\nB. Mitochondria\nG. DNA", "BG"),
    # all of them
    ("Answer: All", "ABCDEFGHIJ"),
    ("All of them.", "ABCDEFGHIJ"),
    ("Answer: all of the options are correct", "ABCDEFGHIJ"),
    ("Answer: A, B, C, D, E, F, G, H, I, J", "ABCDEFGHIJ"),
]

NONE = """None|none of them|Answer: None|Answer: none.|no option is right|None of the options are correct.
There is no correct option.
Answer: No correct answers|Answer: nothing|[]|Answer: []|{}|{"answer": []}|Antwort: keine|答案：无"""

UNREADABLE = [
    "",
    "  \n ",
    "AC",  # capitals without a label may be a word
    "A healthy cell",
    "A healthy cell divides and grows",
    "Answer: A healthy cell dies",
    "Answer: A. Mitochondria",  # the letter of one option, the text of another
    "Answer: A. Lincoln",
    "The correct answer is C. elegans",
    "A cell, I think, is small. I like it.",
    "I think so",
    "The answer is a\nhealthy cell",
    "The answer is A, healthy cells.",
    "Answer: K",
    "Answer: A, K",
    "Answer: 1, 3",
    "Answer: letters separated by commas",
    "Answer: not A",
    "not A",
    "Not A, but C",
    "Answer: A, C and possibly E",
    "A or C",
    "Answer: A or C",
    "Answer: either A or C",
    "Answer: neither A nor C",
    "Answer: A?",
    "Answer: A, C, ...",
    "Answer: A, B are wrong",
    "Answer: abc",
    "Answer: ABA",
    "Answer: AC or BD",
    "Answer: A c",
    "Answer: Mitochondria DNA",
    "A is right.",
    "A and C are correct, but B may be, too.",
    "The answer isn't A.",
    "I don't think the answer is A.",
    "It may well be that the answer is A.",
    "The answer might be A",
    "The wrong answers are B and D.",
    "Incorrect options: B, D",
    "错误答案：A",
    "Correct answers: A, C; incorrect: B",
    r"\boxed{A} or \boxed{C}",
    "Answer: A, C\nB",
    "The answer is A.\nThe answer is A, or C.",
    "A\n\nsome prose\n\nB",
    "<think>Answer: A, C",
    '{"answer": 1}',
    '{"answer": {"A": true}}',
    '{"answer_of_others": "A"}',
    "Options:\nA. A healthy cell divides\nB. Mitochondria",
    "\n".join(f"{chr(65 + place)}. {text}" for place, text in enumerate(OPTIONS)),  # the question again
]


@pytest.mark.parametrize(("text", "chosen"), SELECTIONS, ids=[text for text, _ in SELECTIONS])
def test_selections(text: str, chosen: str) -> None:
    assert letters(read_selection(text, OPTIONS)) == chosen


@pytest.mark.parametrize("text", re.split(r"[|\n]", NONE))
def test_none(text: str) -> None:
    assert read_selection(text, OPTIONS) == Selection("none", frozenset())


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text: str) -> None:
    assert read_selection(text, OPTIONS) == Selection("unreadable", frozenset())


@pytest.mark.parametrize(
    ("text", "options", "chosen"),
    [
        # letters win over texts of one letter, as letters were asked for; what is no letter of an option is its text
        ("Answer: B, C", ("C", "B", "AB", "0"), "BC"),
        ("Answer: K", ("Na", "K"), "B"),
        ("Answer: AB", ("0", "A", "B", "AB"), ""),  # two options, or one text
        ("Answer: AC", ("AC", "DC"), "A"),
        ("Answer: A-C", ("G-C", "A-C", "A-T"), "B"),
        ("Answer: all but A", ("all of them", "gold", "all but A"), "C"),
        ("All of them", ("None of them", "All of them"), "B"),
        ("None of them", ("None of them", "All of them"), "A"),
        ("Answer: iron", ("Iron", "iron"), ""),
        ("Answer: B. iron", ("Iron", "iron"), "B"),
        ("Answer: salt and pepper", ("salt", "pepper", "salt and pepper"), "C"),
        ("Answer: ", ("", "x"), ""),
        ("Answer: (Z)-butene, tin", ("(Z)-butene", "tin"), "AB"),
        ("Answer: a*b", ("a*b", "ab"), "A"),
        ("A. iron\nB. tin", ("iron", "tin"), ""),  # the question again
        ("Answer: Z", tuple("abcdefghijklmnopqrstuvwxyz"), "Z"),
    ],
)
def test_texts_that_look_like_something_else(text: str, options: Sequence[str], chosen: str) -> None:
    assert letters(read_selection(text, options)) == chosen


DOUBTS = "not neither either all any none only maybe perhaps probably possibly likely unclear"


@pytest.mark.parametrize("word", DOUBTS.split())
def test_a_later_clause_in_doubt_leaves_the_earlier_one_in_doubt_but_no_heading(word: str) -> None:
    assert read_selection(f"The answer is A.\nThe answer is {word} C or D.", OPTIONS).reading == "unreadable"
    assert letters(read_selection(f"Answer: A\nThe answer is {word} C or D.", OPTIONS)) == "A"


@pytest.mark.parametrize("said", ["It is not so", "I doubt", "It seems", "It could be", "Some claim", "If we assume"])
def test_a_clause_that_nobody_holds_to_is_no_answer(said: str) -> None:
    assert letters(read_selection(f"Answer: A, C\n{said} that the answer is B.", OPTIONS)) == "AC"


@pytest.mark.parametrize("reason", ["because", ", since", "(because", "- explanation:", "are correct because"])
def test_a_reason_may_follow(reason: str) -> None:
    assert letters(read_selection(f"Answer: A, C {reason} B is wrong", OPTIONS)) == "AC"
    assert letters(read_selection(f"The answers are A, C {reason} B is wrong", OPTIONS)) == "AC"


@pytest.mark.parametrize("remark", ["This is so.", "It is so.", "These hold.", "Option B fails.", "The others fail."])
def test_a_remark_may_follow(remark: str) -> None:
    assert letters(read_selection(f"Answer: C. {remark}", OPTIONS)) == "C"
