"""Transformed benchmarks and transformation prompts are read back as they were written, and checked
by the row."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.handed_over import in_file, refusal

from fathom.state.errors import UsageError
from fathom.state.problems import LOADS, Problem, ProblemSet, Transformed
from fathom.tools.files import transformed as deepquestion_transformed
from fathom.tools.files.problem_set import problem_set_of
from fathom.tools.files.transformed import read_transformed, write_transformed

Rows = list[dict[str, Any]]
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
TEXT = WORDS.map(lambda said: f"x{said}")


@st.composite
def transformed_sets(draw: st.DrawFn) -> ProblemSet:
    loads = draw(st.lists(st.sampled_from(LOADS), unique=True))
    problems, texts = [], []
    for number in range(draw(st.integers(1, 3))):
        options = draw(st.lists(TEXT, max_size=4, unique=True))
        options = options if len(options) > 1 else []
        answer = draw(st.sampled_from("ABCD"[: len(options)])) if options else draw(TEXT)
        solution, domain = draw(st.just("") | TEXT), draw(st.just("") | TEXT)
        problem = Problem(
            id=f"é{number}",
            question=draw(TEXT),
            answer=answer,
            options=tuple(options),
            solution=solution,
            domain=domain,
        )
        scenarios = {load: draw(TEXT) for load in loads} if draw(st.booleans()) else {}
        text = Transformed(
            problem=problem.id, scenarios=scenarios, instruction=draw(st.just("") | TEXT)
        )
        problems.append(problem)
        texts += [text] if text.scenarios or text.instruction or number == 0 else []
    texts[0] = texts[0].model_copy(
        update={"instruction": draw(TEXT)}
    )  # without any text there is nothing to ask
    made = draw(
        st.dictionaries(
            st.sampled_from(["generator", "run"]), st.sampled_from(["sim:writer", "r-1"])
        )
    )
    return ProblemSet(
        name="gsm 8k",
        problems=tuple(problems),
        transformed=tuple(texts),
        made=made,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@settings(max_examples=20)
@given(transformed_sets(), st.sampled_from(["texts.jsonl", "texts.json", "texts"]))
def test_what_was_written_is_read_back_as_it_was(
    folder: Path, texts: ProblemSet, name: str
) -> None:
    path = folder / name
    write_transformed(path, texts, texts.transformed or (), texts.made)
    assert read_transformed(path).model_copy(update={"notices": ()}) == texts
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert (
        len({tuple(line) for line in lines}) == 1
    )  # other tools take the columns from the first lines
    assert len({tuple(line.get("scenarios", ())) for line in lines}) == 1
    assert list(folder.glob("*.part")) == []


RED = Problem(id="p1", question="Sky?", answer="B", options=("red", "blue"), domain="sight")
TWO = Problem(id="p2", question="1+1?", answer="2", solution="Add.")
SET = ProblemSet(
    name="b",
    problems=(RED, TWO),
    transformed=(Transformed(problem="p2", scenarios={"some": "A farm."}, instruction="Ask."),),
    made={"run": "r"},
)


def test_texts_survive_other_tools_and_can_be_drawn(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    write_transformed(path, SET, SET.transformed or (), SET.made)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for name in ("t.json", "t.parquet"):
        assert read_transformed(
            in_file(tmp_path, [row | {"note": 1} for row in rows], name)
        ) == SET.model_copy(update={"notices": ("Of the texts: in the run r.",)})
    for seed in range(4):
        one = read_transformed(path, limit=1, seed=seed)
        assert set(one.given) == {"p2"} & {problem.id for problem in one.problems}
    assert one.made == {"run": "r", "drawn": "1 of 2 problems, by seed 3"}
    (tmp_path / "taken").mkdir()
    with pytest.raises(UsageError, match="The texts cannot be written to"):
        write_transformed(tmp_path / "taken", SET, (), {})
    assert list(tmp_path.glob("*.part")) == []


def test_what_is_handed_over_takes_nobodys_file_and_follows_links(tmp_path: Path) -> None:
    path, link, other = (
        tmp_path / "texts.jsonl",
        tmp_path / "link.jsonl",
        tmp_path / "texts.jsonl.part",
    )
    other.write_text("mine")
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_transformed(link, SET, SET.transformed or (), SET.made)
    assert (other.read_text(), link.is_symlink(), path.stat().st_mode & 0o777) == (
        "mine",
        True,
        0o640,
    )
    assert read_transformed(path).given == SET.given
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "link.jsonl",
        "texts.jsonl",
        "texts.jsonl.part",
    ]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({}, ()),
        ({"note": "x"}, ()),
        (
            {"generator": "a:b", "evaluator": "c:d", "run": "r"},
            ("Of the texts: written by a:b, checked by c:d, in the run r.",),
        ),
        (
            {"generator": "sim:generator"},
            (
                "The texts are of the simulated world.",
                "Of the texts: written by sim:generator.",
            ),
        ),
        ({"simulated": "yes"}, ("The texts are of the simulated world.",)),
    ],
)
def test_who_wrote_the_texts_is_told(
    tmp_path: Path, made: dict[str, str], told: tuple[str, ...]
) -> None:
    write_transformed(tmp_path / "t.jsonl", SET, SET.transformed or (), made)
    found = read_transformed(tmp_path / "t.jsonl")
    assert (found.made, found.notices, found.digest) == (made, told, SET.digest)


def test_long_texts_and_names_are_read_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    texts = (
        Transformed(
            problem="p1",
            scenarios={"none": "A farm.", "some": "x" * 50_000},
            instruction="x" * 50_000,
        ),
    )
    long = RED.model_copy(update={"domain": "d" * 20_001, "solution": "s" * 50_000})
    assert (
        write_transformed(
            path,
            SET.model_copy(update={"name": "b\x07" * 201, "problems": (long, TWO)}),
            texts,
            {},
        )
        == 1
    )
    found = read_transformed(path)
    assert (found.transformed, found.problems, found.name) == (texts, (long, TWO), "b" * 201)


def test_a_file_of_texts_may_be_larger_than_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are lowered."""
    path = tmp_path / "t.jsonl"
    write_transformed(path, SET, SET.transformed or (), SET.made)
    assert path.stat().st_size > 100
    assert (read_transformed(path).problems, problem_set_of(path).given) == (
        SET.problems,
        SET.given,
    )
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["answer"] = None
    assert "Line 2 of" in refusal(read_transformed, in_file(tmp_path, rows, "t.jsonl"))
    monkeypatch.setattr(deepquestion_transformed, "MAX_OWN", 100)
    assert "is larger than" in refusal(read_transformed, path)


