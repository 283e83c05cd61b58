"""How dense the product is, and how many of its files one probe enters: `python -m tests.support.thermometers`."""

import ast
import contextvars
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from .paths import ROOT

APART = ("tests/", "bench/", "examples/", ".pkg/", "docs/")
"""What is not the product."""
_WORDS = """
found said told held own each known given dealt played meant asked kept ended standing apart
through place shown made taken written heard begun gone sent drawn called lacking those these
this that such same other another them they it one ones what which who whose every some here
there now then still already yet once again away beside behind above below seen lost put tried
turned opened settled fresh
"""
BARE = frozenset(_WORDS.split())
"""Participles and pronouns that do not say, alone, what is meant."""
_NO_CODE = {
    tokenize.ENCODING,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
}


def product() -> list[Path]:
    """The files of the product that git knows and that are there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if not name.startswith(APART)]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def tokens_and_lines(source: bytes) -> tuple[int, int]:
    """Tokens, and lines that hold one. A string is one token; docstrings and comments are none."""
    tokens, lines = 0, set[int]()
    statement_begins = True
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type in _NO_CODE:
            continue
        is_docstring = token.type == tokenize.STRING and statement_begins
        statement_begins = token.type == tokenize.NEWLINE
        if token.type == tokenize.NEWLINE or is_docstring:
            continue
        tokens += 1
        lines.update(range(token.start[0], token.end[0] + 1))
    return tokens, len(lines)


def bound_names(tree: ast.AST) -> list[str]:
    """Names of functions, classes, arguments and assigned values."""
    names = list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
    return names


def density(files: Iterable[Path]) -> dict[str, float]:
    """Tokens, tokens per line, and the share of bare names in percent."""
    tokens = lines = 0
    names = list[str]()
    for path in files:
        source = path.read_bytes()
        more_tokens, more_lines = tokens_and_lines(source)
        tokens, lines = tokens + more_tokens, lines + more_lines
        names += bound_names(ast.parse(source))
    bare = sum(name.strip("_") in BARE for name in names)
    return {
        "tokens": tokens,
        "tokens per line": round(tokens / lines, 2),
        "bare names (%)": round(100 * bare / len(names), 2),
    }


def rooms(files: Iterable[Path]) -> Counter[str]:
    """Tokens by room."""
    counts = Counter[str]()
    for path in files:
        room, *rest = path.relative_to(ROOT).parts
        counts[room if rest else "top level"] += tokens_and_lines(path.read_bytes())[0]
    return counts


def files_of_a_probe() -> list[str]:
    """The files, sim/ apart, in which a probe at depth 2 calls a function, in this very process."""
    import fathom.cli
    from fathom.graphs.drill.graph import Nodes

    entered = set[str]()
    followed: contextvars.ContextVar[bool] = contextvars.ContextVar("followed", default=False)
    original = Nodes.probe
    was_followed = list[bool]()

    def note_file(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and followed.get():
            entered.add(frame.f_code.co_filename)

    async def probe(nodes: Nodes, state: Any) -> Any:
        if was_followed or state["depth"] != 2:
            return await original(nodes, state)
        was_followed.append(True)
        followed.set(True)
        sys.setprofile(note_file)  # from here on: all of this thread is slow under it
        return await original(nodes, state)

    Nodes.probe = probe  # type: ignore[method-assign, assignment]
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "FATHOM_RUNS": f"{folder}/runs",
            "FATHOM_CACHE": f"{folder}/cache.sqlite",
        }
        sys.argv = ["fathom", "drill", "Chemical elements", "-t", "sim:student"]
        sys.argv += ["-e", "sim:evaluator", "-n", "2", "--max-depth", "3"]
        sys.argv += ["--no-cache", "--display", "none"]
        threading.setprofile(note_file)
        try:
            fathom.cli.main()
        except SystemExit as ended:
            assert not ended.code, "the drill failed"  # noqa: PT017
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    names = {os.path.relpath(os.path.realpath(name), ROOT) for name in entered}
    inside = [
        name
        for name in names
        if name.endswith(".py") and not name.startswith(("..", ".venv", "tests/"))
    ]
    return sorted(name for name in inside if not name.startswith("sim/"))


def single_importers(files: Iterable[Path]) -> int:
    """Modules that exactly one other module imports: a figure, no limit."""
    modules = {_module(path): path for path in files}
    importers = Counter[str]()
    for module, path in modules.items():
        importers.update(_imported(module, path) & set(modules) - {module})
    return sum(count == 1 for count in importers.values())


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(module: str, path: Path) -> set[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    targets = set[str]()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join(package.split(".")[: len(package.split(".")) + 1 - node.level])
            source = f"{base}.{node.module}".strip(".") if node.module else base
            targets |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    return targets


def entered_by_a_probe() -> list[str]:
    """The same, found by a process of its own."""
    command = [sys.executable, "-P", "-m", "tests.support.thermometers", "probe"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [str(name) for name in json.loads(done.stderr.splitlines()[-1])]


def main() -> None:
    files = product()
    for name, value in density(files).items():
        print(f"{name:22}{value}")
    print(f"{'single importers':22}{single_importers(files)}")
    for room, tokens in sorted(rooms(files).items()):
        print(f"  {room:20}{tokens}")
    entered = entered_by_a_probe()
    print(f"{'files per probe':22}{len(entered)}", *entered, sep="\n  ")


if __name__ == "__main__":
    if sys.argv[1:] == ["probe"]:
        # what the drill prints is not the answer
        print(json.dumps(files_of_a_probe()), file=sys.stderr)
    else:
        main()
