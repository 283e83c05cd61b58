"""Small faults put into the program on purpose, and which of them the tests find. Prints, asserts
nothing.

    python bench/mutants.py kill --reached RECORD [--skip TEST…] python bench/mutants.py again
    [--moved FILE] [--room ROOM…] [--tests PATH… | --reached RECORD] [--wall-s S]

mutants.json holds 40 faults per room, drawn by `bench/draw_mutants.py`: the function around each,
its lines before and after, and what became of it: `killed` by a test, `survived`, `slow` (no test
failed in time) or `uncovered` (no test reaches it). `kill` finds that out; `again` puts those that
were killed into the tree as it is now and names the ones that no test finds any more. `--moved`
names a file of lines `old new`, the paths of files that have moved.

RECORD is what `bench/reached.py` wrote in a run of the tests: a fault is put to the tests that
reach it, 60 at most.
"""

import argparse
import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from queue import Queue
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.reached import blocks

ROOT = Path(__file__).resolve().parent.parent
FROZEN = Path(__file__).with_suffix(".json")
PRODUCT = ("agents", "commands", "graphs", "reports", "sim", "state", "stats", "tools")
ROOMS = ("stats", "drill", "graphs", "agents", "models", "cache", "facts", "state")
MOST_TESTS, WALL_S = 60, 90
Mutant = dict[str, Any]
Place = tuple[str, int]
"""A path in the tree and the number of a line, from 1."""
parse = cache(ast.parse)
DEF = ast.FunctionDef | ast.AsyncFunctionDef


def scopes(tree: ast.AST, above: str = "") -> Iterator[tuple[str, int, int, ast.AST]]:
    """Functions and classes, outer ones first: qualified name, first and last line, node."""
    for node in ast.iter_child_nodes(tree):
        name = above
        if isinstance(node, DEF | ast.ClassDef):
            name = f"{above}.{node.name}".lstrip(".")
            first = min([node.lineno, *(made.lineno for made in node.decorator_list)])
            yield name, first, node.end_lineno or first, node
        yield from scopes(node, name)


@cache
def scopes_of(source: str) -> list[tuple[str, int, int, ast.AST]]:
    return list(scopes(parse(source)))


@cache
def around(source: str, line: int) -> tuple[str, ast.AST | None]:
    found = [(name, node) for name, first, last, node in scopes_of(source) if first <= line <= last]
    return found[-1] if found else ("", None)


@cache
def starts(source: str) -> set[int]:
    return {body[at].lineno for body, at in blocks(parse(source))}


def hits(file: str, source: str, mutant: Mutant) -> list[Place]:
    """Where a mutant's lines stand in its function, or anywhere in the file if it had none around
    it."""
    lines, before = [line.strip() for line in source.split("\n")], mutant["before"]
    spans = [(first, last) for name, first, last, _ in scopes_of(source) if name == mutant["name"]]
    spans = spans if mutant["name"] else [(1, len(lines))]
    numbers = (n for first, last in spans for n in range(first, last + 1))
    return [(file, n) for n in numbers if lines[n - 1 : n - 1 + len(before)] == before]


def locate(mutant: Mutant, moved: dict[str, str], tree: dict[str, str]) -> Place | None:
    file = moved.get(mutant["file"], mutant["file"])
    here = hits(file, tree[file], mutant) if file in tree else []
    if len(here) > mutant["nth"]:
        return here[mutant["nth"]]
    elsewhere = [found for path, source in tree.items() if (found := hits(path, source, mutant))]
    return (
        elsewhere[0][mutant["nth"]]
        if len(elsewhere) == 1 and len(elsewhere[0]) > mutant["nth"]
        else None
    )


def block(file: str, line: int, tree: dict[str, str]) -> str:
    """The block of a function that a line belongs to; what stands in the function's own head
    belongs to its first."""
    node = around(tree[file], line)[1]
    line = max(line, node.body[0].lineno) if isinstance(node, DEF) else line
    return f"{file}:{max(start for start in starts(tree[file]) if start <= line)}"


def reach(place: Place, tree: dict[str, str]) -> dict[str, int]:
    """Blocks in which the fault may show, and after how many steps: for what runs at import, those
    that name it."""
    file, line = place
    name, node = around(tree[file], line)
    if isinstance(node, DEF):
        return {block(file, line, tree): 0}
    names, found = (
        {name.split(".")[0]} if name else named(parse(tree[file]), line),
        dict[str, int](),
    )
    for step in range(3):
        word = re.compile(rf"\b({'|'.join(names) or '-'})\b")
        for path, source in tree.items():
            for number in (n for n, text in enumerate(source.split("\n"), 1) if word.search(text)):
                if isinstance(around(source, number)[1], DEF):
                    found.setdefault(block(path, number, tree), step)
                else:
                    names = names | named(parse(source), number)
    return found


def named(module: ast.Module, line: int) -> set[str]:
    """What the statement that stands at a line outside of functions gives a name to."""
    top = next((s for s in module.body if s.lineno <= line <= (s.end_lineno or 0)), None)
    if isinstance(top, ast.ClassDef):
        return {top.name}
    targets = top.targets if isinstance(top, ast.Assign) else [getattr(top, "target", None)]
    return {
        part.id
        for target in targets
        if target
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    }


