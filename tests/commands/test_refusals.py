"""What the command line refuses: exit 2, one sentence on stderr, nothing on stdout, no folder, no
call."""

import json
import os
import shlex
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from aiohttp import web

from fathom.graphs.method import METHODS, served
from fathom.state.question_graph import QuestionGraph
from fathom.tools.files.question_graph import write_graph

from ..support.command_line import Caller, assert_refused
from ..support.corpora import tsv
from ..support.depthqa.toy import TWO_TREES, node
from ..support.library_files import write

pytestmark = pytest.mark.usefixtures("no_connection")

HERE = "openai@http://127.0.0.1:9/v1:"
LAUNCHES = {
    "DRILL": ["drill", "Chemical elements", "-t", "sim:student", "-e", "sim:evaluator"],
    "EQT": ["eqt", "Entropy", "-t", "sim:student"],
    "ASK": ["depthqa", "ask", "g.json", "-t", "sim:student", "--judge", "sim:evaluator"],
    "DEEPQUESTION": ["deepquestion", "b.jsonl", "-t", "sim:student", "-e", "sim:evaluator"],
    "BUILD": ["depthqa", "build", "q.csv", "-e", "sim:evaluator"],
}
BEGINNINGS = LAUNCHES | {
    "JUDGE": ["depthqa", "ask", "g.json", "--judge", "sim:evaluator", "--answers", "said.csv"],
    "FROM": [
        "deepquestion",
        "--from",
        "texts.jsonl",
        "-t",
        "sim:student",
        "-e",
        "sim:evaluator",
    ],
    "ELSEWHERE": ["drill", "Art", "-t", f"{HERE}m", "-e", f"{HERE}m", "--display", "none"],
}
KEYED = ["drill", "Chemical elements", "-t", "openai:m", "-e", "sim:evaluator"]
DRILL, EQT = LAUNCHES["DRILL"], LAUNCHES["EQT"]
GROUPS = {"EVERY": list(LAUNCHES), "ASKED": [name for name in LAUNCHES if name != "BUILD"]}

