"""Where sentences end."""

import pytest

from fathom.tools.facts.passages import sentences


def split(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Dr. A. B. Smith met Prof. Jones.", "en"),
        ("Some metals, e.g. Sodium, and i.e. Potassium react.", "en"),
        ("In the U.S. Congress met in 1791.", "en"),
        ("The constant is 3.14 and the version is v1.2.3 today.", "en"),
        ("It is listed as No. 5 and in Fig. 12 of vol. 3.", "en"),
        ("The work of Smith et al. Nature printed.", "en"),
        ("L'art. 5 du code, que M. Dupont a lu, est bref.", "fr"),
        ("He was born in St. Petersburg on Jan. 5, 1900.", "en"),
        ("He waited... and then it rained.", "en"),
        ("Am 3. Oktober 1990 kam es, z. B. durch Dr. Kohl, zur Einheit.", "de"),
        ("John F. Kennedy and J. R. R. Tolkien wrote.", "en"),
        ("彼は「そうだ。」と言った。", "ja"),
    ],
)
def test_one_sentence_stays_whole(text: str, language: str) -> None:
    assert split(text, language) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It melts. It boils! Does it? Yes.", ["It melts.", "It boils!", "Does it?", "Yes."]),
        ("He lived in the U.S. The law changed.", ["He lived in the U.S.", "The law changed."]),
        ("The answer was No. It rained.", ["The answer was No.", "It rained."]),
        ("(1) He left. Then she came.", ["(1) He left.", "Then she came."]),
        ('He said "it melts." Nobody knew.', ['He said "it melts."', "Nobody knew."]),
        (
            "It was first made in 1807. 12 plants followed.",
            ["It was first made in 1807.", "12 plants followed."],
        ),
        ("Acme Inc. It failed.", ["Acme Inc.", "It failed."]),
        ("水は液体である。氷は固体だ！次。", ["水は液体である。", "氷は固体だ！", "次。"]),
        ("هل هذا صحيح؟ نعم هذا صحيح. جملة.", ["هل هذا صحيح؟", "نعم هذا صحيح.", "جملة."]),
        ("یہ پہلا ہے۔ یہ دوسرا ہے۔", ["یہ پہلا ہے۔", "یہ دوسرا ہے۔"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("¿Qué es? ¡Es sodio! El sodio arde.", ["¿Qué es?", "¡Es sodio!", "El sodio arde."]),
    ],
)
def test_sentences_are_told_apart(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_an_unfinished_sentence_is_still_a_span() -> None:
    assert split("It melts. A heading without an end") == [
        "It melts.",
        "A heading without an end",
    ]
    assert split("   ") == []
