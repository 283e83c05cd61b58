"""The programs in the README and on the pages are those that mypy checks in `readme_host.py`."""

import re
import textwrap
from pathlib import Path

import pytest

from . import readme_host

ROOT = Path(__file__).parents[1]
CHECKED = (ROOT / "tests" / "readme_host.py").read_text()


PROGRAMS = {"README.md": 1, "docs/embedding.md": 3, "docs/agents.md": 1, "docs/api.md": 2}
PROGRAMS |= {"docs/rag.md": 1, "docs/extending.md": 1}


@pytest.mark.parametrize(("page", "programs"), PROGRAMS.items())
def test_the_programs_on_a_page_are_those_that_are_type_checked(
    page: str, programs: int
) -> None:
    text = (ROOT / page).read_text()
    text = (
        text.partition("## Embed it")[2].partition("\n## ")[0] if page == "README.md" else text
    )
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == programs
    for block in blocks:
        imports, _, body = (
            block.rpartition("\n\n") if block.startswith("import ") else ("", "", block)
        )
        assert all(line in CHECKED for line in imports.splitlines())
        assert body in CHECKED or textwrap.indent(body, "    ") in CHECKED


async def test_two_drills_stand_in_one_graph() -> None:
    ahead = await readme_host.deeper_of("sim:ignorant", "sim:omniscient", "Noble gases")
    assert ahead == "sim:omniscient"


async def test_a_session_ends_with_a_decision(tmp_path: Path) -> None:
    models = ["sim:ignorant", "sim:omniscient"]
    decision = await readme_host.which_to_take("Noble gases", models, tmp_path)
    assert decision.exit_code in (0, 4, 5)
