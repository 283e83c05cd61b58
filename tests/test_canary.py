"""No key and no password is ever kept or shown, whatever the services echo: canary values, searched
for in every file a run leaves behind and in every word the program says."""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from fathom.state.result import DrillResult
from fathom.tools.models.langchain import exchange
from fathom.tools.models.limiter import Timing
from fathom.tools.net import hide, hide_bytes

from .support import model_server
from .support.command_line import Caller, Said, on_a_thread
from .support.drill.drills import TODAY
from .support.echoing import Echoing, echoing
from .support.world_library import scored

MARK = "Zq7mCanary"
"""Begins every canary, and has none of the beginnings by which keys are known."""
MODEL_KEY, SEARCH_KEY, WORKS_KEY, PASSWORD, UNRELATED = (
    f"{MARK}{name}"
    for name in ("Model5f3a", "Search9c7e", "Works21d4", "Pass0b8d", "Other6a1f")
)


@pytest.fixture
def served() -> Iterator[Echoing]:
    with on_a_thread(echoing) as running:
        yield running


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    """The command line with one key in the environment, and the others in a file of settings."""
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite"))
    monkeypatch.setenv("OPENAI_API_KEY", MODEL_KEY)
    settings = {
        "TAVILY_API_KEY": SEARCH_KEY,
        "OPENALEX_API_KEY": WORKS_KEY,
        "UNRELATED_PASSWORD": UNRELATED,
    }
    (tmp_path / ".env").write_text(
        "".join(f"{name}={value}\n" for name, value in settings.items())
    )
    return caller


def contents(path: Path) -> bytes:
    """The bytes of a file; of a bundle unpacked, of a database all its values too, which may cross
    pages."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"SQLite format 3\x00"):
        with closing(sqlite3.connect(path)) as database:
            names = [
                name
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                )
            ]
            rows = [
                row for name in names for row in database.execute(f'SELECT * FROM "{name}"')
            ]
        values = (value for row in rows for value in row if value is not None)
        return data + b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in values)
    return data


def kept(folder: Path) -> dict[str, bytes]:
    """Every file below the folder but the settings, by its name, files of the same name
    together."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != ".env":
            found[path.name] = found.get(path.name, b"") + contents(path)
    return found


def search(call: Caller, *said: Said) -> dict[str, bytes]:
    """All files, after none of them nor anything that was said turned out to hold a canary."""
    files = kept(call.folder)
    assert [name for name, data in files.items() if MARK.encode() in data] == []
    for words in said:
        assert MARK not in words.out
        assert MARK not in words.err
    return files


KEYED = "key=OPENAI_API_KEY"


def drill(served: Echoing) -> list[str]:
    model = f"openai@{served.url}/v1"
    works = f"openalex@{served.url}/openalex"
    facts = f"COMMON=sim,TEXTBOOK=tavily@{served.url},PROFESSIONAL={works},SPECIALIST={works},CUTTING_EDGE={works}"
    return [
        "drill", "Chemical elements", "-t", f"{model}:student {KEYED}", "-e", f"{model}:evaluator {KEYED}",
        "--facts", facts,
        "-n", "5", "-q", "1", "--max-depth", "3", "--threshold", "0.001", "--as-of", TODAY.isoformat(), "--debug",
    ]  # fmt: skip


