"""README's host code is what mypy checks in `readme_host.py`."""

import re
import textwrap
from pathlib import Path

HERE = Path(__file__).parent


def test_the_host_in_the_readme_is_the_one_that_is_type_checked() -> None:
    blocks = re.search(r"## Embed it\n.*?```python\n(.*?)```", (HERE.parent / "README.md").read_text(), re.DOTALL)
    assert blocks is not None
    checked = textwrap.dedent((HERE / "readme_host.py").read_text().partition('stands in the README."""\n')[2])
    assert checked == blocks[1]
