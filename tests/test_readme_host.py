"""The programs in the README and in `docs/embedding.md` are those that mypy checks in
`readme_host.py`."""

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECKED = (ROOT / "tests" / "readme_host.py").read_text()


@pytest.mark.parametrize(("page", "programs"), [("README.md", 1), ("docs/embedding.md", 4)])
def test_the_programs_on_a_page_are_those_that_are_type_checked(page: str, programs: int) -> None:
    text = (ROOT / page).read_text()
    text = text.partition("## Embed it")[2].partition("\n## ")[0] if page == "README.md" else text
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == programs
    for block in blocks:
        imports, _, body = (
            block.rpartition("\n\n") if block.startswith("import ") else ("", "", block)
        )
        assert all(line in CHECKED for line in imports.splitlines())
        assert body in CHECKED or textwrap.indent(body, "    ") in CHECKED
