"""What the command line refuses: exit 2, one sentence on stderr, nothing on stdout, no folder, no call."""

import os
from pathlib import Path

import pytest

from ..support.command_line import SMALL, STUDENT, Caller, refused

DRILL = ["drill", "Chemical elements", *SMALL, *STUDENT]
BEYOND_64_BITS = "1" + "0" * 24


def drill_with(target: str = "sim:student", evaluator: str = "sim:evaluator", *words: str) -> list[str]:
    return ["drill", "Chemical elements", *SMALL, "--target", target, "--evaluator", evaluator, *words]


pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


MODELS = [
    (drill_with("grmpf:a"), "no provider 'grmpf'", "provider:model"),
    (drill_with("opena:a"), "no provider 'opena'", "Did you mean openai"),
    (drill_with("openai:gpt-5"), "openai:gpt-5 needs a key", "set OPENAI_API_KEY"),
    (drill_with("sim:student", "openrouter:a/b"), "openrouter:a/b needs a key", "set OPENROUTER_API_KEY"),
    (["drill", "Art", "--target", "sim:student"], "--evaluator is missing", "--evaluator openai:gpt-5"),
    (["drill", "Art", "--evaluator", "sim:evaluator"], "--target is missing", "--target openai:gpt-5-mini"),
    (drill_with("", "sim:evaluator"), "--target is missing"),
    (drill_with("sim:student", "  "), "--evaluator is missing"),
    (drill_with("sim:nobody"), "no model 'nobody'", "it has omniscient, expert"),
    (drill_with("sim:student", "sim:nobody"), "no model 'nobody'"),
    (drill_with("sim:student", "sim:evaluator", "--judge", "sim:nobody"), "no model 'nobody'"),
    (drill_with("gpt-5-mini"), "Did you mean openai:gpt-5-mini?"),
    (drill_with("openai:gpt-5,ollama:llama3"), "repeat -t (-t openai:gpt-5 -t ollama:llama3)"),
    (drill_with("sim:student", "sim:evaluator,sim:expert"), "--evaluator takes one model", "names 2"),
    (["eqt", "Gold", "-t", "sim:student", "--judge", "openai:a,openai:b"], "--judge takes one model"),
    (["eqt", "Gold", "-t", "sim:student,sim:novice"], "repeat -t (-t sim:student -t sim:novice)"),
    (drill_with("sim:student", "sim:evaluator", "-t", " sim:student"), "--target names sim:student more than once"),
    (drill_with("openai"), "'openai' is not a model", "provider:model"),
    (drill_with("openai:"), "names the provider but no model"),
    (drill_with("openai@ftp://host/v1:m"), "must begin with http:// or https://"),
    (drill_with("openai@http://host:99999/v1:m"), "not a valid address"),
    (drill_with("openai@http://user:secret@host/v1:m"), "holds credentials"),
    (drill_with("openai@http://127.0.0.1:9/v1:m\udcff"), "--target cannot be", "not valid UTF-8"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in MODELS])
def test_models(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, words, *parts)


NUMBERS = [
    (["-n", "0"], "-n cannot be 0: it must be at least 1"),
    (["-n", "-3"], "-n cannot be -3"),
    (["-n", BEYOND_64_BITS], "-n cannot be", "it must be at most 10000"),
    (["--threshold", "0"], "--threshold cannot be 0.0: it must lie between 0 and 1"),
    (["--threshold", "1"], "--threshold cannot be 1.0"),
    (["--threshold", "nan"], "--threshold cannot be nan: it must lie between 0 and 1"),
    (["--threshold", "-inf"], "--threshold cannot be -inf"),
    (["--max-depth", "0"], "--max-depth cannot be 0: it must be at least 1"),
    (["--max-depth", "1000000000"], "--max-depth cannot be 1000000000: it must be at most 1000"),
    (["--passes", "0"], "--passes cannot be 0: it must be at least 1"),
    (["-q", "-1"], "--passes cannot be -1"),
    (["--answer-tokens", "15"], "--answer-tokens cannot be 15: it must be at least 16"),
    (["--seed", BEYOND_64_BITS], "--seed cannot be", "64-bit"),
    (["--sim", f"seed={BEYOND_64_BITS}"], "--sim seed cannot be", "64-bit"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in NUMBERS])