def test_what_every_reply_echoes_is_kept_nowhere_and_never_shown(
    call: Caller, served: Echoing
) -> None:
    cut = call(*drill(served), "--max-calls", "60", "--display", "lines")
    assert cut.code == 3, cut.err
    files = search(call, cut)
    assert {
        "spec.json",
        "launch.json",
        "events.jsonl",
        "log.jsonl",
        "cache.sqlite",
    } <= set(files)

    resumed = call("resume", "last", "--max-calls", "1000", "--display", "events", "--debug")
    assert resumed.code == 0, resumed.err
    other = f"openai@{served.url}/v1:expert {KEYED}"
    said = [
        resumed,
        call("show", "last", "--debug"),
        call("show", "last", "--json", "--debug"),
        call("list", "--debug"),
        call("freeze", "last", "-o", "run.fathom", "--debug"),
        call("replay", "run.fathom", "--debug"),
        call(
            "replay",
            "run.fathom",
            "-t",
            other,
            "--judge",
            drill(served)[5],
            "--debug",
        ),
        call("plan", *drill(served)),
        call("cache", "info", "--debug"),
        call("doctor", *drill(served)[2:8], "--call", "--debug"),
        call("doctor", *drill(served)[2:8], "--call", "--json"),
    ]
    assert [words.code for words in said] == [0] * len(said), [
        words.err for words in said if words.code
    ]
    files = search(call, *said)

    for path, key in (
        ("/v1/chat/completions", MODEL_KEY),
        ("/search", SEARCH_KEY),
        ("/openalex/works", WORKS_KEY),
    ):
        assert served.keys[path, key] > 0  # it was sent, and so given away
    for name in (
        "events.jsonl",
        "result.json",
        "log.jsonl",
        "cache.sqlite",
        "run.fathom",
    ):
        assert b"[key]" in files[name], name
    result = DrillResult.model_validate_json(said[2].out)
    told = [probe for probe in scored(result) if probe.question and probe.answer]
    assert told
    for probe in told:
        assert probe.question is not None
        assert probe.answer is not None
        assert probe.answer.text.endswith("your key is [key].")
        assert probe.question.reference.endswith("(told to [key])")
        assert all(c.model.endswith("-of-[key]") for c in probe.calls)
    titles = {
        probe.question.evidence.title for probe in told if probe.question and probe.depth > 1
    }
    assert titles
    assert all(title.endswith("for [key]") for title in titles)


@pytest.mark.parametrize("place", ["refusing", "leaving"])
def test_endpoints_that_turn_the_caller_away(call: Caller, served: Echoing, place: str) -> None:
    at = f"openai@{served.url}/{place}/v1"
    words = ["-t", f"{at}:student {KEYED}", "-e", f"{at}:evaluator {KEYED}"]
    said = call("drill", "Chemical elements", *words, "--facts", "sim", "-n", "3", "--debug")
    assert said.code == 1
    checked = call(
        "doctor",
        *words,
        "--facts",
        f"tavily@{served.url}/{place},COMMON=sim,TEXTBOOK=sim",
        "--call",
    )
    assert checked.code == 1
    assert "cache.sqlite" in search(
        call, said, checked
    )  # the run, in which nothing was answered, left no folder
    assert "[key]" in said.err


@pytest.mark.parametrize("place", ["refusing", "leaving"])
def test_sources_that_turn_the_caller_away(call: Caller, served: Echoing, place: str) -> None:
    facts = f"COMMON=tavily@{served.url}/{place},TEXTBOOK=tavily@{served.url}/{place}"
    said = call(
        "drill",
        "Chemical elements",
        "-t",
        "sim:student",
        "-e",
        "sim:evaluator",
        "--facts",
        facts,
        "-n",
        "3",
    )
    assert said.code == 1
    assert served.keys.total() > 0
    search(call, said)


HOST = f"me:{PASSWORD}@127.0.0.1:9"


