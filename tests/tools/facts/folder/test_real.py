"""A folder of real documents: the sources of Python's own documentation, where Debian has installed
them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from fathom.state.text import contains
from fathom.state.tiers import Tier
from fathom.tools.facts.folder import FolderSource
from fathom.tools.facts.relevance import mentions, names

from ....support.library_files import PYTHON_DOCS, opened, query, some_python_docs, without_term

pytestmark = [
    pytest.mark.xdist_group("facts_folder_real"),  # one worker makes what all of them begin with
    pytest.mark.skipif(PYTHON_DOCS is None, reason="Debian's python3-doc is not installed"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def docs(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FolderSource]:
    folder = some_python_docs(tmp_path_factory.mktemp("python"))
    async with opened(folder, tmp_path_factory.mktemp("index")) as source:
        held = await source.prepare()
        assert held.documents >= 80
        assert held.passages > 10 * held.documents
        yield source


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("concept", "path"),
    [
        ("asyncio event loop", "library/asyncio-"),
        ("garbage collection", "library/gc.rst"),
        ("descriptor protocol", "howto/descriptor.rst"),
        ("generator iterator", "reference/"),
        ("context managers", "library/contextlib.rst"),
    ],
)
async def test_real_look_ups(docs: FolderSource, concept: str, path: str) -> None:
    found = await docs.find(query(concept, domain="Python"))
    assert len(found) >= 6
    assert any(path in e.url for e in found)
    assert PYTHON_DOCS is not None
    for e in found:
        file, line = e.url.removeprefix("_sources/").split("#L")
        lines = (PYTHON_DOCS / file).read_text().split("\n")
        assert (
            mentions(e.text, concept)
            or names(e.title, concept)
            or names((e.section or "").split(" › ")[-1], concept)
        )
        assert any(word in lines[int(line) - 1] for word in without_term(e).split()[:2]), (
            e.url,
            e.text,
        )


@pytest.mark.asyncio(loop_scope="module")
async def test_what_does_not_exist_is_not_found(docs: FolderSource) -> None:
    for concept in ("quantum coroutine entanglement", "Blorptagh", "photosynthesis"):
        for tier in (Tier.COMMON, Tier.TEXTBOOK, Tier.SPECIALIST):
            assert await docs.find(query(concept, tier, domain="Python")) == []


@pytest.mark.asyncio(loop_scope="module")
async def test_most_passages_stand_in_their_file_word_for_word(docs: FolderSource) -> None:
    assert PYTHON_DOCS is not None
    verbatim = total = 0
    for concept in ("thread", "socket", "exception", "module", "string"):
        for e in await docs.find(query(concept, domain="Python", limit=40)):
            total += 1
            verbatim += contains(
                (PYTHON_DOCS / e.url.removeprefix("_sources/").split("#")[0]).read_text(),
                without_term(e),
            )
    assert total >= 100
    assert verbatim >= total / 8  # the others hold a role or a literal, whose marks are left out