def test_numbers(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, [*DRILL, *words], *parts)


WORDS = [
    (["--facts", "bing"], "Unknown fact source 'bing'", "Known are wikipedia"),
    (["--facts", "tavily"], "Tavily needs TAVILY_API_KEY", "set it in the environment or in .env"),
    (["--facts", "wikipedia,,sim"], "has an empty place"),
    (["--facts", "SUPERB=sim"], "Unknown tier 'SUPERB'", "Known are COMMON"),
    (["--facts", "mediawiki:wiki.example.org"], "is malformed", "https://host/path"),
    (["--facts", "mediawiki:https://wiki.example.org"], "lacks a path", "api.php"),
    (["--json", "--display", "events"], "--json and --display events both write to stdout", "choose one"),
    (["--display", "pretty"], "--display 'pretty' does not exist", "tree, lines, events, none"),
    (["--missing", "ignore"], "--missing cannot be 'ignore'", "'exclude' or 'wrong'"),
    (["--sim", "speed=1"], "--sim knows no 'speed'", "latency"),
    (["--sim", "seed"], "--sim 'seed' is not of the form KEY=VALUE"),
    (["--sim", "seed=blue"], "--sim seed cannot be 'blue': it must be a whole number"),
    (["--sim", "sensitivity=2"], "--sim sensitivity cannot be '2': it must be at most 1"),
    (["--sim", "latency=-1"], "--sim latency=-1 is not a time in seconds"),
    (["--sim", "latency=nan"], "--sim latency=nan is not a time in seconds"),
    (["--language", "EN us"], "--language cannot be 'EN us'", "such as en, de or simple"),
    (["--language", "de"], "--language cannot be 'de': the simulated world speaks English only."),
    (["--language", ""], "--language cannot be ''"),
    (["--as-of", "yesterday"], "--as-of 'yesterday' is not a date", "write it as 2"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in WORDS])
def test_words(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, [*DRILL, *words], *parts)


@pytest.mark.parametrize("domains", [[""], ["   "], ["\t\n"], ["Art", " "]])
def test_a_domain_without_a_name(call: Caller, domains: list[str]) -> None:
    refused(call, ["drill", *domains, *SMALL, *STUDENT], "DOMAIN is missing", "name the field")


@pytest.mark.parametrize("domain", ["a\x1b[2Jb", "a\x00b", "not UTF-8: \udcff"])
def test_a_domain_that_is_no_text(call: Caller, domain: str) -> None:
    refused(call, ["drill", domain, *SMALL, *STUDENT], "DOMAIN cannot be", "control characters")


@pytest.mark.parametrize("address", ["127.0.0.1:9/v1:student", "127.0.0.1:9:student"])
def test_sim_settings_without_a_world_of_ones_own(call: Caller, address: str) -> None:
    for name in (f"vllm@http://{address}", f"sim@http://{address}"):
        refused(call, drill_with(name, name, "--facts", "wikipedia", "--sim", "seed=3"), "--sim sets up", "leave --sim")


PROMPTS = [
    ("verdict", "--prompt 'verdict' is not of the form NAME=FILE", "names are answer, aspects"),
    ("verdict=", "is not of the form NAME=FILE"),
    ("verdict=missing.txt", "The prompt file missing.txt cannot be read", "No such file"),
    ("verdict=.", "The prompt file . cannot be read"),
    ("judge=good.txt", "There is no prompt 'judge'", "verdict"),
    ("verdict=good.txt", "lacks $answer", "$reference"),
    ("verdict=dollar.txt", "stray $", "$$"),
    ("verdict=latin1.txt", "The prompt file latin1.txt cannot be read", "not UTF-8"),
]


@pytest.mark.parametrize(("pair", "parts"), [(pair, parts) for pair, *parts in PROMPTS])
def test_prompts(call: Caller, pair: str, parts: list[str]) -> None:
    (call.folder / "good.txt").write_text("=== user ===\nGive a verdict on $question.\n")
    (call.folder / "dollar.txt").write_text("=== user ===\nThis costs $ 5: $question $answer $reference\n")
    (call.folder / "latin1.txt").write_bytes("Prüfe $question".encode("latin-1"))
    refused(call, [*DRILL, "--prompt", pair], *parts)