@pytest.mark.parametrize(
    "words",
    [
        ["--facts", f"mediawiki:http://{HOST}/w/api.php"],
        ["--facts", f"mediawiki:http://me:{PASSWORD}/x@127.0.0.1:9/w/api.php"],
        ["--facts", f"mediawiki:me:{PASSWORD}@127.0.0.1/w/api.php"],
        ["--facts", f"mediawiki:http://me:{PASSWORD} @127.0.0.1/w/api.php"],
        ["--facts", f"mediawiki@http://{HOST}/w/api.php"],
        ["--facts", f"COMMON=wikipedia,TEXTBOOK=tavily@http://{HOST}"],
        ["--facts", f"PROFESSIONAL=mediawiki:http://{HOST}/w/api.php"],
        ["--facts", f"wikipedia,openalex@https://{HOST}"],
        ["--facts", f"wikipedia,,tavily@https://{HOST}"],
        ["--facts", f"http://{HOST}/w/api.php"],
        ["--facts", f"EXPERT=tavily@https://{HOST}"],
        ["--facts", f"mediawiki:https://127.0.0.1:9/w/api.php?token={PASSWORD}"],
        ["--facts", f"COMMON=wikipedia,TEXTBOOK=openalex@https://127.0.0.1:9#{PASSWORD}"],
        ["--judge", f"openai@http://{HOST}/v1:m"],
        ["--judge", f"openai@http://me:{PASSWORD}/x@127.0.0.1:9/v1:m"],
        ["--judge", f"vllm@me:{PASSWORD}@127.0.0.1:9/v1:m"],
        ["-t", f"http://{HOST}/v1:m"],
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(
    call: Caller, words: list[str]
) -> None:
    models = ["-t", "sim:student", "-e", "sim:evaluator"]
    said = [call("drill", "Gold", *models, *words)]
    said.append(call("plan", "drill", "Gold", *models, *words))
    said.append(call("doctor", *models, *words))
    assert {(each.code, each.out) for each in said} == {(2, "")}
    assert all(each.err.count("Error: ") == 1 for each in said)
    search(call, *said)
    assert not call.runs


@pytest.mark.parametrize(
    ("name", "facts"), [("OPENAI_BASE_URL", "sim"), ("FATHOM_WIKIPEDIA_URL", "wikipedia")]
)
def test_a_password_in_a_setting_is_refused_and_not_repeated(
    call: Caller, monkeypatch: pytest.MonkeyPatch, name: str, facts: str
) -> None:
    monkeypatch.setenv(name, f"http://{HOST}/w/api.php")
    words = ["-t", "openai:m", "-e", "sim:evaluator", "--facts", facts]
    said = call("drill", "Art", *words)
    assert said.code == 2
    assert said.err.splitlines()[-1].startswith(f"Error: {name} holds ")
    checked = call("doctor", *words)
    search(call, said, checked)


async def test_a_sample_that_was_held_back() -> None:
    body = {
        "error": {
            "message": "No JSON.",
            "code": "json_validate_failed",
            "failed_generation": f"It is {MODEL_KEY}",
        }
    }
    async with (
        model_server.serving(model_server.answer(orjson.dumps(body), 400)) as server,
        model_server.clients_at(env={"OPENAI_API_KEY": MODEL_KEY}) as clients,
    ):
        reply = await clients.get(f"openai@{server.base_url}:m key=OPENAI_API_KEY").complete(
            model_server.ask()
        )
    assert reply.text == "It is [key]"


async def test_what_comes_through_langchain() -> None:
    message = AIMessage(
        f"<think>{MODEL_KEY}</think>{MODEL_KEY} is it",
        response_metadata={"model_name": f"of-{MODEL_KEY}"},
        additional_kwargs={"refusal": MODEL_KEY},
    )
    model = GenericFakeChatModel(messages=iter([message]))
    reply = await exchange(
        model, model_server.ask(), "fake:m", Timing(), timeout_s=5, key=MODEL_KEY
    )
    told = (reply.text, reply.refusal, reply.reasoning, reply.model)
    assert told == ("[key] is it", "[key]", "[key]", "of-[key]")


def test_only_long_keys_are_looked_for() -> None:
    assert hide("the key is no key", "key") == "the key is no key"
    assert hide("secret-1 and secret-1", "secret-1") == "[key] and [key]"
    assert hide("text", None) == "text"
    assert hide_bytes(b"a none b", "none") == b"a none b"
    assert (
        hide_bytes(rb'{"a": "ab\/cd+ef=", "b": "?k=ab%2Fcd%2Bef%3D"}', "ab/cd+ef=")
        == b'{"a": "[key]", "b": "?k=[key]"}'
    )
