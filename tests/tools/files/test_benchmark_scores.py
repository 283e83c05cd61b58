"""Benchmark scores are read from the CSV that spreadsheets write, as shares; what is doubtful is
refused by line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.handed_over import refusal

from fathom.tools.files.benchmark_scores import read_scores


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(path: Path) -> list[tuple[str, str, float]]:
    return [(score.model, score.category, score.score) for score in read_scores(path)]


EXPECTED = [("m 1", "law", 0.567), ("m 1", "math, pure", 1.0), ("n", "law", 0.0)]


@pytest.mark.parametrize(
    "content",
    [
        'model,category,score\nm 1,law,0.567\nm 1,"math, pure",1\nn,law,0\n',
        (
            '\ufeffScore, MODEL ,year,Category\r\n56.7, m  1 ,2024,law\r\n\r\n100,m 1,,"math, '
            'pure"\r\n0,n,,law\r\n'
        ),
        'model;category;score\nm 1;law;"56,7"\nm 1;math, pure;100,0\nn;law;0,0\n',
        "model;category;score;\nm 1;law;0,567;\nm 1;math, pure;1,;\nn;law;,0;\n",
        "\n \nmodel\tcategory\tscore\nm 1\tlaw\t56.7 %\nm 1\tmath, pure\t1e2%\nn\tlaw\t0%\n",
        (
            '"model","category","score"\n"m 1","law","56,7"\n"m 1","math, '
            'pure","100"\n"n","law","0"\n'
        ),
    ],
    ids=[
        *("shares", "order, case, extra", "semicolons", "shares, semicolons"),
        *("tabs, signs", "quoted"),
    ],
)
def test_every_common_spelling_reads_alike(tmp_path: Path, content: str) -> None:
    assert rows(written(tmp_path, content)) == EXPECTED


def test_the_sign_decides_the_scale_whatever_the_values(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "model,category,score\na,x,0.5%\nb,x,1%\n")) == [
        ("a", "x", 0.005),
        ("b", "x", 0.01),
    ]


def test_the_same_score_twice_counts_once(tmp_path: Path) -> None:
    assert rows(written(tmp_path, "model,category,score\na,x,0.5\nA,X,0.50\n")) == [
        ("a", "x", 0.5)
    ]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20))
def test_per_cent_and_shares_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, thousandths: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("scores")
    shares = "".join(
        f"m{place},c,{value / 1000:.3f}\n" for place, value in enumerate(thousandths)
    )
    per_cent = "".join(
        f"m{place},c,{value / 10:.1f}%\n" for place, value in enumerate(thousandths)
    )
    expected = [(f"m{place}", "c", value / 1000) for place, value in enumerate(thousandths)]
    assert rows(written(folder, "model,category,score\n" + shares)) == expected
    assert rows(written(folder, "model,category,score\n" + per_cent)) == expected


HEAD = "model,category,score\n"


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    assert "Line 5 of" in refusal(
        read_scores, written(tmp_path, HEAD + '\n"a\nb",x,0.5\nc,x,high\n')
    )
