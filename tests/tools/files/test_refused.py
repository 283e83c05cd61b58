"""Whatever cannot be used is refused in one sentence that names the file, and the place in it that
is wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import tsv
from tests.support.handed_over import in_file, refusal
from tests.support.table_files import GRAPH

from fathom.state.errors import UsageError
from fathom.tools.files.benchmark import read_benchmark
from fathom.tools.files.benchmark_scores import read_scores
from fathom.tools.files.concepts import MAX_TOPICS, read_concepts, read_topics
from fathom.tools.files.given_answers import read_answers
from fathom.tools.files.question_graph import read_graph
from fathom.tools.files.source_questions import MAX_QUESTIONS, read_questions
from fathom.tools.files.transformed import read_transformed

READERS: dict[str, Callable[[Path], object]] = {
    "concepts": read_concepts,
    "topics": read_topics,
    "scores": read_scores,
    "questions": read_questions,
    "graph": read_graph,
    "answers": lambda path: read_answers(path, GRAPH),
    "benchmark": read_benchmark,
    "texts": read_transformed,
}
HEAD = "model,category,score\n"
LONG: list[tuple[str, str, str | bytes, str]] = [
    ("concepts", "c.txt", "Torts\n" + "x" * 300, "Line 2 of"),
    ("concepts", "c.txt", "x" * 121, "at most 120"),
    ("concepts", "c.txt", "[" + "x" * 121 + "]\nTorts\n", "at most 120"),
    ("concepts", "c.json", '["' + "x" * 300 + '"]', "Item 1 of"),
    ("concepts", "c.json", r'["half \ud800"]', "U+D800"),
    ("topics", "t.txt", "\n".join(map(str, range(MAX_TOPICS + 1))), "more than 5,000 topics"),
    ("scores", "s.csv", HEAD + "a" * 201 + ",x,0.5\n", "at most 200"),
    ("scores", "s.csv", HEAD + "a," + "x" * 200_000 + ",0.5\n", "not valid CSV"),
    ("questions", "q.txt", "Why?\n" + "x" * 4001, "Line 2 of"),
    ("questions", "q.txt", "x" * 4001, "at most 4000"),
    (
        "questions",
        "q.json",
        str([f"Why {k}?" for k in range(MAX_QUESTIONS + 1)]).replace("'", '"'),
        "more than 5,000",
    ),
    ("graph", "g.json", '[{"id": ' + "9" * 5000 + "}]", "not valid JSON (Exceeds the limit"),
    ("graph", "g.json", '{"a":' * 100_000, "nested too deeply"),
    ("graph", "g.csv", "," * 20_000, "it has no row"),
    ("graph", "g.txt", "x" * 200_000, "not valid CSV"),
    ("graph", "g.parquet", "\0" * 99, "not valid Parquet"),
    (
        "benchmark",
        "b.jsonl",
        '{"question": "1?", "answer": "' + "2" * 1001 + '"}',
        "has 1,001 characters",
    ),
    (
        "benchmark",
        "b.json",
        '[{"question": "' + "1" * 20_001 + '", "answer": 1}]',
        "has 20,001 characters as its question",
    ),
    (
        "benchmark",
        "b.json",
        '[{"question": "1?", "answer": "B", "options": ["a", "' + "b" * 20_001 + '"]}]',
        "has 20,001 characters as its option",
    ),
    (
        "benchmark",
        "b.json",
        '[{"id": "' + "a" * 121 + '", "question": "1?", "answer": 1}]',
        "at most 120",
    ),
]


def test_what_is_refused_says_where_and_why(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")  # one file begins and ends as Parquet does
    cases: list[tuple[str, str, str | bytes, str]] = [
        (reader, name, content, part)
        for reader, name, content, *parts in tsv("files_refused.tsv")
        for part in parts
    ]
    assert len(cases) > 120
    for reader, name, content, part in (*cases, *LONG):
        content = (
            content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        )
        assert part in refusal(READERS[reader], in_file(tmp_path, content, name)), (
            reader,
            name,
            content[:80],
        )


@pytest.mark.parametrize("reader", READERS)
def test_what_no_reader_takes(tmp_path: Path, reader: str) -> None:
    read = READERS[reader]
    contents = {
        b"": "is empty",
        b"\xef\xbb\xbf \n\t": "is empty",
        b'[\n{"id": "caf\xe9"}]': "(line 2)",
        '[{"id": "a"}]'.encode("utf-16"): "zero bytes, as UTF-16 does",
        '[{"id": "a"}]'.encode("utf-16-be"): "zero bytes, as UTF-16 does",
        b"\x00\x01\x02\xff": "is not a UTF-8 text file",
        b"[" * 100_000: "nested too deeply",
        b'["a",': "is not valid JSON",
    }
    for content, part in contents.items():
        assert part in refusal(read, in_file(tmp_path, content, "x.json")), content[:80]
    for encoding, part in (
        ("utf-16", "zero bytes"),
        ("utf-16-be", "zero bytes"),
        ("latin-1", "(line 1)"),
    ):
        assert part in refusal(
            read, in_file(tmp_path, '{"id": "café"}\n'.encode(encoding), "x.jsonl")
        ), encoding
    assert "There is no file" in refusal(read, tmp_path / "missing.json")
    assert "cannot be read" in refusal(read, tmp_path / ("x" * 300))
    (tmp_path / "folder").mkdir()
    assert ("has no table" if reader == "graph" else "Is a directory") in refusal(
        read, tmp_path / "folder"
    )
    with (tmp_path / "x.json").open("wb") as file:
        file.truncate(50_000_000)  # takes no place on the disk
    assert ("zero bytes" if reader == "texts" else "larger than 32 MB") in refusal(
        read, tmp_path / "x.json"
    )


_CELLS = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from("1AB")
)
_VALUES = st.recursive(
    _CELLS,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one),
    max_leaves=6,
)
_NAMES = [
    *("id", "qid", "question", "answer", "depth", "options", "format", "made", "scenarios"),
    *("prompts", "model"),
]
_NAMES += ["category", "score", "rater", "nodes", "data"]
_ROWS = st.lists(st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=8), max_size=3)


@settings(max_examples=30)
@given(
    _ROWS | _VALUES | st.dictionaries(st.sampled_from(_NAMES), _ROWS, max_size=2),
    st.sampled_from(["json", "csv"]),
)
def test_whatever_stands_in_a_file_is_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: object, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any.{suffix}"
    path.write_bytes(json.dumps(content).encode("utf-8", "surrogatepass"))
    for read in READERS.values():
        said = ""
        try:
            read(path)
        except UsageError as error:
            said = str(error)
        assert said.isprintable()
