"""Benchmark scores are read from the CSV that spreadsheets write, as shares; what is doubtful is refused by line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.state.errors import UsageError
from fathom.tools.files.benchmark_scores import read_scores


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(path: Path) -> list[tuple[str, str, float]]:
    return [(score.model, score.category, score.score) for score in read_scores(path)]


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_scores(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


EXPECTED = [("m 1", "law", 0.567), ("m 1", "math, pure", 1.0), ("n", "law", 0.0)]


@pytest.mark.parametrize(
    "content",
    [
        'model,category,score\nm 1,law,0.567\nm 1,"math, pure",1\nn,law,0\n',
        '\ufeffScore, MODEL ,year,Category\r\n56.7, m  1 ,2024,law\r\n\r\n100,m 1,,"math, pure"\r\n0,n,,law\r\n',
        'model;category;score\nm 1;law;"56,7"\nm 1;math, pure;100,0\nn;law;0,0\n',
        "model;category;score;\nm 1;law;0,567;\nm 1;math, pure;1,;\nn;law;,0;\n",
        "\n \nmodel\tcategory\tscore\nm 1\tlaw\t56.7 %\nm 1\tmath, pure\t1e2%\nn\tlaw\t0%\n",
        '"model","category","score"\n"m 1","law","56,7"\n"m 1","math, pure","100"\n"n","law","-0"\n',
    ],
    ids=["shares", "order, case, extra", "semicolons", "shares, semicolons", "tabs, signs", "quoted"],
)
def test_every_common_spelling_reads_alike(tmp_path: Path, content: str) -> None:
    assert rows(written(tmp_path, content)) == EXPECTED


def test_the_sign_decides_the_scale_whatever_the_values(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "model,category,score\na,x,0.5%\nb,x,1%\n")) == [("a", "x", 0.005), ("b", "x", 0.01)]


def test_the_same_score_twice_counts_once(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "model,category,score\na,x,0.5\nA,X,0.50\n")) == [("a", "x", 0.5)]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20))
def test_per_cent_and_shares_give_the_same(tmp_path_factory: pytest.TempPathFactory, thousandths: list[int]) -> None:
    folder = tmp_path_factory.mktemp("scores")
    shares = "".join(f"m{place},c,{value / 1000:.3f}\n" for place, value in enumerate(thousandths))
    per_cent = "".join(f"m{place},c,{value / 10:.1f}%\n" for place, value in enumerate(thousandths))
    expected = [(f"m{place}", "c", value / 1000) for place, value in enumerate(thousandths)]
    assert rows(written(folder, "model,category,score\n" + shares)) == expected
    assert rows(written(folder, "model,category,score\n" + per_cent)) == expected


HEAD = "model,category,score\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\ufeff \n", "is empty"),
        (HEAD, "no row below the names of its columns"),
        ("model,score\na,0.5\n", "no column category"),
        ("a,x,0.5\nb,x,0.5\n", "no column model"),
        ("model,category,score,score\na,x,0.5,0.6\n", "names the column 'score' twice"),
        (HEAD + "a,x\n", "Line 2 of"),
        (HEAD + "\na,x,0,75\n", "Line 3 of"),
        (HEAD + "a,x,0,75\n", "decimal comma"),
        (HEAD + "a,x,\n", "has no score"),
        (HEAD + "a,x,n/a\n", "no number"),
        (HEAD + "a,x,NaN\n", "no number"),
        (HEAD + "a,x,inf\n", "no number"),
        (HEAD + "a,x,1_0\n", "no number"),
        (HEAD + "a,x,٥\n", "no number"),
        (HEAD + "a,x,0.5\nb,x,-0.1\n", "Line 3 of"),
        (HEAD + "a,x,-0.1\n", "out of range"),
        (HEAD + "a,x,100.1\n", "out of range"),
        (HEAD + "a,x,1e999\n", "out of range"),
        (HEAD + ",x,0.5\n", "has no model"),
        (HEAD + "a, ,0.5\n", "has no category"),
        (HEAD + "a\x1b[2J,x,0.5\n", "U+001B"),
        (HEAD + "a" * 201 + ",x,0.5\n", "201 characters"),
        (HEAD + "a,x,0.5\nb,x,1\na,x,0.6\n", "give a two scores in x"),
        (HEAD + "a,x,0.5\nA,X,0.6\n", "two scores"),
        (HEAD + "a,computer science,0.5\na,Computer_Science,0.6\n", "two scores"),
        (HEAD + "a,x,85%\nb,x,0.9\n", "Line 3 of"),
        (HEAD + "a,x,0.5\nb,x,0.6\nc,x,85\n", "Line 4 of"),
        (HEAD + "a,x,85\nb,x,70\nc,x,66\nd,x,0.8\n", "has the score 85, and Line 5"),
        (HEAD + "a,x,1\nb,x,1\nc,x,85\n", "Line 4 of"),
        (HEAD + 'a,x,0.5\nb,"x,0.5\n', "Line 3 of"),
        (HEAD + "a," + "x" * 200_000 + ",0.5\n", "not valid CSV"),
        (HEAD.encode() + b"a,\xe9,0.5\n", "not UTF-8 (line 2)"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert said in refusal(written(tmp_path, content))


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    assert "Line 5 of" in refusal(written(tmp_path, HEAD + '\n"a\nb",x,0.5\nc,x,high\n'))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "missing.csv")
    assert "is a folder" in refusal(tmp_path)
    assert "larger than 32 MB" in refusal(written(tmp_path, b"x" * 32_000_001))
