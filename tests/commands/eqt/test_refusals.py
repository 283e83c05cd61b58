"""What `fathom eqt` refuses: exit 2, one sentence on stderr, nothing on stdout, no folder, no call."""

import json
from pathlib import Path

import pytest

from fathom.agents.prompts import EQT_PROMPTS
from fathom.commands.eqt.command import EQT_PROMPT_NAMES

from ...support import command_line
from ...support.command_line import Caller
from ..test_refusals import BEYOND_64_BITS

EQT = ["eqt", "Entropy", "--target", "sim:student"]
pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


def refused(call: Caller, words: list[str], *parts: str) -> None:
    """Refused as a launch and as a plan."""
    for command in (words, ["plan", *words]):
        command_line.refused(call, command, *parts)


CONCEPTS = [
    ([], "CONCEPT is missing", "a file with --concepts"),
    (["Entropy", "--concepts", "list.txt"], "Give concepts as arguments or with --concepts, not both"),
    (["Entropy", " "], "Concept 2 names no concept"),
    (["E" * 300], "300 characters long", "at most 120"),
    (["a\x1b[2Jb"], "invisible sign U+001B"),
    (["not UTF-8: \udcff"], "invisible sign"),
    (["--concepts", "empty.txt"], "empty.txt holds no concepts"),
    (["--concepts", "gone.txt"], "no file gone.txt"),
    (["--concepts", "."], "is a folder"),
    (["--concepts", "latin1.txt"], "not UTF-8"),
    (["--concepts", "number.json"], "number.json holds a number", "a list of concepts"),
    (["--concepts", "nested.json"], "'law'", "must be a list"),
    (["--concepts", "cut.json"], "cut.json is not valid JSON"),
    (["--concepts", "-", "--benchmark", "-"], "both read stdin", "give a file for one of them"),
    (["--concepts", "http://host/list.txt"], "http://host/list.txt is an address, not a file"),
    (["--concepts", "open.txt"], "Line 2 of open.txt begins with [ and has no ]"),
    (["Entropy", "--limit", "0"], "--limit cannot be 0: it must be at least 1"),
    (["Entropy", "--limit", "-1"], "--limit cannot be -1"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in CONCEPTS])
def test_concepts(call: Caller, words: list[str], parts: list[str]) -> None:
    (call.folder / "list.txt").write_text("Entropy\n")
    (call.folder / "empty.txt").write_text("\n# nothing\n")
    (call.folder / "open.txt").write_text("Entropy\n[law\nTort\n")
    (call.folder / "latin1.txt").write_bytes("Gödel".encode("latin-1"))
    (call.folder / "number.json").write_text("7")
    (call.folder / "nested.json").write_text(json.dumps({"law": {"a": 1}}))
    (call.folder / "cut.json").write_text('{"law": ["tort"')
    refused(call, ["eqt", *words, "--target", "sim:student"], *parts)


NUMBERS = [
    (["--questions", "0"], "--questions cannot be 0: it must be at least 1"),
    (["--questions", "1001"], "--questions cannot be 1001: it must be at most 1000"),
    (["--options", "1"], "--options cannot be 1: it must be at least 2"),
    (["--options", "27"], "--options cannot be 27: it must be at most 26"),
    (["--paraphrases", "-1"], "--paraphrases cannot be -1: it must be at least 0"),
    (["--paraphrases", "101"], "--paraphrases cannot be 101: it must be at most 100"),
    (["--attribute", "-1"], "--attribute cannot be -1: it must be at least 0"),
    (["--answer-tokens", "15"], "--answer-tokens cannot be 15: it must be at least 16"),
    (["--seed", BEYOND_64_BITS], "--seed cannot be", "64-bit"),
    (["--budget", "0"], "--budget cannot be 0"),
    (["--max-calls", "0"], "--max-calls cannot be 0"),
    (["--sim", "speed=1"], "--sim knows no 'speed'"),
    (["--language", "de"], "--language cannot be 'de': the simulated world speaks English only"),
    (["--language", "EN us"], "--language cannot be 'EN us'"),
    (["--json", "--display", "events"], "both write to stdout"),
    (["--display", "pretty"], "--display 'pretty' does not exist"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in NUMBERS])
def test_numbers_and_words(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, [*EQT, *words], *parts)


MODELS = [
    ([], "--target is missing", "--target openai:gpt-5-mini"),
    (["--target", " "], "--target is missing"),
    (["--target", "sim:nobody"], "no model 'nobody'"),
    (["--target", "sim:student", "--examiner", "sim:nobody"], "no model 'nobody'"),
    (["--target", "sim:student", "--examiner", " "], "--examiner is empty"),
    (["--target", "sim:student", "--judge", ""], "--judge is empty"),
    (["--target", "sim:student", "--judge", "sim:nobody"], "no model 'nobody'"),
    (["--target", "student"], "'student' is not a model"),
    (["--target", "vllm@http://127.0.0.1:9/v1:m", "--sim", "seed=3"], "--sim sets up", "leave --sim out"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in MODELS])