def changed(number: int = 0, **cells: Any) -> Callable[[Rows], object]:
    return lambda rows: rows[number].update(cells)


SPOILT: list[tuple[Callable[[Rows], object], str]] = [
    (
        lambda rows: [row.pop("format") for row in rows],
        "a benchmark is given as BENCHMARK, without --from",
    ),
    (changed(format="fathom-deepquestion/2"), "it must be 'fathom-deepquestion/1'"),
    (changed(1, benchmark="c"), "come from two files"),
    (changed(1, made={"run": "s"}), "come from two files"),
    (
        lambda rows: [row.update(made={"run": [1, 2]}) for row in rows],
        "has the made.run",
    ),
    (changed(1, id="p1"), "have the same id, 'p1'"),
    (changed(id="a b"), "no white space"),
    (changed(question=" "), "Line 1 of"),
    (changed(answer=None), "has no answer"),
    (changed(answer="C"), "has the answer 'C'"),
    (changed(options=["red"]), "2 to 26 different options"),
    (changed(options={"A": "red"}), "has the options"),
    (
        changed(1, scenarios={"few": "A farm."}),
        "has the scenarios.few 'few': it must be 'none', 'some' or 'many'",
    ),
    (changed(1, scenarios=["A farm."]), "has the scenarios"),
    (changed(1, scenarios="A farm."), "has the scenarios"),
    (
        changed(scenarios={"none": "A farm."}),
        "hold scenarios of p1 for none and of p2 for some",
    ),
    (changed(question="x" * 20_001), "has 20,001 characters as its question"),
    (changed(1, scenarios=None, instruction=""), "neither a scenario nor an instruction"),
]


def test_texts_that_are_none_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    write_transformed(path, SET, SET.transformed or (), SET.made)
    written = path.read_text()
    for change, said in SPOILT:
        rows = [json.loads(line) for line in written.splitlines()]
        change(rows)
        assert said in refusal(read_transformed, in_file(tmp_path, rows)), said
