"""The shape of the code: what may import what, how long a file may be, and what an install
brings."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import fathom

from .support import thermometers
from .support.paths import ROOT

pytestmark = pytest.mark.xdist_group("architecture")  # one worker reads all files once

ALLOWED = {
    "state": set(),
    "stats": {"state"},
    "tools": {"state"},
    "sim": {"state"},
    "agents": {"state", "tools"},
    "reports": {"state", "stats", "tools", "sim", "agents"},
    "graphs": {"state", "stats", "tools", "sim", "agents", "reports"},
    "service": {"state", "stats", "tools", "sim", "agents", "graphs", "reports"},
    "commands": {"state", "stats", "tools", "sim", "agents", "graphs", "reports", "service"},
}
ROOMS = sorted(ALLOWED)
METHODS = {"drill", "eqt", "depthqa", "deepquestion", "replay", "ask"}
CODE = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
EVERYTHING = [
    *CODE,
    *sorted(ROOT.glob("*.py")),
    *(p for d in ("tests", "bench", "examples") for p in (ROOT / d).rglob("*.py")),
]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


@cache
def _import_lines(path: Path) -> list[ast.Import | ast.ImportFrom]:
    return [
        node for node in ast.walk(_tree(path)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]


@cache
def _imports(path: Path) -> frozenset[str]:
    """What a file imports, wherever in it: the project's own modules from its root on, as
    `graphs.run.launch`, others as they are."""
    folder = path.relative_to(ROOT).parts[:-1]
    found: set[str] = set()
    for node in _import_lines(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            base = (
                [*folder[: len(folder) + 1 - node.level], *(node.module or "").split(".")]
                if node.level
                else []
            )
            module = ".".join(filter(None, base)) or node.module or ""
            submodules = {f"{module}.{alias.name}".lstrip(".") for alias in node.names}
            inside = {name for name in submodules if node.level and name in _modules()}
            found |= inside if len(inside) == len(submodules) else inside | {module}
    return frozenset(found)


@cache
def _modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in CODE
    }


def _rooms_of(path: Path) -> set[str]:
    return {name.split(".")[0] for name in _imports(path)} & set(ROOMS)


ABOVE = (
    *("page/plan.py", "views/planned.py"),
    *("views/drill", "views/depthqa", "views/replay"),
)
"""Parts of reports that belong to graphs, and go there."""


def test_imports_point_down() -> None:
    upward = {
        path: _rooms_of(path) - ALLOWED[room] - {room}
        for path in CODE
        for room in path.relative_to(ROOT).parts[:1]
        if not str(path.relative_to(ROOT)).startswith(
            tuple(f"reports/{part}" for part in ABOVE)
        )
    }
    assert not {str(path): rooms for path, rooms in upward.items() if rooms}


def test_the_import_check_sees_relative_imports() -> None:
    assert _rooms_of(ROOT / "graphs" / "run" / "resources.py") >= {
        "sim",
        "tools",
        "state",
    }


def test_no_module_imports_itself_round_a_corner() -> None:
    order = TopologicalSorter(
        {name: _imports(path) & set(_modules()) - {name} for name, path in _modules().items()}
    )
    # raises CycleError, which names the circle
    assert set(order.static_order()) == set(_modules())


def test_what_programs_may_rely_on_is_told_to_type_checkers_and_imported_late() -> None:
    held = next(
        node
        for node in ast.parse((ROOT / "__init__.py").read_bytes()).body
        if isinstance(node, ast.If)
    )
    told = {
        name.asname: node.module
        for node in held.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert told.pop("agents") is None
    assert told == fathom._HOME
    assert set(fathom.__all__) == {"agents", *told}
    assert all(getattr(fathom, str(name)) for name in told)
    heavy = "import sys, fathom; print({'langgraph', 'pydantic', 'aiohttp'} & set(sys.modules))"
    assert (
        subprocess.run(
            [sys.executable, "-c", heavy], capture_output=True, text=True, check=True
        ).stdout
        == "set()\n"
    )
    with pytest.raises(AttributeError, match="has no attribute 'drills'"):
        fathom.drills  # noqa: B018


def test_nobody_asks_what_type_a_spec_or_a_result_is() -> None:
    """What differs by method stands in tables by its name."""
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in CODE
        if path.relative_to(ROOT).parts[0] != "state"
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        for named in ast.walk(node.args[1])
        if isinstance(named, ast.Name)
        and named.id.endswith(("Spec", "Result"))
        and named.id != "WorldSpec"
    ]
    assert asked == []


def _method_of(module: str) -> str | None:
    return next((part for part in module.split(".") if part in METHODS), None)


def test_no_method_uses_the_parts_of_another() -> None:
    """What several need stands where all may take it. A replay is of a drill, and knows its
    figures."""
    used = {
        (own, name)
        for name, path in _modules().items()
        if (own := _method_of(name))
        for each in _imports(path)
        if (other := _method_of(each)) and other != own and (own, other) != ("replay", "drill")
    }
    assert not used


def test_a_prefix_that_three_files_share_is_a_folder() -> None:
    shared = Counter(
        (path.parent, path.stem.removeprefix("test_").split("_")[0]) for path in EVERYTHING
    )
    assert not {
        str(folder / word): count
        for (folder, word), count in shared.items()
        if count >= 3 and word
    }


def test_rooms_import_relatively() -> None:
    absolute = {
        str(path): {
            node.module
            for node in _import_lines(path)
            if isinstance(node, ast.ImportFrom)
            and not node.level
            and str(node.module).split(".")[0] in {"fathom", *ROOMS}
        }
        for path in CODE
    }
    assert not {path: names for path, names in absolute.items() if names}


def test_only_graphs_and_what_makes_nodes_of_skills_know_langgraph() -> None:
    knowing = {
        name
        for name, path in _modules().items()
        if any(each.split(".")[0] == "langgraph" for each in _imports(path))
    }
    assert knowing
    assert all(name.startswith("graphs.") or name == "agents.graph_of" for name in knowing)


def test_no_file_is_over_500_lines() -> None:
    lines = {
        str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in EVERYTHING
    }
    assert not {path: count for path, count in lines.items() if count > 500}


LIMITS = {"tokens": 419_000, "tokens per line": 8.11, "bare names (%)": 1.43}
FILES_OF_A_PROBE = 37


def test_the_product_gets_no_larger_and_no_denser() -> None:
    """`python -m tests.support.thermometers` prints the figures. Lower a limit with the figure;
    raise one only with a reason in the commit."""
    density = thermometers.density(thermometers.product())
    assert not {name: value for name, value in density.items() if value > LIMITS[name]}


def test_a_probe_enters_no_more_files() -> None:
    entered = thermometers.entered_by_a_probe()
    assert "graphs/drill/probe.py" in entered
    assert len(entered) <= FILES_OF_A_PROBE, entered


def test_every_room_has_its_link_and_is_shipped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    for entry in [*ROOMS, "__init__.py", "__main__.py", "py.typed", "cli.py"]:
        link = ROOT / ".pkg" / "fathom" / entry
        assert link.is_symlink()
        assert not Path(link.readlink()).is_absolute()
        assert link.resolve() == (ROOT / entry).resolve()
        assert entry in targets["wheel"]["only-include"]
        assert entry in targets["sdist"]["only-include"]


def test_every_folder_of_a_room_is_a_package_that_git_keeps() -> None:
    assert not {
        str(path.parent) for path in CODE if not (path.parent / "__init__.py").is_file()
    }
    ignored = [
        line
        for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        if line in ("runs/", "build/")
    ]
    assert not ignored, (
        "such a line also leaves out folders of the program, of git and of the wheel: write /runs/"
    )


def test_nothing_is_installed_under_names_others_use() -> None:
    code = (
        "import importlib.util as u, sys; sys.exit(any(u.find_spec(n) for n in ('agents', "
        "'graphs', 'sim')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd="/", check=False, timeout=60)
    assert done.returncode == 0
    assert importlib.util.find_spec("fathom") is not None


def test_what_is_depended_on_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.split(r"[^\w.-]", text)[0] for text in project["dependencies"]}
    imported = {name.split(".")[0] for path in CODE for name in _imports(path)}
    homes = packages_distributions()  # reads the metadata of everything installed
    offered = {
        dist.lower().replace("_", "-") for name in imported for dist in homes.get(name, ())
    }
    assert named - offered == set()


def test_constraints_hold_no_address() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "==" in text
    assert "://" not in text
    assert "index-url" not in text


def test_start_up_is_quick_because_heavy_imports_are_lazy() -> None:
    heavy = [
        "langgraph",
        "langchain_openai",
        "openai",
        "scipy",
        "numpy",
        "tavily",
        "wikipediaapi",
        "rich.live",
    ]
    heavy += ["vl_convert", "pyarrow", "rapidfuzz", "pint"]
    services = ["httpx", "aiohttp", "langchain_core", "genai_prices"]
    pages = [f"fathom.graphs.{file.parent.name}.page" for file in ROOT.glob("graphs/*/page.py")]
    own = ["fathom.tools.models.clients", "fathom.tools.facts.registry"]
    by_clients, by_shell, by_pages = _loaded(own, ["fathom.cli"], pages)
    assert by_clients.isdisjoint([*heavy, *services])
    assert by_shell.isdisjoint(heavy)
    assert by_pages.isdisjoint({*heavy, *services} - {"scipy", "numpy"})


def test_who_drills_loads_no_other_method_and_nothing_that_is_only_shown_at_the_end() -> None:
    drilling = (
        "fathom.commands.drill.request",
        "fathom.graphs.drill.graph",
        "fathom.reports.live.display",
    )
    (loaded,) = _loaded(["fathom.commands.request", *drilling])
    others = [
        f"fathom.{room}.{name}"
        for room in ("graphs", "reports.views", "stats")
        for name in METHODS - {"drill"}
    ]
    shown = [
        "numpy",
        "scipy",
        "fathom.commands.print_results",
        "fathom.commands.study",
        "fathom.reports.views.drill.summary",
    ]
    assert loaded.isdisjoint([*others, *shown, "fathom.sim.server", "fathom.sim.corpus"])


def _loaded(*steps: list[str]) -> list[set[str]]:
    """What a process has loaded once it has imported these, and once those after them too."""
    code = "\n".join(f"import sys, {', '.join(each)}; print(*sys.modules)" for each in steps)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [set(line.split()) for line in done.stdout.splitlines()]


def _programs() -> dict[str, str]:
    """The examples, and the programs on the pages for users."""
    examples = sorted((ROOT / "examples").rglob("*.py"))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    programs = {str(path): path.read_text("utf-8") for path in examples}
    for page in pages:
        blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        indented = textwrap.indent("\n".join(blocks), "    ")
        programs[str(page)] = f"import fathom\nasync def program():\n{indented}\n    ..."
    return programs


def test_examples_and_pages_name_nothing_that_is_not_promised() -> None:
    promised = {f"fathom.{name}" for name in fathom.__all__}
    promised |= {f"fathom.agents.{name}" for name in fathom.agents.__all__}
    used = set()
    for text in _programs().values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fathom"):
                used |= {f"{node.module}.{name.name}" for name in node.names}
            if isinstance(node, ast.Import):
                used |= {name.name for name in node.names if name.name.startswith("fathom.")}
            if isinstance(node, ast.Attribute):
                chain = re.match(r"fathom(\.agents)?\.\w+", ast.unparse(node))
                used |= {chain[0]} if chain else set()
    assert {"fathom.agents.judge", "fathom.embed"} < used
    assert used <= promised
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        named = re.findall(r"`(fathom(?:\.agents)?\.\w+)", page.read_text("utf-8"))
        assert set(named) <= promised


def test_langgraph_json_names_a_factory_for_each_method_and_agent() -> None:
    from fathom.graphs import factories

    text = (ROOT / "langgraph.json").read_text(encoding="utf-8")
    assert text == factories.langgraph_json(), "write it anew: make langgraph"
    for target in json.loads(text)["graphs"].values():
        module, name = target.split(":")
        assert callable(
            vars(importlib.import_module(module))[name]
        )  # as LangGraph's server takes it