def covering(
    record: Path, places: Sequence[Place], tree: dict[str, str], skip: Iterable[str]
) -> list[list[str]]:
    """For each place its tests, `file::function`, those that run the fewest blocks first."""
    found = [reach(place, tree) for place in places]
    wanted, tests_at, weight = (
        {at for own in found for at in own},
        defaultdict[str, set[str]](set),
        Counter[str](),
    )
    for part in record.parent.glob(f"{record.name}.*"):
        for row in part.read_text(encoding="utf-8").splitlines():
            test, *ran = row.split("\t")
            weight[test] = max(weight[test], len(ran))
            for at in wanted.intersection(ran):
                tests_at[at].add(test)
    result = []
    for own in found:
        steps = dict[str, int]()
        for at in sorted(own, key=lambda at: -own[at]):
            steps |= dict.fromkeys(tests_at[at], own[at])
        result.append(
            sorted(steps.keys() - set(skip), key=lambda test: (steps[test], weight[test], test))[
                :MOST_TESTS
            ]
        )
    return result


def judged(
    mutant: Mutant, place: Place, tests: Sequence[str], copies: Queue[Path], wall_s: float
) -> tuple[str, str]:
    """What becomes of a mutant, and the first test that fails."""
    copy = copies.get()
    path = copy / place[0]
    lines = (source := path.read_text(encoding="utf-8")).split("\n")
    for number, after in enumerate(mutant["after"], place[1] - 1):
        lines[number] = lines[number].replace(lines[number].strip(), after)
    try:
        write(path, "\n".join(lines))
        return run_tests(copy, tests, wall_s)
    finally:
        write(path, source)
        copies.put(copy)


def write(path: Path, source: str) -> None:
    """Compiled code is taken for current by size and second: it goes."""
    path.write_text(source, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def run_tests(copy: Path, tests: Sequence[str], wall_s: float) -> tuple[str, str]:
    words = [
        "timeout",
        "--signal=KILL",
        str(wall_s),
        str(Path(sys.executable).with_name("pytest")),
        "-x",
        "-q",
        "--tb=no",
    ]
    words += ["-rfE", "-p", "no:cacheprovider", "--timeout", "60", *tests]
    environment = os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(copy / ".pkg")}
    done = subprocess.run(
        words, cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode in (0, 5, -9, 137):
        return ("survived" if done.returncode in (0, 5) else "slow"), ""
    first = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", done.stdout, re.MULTILINE)
    if first is None and done.returncode == 4:
        raise SystemExit(done.stdout + done.stderr)
    return "killed", first[1] if first else f"exit {done.returncode}"


def judge_all(
    work: Sequence[tuple[Mutant, Place, Sequence[str]]], wall_s: float
) -> Iterator[tuple[Mutant, str, str]]:
    copies = Queue[Path]()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for number in range(2):
            copy = Path(folder) / str(number) / "tree"
            shutil.copytree(
                ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv")
            )
            copies.put(copy)
        running = {
            pool.submit(judged, m, place, tests, copies, wall_s): m
            for m, place, tests in work
            if tests
        }
        yield from ((m, "uncovered", "") for m, _, tests in work if not tests)
        yield from ((running[done], *done.result()) for done in as_completed(running))


def save(mutants: Sequence[Mutant]) -> None:
    rows = ",\n".join(
        json.dumps(mutant, ensure_ascii=False, separators=(",", ":")) for mutant in mutants
    )
    FROZEN.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def kill(mutants: Sequence[Mutant], options: argparse.Namespace, tree: dict[str, str]) -> None:
    waiting = [m for m in mutants if "fate" not in m and m["room"] in options.room]
    places = [place for m in waiting if (place := locate(m, {}, tree))]
    tests = covering(options.reached, places, tree, options.skip)
    for mutant, fate, by in judge_all(list(zip(waiting, places, tests, strict=True)), WALL_S):
        mutant |= {"fate": fate} | ({"by": by} if by else {})
        save(mutants)
        print(mutant["room"], mutant["file"], mutant["line"], fate, by, flush=True)


def again(mutants: Sequence[Mutant], options: argparse.Namespace, tree: dict[str, str]) -> None:
    moved = (
        dict(line.split() for line in options.moved.read_text().splitlines())
        if options.moved
        else {}
    )
    before = [m for m in mutants if m.get("fate") == "killed" and m["room"] in options.room]
    found = [(m, place) for m in before if (place := locate(m, moved, tree))]
    if options.reached:
        tests = covering(options.reached, [place for _, place in found], tree, options.skip)
    else:
        tests = [options.tests] * len(found)
    ended = [
        *judge_all([(m, p, t) for (m, p), t in zip(found, tests, strict=True)], options.wall_s)
    ]
    ended += [(m, "not found", "") for m in before if m not in [m for m, _ in found]]
    for room in options.room:
        fates = Counter(fate for m, fate, _ in ended if m["room"] == room)
        print(f"{room}: killed before {fates.total()}, now {fates['killed']}; {dict(fates)}")
    for m, fate, _ in ended:
        if fate != "killed":
            print(
                f"{fate}: {m['file']}:{m['line']} {m['name']}: {' '.join(m['before'])} → "
                f"{' '.join(m['after'])}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["kill", "again"])
    parser.add_argument("--room", nargs="+", choices=[*ROOMS], default=[*ROOMS])
    parser.add_argument("--skip", nargs="+", default=[], help="tests that fail without any fault")
    parser.add_argument("--tests", nargs="+", default=["tests"])
    for name in ("--reached", "--moved"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--wall-s", type=float, default=WALL_S)
    options = parser.parse_args()
    paths = (path for room in PRODUCT for path in sorted((ROOT / room).rglob("*.py")))
    tree = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    mutants = json.loads(FROZEN.read_text(encoding="utf-8"))
    return kill(mutants, options, tree) if options.what == "kill" else again(mutants, options, tree)


if __name__ == "__main__":
    main()
