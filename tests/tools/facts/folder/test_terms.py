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
<p><b>Does a question in bold type name what follows, even one that is longer than names are?</b></p>
<p>It asks for it.</p>
<h3>Warning</h3><p>The server has to be started again.</p>"""

ASKED = "Does a question in bold type name what follows, even one that is longer than names are?"


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
        (f"{ASKED} It asks for it.", ASKED),
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


LISTS = {
    "markdown": "# Care\n\nA ward for stroke has to offer:\n\n- monitoring of the heart;\n- imaging of the brain; and\n"
    "- a team:\n    - a nurse\n    - a doctor\n- Beds stand near the door of the ward.\n",
    "text": "Care\n====\n\nA ward for stroke has to offer:\n\n(a) monitoring of the heart;\n\n    (b) imaging of the "
    "brain; and\n\n(c) a team:\n\n(i) a nurse\n\n(ii) a doctor\n\n(d) Beds stand near the door of the ward.\n",
    "html": "<h1>Care</h1><p>A ward for stroke has to offer:</p><ul><li>monitoring of the heart;"
    "<li>imaging of the brain; and"
    "<li>a team:<ul><li>a nurse<li>a doctor</ul><li>Beds stand near the door of the ward.</ul>",
}


@pytest.mark.parametrize("kind", LISTS)
def test_items_of_a_list_stand_behind_the_sentence_that_introduces_it(kind: str) -> None:
    assert [piece.text for piece in reading(LISTS[kind], "a", kind).pieces] == [
        "A ward for stroke has to offer: monitoring of the heart; imaging of the brain.",
        "A ward for stroke has to offer: a team: a nurse; a doctor.",
        "Beds stand near the door of the ward.",
    ]


def test_what_stands_behind_a_comma_belongs_to_its_item() -> None:
    text = "The ward was paid for by these three means:\n\n- a loan of $3,600,\n- gifts of May, 1886\n- gold, oil\n"
    (piece,) = reading(text).pieces
    assert piece.text.endswith("means: a loan of $3,600; gifts of May, 1886; gold, oil.")


def test_items_that_are_longer_than_a_passage_have_their_head_again() -> None:
    items = "\n".join(
        f"- the case that is numbered {n} and described {'at length ' * 20}" for n in "123456"
    )
    found = reading(f"It applies to these cases of law:\n\n{items}\n").pieces
    assert len(found) == 2
    assert all(p.text.startswith("It applies to these cases of law: the case") for p in found)
    assert max(len(piece.text) for piece in found) <= 800


def test_a_numbered_line_of_a_plain_text_is_a_heading() -> None:
    text = (
        "LICENCE\n\n1. Source Code.\nThe source code is the preferred form of a work.\n\n"
        "§ 2 Kinds\n\nThere are two of them in all.\n"
    )
    assert [(p.text, p.section) for p in reading(text, "a.txt", "text").pieces] == [
        ("The source code is the preferred form of a work.", "1. Source Code"),
        ("There are two of them in all.", "§ 2 Kinds"),
    ]
