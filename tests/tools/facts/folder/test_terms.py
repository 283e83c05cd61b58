"""Passages carry their subject: the term that they define, the chapter and the edition that they
are from."""

import pytest

from ....support.library_files import reading

DEFINITIONS = """<h1>Settings</h1><dl>
<dt id="x"><code>shared_buffers</code> (<code>integer</code>)</dt>
<dd><p>Sets the amount of shared memory.</p><p>A quarter of the memory is a good start.</p>
<dl><dt>unit</dt><dd>Blocks of eight kilobytes are meant here.</dd></dl></dd>
<dt>-f <i>file</i><br></dt><dt>--file=&lt;file&gt;</dt><dd>Send the output to the given &lt;file&gt;.</dd>
</dl><p><b>Ischaemia</b></p><p>Blood does not reach the tissue.</p><p>Tissue dies within a few hours then.</p>
<h3>Warning</h3><p>The server has to be started again.</p>"""


def test_what_defines_a_term_begins_with_it_and_stands_below_it() -> None:
    assert [
        (piece.text, piece.section) for piece in reading(DEFINITIONS, "a.html", "html").pieces
    ] == [
        ("shared_buffers (integer): Sets the amount of shared memory.", "shared_buffers (integer)"),
        ("A quarter of the memory is a good start.", "shared_buffers (integer)"),
        ("unit: Blocks of eight kilobytes are meant here.", "shared_buffers (integer) › unit"),
        ("-f file, --file=<file>: Send the output to the given <file>.", "-f file, --file=<file>"),
        ("Ischaemia: Blood does not reach the tissue.", "Ischaemia"),
        ("Tissue dies within a few hours then.", None),
        ("The server has to be started again.", None),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("**Ischaemia**\n\nBlood does not reach the tissue.\n\nInfarct\n: Tissue has died of\nthe lack of blood.\n\n"
         "It dies within a few hours then.\n", "markdown"),
    ],
)  # fmt: skip
def test_other_formats_define_terms_too(text: str, kind: str) -> None:
    pieces = reading(text, "a", kind).pieces
    assert [(piece.text, piece.section) for piece in pieces] == [
        ("Ischaemia: Blood does not reach the tissue.", "Ischaemia"),
        ("Infarct: Tissue has died of the lack of blood.", "Infarct"),
        ("It dies within a few hours then.", None),
    ]
    lines = text.split("\n")
    places = [int(piece.place.removeprefix("L")) for piece in pieces]
    assert [
        next(n for n, line in enumerate(lines, 1) if word in line)
        for word in ("reach", "Tissue", "It")
    ] == places
