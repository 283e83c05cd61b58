"""README and docs/ as a reader follows them: each command in a ```sh block runs in the simulated
world, in the order of its page; each link leads somewhere."""

import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from fathom.cli import COMMANDS, app, main
from fathom.tools.facts.plan import parse_facts
from fathom.tools.models.address import parse_model

from .support.command_line import Caller
from .support.paths import EXAMPLES, ROOT

pytestmark = pytest.mark.xdist_group("docs")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "llms.txt"]
PERSONAS = ("sim:student", "sim:expert", "sim:graduate")
ASKED = ("-t", "--target")
ASKING = ("-e", "--evaluator", "--judge", "--anchor", "--generator", "--examiner")
WORDS = {
    "Cardiology": "Chemical elements",
    "Heart failure": "Chemical elements",
    "Graph theory": "Gold",
    "Photosynthesis": "Neon",
    "sheet.pdf": "sheet.html",  # without a browser
}
VALUES = {"--repeats": "2", "--until-decided": "4"}
SMALL = {
    "drill": ["-n", "2", "--max-depth", "2"],
    "eqt": ["--questions", "2", "--paraphrases", "1", "--options", "4"],
    "deepquestion": ["--limit", "1"],
}
NOT_RUN = {
    "init": "there is a study file, which is small",
    "demo": "the drill of 30 probes takes half a minute",
    "mcp": "speaks with a client until that leaves: tests/commands/test_mcp.py",
    "sim": "serves until Ctrl-C: tests/commands/test_sim.py",
    "compare logs": "needs logs of other programs: tests/commands/test_compare_files.py",
    "compare A": "the same",
}
"""First words of a command → why it is only parsed."""
ANSWER = {"id": "q1", "depth": 1, "question": "What is gold?", "reference": "A metal."}
ANSWER["response"] = "A metal."
LABELS = {
    "format": "fathom-review",
    "version": 1,
    "rater": "bob",
    "rule": "0" * 16,
    "labels": [],
}
STUDY = {
    "method": "drill",
    "domains": ["Chemical elements"],
    "target": [*PERSONAS[:2]],
    "evaluator": "sim:evaluator",
    "probes": 2,
    "max_depth": 2,
}


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of Fathom's, without what goes on with its output."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        rest = iter(words)
        while part := [*takewhile(lambda word: word not in ("&&", "||", "|"), rest)]:
            if part[0] == "fathom":
                yield [*takewhile(lambda word: word != ">", part[1:])]


def substituted(words: list[str], run_ids: dict[str, str]) -> list[str]:
    """The same command small and in the simulated world; real models and sources are parsed."""
    targets = iter(PERSONAS)
    evaluator = (
        "sim:graduate" if words[0] in ("replay", "judge") else "sim:evaluator"
    )  # another judge
    made: list[str] = []
    for option, word in zip(["", *words], words, strict=False):
        if option in ASKED:
            word = simulated(word, next(targets))
        elif option in ASKING:
            word = simulated(word, evaluator)
        elif option == "--facts":
            assert parse_facts(word, {}, simulated=False).facts
            word = "sim"
        made.append(VALUES.get(option) or {**WORDS, **run_ids}.get(word, word))
    method = next((word for word in made[:2] if word in SMALL), "")
    if method == "deepquestion" and "--from" not in words:
        made += ["--generator", "sim:generator"]
    return [*made, *SMALL.get(method, [])]


def simulated(model: str, instead: str) -> str:
    return model if parse_model(model).provider == "sim" else instead


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what pages speak of: runs, a study, files."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY))
    shutil.copy(folder / "study.yaml", folder / "wards.yaml")
    (folder / "topics.txt").write_text("Noble gases | 2\nGold\n")
    (folder / "concepts.json").write_text('{"metals": ["Gold"], "gases": ["Neon"]}')
    (folder / "scores.csv").write_text("model,category,score\nsim:student,metals,0.5\n")
    rows = (EXAMPLES / "depthqa_elements.csv").read_text().splitlines()
    (folder / "questions.csv").write_text("\n".join(rows[:2]) + "\n")
    (folder / "review-bob.json").write_text(json.dumps(LABELS))
    (folder / "answers.json").write_text(json.dumps([ANSWER]))
    problems = (EXAMPLES / "deepquestion_chemistry.jsonl").read_text().splitlines()[:4]
    (folder / "gsm8k.jsonl").write_text("\n".join(problems))
    (folder / "problems.csv").write_text("question,answer\n" + "".join(map(row_of, problems)))
    (folder / "examples").symlink_to(EXAMPLES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("FATHOM_CACHE", str(folder / "cache.sqlite"))
        patch.setattr("sys.argv", ["fathom", "run", "study.yaml", "--runs", "runs"])
        with pytest.raises(SystemExit, match="0"):
            main()
    return folder


def row_of(problem: str) -> str:
    read = json.loads(problem)
    return f'"{read["question"]}","{read["answer"]}"\n'


@pytest.fixture
def call(
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    """The command line in a copy of that folder."""
    shutil.copytree(finished, tmp_path / "page", symlinks=True)
    caller = Caller(tmp_path / "page", monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(finished / "cache.sqlite"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    ids = count()  # runs that begin in one second are in the order of their ids
    monkeypatch.setattr("secrets.token_hex", lambda size: f"{next(ids):0{2 * size}x}")
    return caller


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.stem
)
def test_each_command_of_a_page_runs(page: Path, call: Caller) -> None:
    run_ids = dict(zip(("RUN", "RUN2"), (run.name for run in call.runs), strict=False))
    run_ids["LAUNCH"] = json.loads((call.runs[0] / "launch.json").read_text())["launch"]
    for words in commands(page):
        if any(" ".join(words).startswith(name) for name in NOT_RUN):
            parsed(words)
            continue
        said = call(*substituted(words, run_ids))
        allowed = (0, 4, 5) if {"decide", "--until-decided"} & {*words} else (0,)
        assert said.code in allowed, (words, said.err)


def parsed(words: list[str]) -> None:
    """Raises click's error for a command or an option that is not there."""
    program: Any = typer.main.get_command(app)
    context = program.make_context("fathom", [*words], resilient_parsing=False)
    name, command, rest = program.resolve_command(context, [*words])
    command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("name", ["SKILL", "decide", "campaigns"])
def test_each_study_of_a_page_can_be_planned(name: str, call: Caller) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8").replace(", …", "")
    studies = re.findall(r"```yaml\n((?:#.*\n)?method:.*?)```", page, re.DOTALL)
    assert studies
    for study in studies:
        (call.folder / "page.yaml").write_text(study)
        said = call("plan", "page.yaml")
        assert said.code == 0, said.err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_elsewhere_on_a_page_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    assert set(re.findall(r"`fathom ([a-z]+)", text)) <= COMMANDS.keys()
    for line in re.findall(r"^    fathom (.*)$", text, re.MULTILINE):
        parsed(shlex.split(line, comments=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_a_page_with_something_on_it(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    paths = {page.parent / link.partition("#")[0] for link in links if "://" not in link}
    assert not [path for path in paths if not path.is_file() or not path.stat().st_size]
