"""Concepts are read from text, JSON and words; whatever is no concept is refused with its place."""

import json
import sys
from collections.abc import Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.state.errors import UsageError
from fathom.state.spec import Concept
from fathom.tools.files.concepts import from_words, limited, read_concepts, read_topics

from ...support.paths import REAL

MMLU_PRO = REAL / "eqt/mmlu_pro_concepts.json"


def written(folder: Path, content: str | bytes, name: str = "concepts.txt") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def pairs(concepts: Sequence[Concept]) -> list[tuple[str, str]]:
    return [(concept.category, concept.name) for concept in concepts]


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_concepts(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_text_has_a_concept_per_line_and_categories_in_brackets(tmp_path: Path) -> None:
    text = (
        "\ufeff# a list\r\n\r\nEntropy\r\n[law]\r\n  Tort   of\tNegligence \r\n#Estoppel\r\n[ "
        "math ]\r\nGroups"
    )
    found = read_concepts(written(tmp_path, text))
    assert pairs(found) == [("", "Entropy"), ("law", "Tort of Negligence"), ("math", "Groups")]


def test_a_concept_may_begin_with_a_bracket(tmp_path: Path) -> None:
    found = read_concepts(written(tmp_path, "[2+2] cycloaddition\n[18]Annulene\n"))
    assert pairs(found) == [("", "[2+2] cycloaddition"), ("", "[18]Annulene")]
    assert pairs(read_concepts(written(tmp_path, '["[2+2] cycloaddition"]'))) == [
        ("", "[2+2] cycloaddition")
    ]


def test_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "Torts", "-")
    for content, expected in (
        ("[law]\nTrusts\n", [("law", "Trusts")]),
        ('["Sets"]', [("", "Sets")]),
    ):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(content.encode())))
        assert pairs(read_concepts(Path("-"))) == expected
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"--")))
    with pytest.raises(UsageError, match="Line 1 of <stdin> has the name"):
        read_concepts(Path("-"))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="<stdin> is empty"):
        read_concepts(Path("-"))


@pytest.mark.parametrize("name", ["concepts.json", "CONCEPTS.JSON", "pipe"])
def test_json_is_an_object_of_lists_or_a_list(tmp_path: Path, name: str) -> None:
    content = {"law": ["Torts", "Trusts"], "math": ["Sets"]}
    assert pairs(read_concepts(written(tmp_path, json.dumps(content, indent=1), name))) == [
        ("law", "Torts"),
        ("law", "Trusts"),
        ("math", "Sets"),
    ]
    assert pairs(
        read_concepts(written(tmp_path, '\ufeff ["Torts", " Sets\\n of "]', name))
    ) == [
        ("", "Torts"),
        ("", "Sets of"),
    ]


def test_a_repeat_within_a_category_is_dropped(tmp_path: Path) -> None:
    found = read_concepts(
        written(tmp_path, "[law]\nTorts\nTORTS\n[math]\nTorts\n[law]\ntorts\n")
    )
    assert pairs(found) == [("law", "Torts"), ("math", "Torts")]


@pytest.mark.parametrize(
    ("content", "topics"),
    [
        (
            "# a\n\nIron | 3\n Noble  gas \nTin|0.5\n",
            {"Iron": 3.0, "Noble gas": 1.0, "Tin": 0.5},
        ),
        ("Iron | 2\niron | 2.0\nIRON|2\n", {"Iron": 2.0}),
        ("P(A|B) | 1e3", {"P(A|B)": 1000.0}),
        ('{"metals": ["Iron | 2"], "gases": ["Neon"]}', {"Iron": 2.0, "Neon": 1.0}),
    ],
)
def test_topics_are_concepts_with_weights(
    tmp_path: Path, content: str, topics: dict[str, float]
) -> None:
    assert read_topics(written(tmp_path, content)) == topics


def test_topics_of_own_questions_weigh_as_many_as_there_are(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("question,topic\nA?,Iron\nB?,\nC?,Iron\nD?,Tin\n", encoding="utf-8")
    assert read_topics(file) == {"Iron": 2.0, "Tin": 1.0}


def test_signs_that_tell_concepts_apart_stay(tmp_path: Path) -> None:
    assert [
        name for _, name in pairs(read_concepts(written(tmp_path, "C\nC++\nC#\nn!\nn\n")))
    ] == [*("C", "C++", "C#", "n!", "n")]


def test_20000_concepts_are_the_most(tmp_path: Path) -> None:
    lines = [f"c{number}" for number in range(20_001)]
    assert "more than 20,000 concepts" in refusal(written(tmp_path, "\n".join(lines)))
    assert len(read_concepts(written(tmp_path, "\n".join(lines[1:])))) == 20_000


@pytest.mark.parametrize(
    ("words", "said"), [([], "no concepts"), (["a", " "], "Concept 2"), (["\udc80x"], "U.DC80")]
)
def test_words_that_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        from_words(words)


def test_a_limit_takes_categories_in_turn() -> None:
    concepts = [
        Concept(name=f"{c}{i}", category=c)
        for c, count in (("a", 4), ("b", 1), ("c", 3))
        for i in range(count)
    ]
    taken = [[concept.name for concept in limited(concepts, n)] for n in (1, 3, 4, 5, 6, 99)]
    assert taken == [
        ["a0"],
        ["a0", "b0", "c0"],
        ["a0", "a1", "b0", "c0"],
        ["a0", "a1", "b0", "c0", "c1"],
        ["a0", "a1", "a2", "b0", "c0", "c1"],
        [concept.name for concept in concepts],
    ]
    mixed = [Concept(name=name, category=name[0]) for name in ("a0", "b0", "b1", "a1")]
    assert [concept.name for concept in limited(mixed, 3)] == ["a0", "b0", "a1"]
    with pytest.raises(UsageError, match="at least 1"):
        limited(concepts, 0)


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.integers(1, 35))
def test_a_limit_is_kept_fair_and_in_order(categories: list[str], limit: int) -> None:
    concepts = [
        Concept(name=str(place), category=category) for place, category in enumerate(categories)
    ]
    taken = limited(concepts, limit)
    assert len(taken) == min(limit, len(concepts))
    assert [int(concept.name) for concept in taken] == sorted(
        int(concept.name) for concept in taken
    )
    for category in set(categories):
        mine = [concept for concept in taken if concept.category == category]
        every = [concept for concept in concepts if concept.category == category]
        assert mine == every[: len(mine)]
        if len(mine) < len(
            every
        ):  # who has more to give gave no fewer than anyone else, but for the last round
            assert (
                len(mine)
                >= max(sum(c.category == other for c in taken) for other in set(categories)) - 1
            )


@pytest.mark.skipif(not MMLU_PRO.exists(), reason="the list of MMLU-Pro's concepts is not here")
def test_the_concepts_of_mmlu_pro() -> None:
    found = read_concepts(MMLU_PRO)
    assert len(found) == 280
    assert len({concept.category for concept in found}) == 14
    assert len({concept.category for concept in limited(found, 14)}) == 14