PROBLEM = {"question": "A cart rolls 12 m in 3 s. How fast is it?", "answer": "4 m/s"}
TEXTS = {"format": "fathom-deepquestion/1", "benchmark": "carts", "id": "p1", **PROBLEM}
SCENARIOS = {"none": "In a yard. How fast?", "some": "In a red yard. How fast?"}
FILES: dict[str, str | bytes] = {
    "b.jsonl": json.dumps(PROBLEM) + "\n",
    "texts.jsonl": json.dumps(TEXTS | {"scenarios": SCENARIOS})
    + "\n"
    + json.dumps(TEXTS | {"id": "p2", "question": "What is 2 + 2?", "answer": "4"})
    + "\n",
    "broken.json": (
        '[{"id": "a", "depth": 1, "question": "What?", "reference": "That.", "predecessors": '
        '["gone"]}]'
    ),
    "said.csv": "id,response\nc,All of it.\n",
    "other.csv": "id,response\nelsewhere,Nothing.\n",
    "q.csv": "question,reference\nWhy is gold soft?,Its atoms glide.\n",
    "people.csv": "id,rater,score\nelsewhere,ann,3\n",
    "list.txt": "Entropy\n",
    "empty.txt": "\n# nothing\n",
    "number.json": "7",
    "scalar.json": "5",
    "nested.json": '{"law": {"a": 1}}',
    "cut.json": '{"law": ["tort"',
    "empty.csv": "",
    "rows.csv": "a,b\n1,2\n",
    "words.csv": "model,category,score\nstudent,law,many\n",
    "short.csv": "model,category\nstudent,law\n",
    "others.csv": "model,category,score\ngpt-5,law,0.5\nllama3,law,0.4\n",
    "mixed.csv": "model,category,score\nstudent,law,85\nstudent,all,0.8\n",
    "law.csv": "model,category,score\nstudent,law,0.5\ngpt-5,overall,0.4\n",
    "own.txt": "=== user ===\nsay something\n",
    "good.txt": "=== user ===\nGive a verdict on $question.\n",
    "dollar.txt": "=== user ===\nThis costs $ 5: $question $answer $reference\n",
    "latin1.txt": "Prüfe $question".encode("latin-1"),
    "there.json": "{}",
    "there.jsonl": "",
    "there.svg": "<svg/>",
    "taken": "here stands a file",
    "folder/kept.bin": b"\x00",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sound files and of others; what is refused leaves it as it is."""
    folder = tmp_path_factory.mktemp("files")
    write(folder, FILES)
    write_graph(TWO_TREES, folder / "g.json")
    write_graph(
        QuestionGraph(name="alone", nodes=(node("x", 1), node("y", 3))), folder / "alone.json"
    )
    (folder / "built").mkdir()
    write_graph(TWO_TREES, folder / "built/graph.json")
    (folder / "linked.svg").symlink_to("there.svg")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def call(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    """In that folder, with nothing on stdin."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"")))
    return Caller(files, monkeypatch, capsys)


def commands(line: str) -> list[list[str]]:
    """The commands that a line of the table stands for: one, or one per method."""
    first, *words = shlex.split(line)
    return [[*BEGINNINGS.get(name, [name]), *words] for name in GROUPS.get(first, [first])]


TABLE = [(words, parts) for line, *parts in tsv("refusals.tsv") for words in commands(line)]
BELL, ERASE = "a\x07", "a\x1b[2Jb"
ODD = [
    (["drill", ERASE, *DRILL[2:]], "DOMAIN cannot be 'a\\x1b[2Jb'", "control characters"),
    (["drill", "a\x00b", *DRILL[2:]], "DOMAIN cannot be", "control characters"),
    (["drill", "half: \udcff", *DRILL[2:]], "DOMAIN is not UTF-8 text"),
    (["report", "last", "--title", "\udcff"], "--title is not UTF-8 text"),
    (["list", "--runs", "\udcff"], "--runs is not UTF-8 text"),
    (["drill", "\u200b..", *DRILL[2:]], "DOMAIN cannot be '\\u200b..': it names no field"),
    (["drill", "a" * 100_000, *DRILL[2:]], "DOMAIN cannot be 'aaaa", "at most 200"),
    (["plan", "drill", BELL, *DRILL[2:]], "DOMAIN cannot be"),
    ([*DRILL, "-t", f"{HERE}m\udcff"], "--target is not UTF-8 text"),
    ([*DRILL, "-t", f"{HERE}m\x1b[2J"], "because it holds control characters"),
    (
        [*BEGINNINGS["ELSEWHERE"], "--judge", f"{HERE}m\x00"],
        "because it holds control characters",
    ),
    (
        [*DRILL, "-e", f"{HERE}{'m' * 100_000}"],
        "A model's name cannot be 100,0",
        "characters long",
    ),
    (
        [*DRILL, "--runs", ERASE],
        "The folder of the runs cannot be 'a\\x1b[2Jb': it holds control characters",
    ),
    ([*DRILL, "--facts", "\x1b"], "Unknown fact source '\\x1b'"),
    (["list", "--runs", ERASE], "it holds control characters"),
    (["eqt", ERASE, *EQT[2:]], "invisible sign U+001B"),
    ([*BEGINNINGS["JUDGE"], "-t", ERASE], "--target cannot be", "visible characters"),
    ([*LAUNCHES["BUILD"], "--name", "\u202e"], "--name cannot be"),
    (["replay", "n" * 5000], "No run in runs is called 'nnn", "…"),
    (["show", "n" * 5000], "No run in runs is called 'nnn", "…"),
]


@pytest.mark.parametrize(
    ("words", "parts"),
    [*TABLE, *((words, parts) for words, *parts in ODD)],
    ids=lambda w: " ".join(w)[:60],
)
def test_refused_before_any_call(call: Caller, words: list[str], parts: list[str]) -> None:
    assert_refused(call, words, *parts)


@pytest.mark.parametrize("beginning", LAUNCHES.values(), ids=LAUNCHES)
def test_a_plan_refuses_what_its_launch_refuses(call: Caller, beginning: list[str]) -> None:
    assert_refused(call, ["plan", *beginning, "--seed", "1" + "0" * 24], "--seed cannot be")
    assert_refused(
        call, ["plan", *beginning, "--prompt", "x=own.txt"], "There is no prompt 'x'"
    )


def test_a_model_without_a_key_is_refused_by_the_launch_and_can_be_planned(
    call: Caller,
) -> None:
    assert_refused(call, ["eqt", "Entropy", "-t", "openai:gpt-5"], "openai:gpt-5 needs a key")
    assert call("plan", "eqt", "Entropy", "-t", "openai:gpt-5").code == 0


def test_the_language_of_real_models_is_free(call: Caller) -> None:
    assert call("plan", "eqt", "Entropie", "-t", "openai:gpt-5", "--language", "de").code == 0
    words = ["plan", *EQT, "--examiner", "openai:gpt-5", "--language", "de"]
    assert_refused(call, words, "the simulated world speaks English only")


def test_a_machine_on_which_nothing_may_listen(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def closed(_: web.TCPSite) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(web.TCPSite, "start", closed)
    assert_refused(
        call,
        DRILL,
        "The simulated world cannot listen on 127.0.0.1:0: Operation not permitted.",
    )


@pytest.mark.parametrize("address", ["127.0.0.1:9/v1:student", "127.0.0.1:9:student"])
@pytest.mark.parametrize("scheme", ["vllm", "sim"])
def test_sim_settings_without_a_world_of_ones_own(
    call: Caller, scheme: str, address: str
) -> None:
    name = f"{scheme}@http://{address}"
    words = ["drill", "Art", "-t", name, "-e", name, "--facts", "wikipedia", "--sim", "seed=3"]
    assert_refused(call, words, "--sim sets up", "leave --sim")


def test_a_folder_for_plots_is_tried_and_nothing_of_it_stays(call: Caller) -> None:
    for folder in ("folder", "folder/deep/er", "new/../new/plots", "."):
        before = sorted(call.folder.rglob("*"))
        assert call("plan", *EQT, "--plots", folder).code == 0
        assert sorted(call.folder.rglob("*")) == before


@pytest.mark.parametrize("method", served())
def test_help_names_every_prompt(method: str) -> None:
    assert sorted(METHODS[method].command.prompts.split(", ")) == sorted(
        METHODS[method].prompts
    )


def test_a_folder_nobody_may_write_to(call: Caller, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    where = (
        Path("/proc/locked") if os.geteuid() == 0 else locked
    )  # permissions do not hold the superuser back
    if os.geteuid() == 0 and not Path("/proc/self").exists():
        pytest.skip("the superuser may write everywhere here")
    assert_refused(
        call,
        [*DRILL, "--runs", str(where)],
        f"The run folder {where}",
        "cannot be written",
        "FATHOM_RUNS",
    )


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
    assert_refused(call, KEYED, *parts)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("canary5", "it is shorter than 8"),
        ("sk-canary 1234", "it contains spaces"),
        ("sk-canary\u00a01234", "it contains spaces"),
        ("“sk-canary1234”", "it contains characters that no key has"),
        ("sk-canary\x1b1234", "it contains characters that no key has"),
        ("'sk-canary1234'", "it contains quotation marks"),
    ],
)
def test_what_cannot_be_a_key(
    call: Caller, monkeypatch: pytest.MonkeyPatch, value: str, why: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    assert_refused(
        call,
        KEYED,
        f"OPENAI_API_KEY cannot be a key: {why}",
        "leave it empty if no key is needed",
    )
    assert "canary" not in call(*KEYED, "--debug").err


def test_a_settings_file_that_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    (call.folder / ".env").write_bytes(b"\xff\xfe\x00")
    assert_refused(call, DRILL, ".env cannot be read", "fix or remove it")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([*DRILL, "-n", "many"], "'-n'"),
        ([*DRILL, "--bogus"], "No such option: --bogus"),
        (["dril"], "No such command 'dril'. Did you mean 'drill'?"),
    ],
)
def test_the_parsers_own_refusals(call: Caller, words: list[str], names: str) -> None:
    before = sorted(call.folder.rglob("*"))
    said = call(*words)
    assert (said.code, said.out) == (2, "")
    *hint, last = said.err.splitlines()
    assert last.startswith("Error: ")
    assert names in last
    assert "-h' for help." in "".join(hint)
    assert "Traceback" not in said.err
    assert sorted(call.folder.rglob("*")) == before


def test_debug_shows_the_traceback_wherever_it_stands(call: Caller) -> None:
    for words in (["--debug", *DRILL, "-n", "0"], [*DRILL, "-n", "0", "--debug"]):
        said = call(*words)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("Traceback")
        assert said.err.splitlines()[-1].startswith("Error: -n cannot be 0")


def test_a_fault_of_the_program_is_owned_up_to(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("fathom.commands.list_runs.list_runs", broken)
    said = call("list")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError in test_refusals.py" in said.err
    assert "--debug" in said.err
