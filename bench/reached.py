"""A pytest plugin: which blocks of the program's functions each test runs. `bench/mutants.py` reads
what it writes.

    REACHED=FILE PYTHONSAFEPATH=1 PYTHONPATH=.pkg:bench pytest -p reached

FILE.main (with several workers FILE.gw0, …) gets a line for each test: its name without parameters,
a tab, and the `path:line` of the first statement of every block. While a module is compiled, a call
is put before each such statement.
"""

import ast
import builtins
import os
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("agents", "graphs", "state", "stats", "tools")
seen: set[str] = set()


def blocks(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """Where a block begins in functions: at the first statement of a body, and after one that has a
    body of its own."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                for field in ("body", "orelse", "finalbody"):
                    body = getattr(node, field, None)
                    if isinstance(body, list) and not isinstance(node, ast.ClassDef):
                        yield from (
                            (body, at)
                            for at in range(len(body))
                            if at == 0 or hasattr(body[at - 1], "body")
                        )


def mark(source: bytes, name: str) -> ast.Module:
    tree = ast.parse(source)
    starts = {(id(body), at): (body, at) for body, at in blocks(tree)}
    for body, at in sorted(starts.values(), key=lambda start: -start[1]):
        first = body[at]
        after = at + (
            isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        )  # a docstring stays first
        call = ast.parse(f"__reached__('{name}:{first.lineno}')").body[0]
        for part in ast.walk(call):
            ast.copy_location(part, first)
        body.insert(after, call)
    return tree


def pytest_configure() -> None:
    plain = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, module: str) -> CodeType | None:
        file = Path(loader.path).resolve()
        name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        if name.parts[0] not in ROOMS:
            return plain(loader, module)
        return compile(
            mark(file.read_bytes(), name.as_posix()), loader.path, "exec", dont_inherit=True
        )

    builtins.__reached__ = seen.add  # type: ignore[attr-defined]
    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]


def pytest_runtest_logstart() -> None:
    seen.clear()


def pytest_runtest_logfinish(nodeid: str) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with open(f"{os.environ['REACHED']}.{worker}", "a", encoding="utf-8") as file:
        print(nodeid.split("[")[0], *sorted(seen), sep="\t", file=file)
