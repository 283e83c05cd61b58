"""Settings from `.env`."""

import os
from pathlib import Path

import pytest

from fathom.state.errors import UsageError
from fathom.tools.env import read_env


def test_the_nearest_file_upward_is_read_and_the_process_wins(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".env").write_text("FAR=1\nKEY=far\n")
    (tmp_path / "a" / ".env").write_text("# keys\nKEY='near ${HOME}'\nexport OTHER=2\nBARE\nBLANK=\n")
    assert read_env(below, {"OTHER": "process"}) == {"KEY": "near ${HOME}", "OTHER": "process", "BLANK": ""}
    assert "KEY" not in os.environ


def test_without_a_file_the_process_is_all(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()  # a folder of that name is none
    process = {"KEY": "x"}
    read = read_env(tmp_path, process)
    assert read["KEY"] == "x"
    assert read is not process


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"\.env cannot be read"):
        read_env(tmp_path, {})
