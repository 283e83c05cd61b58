"""Passages carry their subject: the term that they define, and the headings above them."""

from ....support.library_files import reading

DEFINITIONS = """<h1>Settings</h1><dl>
<dt id="x"><code>shared_buffers</code> (<code>integer</code>)</dt>
<dd><p>Sets the amount of shared memory.</p><p>A quarter of the memory is a good start.</p>
<dl><dt>unit</dt><dd>Blocks of eight kilobytes are meant here.</dd></dl></dd>
<dt>-f <i>file</i><br></dt><dt>--file=&lt;file&gt;</dt><dd>Send the output to the given &lt;file&gt;.</dd>
</dl><p>The server has to be started again.</p>"""


def test_what_defines_a_term_begins_with_it_and_stands_below_it() -> None:
    assert [
        (piece.text, piece.section) for piece in reading(DEFINITIONS, "a.html", "html").pieces
    ] == [
        (
            "shared_buffers (integer): Sets the amount of shared memory.",
            "shared_buffers (integer)",
        ),
        ("A quarter of the memory is a good start.", "shared_buffers (integer)"),
        ("unit: Blocks of eight kilobytes are meant here.", "shared_buffers (integer) › unit"),
        (
            "-f file, --file=<file>: Send the output to the given <file>.",
            "-f file, --file=<file>",
        ),
        ("The server has to be started again.", None),
    ]


def test_markdown_defines_terms_too() -> None:
    text = "Infarct\n: Tissue has died of\nthe lack of blood.\n\nIt dies within a few hours then.\n"
    pieces = reading(text, "a", "markdown").pieces
    assert [(piece.text, piece.section, piece.place) for piece in pieces] == [
        ("Infarct: Tissue has died of the lack of blood.", "Infarct", "L2"),
        ("It dies within a few hours then.", None, "L5"),
    ]


def test_a_numbered_line_of_a_plain_text_is_a_heading() -> None:
    text = (
        "LICENCE\n\n1. Source Code.\nThe source code is the preferred form of a work.\n\n"
        "§ 2 Kinds\n\nThere are two of them in all.\n"
    )
    assert [(p.text, p.section) for p in reading(text, "a.txt", "text").pieces] == [
        ("The source code is the preferred form of a work.", "1. Source Code"),
        ("There are two of them in all.", "§ 2 Kinds"),
    ]