@pytest.mark.parametrize("place", ["occupied", "occupied/below"])
def test_a_file_in_the_way_of_the_run_folder(call: Caller, place: str) -> None:
    (call.folder / "occupied").write_text("here stands a file")
    refused(call, [*DRILL, "--runs", place], f"The run folder {place}", "cannot be written", "--runs DIR")


def test_a_folder_nobody_may_write_to(call: Caller) -> None:
    locked = call.folder / "locked"
    locked.mkdir(mode=0o500)
    where = Path("/proc/locked") if os.geteuid() == 0 else locked  # permissions do not hold the superuser back
    if os.geteuid() == 0 and not Path("/proc/self").exists():
        pytest.skip("the superuser may write everywhere here")
    refused(call, [*DRILL, "--runs", str(where)], f"The run folder {where}", "cannot be written", "FATHOM_RUNS")


@pytest.mark.parametrize(
    ("name", "value", "parts"),
    [
        ("OPENAI_BASE_URL", "nowhere", ["OPENAI_BASE_URL is not a valid address"]),
        ("FATHOM_WIKIPEDIA_URL", "nowhere", ["FATHOM_WIKIPEDIA_URL, 'nowhere', is malformed"]),
        ("FATHOM_FACT_CONNECTIONS", "many", ["FATHOM_FACT_CONNECTIONS must be a whole number"]),
    ],
)
def test_settings_of_the_environment(
    call: Caller,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    parts: list[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
    monkeypatch.setenv(name, value)
    refused(call, drill_with("openai:m"), *parts)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("canary5", "it is very short"),
        ("sk-canary 1234", "it has white space in it"),
        ("sk-canary\u00a01234", "it has white space in it"),
        ("“sk-canary1234”", "it has signs in it that no key has"),
        ("sk-canary\x1b1234", "it has signs in it that no key has"),
        ("'sk-canary1234'", "it stands in quotes"),
    ],
)
def test_what_cannot_be_a_key(call: Caller, monkeypatch: pytest.MonkeyPatch, value: str, why: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    refused(call, drill_with("openai:m"), f"OPENAI_API_KEY cannot be a key: {why}", "leave it empty if none is needed")
    assert "canary" not in call("drill", *drill_with("openai:m")[1:], "--debug").err


def test_a_settings_file_that_is_no_text(call: Caller) -> None:
    (call.folder / ".env").write_bytes(b"\xff\xfe\x00")
    refused(call, DRILL, ".env cannot be read", "mend or remove it")


OTHERS = [
    (["show", "nothing"], "No run in runs is called 'nothing'", "`fathom list`"),
    (["show", "last"], "There is no run in runs", "`fathom drill`"),
    (["show", ""], "No run is named"),
    (
        ["schema", "nothing"],
        "There is no schema 'nothing'",
        "result, replay, rejudge, cross, repeats, eqt, eqt_comparison, spec, event",
    ),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in OTHERS])
def test_other_commands(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, words, *parts)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([*DRILL, "-n", "many"], "'-n'"),
        ([*DRILL, "--max-connections", "0"], "'--max-connections'"),
        ([*DRILL, "--timeout", "0"], "'--timeout'"),
        ([*DRILL, "--timeout", "nan"], "'--timeout'"),
        ([*DRILL, "--bogus"], "No such option: --bogus"),
        (["drill", *STUDENT], "Missing argument 'DOMAIN'"),
        (["dril"], "No such command 'dril'. Did you mean 'drill'?"),
    ],
)
def test_the_parsers_own_refusals(call: Caller, words: list[str], names: str) -> None:
    said = call(*words)
    assert (said.code, said.out) == (2, "")
    *hint, last = said.err.splitlines()
    assert last.startswith("Error: ")
    assert names in last
    assert "-h' for help." in "".join(hint)
    assert "Traceback" not in said.err
    assert list(call.folder.iterdir()) == []


def test_debug_shows_the_traceback_wherever_it_stands(call: Caller) -> None:
    for words in (["--debug", *DRILL, "-n", "0"], [*DRILL, "-n", "0", "--debug"]):
        said = call(*words)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("Traceback")
        assert said.err.splitlines()[-1].startswith("Error: -n cannot be 0")


def test_a_fault_of_the_program_is_owned_up_to(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("fathom.commands.list_runs.list_runs", broken)
    said = call("list")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError in test_refusals.py" in said.err
    assert "--debug" in said.err
