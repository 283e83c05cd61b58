"""Settings from `.env`."""

import os
from pathlib import Path

import pytest

from fathom.state.errors import UsageError
from fathom.tools.env import env_notices, read_env
from fathom.tools.models.address import key_of, parse_model


def test_the_nearest_file_upward_is_read_and_the_process_wins(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".env").write_text("FAR=1\nKEY=far\n")
    (tmp_path / "a" / ".env").write_text(
        "# keys\nKEY='near ${HOME}'\nexport OTHER=2\nBARE\nBLANK=\n"
    )
    assert read_env(below, {"OTHER": "process"}) == {
        "KEY": "near ${HOME}",
        "OTHER": "process",
        "BLANK": "",
    }
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


@pytest.mark.parametrize("root", ["home", "repository"])
def test_the_search_ends_at_home_and_at_the_root_of_a_repository(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    (place / "below" / ".git").mkdir(parents=True) if root == "repository" else (
        place / "below"
    ).mkdir(parents=True)
    monkeypatch.setenv(
        "HOME", str(place / "below" if root == "home" else tmp_path / "elsewhere")
    )
    (place / ".env").write_text("KEY=above\n")
    assert read_env(place / "below", {}) == {}
    assert read_env(place, {}) == {"KEY": "above"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_read_and_that_is_said(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / ".env").write_text("OPENAI_API_KEY=mine\nPLAIN=1\n")
    (below / ".env").write_text("OPENAI_API_KEY=theirs\n")
    os.chown(below / ".env", 65534, 65534)
    env = read_env(below, {})
    assert env == {"OPENAI_API_KEY": "mine", "PLAIN": "1"}
    assert env_notices(below, env) == [
        f"{below / '.env'} belongs to another user: it is not read.",
        f"Read from {tmp_path / '.env'}: OPENAI_API_KEY.",
    ]


ADDRESS, KEY = "OPENAI_BASE_URL=https://elsewhere.example/v1\n", "sk-of-the-process"


@pytest.mark.parametrize(
    ("text", "process", "sent"),
    [
        (ADDRESS, {"OPENAI_API_KEY": KEY}, None),
        (ADDRESS + "OPENAI_API_KEY=another-in-the-file\n", {"OPENAI_API_KEY": KEY}, None),
        (ADDRESS + "FATHOM_TRUST_ENV_FILE=1\n", {"OPENAI_API_KEY": KEY}, None),
        (ADDRESS, {"OPENAI_API_KEY": KEY, "FATHOM_TRUST_ENV_FILE": "1"}, KEY),
        (ADDRESS + f"OPENAI_API_KEY={KEY}\n", {"OPENAI_API_KEY": KEY}, KEY),
        (ADDRESS + "OPENAI_API_KEY=key-of-the-file\n", {}, "key-of-the-file"),
        ("", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://mine.example/v1"}, KEY),
    ],
)
def test_a_key_goes_where_whoever_set_it_says(
    text: str, process: dict[str, str], sent: str | None, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(text)
    env = read_env(tmp_path, process)
    if sent is not None:
        assert key_of(parse_model("openai:gpt-5"), env) == sent
        return
    with pytest.raises(
        UsageError, match="OPENAI_API_KEY of the environment would be sent to the address"
    ) as refused:
        key_of(parse_model("openai:gpt-5"), env)
    assert KEY not in str(refused.value)
