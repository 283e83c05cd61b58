"""Draws the small faults that `bench/mutants.py` puts into the program, 40 per room:
bench/mutants.json.

A script to run by hand when a new sample is wanted; `cosmic-ray`, which knows what can be changed
in a line, is not a dependency of Fathom:

    python -m venv venv && venv/bin/pip install cosmic-ray && venv/bin/python bench/draw_mutants.py

The same program and the same seed give the same faults.
"""

import ast
import re
import sys
from collections import defaultdict
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.mutants import DEF, ROOT, Mutant, around, hits, save

PER_ROOM, SEED = 40, 20261123
DRILL = (
    "admission close concepts conformance deal drill duplicates lookups nodes opening probe "
    "record result scheduler"
)
PATTERNS = {
    "stats": ["stats/**/*.py"],
    "drill": [f"graphs/{name}.py" for name in DRILL.split()],
    "graphs": ["graphs/**/*.py"],
    "agents": ["agents/**/*.py"],
    "models": ["tools/models/**/*.py", "tools/purse.py"],
    "cache": ["tools/cache/**/*.py"],
    "facts": ["tools/facts/**/*.py"],
    "state": ["state/**/*.py"],
}
KEPT = re.compile(
    r"core/(AddNot|Replace(True|False|And|Or|Break|Continue)With\w+|ExceptionReplacer|NumberReplacer"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_(Mul|Div)|Mod_Mul|Pow_Mul|BitOr_BitAnd"
    r"|BitAnd_BitOr|BitXor_BitOr|LShift_RShift|RShift_LShift)|ReplaceUnaryOperator_(USub_UAdd|Delete_Not)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Is_IsNot"
    r"|IsNot_Is))"
)


def noise(tree: ast.AST) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
    """Spans in which a change says nothing: everything in annotations and assertions, `|` between
    types."""
    spans = []
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += [node] if isinstance(node, ast.Assert) else []
        parts += node.decorator_list if isinstance(node, DEF | ast.ClassDef) else []
        parts += node.keywords if isinstance(node, ast.ClassDef) else []
        parts += (
            [node.value]
            if isinstance(node, ast.keyword) and node.arg in ("strict", "frozen")
            else []
        )
        types = [node.slice] if isinstance(node, ast.Subscript) else []
        types += (
            node.args
            if isinstance(node, ast.Call) and getattr(node.func, "id", "")[:2] == "is"
            else []
        )
        for part, what in [
            *((part, "") for part in parts if part),
            *((part, "_BitOr_") for part in types),
        ]:
            spans.append(
                (
                    (part.lineno, part.col_offset),
                    (part.end_lineno or 0, part.end_col_offset or 0),
                    what,
                )
            )
    return spans


def candidates(source: str) -> list[tuple[int, list[tuple[str, int]]]]:
    """Each place where something can be changed: its line, and the operators with the number of the
    occurrence."""
    cosmic, plugins = import_module("cosmic_ray.ast"), import_module("cosmic_ray.plugins")
    tree, lines, found = ast.parse(source), source.split("\n"), defaultdict(list)
    spans, nodes = noise(tree), list(cosmic.ast_nodes(cosmic.get_ast(source)))
    for name in filter(KEPT.fullmatch, plugins.operator_names()):
        operator = plugins.get_operator(name)()
        places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, (line, column) in enumerate(places):
            at = (line, len(lines[line - 1][:column].encode()))
            typed = "_BitOr_" in name and not isinstance(around(source, line)[1], DEF)
            quiet = any(start <= at < end and what in name for start, end, what in spans)
            if not (typed or quiet or "TYPE_CHECKING" in lines[line - 1]):
                found[line, column, name.split("_")[0]].append((name, occurrence))
    return [(line, ways) for (line, _, _), ways in found.items()]


def mutant_of(room: str, file: str, source: str, operator: str, occurrence: int) -> Mutant | None:
    mutating, plugins = import_module("cosmic_ray.mutating"), import_module("cosmic_ray.plugins")
    changed = mutating.mutate_code(source, plugins.get_operator(operator)(), occurrence)
    try:
        same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
        compile(changed, file, "exec")
    except SyntaxError:
        return None
    old, new = source.split("\n"), changed.split("\n")
    differing = [
        number for number, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]
    ]
    if same or len(old) != len(new):
        return None
    first, last = differing[0], differing[-1] + 1
    mutant = {"room": room, "file": file, "name": around(source, first + 1)[0], "line": first + 1}
    mutant |= {
        "before": [s.strip() for s in old[first:last]],
        "after": [s.strip() for s in new[first:last]],
    }
    return mutant | {"nth": [line for _, line in hits(file, source, mutant)].index(first + 1)}


def sample(room: str) -> list[Mutant]:
    """40 points at equal distances over the room's lines, each a place in the file that it falls
    into."""
    files = sorted({path for pattern in PATTERNS[room] for path in ROOT.glob(pattern)})
    files = [path for path in files if room != "graphs" or path.stem not in DRILL.split()]
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files
    }
    rng, drawn = Random(f"{SEED}:{room}"), list[Mutant]()
    open_places = {file: candidates(source) for file, source in sources.items()}
    sizes = list(
        accumulate(source.count("\n") if open_places[f] else 0 for f, source in sources.items())
    )
    names, start, asked = list(sources), rng.random(), 0
    while len(drawn) < PER_ROOM:
        point = (start + asked % PER_ROOM) / PER_ROOM * sizes[-1]
        asked += 1
        file = next(name for name, size in zip(names, sizes, strict=True) if point < size)
        if open_places[file]:
            line, ways = open_places[file].pop(rng.randrange(len(open_places[file])))
            mutant = mutant_of(room, file, sources[file], *rng.choice(ways))
            taken = {(m["file"], m["line"]) for m in drawn}
            drawn += [mutant] if mutant and (file, line) not in taken else []
    return sorted(drawn, key=lambda m: (m["file"], m["line"]))


if __name__ == "__main__":
    save([mutant for room in PATTERNS for mutant in sample(room)])
