"""Documents of every format read into passages with their title, headings and place."""

import io
from pathlib import Path

import pytest

from fathom.state.text import contains
from fathom.state.tiers import Tier
from fathom.tools.facts.library.document import Unreadable
from fathom.tools.facts.library.pdf import NO_PYPDF

from ....support.library_files import (
    STROKE,
    look_up,
    opened,
    pdf,
    query,
    reading,
    reason,
    write,
)


async def test_markdown_gives_title_heading_trail_and_line(tmp_path: Path) -> None:
    write(tmp_path / "guidelines", {"brain/stroke.md": STROKE})
    found = {e.section: e for e in await look_up(tmp_path / "guidelines", "stroke")}
    lead = found[None]
    assert (lead.title, lead.url) == ("Stroke", "guidelines/brain/stroke.md#L3")
    assert lead.text == (
        "A stroke is a loss of brain function through lack of blood. "
        "Most strokes are ischaemic, and the rest are haemorrhagic."
    )
    assert found["Treatment"].url == "guidelines/brain/stroke.md#L8"
    assert found["Treatment › Thrombectomy"].url == "guidelines/brain/stroke.md#L12"
    assert str(tmp_path) not in "".join(e.model_dump_json() for e in found.values())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_of_western_prose(encoding: str) -> None:
    text = "Ménière's disease, named in café conversations, affects the inner ear of adults."
    assert reading(text.encode(encoding), "a.txt", "text").pieces[0].text == text


def test_markdown_loses_its_markup_and_keeps_its_words() -> None:
    text = """Intro *of* the [stroke](http://x.y/z "t") unit is `fast` and **good** here.

```python
code = "This is not a sentence about strokes at all."
```

- The first item of a list is a sentence too.
- <b>Bold</b> items lose their tags but they keep their words.

<div>This block of raw HTML is not prose for anybody.</div>

> A quotation may well carry a fact about strokes.
"""
    assert [piece.text for piece in reading(text).pieces] == [
        "Intro of the stroke unit is fast and good here.",
        "The first item of a list is a sentence too.",
        "Bold items lose their tags but they keep their words.",
        "A quotation may well carry a fact about strokes.",
    ]


def test_plain_text_joins_wrapped_lines_and_knows_each_passage_by_the_line_of_its_paragraph() -> (
    None
):
    text = """Gout of the toe
===============

Gout is caused by crystals of urate in
the joint. It hurts. The first joint that
it reaches is that of the big toe. Allopurinol lowers the
level of urate in the blood. Febuxostat does the same by another way.

Therapy
-------
An attack is treated with colchicine or with an
anti-inflammatory drug.
"""
    found = reading(text, "a.txt", "text")
    assert found.title == "Gout of the toe"
    assert [piece.section for piece in found.pieces][-1] == "Therapy"
    assert [piece.place for piece in found.pieces] == ["L4", "L4", "L11"]
    assert all(contains(text, piece.text) for piece in found.pieces)


def test_html_gives_the_main_part_with_anchors() -> None:
    page = """<html><head><title>Site: stroke</title>
    <meta property="article:published_time" content="2025-05-04T10:00Z">
    <style>p {color: red}</style></head><body><header><p>This header is on every page of the site.</p></header>
    <nav><p>This navigation is on every page of the site.</p></nav>
    <div role="main"><h1>Stroke care<a class="headerlink" href="#x">¶</a></h1>
    <p>A stroke unit <b>lowers</b> the\n number of deaths.</p>
    <script>var a = "This script is not prose at all.";</script>
    <section id="imaging"><h2>Imaging</h2><p>A scan of the head comes first of all.<br>It tells bleeding from clots.</p>
    <ul><li>Imaging shows 10<sup>5</sup> cells of the <math><mi>x</mi></math></li>
    <li>Diffusion imaging shows the 10<sup>5</sup> cells of the core.</li></ul></section></div>
    <footer><p>This footer is on every page of the site.</p></footer></body></html>"""
    found = reading(page, "a.html", "html")
    assert (found.title, str(found.labels.published)) == ("Stroke care", "2025-05-04")
    assert [(piece.text, piece.section, piece.place, piece.lead) for piece in found.pieces] == [
        ("A stroke unit lowers the number of deaths.", None, "", True),
        (
            "A scan of the head comes first of all. It tells bleeding from clots.",
            "Imaging",
            "imaging",
            False,
        ),
        ("Diffusion imaging shows the 10⁵ cells of the core.", "Imaging", "imaging", False),
    ]