def test_models(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, ["eqt", "Entropy", *words], *parts)


def test_a_model_without_a_key_is_refused_by_the_launch_and_can_be_planned(call: Caller) -> None:
    said = call("eqt", "Entropy", "--target", "openai:gpt-5")
    assert (said.code, said.out) == (2, "")
    assert "openai:gpt-5 needs a key" in said.err
    assert not call.runs
    assert call("plan", "eqt", "Entropy", "--target", "openai:gpt-5").code == 0


def test_the_language_of_real_models_is_free(call: Caller) -> None:
    assert call("plan", "eqt", "Entropie", "--target", "openai:gpt-5", "--language", "de").code == 0
    words = ["eqt", "Entropie", "--target", "sim:student", "--examiner", "openai:gpt-5", "--language", "de"]
    refused(call, words, "the simulated world speaks English only")


FILES = [
    (["--benchmark", "gone.csv"], "no file gone.csv"),
    (["--benchmark", "empty.csv"], "empty.csv is empty"),
    (["--benchmark", "words.csv"], "Line 2 of words.csv", "no number"),
    (["--benchmark", "short.csv"], "no column score"),
    (["--benchmark", "others.csv"], "others.csv has no score of sim:student", "its models are gpt-5, llama3"),
    (["--benchmark", "mixed.csv"], "Line 2 of mixed.csv has the score 85, line 3 has 0.8"),
    (
        ["--benchmark", "law.csv"],
        "its categories are law, and the concepts have no category",
        "of the category overall",
    ),
    (["--plots", "/proc/x"], "--plots /proc/x cannot be written"),
    (["--plots", "new/" + "x" * 300], "cannot be written (File name too long)"),
    (["--plots", "taken"], "--plots taken cannot be a folder", "is a file"),
    (["--plots", "taken/below/it"], "--plots taken/below/it cannot be a folder", "taken is a file"),
    (["--prompt", "choice"], "is not of the form NAME=FILE; names are attribution, choice"),
    (["--prompt", "answer=good.txt"], "There is no prompt 'answer'", "choice_question"),
    (["--prompt", "answer=gone.txt"], "There is no prompt 'answer'"),
    (["--prompt", "choice=gone.txt"], "The prompt file gone.txt cannot be read"),
    (["--prompt", "choice=bad.txt"], "lacks $question"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in FILES])
def test_files(call: Caller, words: list[str], parts: list[str]) -> None:
    (call.folder / "taken").write_text("here stands a file")
    (call.folder / "empty.csv").write_text("")
    (call.folder / "words.csv").write_text("model,category,score\nstudent,law,many\n")
    (call.folder / "short.csv").write_text("model,category\nstudent,law\n")
    (call.folder / "others.csv").write_text("model,category,score\ngpt-5,law,0.5\nllama3,law,0.4\n")
    (call.folder / "mixed.csv").write_text("model,category,score\nstudent,law,85\nstudent,all,0.8\n")
    (call.folder / "law.csv").write_text("model,category,score\nstudent,law,0.5\ngpt-5,overall,0.4\n")
    (call.folder / "good.txt").write_text("=== user ===\n$question\n")
    (call.folder / "bad.txt").write_text("=== user ===\nsay something\n")
    refused(call, [*EQT, *words], *parts)


def test_a_benchmark_of_other_categories(call: Caller) -> None:
    (call.folder / "list.txt").write_text("[metals]\nGold\n[gases]\nNeon\n")
    (call.folder / "law.csv").write_text("model,category,score\nstudent,law,0.5\n")
    words = ["eqt", "--concepts", "list.txt", "--target", "sim:student", "--benchmark", "law.csv"]
    refused(call, words, "its categories are law, and the concepts' categories are metals, gases")
    for row in ("student,Overall,0.4", "sim:student,GASES,0.4"):
        (call.folder / "law.csv").write_text(f"model,category,score\nstudent,law,0.5\n{row}\n")
        assert call("plan", *words).code == 0


def test_a_folder_for_plots_is_tried_and_nothing_of_it_stays(call: Caller) -> None:
    (call.folder / "there").mkdir()
    for folder in ("there", "there/deep/er", "new/../new/plots", "."):
        before = sorted(call.folder.rglob("*"))
        assert call("plan", *EQT, "--plots", folder).code == 0
        assert sorted(call.folder.rglob("*")) == before


def test_a_file_in_the_way_of_the_run_folder(call: Caller) -> None:
    (call.folder / "occupied").write_text("here stands a file")
    said = call(*EQT, "--runs", "occupied")
    assert (said.code, said.out) == (2, "")
    assert "The run folder occupied" in said.err


def test_help_names_every_prompt(call: Caller) -> None:
    assert sorted(EQT_PROMPT_NAMES.split(", ")) == sorted(EQT_PROMPTS)
