"""What a folder may hold without harm: links, hidden, huge, binary and odd files, and traps."""

import os
from pathlib import Path

import pytest

from fathom.tools.facts.library.document import Unreadable
from fathom.tools.facts.library.reading import read
from fathom.tools.facts.library.walk import read_bytes, walk

from ....support.library_files import STROKE, look_up, opened, query, reason, write


async def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.md": STROKE, "lib-twin/secret.md": STROKE})
    folder = write(tmp_path / "lib", {"good.md": "A good text mentions no illness at all.\n"})
    (folder / "file.md").symlink_to(tmp_path / "outside" / "secret.md")
    (folder / "twin").symlink_to(tmp_path / "lib-twin")
    (folder / "up.md").symlink_to("../outside/secret.md")
    (folder / "dangling.md").symlink_to("nowhere.md")
    async with opened(folder) as source:
        assert await source.find(query("stroke")) == []
        links = ["dangling.md", "file.md", "twin", "up.md"]
        assert (await source.prepare()).skipped == dict.fromkeys(links, "a link")


async def test_a_folder_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.md": STROKE})
    (tmp_path / "link").symlink_to("real")
    assert (await look_up(tmp_path / "link", "stroke"))[0].url.startswith("real/a.md")


async def test_a_file_replaced_by_a_link_after_the_walk_is_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "lib", {"a.md": STROKE, "b.md": STROKE})
    assert walk(str(folder)).entries["a.md"] == "markdown"
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to("/etc/hostname")
    with pytest.raises(Unreadable, match="could not be opened"):
        read_bytes(str(folder / "a.md"))


async def test_hidden_files_are_passed_over_and_unknown_ones_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".git/a.md": STROKE,
            ".b.md": STROKE,
            "c.docx": b"PK",
            "noext": STROKE,
            "ok.md": STROKE,
        },
    )
    census = walk(str(tmp_path))
    assert set(census.entries) == {"ok.md"}
    assert census.skipped == {"c.docx": "unknown kind of file", "noext": "unknown kind of file"}


async def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert await reason(tmp_path, "pipe.md") == "not an ordinary file"


async def test_a_huge_file_is_not_opened(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(20_000_001)
    assert await reason(tmp_path, "huge.txt") == "larger than 20 MB"


async def test_a_dump_of_text_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"dump.txt": "A stroke again. " * 320_000})
    assert await reason(tmp_path, "dump.txt") == "more than 5 million characters of text"


async def test_binary_under_a_friendly_name(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"# Title\n\nText\x00more"})
    assert await reason(tmp_path, "a.md") == "binary"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": STROKE})
    (tmp_path / "a.md").chmod(0)
    assert "permission denied" in await reason(tmp_path, "a.md")


@pytest.mark.parametrize(
    "name", ["line\nbreak.md", "escape\x1b[31m.md", os.fsdecode(b"latin-\xe9.md")]
)
async def test_names_that_would_harm_a_screen_are_skipped(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: STROKE, "ok.md": STROKE})
    census = walk(str(tmp_path))
    assert set(census.entries) == {"ok.md"}
    ((shown, why),) = census.skipped.items()
    assert why == "unprintable characters in its name"
    assert shown.isprintable()
    shown.encode()


async def test_nested_html_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(Unreadable, match="nested more than"):
        read(b"<div>" * 300_000 + b"hello", "a.html", "html", "en", lambda: None)


def test_many_unclosed_elements_that_do_not_nest_are_fine() -> None:
    page = b"<p>A stroke is one of many items in this list.<br><li>Second.\n" * 10_000
    assert read(page, "a.html", "html", "en", lambda: None).pieces


def test_a_pdf_whose_forms_nest_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of eight forms draws the next ten times: 10⁸ operators in two kilobytes."""
    monkeypatch.setattr("fathom.tools.facts.library.pdf.MAX_OPERATIONS", 1_000)
    from ....support.library_files import _file

    forms = []
    for level in range(8):
        inner = b"/X Do " * 10 if level < 7 else b"BT (deep) Tj ET"
        resources = (
            b"/Resources << /XObject << /X %d 0 R >> >>" % (6 + level) if level < 7 else b""
        )
        forms.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] %s /Length %d >> stream\n%s\nendstream"
            % (resources, len(inner), inner)
        )
    data = _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>",
            b"<< /Length 12 >> stream\n/X Do /X Do \nendstream",
            *forms,
        ],
        info=0,
    )
    with pytest.raises(Unreadable, match="drawing operations"):
        read(data, "a.pdf", "pdf", "en", lambda: None)


async def test_pypdf_s_remarks_stay_off_the_screen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"torn.pdf": b"%PDF-1.4\n1 0 obj\n<<"})
    await reason(tmp_path, "torn.pdf")
    assert capfd.readouterr() == ("", "")
