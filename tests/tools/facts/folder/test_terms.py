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
        ("Ischaemia\n   Blood does not reach the tissue.\nInfarct\n   Tissue has died of\n   the lack of blood.\n\n"
         "It dies within a few hours then.\n", "text"),
        ("Ischaemia::\n    Blood does not reach the tissue.\n\nInfarct::\n  Tissue has died of\n"
         "  the lack of blood.\n\nIt dies within a few hours then.\n", "text"),
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


def manual(own: str, above: str) -> str:
    return f"""<title>{own}</title><div class="navheader"><table><tr><th>{own}</th></tr><tr><td>Prev</td>
    <th>{above}</th><td><a accesskey="h" href="x" title="Pool 15.2 Documentation">Home</a></td></tr></table></div>
    <h2>{own}</h2><p>The pool keeps its pages in memory.</p><h3>More</h3><p>Some pages are kept longer still.</p>"""


@pytest.mark.parametrize(
    ("page", "title", "sections"),
    [
        (manual("4.1. Overview", "Chapter 4. Pools"), "Pools (Pool 15.2 Documentation)",
         ["4.1. Overview", "4.1. Overview › More"]),
        (manual("Chapter 4. Pools", "Part II. Server"), "Pools (Pool 15.2 Documentation)", [None, "More"]),
        (manual("FLUSH", "SQL Commands"), "FLUSH (SQL Commands, Pool 15.2 Documentation)", [None, "More"]),
        (manual("Preface", "Pool 15.2 Documentation"), "Preface (Pool 15.2 Documentation)", [None, "More"]),
        (("<title>re — Patterns &#8212; Python 3.11 manual</title><h1>re — Patterns</h1>It is "
            "about texts or bytes."),
         "re — Patterns (Python 3.11 manual)", [None]),
    ],
)  # fmt: skip
def test_a_title_has_its_chapter_and_edition_once(
    page: str, title: str, sections: list[str | None]
) -> None:
    found = reading(page, "a.html", "html")
    assert (found.title, [piece.section for piece in found.pieces]) == (title, sections)
    assert found.pieces[0].lead
