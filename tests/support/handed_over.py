"""Files as people hand them over, and how they are refused."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.table_files import write_rows

from fathom.state.errors import UsageError


def in_file(
    folder: Path, content: Sequence[Mapping[str, Any]] | str | bytes, name: str = "b.jsonl"
) -> Path:
    path = folder / name
    if isinstance(content, str | bytes):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
    return write_rows(path, content)


def refusal(read: Callable[[Path], object], path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read(path)
    said = str(error.value)
    assert str(path) in said
    assert "\n" not in said
    assert len(said.replace(str(path), "")) < 400
    return said
