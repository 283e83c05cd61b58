"""Foreign text cannot act on a terminal, and nothing that matters to a reader disappears."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.reports.page.sanitise import one_line, paragraphs

from ..support.screen import active_characters


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202egnp.exe", "abc<U+202E>gnp.exe"),
        ("a\u2066b\u2069", "a<U+2066>b<U+2069>"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("one\r\ntwo\tthree\u2028four", "one two three four"),
        ("back\x08\x08space\x7f", "back␈␈space␡"),
        ("hid\u200bden\ufeff", "hidden"),
        ("\U000e0041tag", "<U+E0041>tag"),
        (
            "[bold]kept[/bold] 超流動 الهيليوم e\u0301 👩\u200d🔬",
            "[bold]kept[/bold] 超流動 الهيليوم e\u0301 👩\u200d🔬",
        ),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_paragraphs_keep_their_line_ends() -> None:
    assert paragraphs("one\r\ntwo\rthree\x0bfour\n\n") == "one\ntwo\nthree\nfour"
    assert paragraphs("a\tb\x1b[2J  \nc") == "a    b␛[2J\nc"


@given(st.text(st.characters(), max_size=40))
def test_nothing_active_is_left(text: str) -> None:
    assert not active_characters(one_line(text))
    assert not active_characters(paragraphs(text))
    assert "\n" not in one_line(text)


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=40))
def test_visible_text_is_left_alone(text: str) -> None:
    assert one_line(text) == text
