"""The scripts of bench/, as modules."""

import importlib.util
import sys
from types import ModuleType

from .paths import ROOT


def load_bench(name: str) -> ModuleType:
    path = ROOT / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location("bench_" + name.replace("/", "_"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