async def test_pdf_gives_page_and_stated_title_without_running_heads(tmp_path: Path) -> None:
    pages = [
        [
            "Journal of Clots 2025",
            "Alteplase is given early in the course of a",
            "stroke, within 4.5 hours.",
            f"{n}",
        ]
        for n in range(1, 4)
    ]
    pages[2][1:3] = ["Thrombec-", "tomy helps in a stroke of a large artery as well."]
    write(tmp_path / "lib", {"acs.pdf": pdf(pages, title="Reperfusion")})
    found = await look_up(tmp_path / "lib", "stroke")
    assert {(e.title, e.section) for e in found} == {("Reperfusion", None)}
    assert [(e.text, e.url) for e in found] == [
        (
            "Alteplase is given early in the course of a stroke, within 4.5 hours.",
            "lib/acs.pdf#page=1",
        ),
        ("Thrombectomy helps in a stroke of a large artery as well.", "lib/acs.pdf#page=3"),
    ]


def test_html_in_a_declared_encoding() -> None:
    page = (
        '<html><head><meta charset="koi8-r"></head><p>Инсульт лечат в первые часы после его '
        "начала.</p></html>"
    )
    assert (
        reading(page.encode("koi8-r"), "a.html", "html")
        .pieces[0]
        .text.startswith("Инсульт лечат")
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04\x00\x00binary", "binary"),
        (b"\x01\x02\x03\x04 text \x05\x06\x07", "binary"),
        (
            "Инсульт лечат в первые часы после его начала.".encode("koi8-r"),
            "unknown encoding (save it as UTF-8)",
        ),
        (
            "脳卒中は脳の血管の病気である。".encode("shift-jis"),
            "unknown encoding (save it as UTF-8)",
        ),
        (b"\xff\xfe\x00\xd8\x00\xd8\x00", "unknown encoding (save it as UTF-8)"),
        (b"", "no prose to ask about"),
        (b"word list without any sentence", "no prose to ask about"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(Unreadable) as refused:
        reading(data, "a.txt", "text")
    assert str(refused.value) == why


def encrypted(data: bytes, user: str, owner: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, owner, algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


async def test_pdf_with_a_password_broken_or_empty_is_skipped(tmp_path: Path) -> None:
    good = pdf([["This page holds one sentence of text."]])
    write(
        tmp_path,
        {
            "locked.pdf": encrypted(good, "secret", "secret"),
            "torn.pdf": good[:200],
            "scan.pdf": pdf([[]]),
        },
    )
    assert await reason(tmp_path, "locked.pdf") == "protected by a password"
    assert (await reason(tmp_path, "torn.pdf")).startswith("broken PDF")
    assert await reason(tmp_path, "scan.pdf") == "no text, only pictures"


async def test_pdf_with_too_many_pages_or_operations_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.tools.facts.library.pdf.MAX_PAGES", 2)
    monkeypatch.setattr("fathom.tools.facts.library.pdf.MAX_OPERATIONS", 500)
    write(
        tmp_path,
        {"long.pdf": pdf([["One."]] * 3), "busy.pdf": pdf([["One."]], extra=b"q Q " * 400)},
    )
    assert await reason(tmp_path, "long.pdf") == "more than 2 pages"
    assert "drawing operations" in await reason(tmp_path, "busy.pdf")


async def test_without_pypdf_a_pdf_is_skipped_by_name_and_read_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(
        tmp_path / "lib",
        {"a.pdf": pdf([["A seizure is treated within hours."]]), "b.md": STROKE},
    )
    with monkeypatch.context() as patched:
        patched.setitem(__import__("sys").modules, "pypdf", None)
        async with opened(folder, tmp_path / "index") as source:
            await source.prepare()
            assert (await source.prepare()).skipped == {"a.pdf": NO_PYPDF}
            assert NO_PYPDF in (source.notice or "")
    async with opened(folder, tmp_path / "index") as source:
        assert (await source.prepare()).read == 1
        assert source.notice is None
        assert any(
            e.url.endswith("a.pdf#page=1")
            for e in await source.find(query("seizure", Tier.PROFESSIONAL))
        )
